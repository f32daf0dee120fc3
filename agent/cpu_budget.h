/* SPDX-License-Identifier: MIT */
/*
 * A budget of CPU time as a share of real time. What is not used is saved for a while, so that
 * ticks may come close together when a limit nears, and still cost no more than their share in the
 * long run.
 */
#ifndef FGRECLAIM_CPU_BUDGET_H
#define FGRECLAIM_CPU_BUDGET_H

#include <stdint.h>

/* Unused budget is saved up for this long. */
#define CPU_BUDGET_SAVED_USEC (60 * UINT64_C(1000000))

struct cpu_budget {
	uint64_t now_usec;   /* when credit was last brought up to date */
	int64_t credit_usec; /* negative: overspent */
	uint64_t spent_usec; /* in all */
};

/* Starts with nothing saved. */
void cpu_budget_init(struct cpu_budget *ret, uint64_t now_usec);

/* Books CPU time spent. share_ppm: of one core, above 0. Returns how long to wait until the budget
 * is no longer overspent, 0 if it is not. A clock that goes backwards adds nothing. */
uint64_t cpu_budget_spend(struct cpu_budget *budget, uint64_t now_usec, uint64_t spent_usec,
			  uint64_t share_ppm);

#endif
