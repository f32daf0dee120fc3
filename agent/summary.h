/* SPDX-License-Identifier: MIT */
/*
 * What was done, what it is worth and what it cost, summed up in the log: once a minute if anything
 * was done, and at the end for all the time.
 */
#ifndef FGRECLAIM_SUMMARY_H
#define FGRECLAIM_SUMMARY_H

#include "executor.h"
#include "hierarchy.h"
#include "histogram.h"
#include "own_cost.h"
#include "savings.h"

/* What is summed up: running totals. */
struct summary_totals {
	struct executor_totals executor;
	struct hierarchy_changes changes;
	struct savings savings;
	struct swap_memory swap;
	struct own_cost cost;
	uint64_t looking_usec; /* CPU time of looking at cgroups and deciding */
	/* How late the loop was: 99 times in 100 at most, and once. */
	uint64_t lag_p99_usec, lag_most_usec;
	uint64_t dying;    /* removed cgroups that are not gone; SAMPLE_UNKNOWN */
	uint64_t now_usec; /* CLOCK_MONOTONIC */
};

struct summary {
	struct savings savings;
	struct summary_totals start, last; /* when the daemon started; when it was last summed up */
	uint64_t dying_said;
};

/* To be called once, when the daemon starts. */
void summary_init(struct summary *ret);

/* Once a tick: keeps the savings up to date, and says what there is to say if the last summary is a
 * minute old, or at_end. root: for swap. looking_usec: see above. lag: of the loop. */
void summary_tell(struct summary *summary, struct hierarchy *hierarchy,
		  const struct executor_totals *executor, const char *root, uint64_t looking_usec,
		  const struct histogram *lag, bool at_end);

/* Says the difference between the two; all of it, or of these what changed. */
void summary_say(struct summary *summary, const struct summary_totals *former,
		 const struct summary_totals *totals, bool at_end);

#endif
