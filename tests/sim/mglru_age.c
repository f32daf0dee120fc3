/* SPDX-License-Identifier: MIT */
/*
 * Aging: walk the page tables, begin a generation (mm/vmscan.c: walk_mm(), inc_min_seq(),
 * inc_max_seq(), try_to_inc_min_seq(), run_aging()).
 *
 * A fifth generation merges the oldest into the next. The merge takes pages from the tail of the
 * one and appends them at the tail of the other, one by one, so that their order is reversed: those
 * that would have been evicted last are evicted first now.
 */
#include "mglru.h"
#include "arith.h"

#include <errno.h>
#include <string.h>

/* suitable_to_scan(): one young entry per cache line of eight. */
#define YOUNG_SHARE 8

static void merge_oldest(struct host *host, size_t m, enum lru_type type)
{
	const struct mglru_rules *rules = mglru_rules(host);
	struct lru_gen *lrugen = &host->memcgs[m].lrugen;
	size_t old = gen_of(lrugen->min_seq[type]);
	uint32_t head = host_list(host, m, type * GENS + old);

	while (!list_is_empty(host, head)) {
		uint32_t id = list_tail(host, head);
		struct page *page = &host->pages[id];

		host->pages_scanned++;
		if (rules->merge_protects && !rules->always_protected(page) &&
		    (page->gen == old || !rules->moves_count))
			lrugen->protected[type][rules->tier(page)]++;
		if (page->gen == old) {
			rules->pushed(page);
			mglru_set_gen(host, page, gen_of(lrugen->min_seq[type] + 1));
		}
		list_move_tail(host, id, gen_list(host, page, page->gen));
	}
}

/* One page-table page. True if it is worth another look next time. */
static bool walk_region(struct host *host, struct lru_gen *lrugen, uint32_t first, uint32_t n,
			bool can_swap)
{
	const struct mglru_rules *rules = mglru_rules(host);
	uint32_t young = 0;

	host->entries_walked += n;
	for (uint32_t p = first; p < first + n; p++) {
		struct page *page = &host->pages[p];
		uint64_t seq;

		if (!(page->flags & PAGE_YOUNG) || (!can_swap && !(page->flags & PAGE_FILE)))
			continue;
		page->flags &= ~(uint32_t)PAGE_YOUNG;
		young++;
		seq = rules->walked(lrugen, page);
		if (seq != UINT64_MAX)
			mglru_set_gen(host, page, gen_of(seq));
	}
	return young * YOUNG_SHARE >= n;
}

/* Present entries there: a page table that maps nothing is not there at all. */
static bool is_mapped(const struct host *host, uint32_t first, uint32_t n)
{
	for (uint32_t p = first; p < first + n; p++)
		if (host->pages[p].flags & PAGE_RESIDENT)
			return true;
	return false;
}

static void walk(struct host *host, struct memcg *memcg, bool can_swap, bool force)
{
	struct lru_gen *lrugen = &memcg->lrugen;
	size_t now = lrugen->max_seq % 2, next = !now;
	uint32_t region_pages = host_grains(host, REGION_PAGES);
	size_t n_regions = memcg->n_pages / region_pages + 2;
	bool all = force || !lrugen->filter_valid[now];

	memset(lrugen->filter[next], 0, n_regions);
	lrugen->filter_valid[next] = true;
	for (size_t i = 0; i < memcg->n_maps; i++) {
		uint32_t end = memcg->maps[i].first_page + memcg->maps[i].n_pages;

		for (uint32_t p = memcg->maps[i].first_page; p < end;) {
			uint32_t region = (p - memcg->first_page) / region_pages;
			uint32_t stop = memcg->first_page + (region + 1) * region_pages;
			uint32_t n = (stop < end ? stop : end) - p;

			if ((all || lrugen->filter[now][region]) && is_mapped(host, p, n) &&
			    walk_region(host, lrugen, p, n, can_swap))
				lrugen->filter[next][region] = 1;
			p += n;
		}
	}
}

