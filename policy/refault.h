/* SPDX-License-Identifier: MIT */
#ifndef FGRECLAIM_POLICY_REFAULT_H
#define FGRECLAIM_POLICY_REFAULT_H

#include "arith.h"
#include "state.h"

/* The time constant of refault_mpps: long enough to average over a few ticks, short enough to stop
 * within a minute. */
#define REFAULT_TAU_USEC (30 * USEC_PER_SEC)

/* What was evicted and is not back counts as out for about so long: by then the kernel forgets it,
 * and a page that is used less often than that is not missed. */
#define REFAULT_OUT_TAU_USEC (1800 * USEC_PER_SEC)

/* Takes the flows of one interval out of two samples' counters into the averages of *state; the
 * caller has set state->dt_usec, and stores the new counters afterwards. Unknown counters leave the
 * averages as they are. */
void refault_step(struct memcg_state *state, const struct memcg_sample *sample, uint64_t now_usec,
		  uint32_t page_bytes);

/* Refaults of both types, in thousandths of a page per second. */
static inline uint64_t refault_all_mpps(const struct memcg_state *state)
{
	return saturating_add(state->refault_mpps[LRU_ANON], state->refault_mpps[LRU_FILE]);
}

/* What one refault costs whoever waits for the page, in usec: measured on zram, and usual for an
 * SSD. Only their ratio matters here, since costs are only compared with costs; so a disk that
 * turns (8000) is no case of its own: its swap and its files cost alike. */
#define REFAULT_ZRAM_USEC 30
#define REFAULT_DISK_USEC 200

/* What a refault of each type costs on a host, in usec: anon by what swap is. */
struct refault_cost {
	uint64_t usec[_LRU_TYPE_MAX];
};

struct refault_cost refault_cost(const struct system_sample *system);

/* What so many refaults of each type cost, in the unit of the numbers times usec. */
static inline uint64_t refault_wait(const struct refault_cost *cost, const uint64_t *refaults)
{
	return saturating_add(saturating_mul(refaults[LRU_ANON], cost->usec[LRU_ANON]),
			      saturating_mul(refaults[LRU_FILE], cost->usec[LRU_FILE]));
}

/* Share of the file pages evicted of late that came back, in ppm, or SAMPLE_UNKNOWN with fewer than
 * REFAULT_EVIDENCE_PAGES evictions to judge by. */
uint64_t refault_return_ppm(const struct memcg_state *state);

/* The same for what was evicted a minute ago or more, in the last ten minutes or so. */
uint64_t refault_settled_return_ppm(const struct memcg_state *state);

/* The refault rate that a class allows a memcg of this size, in thousandths of a page per second.
 * */
uint64_t refault_limit_mpps(uint64_t limit_ppm_per_min, uint64_t held_bytes, uint32_t page_bytes);

#endif
