/* SPDX-License-Identifier: MIT */
#ifndef FGRECLAIM_POLICY_HEADROOM_H
#define FGRECLAIM_POLICY_HEADROOM_H

#include "limit.h"
#include "view.h"

/* Keeps headroom below the limit of snapshot->memcgs[limited] by evicting file from the one leaf
 * that fills it, which may be the same memcg or one below it; aging: how this kernel ages. Appends a
 * decision for each of the leaf's lruvecs at most, sets its verdict where there is something to be
 * said, books what it plans in planned_bytes, and brings plan->next_usec forward when the limit is
 * near. */
void headroom_plan(const struct policy_params *params, const struct snapshot *snapshot,
		   size_t limited, size_t leaf, enum aging_rule aging, struct memcg_state *states,
		   uint64_t *planned_bytes, struct plan *plan);

#endif
