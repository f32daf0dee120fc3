/* SPDX-License-Identifier: MIT */
/*
 * One pass over the host: scan the tree, sample it, let the policy plan. Nothing is written.
 */
#ifndef FGRECLAIM_PASS_H
#define FGRECLAIM_PASS_H

#include "plan.h"
#include "sampler.h"

/* The working space of a pass, kept from one to the next. */
struct pass {
	struct sampler sampler;
	struct memcg_state *states; /* one entry a memcg */
	uint64_t *planned_bytes;    /* likewise */
	size_t memcgs_capacity;
	struct decision *decisions;
	size_t decisions_capacity;
};

/* root must stay. Errors: -ENOMEM. */
int pass_init(struct pass *ret, const char *root);
void pass_done(struct pass *pass);

/* *ret_plan is valid until the next pass, its decisions name the memcgs of hierarchy_memcgs(). Errors:
 * -ENOMEM and what reading the top of the tree gives; a cgroup that goes meanwhile is none. */
int pass_look(struct pass *pass, struct hierarchy *hierarchy, struct lru_gen *lru_gen,
	      const struct features *features, const struct config *config, uint64_t now_usec,
	      struct plan *ret_plan);

#endif