void mglru_note_region(struct host *host, uint32_t id)
{
	struct memcg *memcg = page_memcg(host, &host->pages[id]);
	uint32_t region = (id - memcg->first_page) / host_grains(host, REGION_PAGES);

	memcg->lrugen.filter[memcg->lrugen.max_seq % 2][region] = 1;
}

void mglru_inc_max_seq(struct host *host, size_t m, uint32_t swappiness, bool force)
{
	struct memcg *memcg = &host->memcgs[m];
	struct lru_gen *lrugen = &memcg->lrugen;

	walk(host, memcg, swappiness > 0, force);
	for (int type = LRU_FILE; type >= LRU_ANON; type--) {
		if (nr_gens(lrugen, (enum lru_type)type) < GENS)
			continue;
		/* Without can_swap anon keeps its place; the kernel lets the numbers collide. */
		if (type == LRU_FILE || swappiness > 0)
			merge_oldest(host, m, (enum lru_type)type);
		mglru_pid_carry(lrugen, (enum lru_type)type);
		lrugen->min_seq[type]++;
	}
	lrugen->max_seq++;
	lrugen->born_usec[gen_of(lrugen->max_seq)] = host->now_usec;
	memcg->agings++;
	memcg->forced_agings += force;
}

static uint64_t oldest_populated(const struct host *host, size_t m, enum lru_type type)
{
	const struct lru_gen *lrugen = &host->memcgs[m].lrugen;
	uint64_t seq = lrugen->min_seq[type];

	while (seq + GENS_MIN <= lrugen->max_seq &&
	       list_is_empty(host, host_list(host, m, type * GENS + gen_of(seq))))
		seq++;
	return seq;
}

bool mglru_try_to_inc_min_seq(struct host *host, size_t m, uint32_t swappiness)
{
	struct lru_gen *lrugen = &host->memcgs[m].lrugen;
	uint64_t bound = lrugen->max_seq - GENS_MIN;
	uint64_t seq[_LRU_TYPE_MAX] = {lrugen->min_seq[LRU_ANON], lrugen->min_seq[LRU_FILE]};
	bool moved = false;

	for (int type = swappiness ? LRU_ANON : LRU_FILE; type <= LRU_FILE; type++)
		seq[type] = oldest_populated(host, m, (enum lru_type)type);
	if (swappiness && mglru_rules(host)->own_min_seq) {
		if (seq[LRU_ANON] > bound && seq[LRU_FILE] < bound)
			seq[LRU_ANON] = bound;
		else if (seq[LRU_FILE] > bound && seq[LRU_ANON] < bound)
			seq[LRU_FILE] = bound;
	} else if (swappiness) {
		seq[LRU_ANON] = min_u64(seq[LRU_ANON], seq[LRU_FILE]);
		seq[LRU_FILE] = max_u64(seq[LRU_ANON], lrugen->min_seq[LRU_FILE]);
	}
	for (size_t type = 0; type < _LRU_TYPE_MAX; type++) {
		if (seq[type] == lrugen->min_seq[type])
			continue;
		mglru_pid_carry(lrugen, (enum lru_type)type);
		lrugen->min_seq[type] = seq[type];
		moved = true;
	}
	return moved;
}

int mglru_age(struct host *host, size_t m, uint64_t seq, uint32_t swappiness, bool force)
{
	const struct lru_gen *lrugen = &host->memcgs[m].lrugen;

	if (seq > lrugen->max_seq)
		return -EINVAL;
	if (!mglru_rules(host)->always_ages) {
		if (seq < lrugen->max_seq)
			return 0;
		if (!force &&
		    mglru_evictable_min_seq(host, lrugen, swappiness) + GENS - 1 <= lrugen->max_seq)
			return -ERANGE;
	}
	mglru_inc_max_seq(host, m, swappiness, force);
	return 0;
}
