/* SPDX-License-Identifier: MIT */
#ifndef FGRECLAIM_POLICY_SWAP_ROOM_H
#define FGRECLAIM_POLICY_SWAP_ROOM_H

#include "view.h"

/* True, with a verdict, if no anon of this memcg may be swapped out, or none that fits; plan: what
 * it swaps already is no longer free. */
bool swap_refuses_anon(const struct memcg_view *view, const struct plan *plan);

/* What may be written to swap: without a limit where swap is memory; to a disk, what the day's budget
 * leaves beside planned_bytes, where a disk is allowed at all. */
uint64_t swap_write_room_bytes(const struct policy_params *params,
			       const struct system_sample *system, uint64_t planned_bytes);

/* True if the kernel could swap here: there is swap, and swap.max allows some. Unknown is true. */
bool swap_is_possible(const struct memcg_view *view);

#endif
