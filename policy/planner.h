/* SPDX-License-Identifier: MIT */
/*
 * The only door into the policy.
 */
#ifndef FGRECLAIM_POLICY_PLANNER_H
#define FGRECLAIM_POLICY_PLANNER_H

#include "params.h"
#include "state.h"

/* Decisions that a plan for this snapshot may need room for. */
size_t policy_plan_capacity(const struct snapshot *snapshot);

/*
 * One control step. Pure and total: the same arguments give the same plan, and no snapshot, however
 * absurd, makes it fail.
 *
 * states: one for each of snapshot->memcgs, in the same order, of the same cgroup (states[i].id); a
 *	state of another id is taken for a new memcg.
 * planned_bytes: scratch space, one entry a memcg.
 * plan: the caller sets decisions and capacity; a plan that is full leaves the rest for later.
 */
void policy_plan(const struct policy_params *params, const struct snapshot *snapshot,
		 struct memcg_state *states, uint64_t *planned_bytes, struct plan *plan);

#endif
