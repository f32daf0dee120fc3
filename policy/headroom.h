/* SPDX-License-Identifier: MIT */
#ifndef FGRECLAIM_POLICY_HEADROOM_H
#define FGRECLAIM_POLICY_HEADROOM_H

#include "params.h"
#include "state.h"

/* Keeps headroom below the limit of snapshot->memcgs[limited] by file reclaim from the one leaf
 * that fills it, which may be the same memcg or one below it. Appends a decision at most, sets the
 * leaf's verdict where there is something to be said, books what it plans in planned_bytes, and
 * brings plan->next_usec forward when the limit is near. */
void headroom_plan(const struct policy_params *params, const struct snapshot *snapshot,
		   size_t limited, size_t leaf, struct memcg_state *states, uint64_t *planned_bytes,
		   struct plan *plan);

#endif
