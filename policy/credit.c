/* SPDX-License-Identifier: MIT */
/*
 * What may be evicted so that the refaults that follow stay within what the class allows.
 *
 *	C	credit: refaults allowed but not had, (J* - J) summed over time within 5 minutes of
 *		J*, so that neither thrift nor excess is remembered for ever
 *	h	hazard: how much of the oldest generation is in use after all, a second. An eviction
 *		scans more than it takes; the rest was used since the last walk over page tables
 *	E	= (max(0, J* - J) + C / 60 s) / h
 *
 * If a share h of the pages evicted comes back each second, E of them cost E * h refaults a second:
 * as many as there is room for below J*, and what has been saved up spread over a minute.
 */
#include "credit.h"
#include "arith.h"
#include "refault.h"

#define CREDIT_SPAN_SEC  300
#define CREDIT_SPEND_SEC 60

/* Parts in a thousand million a second. One page in ten thousand to start with; what is never in
 * use when looked at may yet be used once in a fortnight. */
#define HAZARD_START_PPB 100000
#define HAZARD_LEAST_PPB 1000
#define PPB              UINT64_C(1000000000)

/* An eviction that scanned fewer says nothing (MIN_LRU_BATCH). */
#define HAZARD_PAGES 64

/* A quarter of what is seen enters the average. */
#define HAZARD_DIVISOR 4

static void learn_hazard(struct memcg_state *state, const struct outcome *outcome,
			 uint64_t now_usec)
{
	uint64_t walked_usec = now_usec - state->aged_usec, used_ppm, seen_ppb;

	if (outcome->scanned_pages < HAZARD_PAGES || outcome->stolen_pages[LRU_ANON] == 0 ||
	    state->aged_usec == 0 || now_usec <= state->aged_usec)
		return;
	used_ppm = mul_div(saturating_sub(outcome->scanned_pages, outcome->stolen_pages[LRU_ANON]),
			   PPM, outcome->scanned_pages);
	seen_ppb = mul_div(used_ppm * (PPB / PPM), USEC_PER_SEC, walked_usec);
	if (state->hazard_ppb == 0)
		state->hazard_ppb = HAZARD_START_PPB;
	state->hazard_ppb =
		state->hazard_ppb - state->hazard_ppb / HAZARD_DIVISOR + seen_ppb / HAZARD_DIVISOR;
	state->hazard_ppb = max_u64(state->hazard_ppb, HAZARD_LEAST_PPB);
}

/* So that sums of a few of them cannot overflow. */
static int64_t bounded(uint64_t mpages)
{
	return (int64_t)min_u64(mpages, INT64_MAX / 4);
}

void credit_step(struct memcg_state *state, const struct class_params *class,
		 const struct memcg_sample *sample, const struct snapshot *snapshot)
{
	uint64_t limit_mpps =
		refault_limit_mpps(class->refault_limit_ppm, number_or(sample->current_bytes, 0),
				   snapshot->page_bytes);
	int64_t most = bounded(saturating_mul(limit_mpps, CREDIT_SPAN_SEC));
	int64_t allowed = bounded(mul_div(limit_mpps, state->dt_usec, USEC_PER_SEC));
	uint64_t had = 0;

	learn_hazard(state, &sample->outcome, snapshot->now_usec);
	for (int type = 0; type < _LRU_TYPE_MAX; type++)
		had = saturating_add(
			had, saturating_mul(
				     1000, number_or(counter_delta(sample->refault_pages[type],
								   state->last.refault_pages[type]),
						     0)));
	state->credit += allowed - bounded(had);
	if (state->credit > most)
		state->credit = most;
	if (state->credit < -most)
		state->credit = -most;
}

uint64_t credit_pages(const struct memcg_state *state, uint64_t limit_mpps)
{
	uint64_t mpps = refault_all_mpps(state);
	uint64_t hazard_ppb = state->hazard_ppb ? state->hazard_ppb : HAZARD_START_PPB;
	uint64_t room_mpps;

	if (state->credit <= 0)
		return 0;
	room_mpps = saturating_add(saturating_sub(limit_mpps, mpps),
				   (uint64_t)state->credit / CREDIT_SPEND_SEC);
	return mul_div(room_mpps, PPB / 1000, hazard_ppb);
}
