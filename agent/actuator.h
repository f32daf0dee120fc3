/* SPDX-License-Identifier: MIT */
/*
 * The doors to the kernel: each turns the next step of an action into one write. The executor does
 * the rest alike for all of them, so that a dry run is a door that leads nowhere and not a
 * condition everywhere.
 */
#ifndef FGRECLAIM_ACTUATOR_H
#define FGRECLAIM_ACTUATOR_H

#include "lru_gen.h"
#include "memcg.h"
#include "ring.h"

struct executor;
struct actuator;

/* A decision being carried out, in steps. */
struct action {
	struct executor *executor;
	const struct actuator *actuator;
	struct memcg *memcg; /* a reference */
	struct decision decision;
	uint64_t listing_id;
	uint64_t remaining_bytes;
	uint64_t step_bytes; /* that the write under way asks for */
	struct memcg_usage before;
	uint64_t begun_usec;
	uint64_t cpu_mark; /* write_cpu.h */
	bool running;
	struct ring_request request;
	struct action *next;
};

struct actuator {
	const char *name;
	bool alone; /* one write at a time, of all memcgs */
	/* Fills in descriptor and text of the write for action->step_bytes. Returns 0; ACTUATOR_DRY
	 * when there is nothing to write; or -errno: -ENODEV and -ENOENT when the memcg has gone,
	 * -ECANCELED when there is nobody to be named. */
	int (*prepare)(struct action *action, struct ring_request *ret);
};

#define ACTUATOR_DRY 1

extern const struct actuator actuator_reclaim; /* memory.reclaim */
extern const struct actuator actuator_lru_gen; /* lru_gen: aging and eviction */
extern const struct actuator actuator_null;    /* dry run */

#endif
