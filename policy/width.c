/* SPDX-License-Identifier: MIT */
/*
 * How wide a generation is: W, the time between two agings of a memcg, and so the idleness that
 * eviction asks for (two missed agings, W to 2 W).
 *
 * No W fits all: a page used every minute is cold to a clock of 20 s and hot to one of 5 minutes.
 * The refaults tell. With J refaults a second and J* as many as the class allows
 *
 *	d ln W / dt = g * clamp((J - J*) / J*, -1, 3) / min(W, 2 min)
 *
 * g is larger upwards: harm is felt at once, what could have been saved can wait. The clock follows
 * W's own pace as long as that is quick, and two minutes when it is slow, so that a wide clock does
 * not take hours to find that the world has changed. A hold (three times J*, see backoff.c) widens
 * by half at once.
 *
 * Source: simulated against populations of pages whose rates of use span four decades.
 */
#include "width.h"
#include "arith.h"
#include "refault.h"

/* Where it starts makes no difference after half an hour (simulated from 5 s to 60 s); short enough
 * to find the cold part of a memcg within a minute. Shorter ones cost walks and save nothing. */
#define WIDTH_LEAST_USEC (10 * USEC_PER_SEC)
#define WIDTH_MOST_USEC  (30 * USEC_PER_MIN)
#define PACE_MOST_USEC   (120 * USEC_PER_SEC)

#define GAIN_UP_PPM     500000
#define GAIN_DOWN_PPM   250000
#define EXCESS_MOST_PPM 3000000

/* A step is at most a doubling: the formula is for small ones. */
#define STEP_MOST_PPM PPM

void width_step(struct memcg_state *state, const struct class_params *class,
		const struct memcg_sample *sample, const struct snapshot *snapshot)
{
	uint64_t mpps = refault_all_mpps(state);
	uint64_t limit_mpps = max_u64(refault_limit_mpps(class->refault_limit_ppm,
							 number_or(sample->current_bytes, 0),
							 snapshot->page_bytes),
				      1);
	uint64_t width_usec = state->age_interval_usec;
	uint64_t pace_usec = min_u64(width_usec, PACE_MOST_USEC), step_ppm;

	if (width_usec == 0) {
		state->age_interval_usec = WIDTH_LEAST_USEC;
		return;
	}
	if (mpps > limit_mpps) {
		step_ppm = min_u64(mul_div(mpps - limit_mpps, PPM, limit_mpps), EXCESS_MOST_PPM);
		step_ppm = mul_div(mul_div(step_ppm, GAIN_UP_PPM, PPM), state->dt_usec, pace_usec);
		width_usec += mul_div(width_usec, min_u64(step_ppm, STEP_MOST_PPM), PPM);
	} else {
		step_ppm = mul_div(limit_mpps - mpps, PPM, limit_mpps);
		step_ppm =
			mul_div(mul_div(step_ppm, GAIN_DOWN_PPM, PPM), state->dt_usec, pace_usec);
		width_usec -= mul_div(width_usec, min_u64(step_ppm, STEP_MOST_PPM / 2), PPM);
	}
	if (state->hold_until_usec > snapshot->now_usec &&
	    state->hold.reason == REASON_HOLD_REFAULT &&
	    state->widened_for != state->hold_until_usec) {
		state->widened_for = state->hold_until_usec;
		width_usec = width_usec * 3 / 2;
	}
	state->age_interval_usec = min_u64(max_u64(width_usec, WIDTH_LEAST_USEC), WIDTH_MOST_USEC);
}
