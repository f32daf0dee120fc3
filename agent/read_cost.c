/* SPDX-License-Identifier: MIT */
/*
 * A budget shared max-min fairly: nobody gets more than it needs, and nobody who needs more gets less
 * than another.
 */
#include "read_cost.h"
#include "arith.h"

void read_cost_book(struct read_cost *cost, uint64_t cpu_usec, uint64_t now_usec)
{
	cost->cpu_usec = min_u64(cpu_usec, cost->last_usec);
	cost->last_usec = cpu_usec;
	cost->read_usec = now_usec;
}

uint64_t read_cost_share(const uint64_t *cpu_usec, size_t n, uint64_t budget_usec)
{
	uint64_t share_usec = 0;

	/* Each round lifts the share to what those below it leave to those above; it ends when that
	 * brings nobody more below. */
	for (;;) {
		uint64_t left_usec = budget_usec, n_above = 0, next_usec;

		for (size_t i = 0; i < n; i++) {
			if (cpu_usec[i] > share_usec)
				n_above++;
			else
				left_usec = saturating_sub(left_usec, cpu_usec[i]);
		}
		if (n_above == 0)
			return READ_COST_ANY;
		next_usec = left_usec / n_above;
		if (next_usec <= share_usec)
			return max_u64(share_usec, READ_COST_CHEAP_USEC);
		share_usec = next_usec;
	}
}

uint64_t read_cost_interval(uint64_t cpu_usec, uint64_t share_usec, uint64_t interval_usec)
{
	return cpu_usec <= share_usec ? 0 : mul_div(interval_usec, cpu_usec, share_usec);
}
