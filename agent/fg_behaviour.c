/* SPDX-License-Identifier: MIT */
/*
 * Frequency-guided promotion told by behaviour. Source of the rule for stock kernels:
 * lru_gen_is_active() in include/linux/mm_inline.h of Linux 6.1 and 6.12.
 */
#include "fg_behaviour.h"
#include "arith.h"

/* So many looks that are unlike a stock kernel decide, if nothing says the contrary. */
#define LOOKS 5

/* The listing lags behind memory.stat by some batches (MAX_LRU_BATCH: 4096 pages), and both move.
 * */
#define SLACK_PAGES   UINT64_C(8192)
#define SLACK_DIVISOR 16

#define YOUNG_GENS 2

/* Two falls are no accident. */
#define FALLS 2

/* Over all nodes. */
static struct fg_look count(const struct memcg_sample *memcg, const struct lruvec_sample *lruvecs)
{
	struct fg_look look = {.id = memcg->id};

	for (uint32_t v = 0; v < memcg->n_lruvecs; v++)
		for (uint32_t g = 0; g < lruvecs[v].n_gens; g++) {
			bool young = lruvecs[v].n_gens - g <= YOUNG_GENS;

			if (g + 1 == lruvecs[v].n_gens)
				look.seqs += lruvecs[v].gens[g].seq;
			for (int type = 0; type < _LRU_TYPE_MAX; type++) {
				uint64_t pages = number_or(lruvecs[v].gens[g].pages[type], 0);

				look.all = saturating_add(look.all, pages);
				look.young = saturating_add(look.young, young ? pages : 0);
			}
		}
	return look;
}

static uint64_t between(uint64_t a, uint64_t b)
{
	return a > b ? a - b : b - a;
}

/* Active that is the two youngest may be so by chance, or since all that is hot is young and has been
 * used often. But that it falls with them, when a generation is opened and nothing is evicted, is no
 * promotion's doing. */
static void take_alike(struct fg_behaviour *behaviour, const struct fg_look *look, uint64_t slack)
{
	struct fg_look *last = &behaviour->alike[look->id % FG_BEHAVIOUR_FOLLOWED];

	if (last->id == look->id && look->seqs > last->seqs && look->all + slack > last->all &&
	    last->young > look->young && last->young - look->young >= 2 * slack)
		behaviour->falls = (unsigned)min_u64(behaviour->falls + 1, FALLS);
	*last = *look;
}

void fg_behaviour_look(struct fg_behaviour *behaviour, const struct snapshot *snapshot)
{
	for (size_t i = 0; i < snapshot->n_memcgs; i++) {
		const struct memcg_sample *memcg = &snapshot->memcgs[i];
		uint64_t active, counted, slack;
		struct fg_look look;

		if (!memcg->listed || !memcg->leaf || !is_number(memcg->active_bytes[LRU_ANON]) ||
		    !is_number(memcg->active_bytes[LRU_FILE]))
			continue;
		look = count(memcg, &snapshot->lruvecs[memcg->first_lruvec]);
		active = saturating_add(memcg->active_bytes[LRU_ANON],
					memcg->active_bytes[LRU_FILE]) /
			 snapshot->page_bytes;
		counted = saturating_add(number_or(memcg->lru_bytes[LRU_ANON], 0),
					 number_or(memcg->lru_bytes[LRU_FILE], 0)) /
			  snapshot->page_bytes;
		slack = SLACK_PAGES + look.all / SLACK_DIVISOR;
		if (look.all < FG_LEAST_BYTES / snapshot->page_bytes ||
		    between(counted, look.all) > slack)
			continue;
		if (between(active, look.young) <= slack)
			take_alike(behaviour, &look, slack);
		else if (between(active, look.young) >= 2 * slack)
			behaviour->unlike = (unsigned)min_u64(behaviour->unlike + 1, LOOKS);
	}
}

enum fg_verdict fg_behaviour_judge(const struct fg_behaviour *behaviour)
{
	if (behaviour->unlike == 0 && behaviour->falls >= FALLS)
		return FG_NO;
	if (behaviour->falls == 0 && behaviour->unlike >= LOOKS)
		return FG_YES;
	return FG_UNDECIDED;
}
