/* SPDX-License-Identifier: MIT */
/*
 * Taking file pages from a memcg under a limit through memory.reclaim: whether it may be done at
 * all, and how the request has to be put on this kernel.
 */
#ifndef FGRECLAIM_POLICY_FILE_RECLAIM_H
#define FGRECLAIM_POLICY_FILE_RECLAIM_H

#include "params.h"
#include "state.h"

/* A request below this is not worth the walk. */
#define FILE_RECLAIM_WORTH_BYTES (UINT64_C(256) << 10)

/* True if no file may be taken from snapshot->memcgs[index] whatever the evidence; its verdict then
 * says why, as far as it is not for others to say. Otherwise *ret_swappiness is what to ask with.
 *
 * The refaults and stalls of a memcg at its limit are the limit's doing, and headroom is the
 * remedy: such holds count only where heed_refaults says so, and pressure not at all. */
bool file_reclaim_refused(const struct policy_params *params, const struct snapshot *snapshot,
			  size_t index, bool heed_refaults, struct memcg_state *state,
			  uint32_t *ret_swappiness);

/* File pages that can be dropped at once: neither dirty nor under writeback. */
uint64_t file_reclaim_clean_bytes(const struct memcg_sample *sample);

/* Asks for bytes of the memcg of this index and sets its verdict: why, with its reason and numbers.
 * The plan must have room for a decision; to book the bytes is for the caller. */
void file_reclaim_ask(size_t index, uint64_t bytes, uint32_t swappiness, const struct verdict *why,
		      struct memcg_state *state, struct plan *plan);

#endif
