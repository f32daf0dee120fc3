/* SPDX-License-Identifier: MIT */
/*
 * One pass over the host: scan the tree, read its files, let the policy plan. Nothing is written.
 *
 * The reading may take seconds and can be done in any thread; begin and end belong to one.
 */
#ifndef FGRECLAIM_PASS_H
#define FGRECLAIM_PASS_H

#include "pause_set.h"
#include "metrics.h"
#include "plan.h"
#include "recorder.h"
#include "sampler.h"

#include <time.h>

/* What a pass looks at, and its working space, kept from one to the next. */
struct pass {
	struct hierarchy *hierarchy;
	struct lru_gen *lru_gen;
	const struct features *features;
	bool recursive_protection; /* how the tree is mounted */
	struct sampler sampler;
	const struct pause_set *pauses; /* NULL: nobody pauses anything */
	time_t (*wall_time)(time_t *);  /* time(2), but in tests; for Hours= and nothing else */
	struct fg_behaviour behaviour;
	/* For struct system_sample; whoever runs passes sets them. */
	uint64_t swap_written_bytes;
	uint64_t cpu_wait_usec;
	struct memcg_state *states; /* one entry a memcg */
	uint64_t *planned_bytes;    /* likewise */
	size_t memcgs_capacity;
	struct metrics *metrics;   /* likewise */
	struct recorder *recorder; /* whoever runs passes sets it; NULL: nothing is recorded */
	struct decision *decisions;
	size_t decisions_capacity;
	struct snapshot snapshot; /* of the last pass_end(), until the next pass begins */
};

/* All that is given must stay. Errors: -ENOMEM. */
int pass_init(struct pass *ret, const char *root, struct hierarchy *hierarchy,
	      struct lru_gen *lru_gen, const struct features *features);
void pass_done(struct pass *pass);

/* Scans the tree and prepares the reading. interval_usec: between this pass and the next, as things
 * are; budget_usec: CPU time that the counters of all memcgs may cost in it. Errors: -ENOMEM and what
 * reading the top of the tree gives; a cgroup that goes meanwhile is none. */
int pass_begin(struct pass *pass, const struct config *config, uint64_t now_usec,
	       uint64_t interval_usec, uint64_t budget_usec);

/* The reading, of a struct pass: a worker_work_t. Until it has ended only config may change. */
void pass_read(void *pass);

/* In place of the reading: the next pass_begin() finds all as this one did. */
void pass_put_off(struct pass *pass);

/* *ret_plan is valid until the next pass, its decisions name the memcgs of hierarchy_memcgs(). It may
 * ask for the next pass sooner than an interval from now. Errors: -ENOMEM. */
int pass_end(struct pass *pass, const struct config *config, struct plan *ret_plan);

/* Marks the memcgs of a set of paths, now and with each scan: memcg->paused. To be called again when the
 * set has changed, which must stay. */
void pass_pause(struct pass *pass, const struct pause_set *set);

/* History starts over: the policy takes all memcgs, or one, for such that were not looked at for long,
 * forgets their rates and leaves them alone a while (planner.c). */
void pass_rebase(struct pass *pass);
void pass_rebase_memcg(struct memcg *memcg);

/* All three, at once and at any cost. */
int pass_look(struct pass *pass, const struct config *config, uint64_t now_usec,
	      uint64_t interval_usec, struct plan *ret_plan);

#endif
