/* SPDX-License-Identifier: MIT */
/*
 * What people are told: in the log, in the service's status line, and by --once.
 */
#ifndef FGRECLAIM_REPORT_H
#define FGRECLAIM_REPORT_H

#include "executor.h"
#include "feature.h"

/* What the host lacks, a line for each, with the remedy; then how far the agent gets on it. */
void report_features(const struct features *features);

/* What has changed since; nothing if nothing has. */
void report_changes(const struct features *former, const struct features *features);

/* The verdict of a memcg when it begins to be held back. */
void report_hold(const struct memcg *memcg, enum reason former);

/* What is wrong with a memcg at its limit, if the last plan found that due. */
void report_advice(const struct memcg *memcg);

/* Which classes were said to wait for their first cgroup. All zeros: nothing was said yet, as after
 * a change of the configuration. */
struct report_classes {
	bool said;
	uint64_t waiting; /* see class_wait.h */
};

/* A line for each class that no cgroup belongs to, the first time; then one for each of these when
 * its first cgroup has come. */
void report_classes(struct report_classes *classes, const struct config *config,
		    struct memcg *const *memcgs, size_t n);

/* Of the leaves of a class, how many are what. */
struct report_counts {
	size_t of_a_class, held, paused;
};
struct report_counts report_count(struct memcg *const *memcgs, size_t n);

/* When what is told again and again was last told. All zeros: never. */
struct report_pace {
	uint64_t status_usec;
	struct report_classes classes;
};

/* The status line shown by systemctl, if the former one is ten seconds old. */
void report_status(struct report_pace *pace, const struct features *features, bool dry_run,
		   struct memcg *const *memcgs, size_t n, const struct executor_totals *totals);

/* Every memcg with its last verdict, to standard output. */
void report_table(const struct features *features, const struct config *config, bool dry_run,
		  struct memcg *const *memcgs, size_t n);

#endif
