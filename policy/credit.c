/* SPDX-License-Identifier: MIT */
/*
 * What may be evicted so that the refaults that follow stay within what the class allows.
 *
 *	C	credit: refaults allowed but not had, (J* - J) summed over time within 5 minutes of
 *		J*, so that neither thrift nor excess is remembered for ever
 *	h	hazard: how much of what is evicted comes back, a second.
 *		Anon: how much of the oldest generation is in use after all. An eviction scans more
 *		than it takes; the rest was used since the last walk over page tables.
 *		File: refaults for each page that we took and that is out still. Reads set no
 *		accessed bit, so that only what is out can tell
 *	D	due: refaults a second that evictions have brought about and J does not show yet
 *	E	= (J* - J - D + C / 60 s) / h
 *
 * If a share h of the pages evicted comes back each second, E of them cost E * h refaults a second:
 * as many as there is room for below J*, and what has been saved up spread over a minute. J is an
 * average, which takes that in with its own time constant; until then it is due. Without D each look
 * would spend the same room again: a fifth of a memcg went before the first refault was felt.
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

/* Of file: one refault in a time constant is taken for granted, so that none seen yet is not none
 * to come; and it takes a batch to know better. */
#define FILE_REFAULT_LEAST_MPPS (1000 * USEC_PER_SEC / REFAULT_TAU_USEC)
#define FILE_OUT_LEAST_PAGES    64

/* An eviction that scanned fewer says nothing (MIN_LRU_BATCH). */
#define HAZARD_PAGES 64

/* A quarter of what is seen enters the average; the first time all, since the start is a guess. */
#define HAZARD_DIVISOR 4

static void learn_hazard(struct memcg_state *state, const struct outcome *outcome,
			 uint64_t now_usec)
{
	uint64_t walked_usec = now_usec - state->aged_usec, used_ppm, seen_ppb;

	/* On its way to a disk a page is scanned to be written, and again to be freed: twice is no
	 * sign of use. */
	if (outcome->to_disk || outcome->scanned_pages < HAZARD_PAGES ||
	    outcome->stolen_pages[LRU_ANON] == 0 || state->aged_usec == 0 ||
	    now_usec <= state->aged_usec)
		return;
	used_ppm = mul_div(saturating_sub(outcome->scanned_pages, outcome->stolen_pages[LRU_ANON]),
			   PPM, outcome->scanned_pages);
	seen_ppb = min_u64(mul_div(used_ppm * (PPB / PPM), USEC_PER_SEC, walked_usec), PPB);
	if (state->hazard_ppb > 0)
		seen_ppb = state->hazard_ppb - state->hazard_ppb / HAZARD_DIVISOR +
			   seen_ppb / HAZARD_DIVISOR;
	state->hazard_ppb = (uint32_t)max_u64(seen_ppb, HAZARD_LEAST_PPB);
}

static uint64_t hazard_ppb(const struct memcg_state *state)
{
	return state->hazard_ppb ? state->hazard_ppb : HAZARD_START_PPB;
}

static uint64_t file_hazard_ppb(const struct memcg_state *state)
{
	uint64_t mpps = saturating_add(state->refault_mpps[LRU_FILE], FILE_REFAULT_LEAST_MPPS);

	return mul_div(mpps, PPB / 1000, max_u64(state->file_out_pages, FILE_OUT_LEAST_PAGES));
}

static void follow_due(struct memcg_state *state, const struct outcome *outcome)
{
	uint64_t due_mpps = fade(state->due_mpps, state->dt_usec, REFAULT_TAU_USEC);

	due_mpps = saturating_add(
		due_mpps, mul_div(outcome->stolen_pages[LRU_ANON], hazard_ppb(state), PPB / 1000));
	due_mpps = saturating_add(due_mpps, mul_div(outcome->stolen_pages[LRU_FILE],
						    file_hazard_ppb(state), PPB / 1000));
	state->due_mpps = (uint32_t)min_u64(due_mpps, UINT32_MAX);
}

static void follow_file_out(struct memcg_state *state, const struct memcg_sample *sample)
{
	uint64_t returned = number_or(
		counter_delta(sample->refault_pages[LRU_FILE], state->last.refault_pages[LRU_FILE]),
		0);
	uint64_t out =
		saturating_add(fade(state->file_out_pages, state->dt_usec, REFAULT_OUT_TAU_USEC),
			       sample->outcome.stolen_pages[LRU_FILE]);

	state->file_out_pages = (uint32_t)min_u64(saturating_sub(out, returned), UINT32_MAX);
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
	follow_file_out(state, sample);
	follow_due(state, &sample->outcome);
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

/* Refaults a second that may yet be brought about, up to share_ppm of all that are allowed. */
static uint64_t room_mpps(const struct memcg_state *state, uint64_t limit_mpps, uint64_t share_ppm)
{
	uint64_t most_mpps = mul_div(limit_mpps, share_ppm, PPM);

	if (state->credit <= 0)
		return 0;
	/* What their wait does not allow has not been saved. */
	if (share_ppm >= PPM)
		most_mpps = saturating_add(most_mpps, (uint64_t)state->credit / CREDIT_SPEND_SEC);
	return saturating_sub(most_mpps, saturating_add(refault_all_mpps(state), state->due_mpps));
}

uint64_t credit_anon_pages(const struct memcg_state *state, uint64_t limit_mpps)
{
	return mul_div(room_mpps(state, limit_mpps, PPM), PPB / 1000, hazard_ppb(state));
}

uint64_t credit_file_pages(const struct memcg_state *state, uint64_t limit_mpps, uint64_t share_ppm)
{
	return mul_div(room_mpps(state, limit_mpps, share_ppm), PPB / 1000, file_hazard_ppb(state));
}
