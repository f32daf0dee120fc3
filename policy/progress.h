/* SPDX-License-Identifier: MIT */
#ifndef FGRECLAIM_POLICY_PROGRESS_H
#define FGRECLAIM_POLICY_PROGRESS_H

#include "state.h"

/* Takes one interval into the running totals and, where due, a point of them into the ring.
 * unit_usec: the ring is to span at least six of it. To be called before state->last is renewed. An
 * interval whose refaults are unknown counts neither as cost nor as progress. */
void progress_step(struct memcg_state *state, const struct memcg_sample *sample,
		   const struct snapshot *snapshot, uint64_t unit_usec);

/* Forgets all points. */
void progress_forget(struct memcg_state *state);

/* m: what refaults cost from from_usec ago to to_usec ago, in ppm of the progress made, or
 * SAMPLE_UNKNOWN if the ring does not reach that far back or nothing went on. The window is as long
 * as asked or, by the distance of two points, longer. */
uint64_t progress_cost_ppm(const struct memcg_state *state, uint64_t now_usec, uint64_t from_usec,
			   uint64_t to_usec);

/* The same, if each page that is evicted were one that comes back from a disk. What m has risen by
 * in truth this has risen by, too. */
uint64_t progress_turnover_ppm(const struct memcg_state *state, uint64_t now_usec,
			       uint64_t from_usec);

/* What refaults cost from from_usec ago to now, in usec of waiting. */
uint64_t progress_cost_usec(const struct memcg_state *state, uint64_t now_usec, uint64_t from_usec);

#endif
