/* SPDX-License-Identifier: MIT */
#ifndef FGRECLAIM_POLICY_SPLIT_H
#define FGRECLAIM_POLICY_SPLIT_H

#include "view.h"

/* Keeps headroom below the limit of snapshot->memcgs[parent], if it has one that is about to be
 * reached: by file reclaim from the children whose evicted pages do not come back, or from a leaf
 * alone under it, which may be the memcg itself (headroom.h). Appends decisions, sets the verdicts
 * of the leaves that it considered, books what it plans in planned_bytes, and brings
 * plan->next_usec forward when the limit is closer than the next tick. */
void split_plan(const struct policy_params *params, const struct snapshot *snapshot, size_t parent,
		enum aging_rule aging, struct memcg_state *states, uint64_t *planned_bytes,
		struct plan *plan);

#endif
