/* SPDX-License-Identifier: MIT */
/*
 * Frequency-guided promotion told by behaviour. Source of the rule for stock kernels:
 * lru_gen_is_active() in include/linux/mm_inline.h of Linux 6.1 and 6.12.
 */
#include "fg_behaviour.h"
#include "arith.h"

/* So many looks that say the same decide, if none says the contrary. */
#define LOOKS 5

/* The two youngest generations are no evidence where they hold nearly all: an eighth must be older.
 * */
#define OLDER_DIVISOR 8

/* The listing lags behind memory.stat by some batches (MAX_LRU_BATCH: 4096 pages), and both move.
 * */
#define SLACK_PAGES   UINT64_C(8192)
#define SLACK_DIVISOR 16

#define YOUNG_GENS 2

/* Pages of all generations, and of the two youngest of them, over all nodes. */
static void count(const struct memcg_sample *memcg, const struct lruvec_sample *lruvecs,
		  uint64_t *ret_all, uint64_t *ret_young)
{
	*ret_all = *ret_young = 0;
	for (uint32_t v = 0; v < memcg->n_lruvecs; v++)
		for (uint32_t g = 0; g < lruvecs[v].n_gens; g++)
			for (int type = 0; type < _LRU_TYPE_MAX; type++) {
				uint64_t pages = number_or(lruvecs[v].gens[g].pages[type], 0);

				*ret_all = saturating_add(*ret_all, pages);
				if (lruvecs[v].n_gens - g <= YOUNG_GENS)
					*ret_young = saturating_add(*ret_young, pages);
			}
}

void fg_behaviour_look(struct fg_behaviour *behaviour, const struct snapshot *snapshot)
{
	for (size_t i = 0; i < snapshot->n_memcgs; i++) {
		const struct memcg_sample *memcg = &snapshot->memcgs[i];
		uint64_t all, young, active, slack, apart;

		if (!memcg->listed || !is_number(memcg->active_bytes[LRU_ANON]) ||
		    !is_number(memcg->active_bytes[LRU_FILE]))
			continue;
		count(memcg, &snapshot->lruvecs[memcg->first_lruvec], &all, &young);
		active = saturating_add(memcg->active_bytes[LRU_ANON],
					memcg->active_bytes[LRU_FILE]) /
			 snapshot->page_bytes;
		slack = SLACK_PAGES + all / SLACK_DIVISOR;
		apart = active > young ? active - young : young - active;
		if (all < FG_LEAST_BYTES / snapshot->page_bytes ||
		    all - young < all / OLDER_DIVISOR || all - young < 2 * slack)
			continue;
		if (apart <= slack)
			behaviour->alike++;
		else if (apart >= 2 * slack)
			behaviour->unlike++;
	}
}

enum fg_verdict fg_behaviour_judge(const struct fg_behaviour *behaviour)
{
	if (behaviour->unlike == 0 && behaviour->alike >= LOOKS)
		return FG_NO;
	if (behaviour->alike == 0 && behaviour->unlike >= LOOKS)
		return FG_YES;
	return FG_UNDECIDED;
}
