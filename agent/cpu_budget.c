/* SPDX-License-Identifier: MIT */
/*
 * A budget of CPU time: a leaky bucket.
 */
#include "cpu_budget.h"
#include "arith.h"

void cpu_budget_init(struct cpu_budget *ret, uint64_t now_usec)
{
	*ret = (struct cpu_budget){.now_usec = now_usec};
}

uint64_t cpu_budget_spend(struct cpu_budget *budget, uint64_t now_usec, uint64_t spent_usec,
			  uint64_t share_ppm)
{
	uint64_t passed_usec =
		min_u64(saturating_sub(now_usec, budget->now_usec), CPU_BUDGET_SAVED_USEC);
	int64_t most_usec = (int64_t)mul_div(CPU_BUDGET_SAVED_USEC, share_ppm, PPM);

	budget->now_usec = now_usec;
	budget->spent_usec += spent_usec;
	budget->credit_usec += (int64_t)mul_div(passed_usec, share_ppm, PPM);
	if (budget->credit_usec > most_usec)
		budget->credit_usec = most_usec;
	budget->credit_usec -= (int64_t)min_u64(spent_usec, CPU_BUDGET_SAVED_USEC);
	return budget->credit_usec < 0 ? mul_div((uint64_t)-budget->credit_usec, PPM, share_ppm)
				       : 0;
}
