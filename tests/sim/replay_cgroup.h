/* SPDX-License-Identifier: MIT */
/*
 * The real cgroups of a replayed scenario (replay.c): limits, counters, commands. All of them end the
 * program with a message when the kernel does not do as it is asked.
 */
#ifndef FGRECLAIM_TESTS_SIM_REPLAY_CGROUP_H
#define FGRECLAIM_TESTS_SIM_REPLAY_CGROUP_H

#include "scenario.h"

struct real_cgroup {
	char *path;
	uint64_t max_pages; /* SAMPLE_INFINITY: none */
};

struct counters {
	uint64_t accesses;                  /* the caller's */
	uint64_t refaults, pgscan, pgsteal; /* pages */
	uint64_t max_seq;                   /* 0 without generations */
};

/* Below a directory of /sys/fs/cgroup; limits are set by real_cgroup_limit(). */
void real_cgroup_make(struct real_cgroup *ret, const char *parent, const char *name,
		      uint64_t max_pages);
void real_cgroup_remove(struct real_cgroup *cgroup);

/* The calling process moves there. */
void real_cgroup_enter(const struct real_cgroup *cgroup);

/* Sets memory.max to the limit and what the kernel itself needs there at this time: page tables,
 * nodes of page caches. */
void real_cgroup_limit(const struct real_cgroup *cgroup);

/* Adds the counters of a cgroup to sums. */
void real_cgroup_count(const struct real_cgroup *cgroup, struct counters *sums);

/* One command of a scenario. That the kernel refuses is part of it. */
void real_cgroup_command(const struct real_cgroup *cgroup, const struct blind *blind);

#endif
