/* SPDX-License-Identifier: MIT */
/*
 * Running totals for Prometheus, by class, and their text.
 *
 * Counters are taken from what enters and leaves each plan, so that they go on when cgroups go. Series
 * are bounded: a class has METRICS_CLASS_SERIES, a memcg of TopMemcgs= has METRICS_MEMCG_SERIES.
 */
#ifndef FGRECLAIM_METRICS_H
#define FGRECLAIM_METRICS_H

#include "config.h"
#include "executor.h"
#include "feature.h"
#include "own_cost.h"

#include <stdio.h>

/* REASON_HOLD_REFAULT to REASON_HOLD_NO_YIELD: why the policy backs off. */
#define METRICS_HOLDS (REASON_HOLD_NO_YIELD - REASON_HOLD_REFAULT + 1)

#define METRICS_CLASS_SERIES (10 + METRICS_HOLDS)
#define METRICS_MEMCG_SERIES 6
_Static_assert(METRICS_CLASS_SERIES + METRICS_MEMCG_SERIES <= 25, "few series a managed unit");

struct metrics_class {
	char name[CLASS_NAME_MAX + 1];
	uint64_t memcgs, held_bytes, cold_bytes, working_set_bytes; /* of the last look */
	uint64_t requested_bytes;
	uint64_t stolen_bytes[_LRU_TYPE_MAX];
	uint64_t refault_pages[_LRU_TYPE_MAX];
	uint64_t stall_usec;
	uint64_t backoffs[METRICS_HOLDS];
};

/* Bounds of the histogram of ticks, the last one without. */
#define METRICS_TICK_BOUNDS 8
extern const uint64_t metrics_tick_bounds_usec[METRICS_TICK_BOUNDS];

struct metrics {
	struct metrics_class classes[CLASSES_MAX];
	size_t n_classes;
	uint64_t memcgs;
	uint64_t ticks[METRICS_TICK_BOUNDS + 1]; /* each in one of them */
	uint64_t ticks_usec, overruns;
};

/* To be called before the first look and with each configuration: classes keep their totals by name. */
void metrics_configure(struct metrics *metrics, const struct config *config);

/* Before each plan, with the states as it will find them; and after it, with the same and the former
 * reasons. NULL: does nothing. */
void metrics_look(struct metrics *metrics, const struct snapshot *snapshot,
		  const struct memcg_state *states);
void metrics_backoff(struct metrics *metrics, const struct memcg_sample *sample,
		     const struct memcg_state *state, enum reason former);

/* What is told beside the totals. */
struct metrics_host {
	enum capability capability;
	bool dry_run;
	const struct executor_totals *executor;
	struct own_cost cost;
	uint64_t look_time_usec; /* CLOCK_REALTIME of the last look */
	struct memcg *const *memcgs;
	size_t n_memcgs;
	uint32_t top_memcgs; /* TopMemcgs= */
};

/* The text format 0.0.4. Errors of the file are left in the file. Errors: -ENOMEM. */
int metrics_write(const struct metrics *metrics, const struct metrics_host *host, FILE *f);

/* Writes it to a new file beside path, which takes the place of path in one step. 0 or -errno. */
int metrics_file_write(const char *path, const struct metrics *metrics,
		       const struct metrics_host *host);

#endif
