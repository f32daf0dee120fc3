/* SPDX-License-Identifier: MIT */
/*
 * One pass over the host: scan the tree, sample it, let the policy plan. Nothing is written.
 */
#ifndef FGRECLAIM_PASS_H
#define FGRECLAIM_PASS_H

#include "plan.h"
#include "sampler.h"

/* What a pass looks at, and its working space, kept from one to the next. */
struct pass {
	struct hierarchy *hierarchy;
	struct lru_gen *lru_gen;
	const struct features *features;
	struct sampler sampler;
	struct fg_behaviour behaviour;
	struct memcg_state *states; /* one entry a memcg */
	uint64_t *planned_bytes;    /* likewise */
	size_t memcgs_capacity;
	struct decision *decisions;
	size_t decisions_capacity;
};

/* All that is given must stay. Errors: -ENOMEM. */
int pass_init(struct pass *ret, const char *root, struct hierarchy *hierarchy,
	      struct lru_gen *lru_gen, const struct features *features);
void pass_done(struct pass *pass);

/* interval_usec: between this pass and the next, as things are; *ret_plan may ask for less.
 * *ret_plan is valid until the next pass, its decisions name the memcgs of hierarchy_memcgs().
 * Errors: -ENOMEM and what reading the top of the tree gives; a cgroup that goes meanwhile is none.
 * */
int pass_look(struct pass *pass, const struct config *config, uint64_t now_usec,
	      uint64_t interval_usec, struct plan *ret_plan);

#endif
