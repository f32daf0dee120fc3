/* SPDX-License-Identifier: MIT */
/*
 * What all runs came to: a table for people, and the bounds for the tests.
 */
#ifndef FGRECLAIM_TESTS_SIM_TABLE_H
#define FGRECLAIM_TESTS_SIM_TABLE_H

#include "scenario.h"

#define SEEDS_MAX 16

/* Of one scenario: [kernel][agent][seed]. */
struct runs {
	struct result results[SIM_KERNELS][2][SEEDS_MAX];
	unsigned n_seeds;
};

/* Prints mean, least and most of the scenario's metric for each kernel with and without the agent,
 * and the reference figures below. A figure further from its reference than the tolerance is
 * marked. */
void table_print(const struct scenario *scenario, const struct runs *runs);

/* For programs: a line of each metric, "SCENARIO KERNEL none|agent METRIC VALUE...", one value for
 * each seed. */
void figures_print(const struct scenario *scenario, const struct runs *runs);

/* Holds every seed against the bounds; prints what is out of bounds. Returns how many are. */
unsigned bounds_check(const struct scenario *scenario, const struct runs *runs);

#endif
