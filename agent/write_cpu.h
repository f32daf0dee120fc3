/* SPDX-License-Identifier: MIT */
/*
 * What writes cost in CPU time, one by one.
 *
 * The kernel works for a write in a thread of this process that is not the loop's (own_cost.c), and
 * tells no thread's time apart at a price that each write could pay. So the time of all threads but
 * the loop's is taken when a write begins or ends, and shared out evenly among those that ran in
 * between. The sum is right; where writes ran side by side each has the mean. What a pass reads
 * meanwhile in its own thread counts too: the sum is an upper bound by that.
 */
#ifndef FGRECLAIM_WRITE_CPU_H
#define FGRECLAIM_WRITE_CPU_H

#include <stdint.h>

/* All zeros: none runs. */
struct write_cpu {
	unsigned n_running;
	uint64_t last_usec;   /* CPU time of the threads, when a write last began or ended */
	uint64_t shared_usec; /* that a write would have had that ran all the time */
};

/* A write begins. cpu_usec: write_cpu_clock(), or a clock of a test. Returns its mark. */
uint64_t write_cpu_begin(struct write_cpu *cpu, uint64_t cpu_usec);

/* It has ended: what it cost, in usec. */
uint64_t write_cpu_end(struct write_cpu *cpu, uint64_t mark, uint64_t cpu_usec);

/* CPU time of this process, but of the thread that asks. */
uint64_t write_cpu_clock(void);

#endif
