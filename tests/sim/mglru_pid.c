/* SPDX-License-Identifier: MIT */
/*
 * The PID controller of MGLRU (mm/vmscan.c: read_ctrl_pos(), positive_ctrl_err(),
 * reset_ctrl_pos(), get_tier_idx(), get_type_to_scan()): refaults per page evicted or protected,
 * tier against tier and anon against file, in the oldest generation and averaged over former ones.
 * LRU_GEN_STATS is off: the counters of the oldest generation are cleared when it goes.
 */
#include "mglru.h"

#define MAX_SWAPPINESS 200u

struct position {
	uint64_t refaulted, total, gain;
};

static struct position read_position(const struct lru_gen *lrugen, enum lru_type type, size_t from,
				     size_t to, uint64_t gain)
{
	struct position position = {.gain = gain};

	for (size_t tier = from; tier <= to; tier++) {
		position.refaulted +=
			lrugen->avg_refaulted[type][tier] + lrugen->refaulted[type][tier];
		position.total += lrugen->avg_total[type][tier] + lrugen->evicted[type][tier] +
				  lrugen->protected[type][tier];
	}
	return position;
}

/* True if pv has few refaults, or refaults less than sp. */
static bool is_better(const struct host *host, const struct position *sp, const struct position *pv)
{
	uint64_t noise = host_grains(host, BATCH_MIN);

	return pv->refaulted < noise || pv->refaulted * (sp->total + noise) * sp->gain <=
						(sp->refaulted + 1) * pv->total * pv->gain;
}

unsigned mglru_tier_to_evict(const struct host *host, const struct lru_gen *lrugen,
			     enum lru_type type)
{
	const struct mglru_rules *rules = mglru_rules(host);
	unsigned tier;

	for (tier = 1; tier < TIERS; tier++) {
		size_t with = rules->prior_tier ? tier - 1 : 0;
		struct position sp = read_position(lrugen, type, with, with, rules->tier_gain[0]);
		struct position pv = read_position(lrugen, type, tier, tier, rules->tier_gain[1]);

		if (!is_better(host, &sp, &pv))
			break;
	}
	return tier - 1;
}

static enum lru_type type_by_sums(const struct host *host, const struct lru_gen *lrugen,
				  uint32_t swappiness)
{
	struct position sp = read_position(lrugen, LRU_ANON, 0, TIERS - 1, swappiness);
	struct position pv =
		read_position(lrugen, LRU_FILE, 0, TIERS - 1, MAX_SWAPPINESS - swappiness);

	if (swappiness <= 1)
		return LRU_FILE;
	if (swappiness >= MAX_SWAPPINESS)
		return LRU_ANON;
	return is_better(host, &sp, &pv) ? LRU_FILE : LRU_ANON;
}

enum lru_type mglru_type_to_scan(const struct host *host, const struct lru_gen *lrugen,
				 uint32_t swappiness, int *ret_tier)
{
	const uint64_t gain[] = {swappiness, MAX_SWAPPINESS - swappiness};
	struct position sp, pv;
	enum lru_type type;
	unsigned tier;

	*ret_tier = -1;
	if (mglru_rules(host)->sums_types)
		return type_by_sums(host, lrugen, swappiness);
	if (swappiness == 0)
		return LRU_FILE;
	if (lrugen->min_seq[LRU_ANON] < lrugen->min_seq[LRU_FILE])
		return LRU_ANON;
	if (swappiness == 1)
		return LRU_FILE;
	if (swappiness == MAX_SWAPPINESS)
		return LRU_ANON;
	sp = read_position(lrugen, LRU_ANON, 0, 0, gain[LRU_ANON]);
	pv = read_position(lrugen, LRU_FILE, 0, 0, gain[LRU_FILE]);
	type = is_better(host, &sp, &pv) ? LRU_FILE : LRU_ANON;
	if (mglru_rules(host)->prior_tier)
		return type;
	sp = read_position(lrugen, !type, 0, 0, gain[!type]);
	for (tier = 1; tier < TIERS; tier++) {
		pv = read_position(lrugen, type, tier, tier, gain[type]);
		if (!is_better(host, &sp, &pv))
			break;
	}
	*ret_tier = (int)tier - 1;
	return type;
}

void mglru_pid_carry(struct lru_gen *lrugen, enum lru_type type)
{
	for (size_t tier = 0; tier < TIERS; tier++) {
		lrugen->avg_refaulted[type][tier] += lrugen->refaulted[type][tier];
		lrugen->avg_refaulted[type][tier] /= 2;
		lrugen->avg_total[type][tier] +=
			lrugen->evicted[type][tier] + lrugen->protected[type][tier];
		lrugen->avg_total[type][tier] /= 2;
		lrugen->refaulted[type][tier] = 0;
		lrugen->evicted[type][tier] = 0;
		lrugen->protected[type][tier] = 0;
	}
	lrugen->oldest_evictions[type] = 0;
}
