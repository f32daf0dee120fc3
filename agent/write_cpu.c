/* SPDX-License-Identifier: MIT */
#include "write_cpu.h"
#include "arith.h"
#include "clock.h"

static void share_out(struct write_cpu *cpu, uint64_t cpu_usec)
{
	if (cpu->n_running > 0)
		cpu->shared_usec += saturating_sub(cpu_usec, cpu->last_usec) / cpu->n_running;
	cpu->last_usec = cpu_usec;
}

uint64_t write_cpu_begin(struct write_cpu *cpu, uint64_t cpu_usec)
{
	share_out(cpu, cpu_usec);
	cpu->n_running++;
	return cpu->shared_usec;
}

uint64_t write_cpu_end(struct write_cpu *cpu, uint64_t mark, uint64_t cpu_usec)
{
	share_out(cpu, cpu_usec);
	cpu->n_running--;
	return cpu->shared_usec - mark;
}

uint64_t write_cpu_clock(void)
{
	uint64_t own_usec = clock_usec(CLOCK_THREAD_CPUTIME_ID);

	return saturating_sub(clock_usec(CLOCK_PROCESS_CPUTIME_ID), own_usec);
}
