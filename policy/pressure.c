/* SPDX-License-Identifier: MIT */
/*
 * Pressure: the share of time in which some task of a memcg stalled, on memory and on io.
 *
 * PSI's avg10 is a smoothed guess of what total= tells exactly, so shares are taken from deltas of
 * the totals. A stall is compared with the memcg's own habit: a process that reads a disk all day
 * stalls on io all day, and that is no sign of harm. The habit (baseline) is learned only from
 * intervals in which we did nothing to the memcg.
 */
#include "pressure.h"
#include "arith.h"
#include "refault.h"

#define BASELINE_TAU_USEC (300 * USEC_PER_SEC)

/* Up to five times its habit is not laid at our door. */
#define BASELINE_FACTOR 5

static void step(uint32_t *stall_ppm, uint32_t *baseline_ppm, uint64_t now, uint64_t before,
		 uint64_t dt_usec, uint64_t tau_usec, bool left_alone)
{
	uint64_t stalled_usec = counter_delta(now, before);

	if (!is_number(stalled_usec))
		return;
	*stall_ppm = (uint32_t)min_u64(mul_div(stalled_usec, PPM, dt_usec), PPM);
	if (left_alone)
		*baseline_ppm = (uint32_t)ewma(*baseline_ppm, *stall_ppm, dt_usec, tau_usec);
}

void pressure_step(struct memcg_state *state, const struct memcg_sample *sample)
{
	bool left_alone = sample->outcome.writes == 0 && !sample->busy;
	/* What is known only so long cannot have a longer habit: no slow start from zero. */
	uint64_t tau_usec = min_u64(BASELINE_TAU_USEC, sample->seen_usec);

	step(&state->stall_memory_ppm, &state->baseline_memory_ppm, sample->psi_memory.some_usec,
	     state->last.psi_memory_some_usec, state->dt_usec, tau_usec, left_alone);
	step(&state->stall_io_ppm, &state->baseline_io_ppm, sample->psi_io.some_usec,
	     state->last.psi_io_some_usec, state->dt_usec, tau_usec, left_alone);
	state->mean_stall_io_ppm = (uint32_t)ewma(state->mean_stall_io_ppm, state->stall_io_ppm,
						  state->dt_usec, REFAULT_TAU_USEC);
}

uint64_t pressure_limit_ppm(uint64_t class_limit_ppm, uint64_t baseline_ppm)
{
	return max_u64(class_limit_ppm, saturating_mul(baseline_ppm, BASELINE_FACTOR));
}
