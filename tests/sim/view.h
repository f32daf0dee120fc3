/* SPDX-License-Identifier: MIT */
/*
 * What user space can see of the modelled host, as a snapshot for the policy: the figures of
 * memory.stat, memory.events, memory.current, the pressure files and the lru_gen listing, and no
 * more. A new field of struct memcg_sample is filled in here.
 */
#ifndef FGRECLAIM_TESTS_SIM_VIEW_H
#define FGRECLAIM_TESTS_SIM_VIEW_H

#include "kernel.h"

struct view {
	uint64_t looked_usec;
	/* Running totals of the pressure files: what was waited, but no more than the clock ran. */
	struct psi_total memory[MEMCGS_MAX], io[MEMCGS_MAX];
	uint64_t memory_seen_usec[MEMCGS_MAX], io_seen_usec[MEMCGS_MAX];
	struct memcg_sample memcgs[MEMCGS_MAX];
	struct lruvec_sample lruvecs[MEMCGS_MAX];
	struct snapshot snapshot;
};

/* Fills view->snapshot. classes: class index of each memcg. Outcomes are the caller's to set. */
void view_look(struct view *view, const struct host *host, const int *classes,
	       uint64_t interval_usec);

#endif
