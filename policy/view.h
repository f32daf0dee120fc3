/* SPDX-License-Identifier: MIT */
/*
 * One memcg as the laws see it.
 */
#ifndef FGRECLAIM_POLICY_VIEW_H
#define FGRECLAIM_POLICY_VIEW_H

#include "arith.h"
#include "params.h"
#include "state.h"

/* When the kernel opens a generation (aging.c). */
enum aging_rule {
	AGING_UNKNOWN,
	AGING_REFUSES, /* up to 6.13: not by itself at a limit; "+" is refused while four exist */
	AGING_ALWAYS,  /* 6.14 on: by itself, and "+" whenever asked for */
	AGING_KEEPS,   /* the same, and promotes by frequency: four are worth keeping */
};

/* What a law looks at for one memcg, gathered once by the planner. */
struct memcg_view {
	const struct policy_params *params;
	const struct class_params *class;
	const struct snapshot *snapshot;
	const struct memcg_sample *sample;
	const struct memcg_state *states; /* of all, by index */
	struct memcg_state *state;
	size_t index;
	uint64_t room_bytes;   /* that protection leaves */
	uint64_t quota_bytes;  /* that the quotas of its ancestors leave */
	uint64_t floor_bytes;  /* for the explanation */
	enum aging_rule aging; /* of this kernel */
};

/* The kernel counts every use and promotes by that: what to keep is left to it. */
static inline bool view_leaves_frequency(const struct memcg_view *view)
{
	return view->snapshot->system.capability >= CAPABILITY_FAST_PATH;
}

/* The time that a rate of taking counts for, dt_usec after the last look: two intervals at most. What
 * was read long ago, since its counters are dear, has saved up nothing. */
static inline uint64_t view_span_usec(const struct snapshot *snapshot, uint64_t dt_usec)
{
	return min_u64(dt_usec, saturating_mul(2, snapshot->interval_usec));
}

/* Sets the verdict to a law's that takes nothing. Returns 0, the bytes that it takes. */
static inline uint64_t verdict_say(struct memcg_state *state, enum reason reason, uint64_t measured,
				   uint64_t limit)
{
	state->verdict = (struct verdict){
		.reason = reason,
		.measured = measured,
		.limit = limit,
	};
	return 0;
}

static inline uint64_t view_say(const struct memcg_view *view, enum reason reason,
				uint64_t measured, uint64_t limit)
{
	return verdict_say(view->state, reason, measured, limit);
}

#endif
