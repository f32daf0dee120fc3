/* SPDX-License-Identifier: MIT */
/*
 * Clocks as microseconds: CLOCK_BOOTTIME for the policy, so that a suspend shows as a gap;
 * CLOCK_REALTIME for what outlives a restart; CLOCK_MONOTONIC for everything else;
 * CLOCK_THREAD_CPUTIME_ID and CLOCK_PROCESS_CPUTIME_ID for our own cost.
 */
#ifndef FGRECLAIM_CLOCK_H
#define FGRECLAIM_CLOCK_H

#include <stdint.h>
#include <time.h>

static inline uint64_t clock_usec(clockid_t id)
{
	struct timespec ts;

	clock_gettime(id, &ts);
	return (uint64_t)ts.tv_sec * 1000000 + (uint64_t)ts.tv_nsec / 1000;
}

#endif
