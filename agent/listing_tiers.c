/* SPDX-License-Identifier: MIT */
/*
 * Which rows of lru_gen_full count: those of the oldest generation of file have what it counted, the
 * youngest one's have the means over former ones. With LRU_GEN_STATS those between have counts as
 * well, of when they were the oldest in an earlier round: they are of no use. The oldest is the first
 * that is not marked as gone for file, which may be younger than anon's. Source: mm/vmscan.c
 * lru_gen_seq_show_full().
 */
#include "listing_tiers.h"

static bool is_known(const struct tier_sample *current, const struct tier_sample *mean)
{
	return current->kind[LRU_FILE] == TIER_CURRENT && mean->kind[LRU_FILE] == TIER_AVERAGE;
}

void listing_take_tiers(const struct lru_gen_record *record, struct lruvec_tiers *ret)
{
	const struct lruvec_sample *lruvec = &record->lruvec;
	uint32_t oldest = 0;

	*ret = (struct lruvec_tiers){.n_tiers = 0};
	while (oldest < lruvec->n_gens && lruvec->gens[oldest].pages[LRU_FILE] == SAMPLE_UNKNOWN)
		oldest++;
	if (oldest == lruvec->n_gens)
		return;
	for (uint32_t t = 0; t < record->n_tiers; t++) {
		const struct tier_sample *current = &record->tiers[oldest][t];
		const struct tier_sample *mean = &record->tiers[lruvec->n_gens - 1][t];

		if (!is_known(current, mean))
			return;
		ret->tiers[t] = (struct tier_flow){
			.refaulted_pages = current->refaulted[LRU_FILE],
			.evicted_pages = current->evicted[LRU_FILE],
			.protected_pages = current->protected[LRU_FILE],
			.mean_refaulted_pages = mean->refaulted[LRU_FILE],
			.mean_total_pages = mean->evicted[LRU_FILE],
		};
	}
	ret->seq = lruvec->gens[oldest].seq;
	ret->n_tiers = record->n_tiers;
}
