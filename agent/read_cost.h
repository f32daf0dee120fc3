/* SPDX-License-Identifier: MIT */
/*
 * How often the counters of each memcg are read. Reading memory.stat may cost a memcg with many dying
 * descendants a thousand times what it costs another: such a one is read rarer, and not all the
 * others with it. Pure.
 */
#ifndef FGRECLAIM_READ_COST_H
#define FGRECLAIM_READ_COST_H

#include <stddef.h>
#include <stdint.h>

/* What one memcg may cost in an interval where there is enough for all. */
#define READ_COST_ANY UINT64_MAX

/* What costs less is never read rarer than others: an ordinary memcg takes 50 to 100 microseconds.
 * Where there are too many ordinary ones the interval of all grows instead (cpu_budget.h). */
#define READ_COST_CHEAP_USEC 1000

struct read_cost {
	uint64_t cpu_usec; /* of reading its counters: the lesser of the last two; 0: not known yet */
	uint64_t last_usec; /* of the last time; 0: never read */
	uint64_t read_usec; /* when they were last read */
};

/* Books a reading. cpu_usec: above 0. One alone proves nothing: where a hypervisor takes a processor
 * away meanwhile, that counts as ours. */
void read_cost_book(struct read_cost *cost, uint64_t cpu_usec, uint64_t now_usec);

/* The fair share: what one memcg may cost in an interval, so that all together stay within
 * budget_usec. Those that cost less are read each time, and what they leave is shared by the others.
 * At least READ_COST_CHEAP_USEC. */
uint64_t read_cost_share(const uint64_t *cpu_usec, size_t n, uint64_t budget_usec);

/* How far apart the readings of a memcg are to be for its share: 0 where it may be read each time,
 * otherwise more than interval_usec. */
uint64_t read_cost_interval(uint64_t cpu_usec, uint64_t share_usec, uint64_t interval_usec);

#endif
