/* SPDX-License-Identifier: MIT */
#ifndef FGRECLAIM_POLICY_WORKINGSET_H
#define FGRECLAIM_POLICY_WORKINGSET_H

#include "sample.h"

/* Agings that a page must have been found unused in before it counts as cold. */
#define WORKINGSET_MISSED_AGINGS 2

/* True if the generation at index is old enough to be evicted from: it has missed
 * WORKINGSET_MISSED_AGINGS agings and is not one of the two youngest. */
bool workingset_is_cold(const struct lruvec_sample *lruvec, uint32_t index);

/* How long its pages have not been seen in use: since the birth of the next younger generation. 0
 * for one that is not cold. */
uint64_t workingset_unseen_usec(const struct lruvec_sample *lruvec, uint32_t index);

/* Anon pages that are cold, and that are not, summed over the lruvecs of a memcg. */
void workingset_measure(const struct lruvec_sample *lruvecs, uint32_t n, uint64_t *ret_cold_pages,
			uint64_t *ret_young_pages);

#endif
