/* SPDX-License-Identifier: MIT */
#ifndef FGRECLAIM_POLICY_SWAP_ROOM_H
#define FGRECLAIM_POLICY_SWAP_ROOM_H

#include "view.h"

/* Where what is swapped out of a memcg goes. */
enum swap_way {
	SWAP_NOWHERE, /* the kernel keeps it: zswap does not take it, and nothing may go past zswap */
	SWAP_MEMORY,
	SWAP_DISK, /* all of it, or what zswap does not take */
};

/* *ret_room_bytes: of SWAP_MEMORY, how much there is room for at least, UINT64_MAX where it has no
 * limit; else 0. least_bytes: room for less is none. */
enum swap_way swap_way(const struct snapshot *snapshot, size_t index, const struct plan *plan,
		       uint64_t least_bytes, uint64_t *ret_room_bytes);

/* True, with a verdict, if no anon of this memcg may be swapped out, or none that fits; plan: what
 * it swaps already is no longer free. */
bool swap_refuses_anon(const struct memcg_view *view, const struct plan *plan);

/* What may be written to swap of a memcg: what memory has room for; or to a disk, what the day's budget
 * leaves beside the plan, where a disk is allowed at all. */
uint64_t swap_write_room_bytes(const struct policy_params *params, const struct snapshot *snapshot,
			       size_t index, const struct plan *plan);

/* True if the kernel could swap here: there is swap, and swap.max allows some. Unknown is true. */
bool swap_is_possible(const struct snapshot *snapshot, size_t index);

#endif
