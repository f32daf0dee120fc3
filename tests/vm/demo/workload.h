/* SPDX-License-Identifier: MIT */
/*
 * What the demo's programs share: being told when to begin and when to stop, the clock, telling
 * systemd "ready", and leaving results behind.
 *
 * Life of a workload: it warms up, says READY=1 (the units are Type=notify), and goes on. SIGUSR1
 * says "measure from here on"; SIGTERM says "write the results and leave". Results are lines of
 * key=value. Times are microseconds of CLOCK_MONOTONIC unless a name says otherwise.
 */
#ifndef FGDEMO_WORKLOAD_H
#define FGDEMO_WORKLOAD_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

/* From here on SIGUSR1 and SIGTERM (or SIGINT) are noted instead of killing the process. */
void workload_init(void);

/* True once for each SIGUSR1 seen. */
bool workload_take_go(void);

bool workload_should_stop(void);

/* Sleeps until a signal was noted (returns at once if one was noted already). */
void workload_wait_for_signal(void);

/* Sleeps that long, or until a signal is noted. Always gives up the CPU. */
void workload_sleep(uint64_t usec);

uint64_t workload_now_usec(void);

/* Reads a file from beginning to end, and returns its size. Exits on failure. */
uint64_t workload_read_file(const char *path);

/* READY=1 to $NOTIFY_SOCKET, with what the unit's STATUS line shall say. Without a socket it does
 * nothing: the programs run by hand too. */
void workload_ready(const char *status);

/* The result file, written under another name and renamed by workload_result_close(), so that a
 * reader never sees half of it. NULL as path: standard output. Both exit on failure: a demo
 * without results is worth nothing. */
FILE *workload_result_open(const char *path);
void workload_result_close(FILE *file, const char *path);

/* The whole text as a number, or exit 2 naming the option. */
uint64_t workload_parse_u64(const char *option, const char *text);

/* xorshift64*: fast, good enough to be incompressible and to pick keys. The state is never 0. */
static inline uint64_t workload_random(uint64_t *state)
{
	*state ^= *state >> 12;
	*state ^= *state << 25;
	*state ^= *state >> 27;
	return *state * UINT64_C(0x2545F4914F6CDD1D);
}

#endif
