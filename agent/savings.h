/* SPDX-License-Identifier: MIT */
/*
 * What our reclaim is worth: of the memory that was freed, how much is free still.
 *
 * A lower bound. Whoever evicted the pages that come back to a memcg, they count as ours until all
 * that we took from it is back; what was swapped out counts as long as the memcg has so much in
 * swap; a memcg that has gone takes its share with it, since its memory would be free by now
 * anyway; and what zram and zswap hold in memory for it is taken off, as it was measured when it was
 * swapped out.
 */
#ifndef FGRECLAIM_SAVINGS_H
#define FGRECLAIM_SAVINGS_H

#include "memcg.h"
#include "swap.h"

struct savings {
	uint64_t returned_bytes;            /* came back, since the start */
	uint64_t held_bytes[_LRU_TYPE_MAX]; /* did not, at the last look, in memcgs that are there */
	uint64_t cost_bytes;                /* that zram and zswap took for the anon of it, */
	uint64_t unpriced_bytes;            /* but for so much of it */
};

/* A write to memcg has freed so much of this type; of anon, zram and zswap took cost_bytes for it, or
 * SAMPLE_UNKNOWN. */
void savings_book(struct memcg *memcg, enum lru_type type, uint64_t freed_bytes,
		  uint64_t cost_bytes);

/* Takes what has come back since the last look from the counters of the last pass. */
void savings_look(struct savings *savings, struct memcg *const *memcgs, size_t n,
		  uint64_t page_bytes);

/* What swap holds in memory for our share of it: as measured, and where that was not done as much for
 * each byte as on the average of all areas. SAMPLE_UNKNOWN if that is not known. */
uint64_t savings_cost_bytes(const struct savings *savings, const struct swap_memory *swap);

/* Held, less its cost; SAMPLE_UNKNOWN as above. */
uint64_t savings_net_bytes(const struct savings *savings, const struct swap_memory *swap);

#endif
