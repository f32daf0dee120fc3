/* SPDX-License-Identifier: MIT */
/*
 * How often something took how long.
 */
#ifndef FGRECLAIM_HISTOGRAM_H
#define FGRECLAIM_HISTOGRAM_H

#include <stdint.h>

#define HISTOGRAM_STEP_USEC UINT64_C(1000)
#define HISTOGRAM_STEPS     100

/* All zeros: nothing was entered. */
struct histogram {
	uint64_t counts[HISTOGRAM_STEPS + 1]; /* the last one: all that took longer */
	uint64_t n;
	uint64_t most_usec;
};

void histogram_enter(struct histogram *histogram, uint64_t usec);

/* What the share of all that was entered took at most, rounded up to a step: 990000 ppm is the 99th
 * percentile. Beyond the last step it is most_usec; 0 where nothing was entered. */
uint64_t histogram_quantile_usec(const struct histogram *histogram, uint64_t share_ppm);

#endif
