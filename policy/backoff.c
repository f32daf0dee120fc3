/* SPDX-License-Identifier: MIT */
/*
 * Backing off. After each interval what was done is judged by what the memcg got: refaults above
 * three times the class's limit, a stall above its limit, an OOM kill, writes that failed or freed
 * next to nothing. Each starts a hold during which nothing is taken from the memcg; holds grow by
 * two from one to the next and shrink again after a quiet time.
 *
 * Refaults and stalls count whoever caused them: a memcg in trouble is the wrong one to take from.
 */
#include "backoff.h"
#include "arith.h"
#include "pressure.h"
#include "refault.h"

#define HOLD_HARM_USEC   (10 * USEC_PER_SEC) /* refault, pressure: times 2^n ... */
#define HOLD_FAILED_USEC (30 * USEC_PER_SEC)
#define HOLD_LONG_USEC   (10 * USEC_PER_MIN) /* OOM kill; memory that cannot be reclaimed */
#define BACKOFFS_MAX     5                   /* ... with n at most this */

/* Up to the limit reclaim goes on, up to three times it pauses (saver.c), above it backs off. */
#define REFAULT_HARM_FACTOR 3

/* Below 5 % of what was asked, five rounds in a row: there is nothing to be had. */
#define YIELD_LOWEST_PPM  50000
#define BARREN_ROUNDS_MAX 5

/* A memcg that kept quiet this long after its last hold starts over at the shortest one. */
#define FORGIVE_USEC (5 * USEC_PER_MIN)

static void hold(struct memcg_state *state, uint64_t now_usec, uint64_t base_usec, bool grows,
		 enum reason reason, uint64_t measured, uint64_t limit)
{
	uint64_t length_usec =
		grows ? base_usec << min_u64(state->backoffs, BACKOFFS_MAX) : base_usec;
	uint64_t until_usec = saturating_add(now_usec, length_usec);

	/* A hold under way may be replaced by a longer one, never cut short; nor renamed by the
	 * stall that came with the refaults, since a hold for pressure does not hold SPLIT. */
	if (state->hold_until_usec > now_usec &&
	    (state->hold_until_usec >= until_usec || reason == REASON_HOLD_PRESSURE ||
	     (grows && state->hold.reason == reason)))
		return;
	if (grows && state->backoffs < BACKOFFS_MAX)
		state->backoffs++;
	state->hold_until_usec = until_usec;
	state->hold = (struct verdict){
		.reason = reason,
		.measured = measured,
		.limit = limit,
	};
}

static void judge_outcome(struct memcg_state *state, const struct outcome *outcome,
			  uint64_t now_usec)
{
	if (outcome->failures > 0)
		hold(state, now_usec, HOLD_FAILED_USEC, true, REASON_HOLD_FAILED, outcome->failures,
		     0);
	if (outcome->asked_bytes == 0)
		return;
	if (outcome->freed_bytes >= mul_div(outcome->asked_bytes, YIELD_LOWEST_PPM, PPM)) {
		state->barren = 0;
		return;
	}
	if (++state->barren < BARREN_ROUNDS_MAX)
		return;
	state->barren = 0;
	hold(state, now_usec, HOLD_LONG_USEC, false, REASON_HOLD_NO_YIELD, outcome->freed_bytes,
	     outcome->asked_bytes);
}

void backoff_step(struct memcg_state *state, const struct class_params *class,
		  const struct memcg_sample *sample, const struct snapshot *snapshot)
{
	uint64_t now_usec = snapshot->now_usec;
	uint64_t refault_mpps = refault_all_mpps(state);
	uint64_t refault_harm_mpps = saturating_mul(
		refault_limit_mpps(class->refault_limit_ppm, number_or(sample->current_bytes, 0),
				   snapshot->page_bytes),
		REFAULT_HARM_FACTOR);
	uint64_t memory_limit_ppm =
		pressure_limit_ppm(class->pressure_limit_ppm, state->baseline_memory_ppm);
	uint64_t io_limit_ppm =
		pressure_limit_ppm(class->pressure_limit_ppm, state->baseline_io_ppm);
	uint64_t kills = counter_delta(sample->events_oom_kill, state->last.events_oom_kill);

	if (saturating_add(state->hold_until_usec, FORGIVE_USEC) < now_usec)
		state->backoffs = 0;

	if (is_number(kills) && kills > 0)
		hold(state, now_usec, HOLD_LONG_USEC, false, REASON_HOLD_OOM, kills, 0);
	if (refault_mpps > refault_harm_mpps)
		hold(state, now_usec, HOLD_HARM_USEC, true, REASON_HOLD_REFAULT, refault_mpps,
		     refault_harm_mpps);
	if (state->stall_memory_ppm > memory_limit_ppm)
		hold(state, now_usec, HOLD_HARM_USEC, true, REASON_HOLD_PRESSURE,
		     state->stall_memory_ppm, memory_limit_ppm);
	else if (state->stall_io_ppm > io_limit_ppm)
		hold(state, now_usec, HOLD_HARM_USEC, true, REASON_HOLD_PRESSURE,
		     state->stall_io_ppm, io_limit_ppm);
	judge_outcome(state, &sample->outcome, now_usec);
}

bool backoff_holds(const struct memcg_state *state, uint64_t now_usec, struct verdict *ret)
{
	if (state->hold_until_usec <= now_usec)
		return false;
	*ret = state->hold;
	return true;
}
