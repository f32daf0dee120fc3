/* SPDX-License-Identifier: MIT */
/*
 * Marginal utility of memory: how much refault wait one page more would save.
 *
 * Che's approximation of a cache in which each page is used at its own rate lambda gives the change
 * of the miss rate with size C as dm/dC = -E[lambda | miss]: what the mean missed page is used again
 * per second. No page's lambda can be seen from user space. What can be seen is how many evicted
 * pages come back, and over how large a footprint they are spread:
 *
 *	u = v * cbar * p * rho / F
 *
 *	v	the memcg's weight
 *	cbar	cost of a refault, mean of anon and file by their rates
 *	rho	refaults per second, e pages evicted per second (averages over the same minute)
 *	p	min(1, rho / e), the share of evictions that come back
 *	F	resident + outstanding pages: evicted and not back yet, forgotten over half an hour
 *
 * A stream read once fills F and never comes back: u is 0. A big loop comes back, over a large F: u
 * is small. (Dividing by the residence time instead of F ranks streams first: simulated, wrong.)
 *
 * It is renewed only while enough is evicted to tell, and fades otherwise: what is not reclaimed
 * says nothing about what it could spare, and former evidence grows old.
 */
#include "utility.h"
#include "arith.h"
#include "params.h"
#include "refault.h"

#define EVICT_TAU_USEC   (60 * USEC_PER_SEC)
#define UTILITY_TAU_USEC (900 * USEC_PER_SEC)

/* 128 evictions a minute: twice the kernel's own noise floor for a tier (MIN_LRU_BATCH). */
#define EVIDENCE_MPPS (128 * 1000 / 60)

#define GIB_BYTES (UINT64_C(1) << 30)

bool utility_is_known(const struct memcg_state *state)
{
	return state->evict_mpps >= EVIDENCE_MPPS;
}

void utility_step(struct memcg_state *state, const struct memcg_sample *sample,
		  const struct snapshot *snapshot, uint32_t weight)
{
	const struct memcg_counters *last = &state->last;
	struct refault_cost cost = refault_cost(&snapshot->system);
	uint64_t dt_usec = state->dt_usec;
	uint64_t stolen = counter_delta(sample->pgsteal_pages, last->pgsteal_pages);
	uint64_t returned = 0, evicted_mpps, share_ppm, footprint_bytes;

	if (!is_number(stolen) || !is_number(sample->current_bytes))
		return;
	evicted_mpps = rate_mpps(stolen, dt_usec);
	state->evict_mpps = ewma(state->evict_mpps, evicted_mpps, dt_usec, EVICT_TAU_USEC);
	for (int type = 0; type < _LRU_TYPE_MAX; type++) {
		uint64_t pages = number_or(
			counter_delta(sample->refault_pages[type], last->refault_pages[type]), 0);

		returned = saturating_add(returned, pages);
		state->return_mpps[type] = ewma(state->return_mpps[type], rate_mpps(pages, dt_usec),
						dt_usec, EVICT_TAU_USEC);
	}
	state->outstanding_pages = saturating_sub(
		saturating_add(fade(state->outstanding_pages, dt_usec, REFAULT_OUT_TAU_USEC),
			       stolen),
		returned);
	if (evicted_mpps < EVIDENCE_MPPS) {
		state->utility = fade(state->utility, dt_usec, UTILITY_TAU_USEC);
		return;
	}
	share_ppm = min_u64(
		mul_div(saturating_add(state->return_mpps[LRU_ANON], state->return_mpps[LRU_FILE]),
			PPM, max_u64(state->evict_mpps, 1)),
		PPM);
	footprint_bytes =
		saturating_add(sample->current_bytes,
			       saturating_mul(state->outstanding_pages, snapshot->page_bytes));
	state->utility =
		mul_div(mul_div(saturating_mul(refault_wait(&cost, state->return_mpps), weight),
				share_ppm, PPM),
			GIB_BYTES, max_u64(footprint_bytes, 1)) /
		WEIGHT_DEFAULT;
}
