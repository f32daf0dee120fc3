/* SPDX-License-Identifier: MIT */
/*
 * A closed loop in virtual time: one limit over three memcgs, page by page, with just enough of
 * MGLRU in it that plans have consequences.
 *
 * idle: anon, of which the first pages are used again and again. Generations as mm/vmscan.c keeps
 * them: an aging moves pages found in use to the youngest generation and opens a new one, a fifth
 * merges the two oldest; eviction takes the unused pages of the oldest generation.
 * hot: a file set read over and over. stream: file pages read once.
 * At the limit the kernel takes from all three alike, by size.
 */
#ifndef FGRECLAIM_TESTS_POLICY_LOOP_H
#define FGRECLAIM_TESTS_POLICY_LOOP_H

#include "policy-world.h"

#define LOOP_STEP_USEC   UINT64_C(100000)
#define LOOP_LIMIT       MIB(512)
#define LOOP_ANON_PAGES  PAGES(320)
#define LOOP_USED_PAGES  (LOOP_ANON_PAGES / 4)
#define LOOP_HOT_PAGES   PAGES(96)
#define LOOP_FLOW_PAGES  PAGES(1) /* a step: 10 MiB/s */
#define LOOP_ANON_PERIOD 100      /* steps in which each page used is used once */
#define LOOP_HOT_PERIOD  50

struct loop {
	struct policy_world w;
	size_t slice, idle, hot, stream;

	uint64_t first_used_page; /* of the anon pages in use, LOOP_USED_PAGES at most */
	uint64_t n_used_pages;
	bool fixed_ticks; /* every interval, whatever the plan says */
	uint64_t began_usec, step, next_tick_usec;

	/* idle, a page */
	uint64_t seq[LOOP_ANON_PAGES];
	bool used[LOOP_ANON_PAGES];
	bool swapped[LOOP_ANON_PAGES];
	uint64_t min_seq, max_seq;
	uint64_t born_usec[4]; /* by seq % 4 */

	bool hot_absent[LOOP_HOT_PAGES];
	uint64_t hot_hand; /* where the next hot page is taken */

	/* What came of it. */
	uint64_t evicted_used;   /* by plans: pages that were in use */
	uint64_t evicted_unused; /* by plans */
	uint64_t hot_decisions;
	uint64_t hot_taken; /* pages, by those */
	uint64_t agings;
	uint64_t holds; /* ticks that idle was held */
	uint64_t kernel_reclaims, last_kernel_usec;
	uint64_t last_evict_usec;
	uint64_t most_bytes, least_bytes; /* of usage at the ticks, the first minute left out */
};

void loop_init(struct loop *l);

/* Runs for that long of virtual time. */
void loop_run(struct loop *l, uint64_t usec);

/* Anon pages of idle in memory, of those in [first, first + n). */
uint64_t loop_resident(const struct loop *l, uint64_t first, uint64_t n);

/* Virtual time since loop_init(). */
uint64_t loop_usec(const struct loop *l);

#endif
