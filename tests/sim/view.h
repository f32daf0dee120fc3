/* SPDX-License-Identifier: MIT */
/*
 * What user space can see of the modelled host, as a snapshot for the policy: the figures of
 * memory.stat, memory.events, memory.current, the pressure files and the lru_gen listings, and no
 * more. A new field of struct memcg_sample is filled in here.
 */
#ifndef FGRECLAIM_TESTS_SIM_VIEW_H
#define FGRECLAIM_TESTS_SIM_VIEW_H

#include "kernel.h"
#include "state.h"

struct view {
	uint64_t looked_usec;
	/* Running totals of the pressure files: what was waited, but no more than the clock ran. */
	struct psi_total memory[MEMCGS_MAX], io[MEMCGS_MAX];
	uint64_t memory_seen_usec[MEMCGS_MAX], io_seen_usec[MEMCGS_MAX];
	struct memcg_sample memcgs[MEMCGS_MAX];
	struct lruvec_sample lruvecs[MEMCGS_MAX];
	struct lruvec_tiers tiers[MEMCGS_MAX];
	uint64_t tiers_read_usec; /* when they were last read */
	struct snapshot snapshot;
};

/* Fills view->snapshot. classes: class index of each memcg. states: of the last plan; they say
 * whether lru_gen_full is read, too. Outcomes are the caller's to set. */
void view_look(struct view *view, const struct host *host, const int *classes,
	       const struct memcg_state *states, uint64_t interval_usec);

#endif
