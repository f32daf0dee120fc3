/* SPDX-License-Identifier: MIT */
#ifndef FGRECLAIM_POLICY_SAVER_H
#define FGRECLAIM_POLICY_SAVER_H

#include "params.h"
#include "state.h"

/* What a law looks at for one memcg, gathered once by the planner. */
struct memcg_view {
	const struct policy_params *params;
	const struct class_params *class;
	const struct snapshot *snapshot;
	const struct memcg_sample *sample;
	struct memcg_state *state;
	size_t index;
	uint64_t room_bytes;  /* that protection leaves */
	uint64_t quota_bytes; /* that the quotas of its ancestors leave */
	uint64_t floor_bytes; /* for the explanation */
};

/* Decides what to do about cold anon of one memcg and sets state->verdict; appends the decisions,
 * at most one for each of its lruvecs, to plan. Returns the bytes planned to be taken. */
uint64_t saver_plan(const struct memcg_view *view, struct plan *plan);

#endif
