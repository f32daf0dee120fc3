/* SPDX-License-Identifier: MIT */
/*
 * Taking file pages by lru_gen's eviction: the very amount asked for, and from the end of the list
 * where the kernel would begin. memory.reclaim takes more than it is asked for where much is in use:
 * up to 6.13 it scans what its priority says before it looks whether that is enough (mm/vmscan.c:
 * should_abort_scan(); simulated, a hundred times as much of a cache that is used throughout).
 */
#ifndef FGRECLAIM_POLICY_FILE_EVICT_H
#define FGRECLAIM_POLICY_FILE_EVICT_H

#include "plan.h"

/* File pages in the oldest generation of each lruvec of snapshot->memcgs[index] that holds file, as
 * far as it may be evicted from. pass_anon: also where an older one holds anon; without it that
 * counts as having none, since to take file from a younger one is to take the side of anon. */
uint64_t file_evict_pages(const struct snapshot *snapshot, size_t index, bool pass_anon);

/* Asks for bytes of these, each lruvec's part by what it has. Returns the bytes asked for; the
 * caller books them. Sets no verdict. */
uint64_t file_evict_ask(const struct snapshot *snapshot, size_t index, bool pass_anon,
			uint64_t bytes, enum reason reason, struct plan *plan);

#endif
