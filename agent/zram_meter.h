/* SPDX-License-Identifier: MIT */
/*
 * What zram grows by while we swap to it: its memory is charged to no cgroup, so that what a write
 * freed is not what it saved.
 */
#ifndef FGRECLAIM_ZRAM_METER_H
#define FGRECLAIM_ZRAM_METER_H

#include "swap.h"

/* All zram that is swapped to: the pages that it holds, as they were, and the memory that they take. */
struct zram_total {
	uint64_t stored_bytes; /* SAMPLE_UNKNOWN: some of it could not be read */
	uint64_t used_bytes;   /* likewise */
};

/* All zeros: none is swapped to. */
struct zram_meter {
	const char *root;
	struct kept_file files[SWAP_ZRAMS_MAX];
	unsigned numbers[SWAP_ZRAMS_MAX];
	unsigned n;
};

/* Follows areas as they come and go; root must stay. */
void zram_meter_follow(struct zram_meter *meter, const char *root, const struct swap_summary *swap);
void zram_meter_done(struct zram_meter *meter);

/* mm_stat of each, which the kernel answers from counters, without waiting. */
void zram_meter_read(struct zram_meter *meter, struct zram_total *ret);

/* What zram has grown by for our_bytes, as they were, of all that was stored between two readings: their
 * share of the growth. Where less than that was stored, since others took pages back meanwhile or part
 * of it went to a disk, as much as zram takes for it on the average: too much rather than too little.
 * SAMPLE_UNKNOWN if a reading is. */
uint64_t zram_cost_bytes(const struct zram_total *before, const struct zram_total *after,
			 uint64_t our_bytes);

#endif
