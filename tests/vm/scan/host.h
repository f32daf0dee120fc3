/* SPDX-License-Identifier: MIT */
/*
 * What the programs of this directory share: the agent's own eyes, opened as manager.c does, and
 * what they cost. Failures end the program.
 */
#ifndef FGRECLAIM_TEST_HOST_H
#define FGRECLAIM_TEST_HOST_H

#include "sampler.h"

struct host {
	struct config *config;
	struct hierarchy *hierarchy;
	struct lru_gen lru_gen;
	struct features features;
	struct sampler sampler;
};

void host_open(struct host *ret);
void host_close(struct host *host);

/* The two steps of a look at the host, as in agent/pass.c; now is that of CLOCK_MONOTONIC. */
void host_scan(struct host *host);
void host_sample(struct host *host, bool with_listing, struct snapshot *ret);

/* How many memcgs the last scan found strictly below the cgroup path. */
size_t host_count_below(const struct host *host, const char *path);
bool path_is_below(const char *path, const char *top);

uint64_t now_usec(void);

struct cpu_time {
	uint64_t user_usec;
	uint64_t system_usec;
};
struct cpu_time cpu_time(void); /* of this process */

/* A line of /proc/self/status in KiB: "VmHWM:", the peak of resident memory, or "RssAnon:". */
uint64_t memory_kib(const char *key);

#endif
