/* SPDX-License-Identifier: MIT */
/*
 * A limit that is about to be reached: memory.high or memory.max of a memcg, how much is free below
 * it, and how much should be, so that nobody's request has to wait for reclaim.
 */
#ifndef FGRECLAIM_POLICY_LIMIT_H
#define FGRECLAIM_POLICY_LIMIT_H

#include "arith.h"
#include "state.h"

/* The nearer of memory.high and memory.max; SAMPLE_INFINITY: none that is known. */
static inline uint64_t limit_bytes_of(const struct memcg_sample *sample)
{
	return min_u64(number_or(sample->max_bytes, SAMPLE_INFINITY),
		       number_or(sample->high_bytes, SAMPLE_INFINITY));
}

/* What a law wants free below a limit: what comes in during span_usec, within the two shares of the
 * limit. */
struct limit_want {
	uint64_t span_usec;
	uint64_t least_ppm;
	uint64_t most_ppm;
	bool at_once; /* growth that has only begun counts in full, and not as its average does */
};

struct limit {
	size_t memcg; /* that has the limit: index into snapshot.memcgs */
	uint64_t limit_bytes;
	uint64_t free_bytes;
	uint64_t headroom_bytes; /* wanted free */
	uint64_t growth_bps;     /* bytes charged below it a second */
};

/* Fills *ret for snapshot->memcgs[index]. False if it has no limit, or nothing is known of its
 * growth yet. */
bool limit_look(const struct snapshot *snapshot, const struct memcg_state *states, size_t index,
		const struct limit_want *want, struct limit *ret);

/* Whether a limit of snapshot->memcgs[index] or of an ancestor is so near that headroom is in charge:
 * then what is free below it, and from which it is near (SAMPLE_INFINITY: in any case).
 * states[].n_leaves are those of this snapshot. */
bool limit_needs_headroom(const struct snapshot *snapshot, const struct memcg_state *states,
			  size_t index, uint64_t *ret_free_bytes, uint64_t *ret_near_bytes);

/* Bytes to take so that the headroom is there, planned_bytes being taken already. */
uint64_t limit_need_bytes(const struct limit *limit, uint64_t planned_bytes);

/* Twice the headroom or less is free: it may soon have to be taken for. */
static inline bool limit_is_near(const struct limit *limit)
{
	return limit->free_bytes <= saturating_mul(2, limit->headroom_bytes);
}

/* Brings the next look forward to half of the time in which the limit would be reached, but not
 * below LIMIT_NEXT_LEAST_USEC. */
void limit_hasten(const struct limit *limit, struct plan *plan);

/* Never looks again sooner than this, however close the limit. */
#define LIMIT_NEXT_LEAST_USEC UINT64_C(500000)

#endif
