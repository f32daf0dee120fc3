/* SPDX-License-Identifier: MIT */
/*
 * What this process costs itself.
 */
#ifndef FGRECLAIM_OWN_COST_H
#define FGRECLAIM_OWN_COST_H

#include <stdint.h>

struct own_cost {
	uint64_t cpu_usec;  /* of all threads since the start, in the kernel and outside of it */
	uint64_t rss_bytes; /* at present; SAMPLE_UNKNOWN: not known */
};
void own_cost_measure(struct own_cost *ret);

/* Share of one core, in ppm, that cpu_usec are of wall_usec; above 1000000 with several cores. 0
 * for no time. */
uint64_t own_cost_share_ppm(uint64_t cpu_usec, uint64_t wall_usec);

#endif
