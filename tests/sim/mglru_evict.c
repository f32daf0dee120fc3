/* SPDX-License-Identifier: MIT */
/*
 * Eviction from the oldest generation (mm/vmscan.c: sort_folio(), isolate_folio(), scan_folios(),
 * isolate_folios(), evict_folios(), should_run_aging(), get_nr_to_scan(), try_to_shrink_lruvec(),
 * run_eviction(), lru_gen_look_around(); mm/workingset.c: lru_gen_eviction()).
 */
#include "mglru.h"
#include "arith.h"

#include <errno.h>

struct batch {
	uint32_t pages[BATCH_MIN];
	size_t n;
};

/* True if the page was moved elsewhere, false if it is to be isolated. */
static bool sort_page(struct host *host, uint32_t id, unsigned tier_to_evict)
{
	const struct mglru_rules *rules = mglru_rules(host);
	struct page *page = &host->pages[id];
	struct lru_gen *lrugen = &page_memcg(host, page)->lrugen;
	enum lru_type type = page_type(page);
	unsigned tier = rules->tier(page);
	bool always = rules->always_protected(page);

	if (page->gen != gen_of(lrugen->min_seq[type])) {
		list_move(host, id, gen_list(host, page, page->gen));
		return true;
	}
	if (tier <= tier_to_evict && !always)
		return false;
	if (!always || !rules->merge_protects)
		lrugen->protected[type][tier]++;
	rules->pushed(page);
	mglru_set_gen(host, page, gen_of(lrugen->min_seq[type] + 1));
	if (rules->push_to_head)
		list_move(host, id, gen_list(host, page, page->gen));
	else
		list_move_tail(host, id, gen_list(host, page, page->gen));
	return true;
}

static uint64_t scan_type(struct host *host, size_t m, enum lru_type type, unsigned tier,
			  struct batch *batch)
{
	struct lru_gen *lrugen = &host->memcgs[m].lrugen;
	uint32_t head = host_list(host, m, type * GENS + gen_of(lrugen->min_seq[type]));
	uint64_t scanned = 0, most = host_grains(host, BATCH_MAX);

	if (nr_gens(lrugen, type) == GENS_MIN)
		return 0;
	while (!list_is_empty(host, head) && scanned < most &&
	       batch->n < host_grains(host, BATCH_MIN)) {
		uint32_t id = list_tail(host, head);

		scanned++;
		if (sort_page(host, id, tier))
			continue;
		list_del(host, id);
		mglru_set_gen(host, &host->pages[id], GEN_NONE);
		batch->pages[batch->n++] = id;
	}
	host->pages_scanned += scanned;
	host_count_scan(host, m, batch->n);
	return batch->n || scanned == most ? scanned : 0;
}

static uint64_t isolate(struct host *host, size_t m, uint32_t swappiness, struct batch *batch)
{
	struct lru_gen *lrugen = &host->memcgs[m].lrugen;
	int tier;
	enum lru_type type = mglru_type_to_scan(host, lrugen, swappiness, &tier);

	for (int i = swappiness ? 0 : 1; i < _LRU_TYPE_MAX; i++) {
		uint64_t scanned;

		if (tier < 0)
			tier = (int)mglru_tier_to_evict(host, lrugen, type);
		scanned = scan_type(host, m, type, (unsigned)tier, batch);
		if (scanned)
			return scanned;
		type = !type;
		tier = -1;
	}
	return 0;
}

/* The accessed bits of the pages around one that was found young are looked at as well. */
static void look_around(struct host *host, uint32_t id)
{
	const struct mglru_rules *rules = mglru_rules(host);
	struct memcg *memcg = page_memcg(host, &host->pages[id]);
	uint32_t offset = id - memcg->first_page;
	uint32_t around = host_grains(host, BATCH_MIN);
	uint32_t first = memcg->first_page + offset / around * around;
	uint32_t end = (uint32_t)min_u64(first + around, memcg->first_page + memcg->n_pages);
	uint32_t young = 1;

	host->entries_walked += end - first;
	for (uint32_t p = first; p < end; p++) {
		struct page *page = &host->pages[p];
		uint64_t seq;

		if (p == id || !(page->flags & PAGE_YOUNG) || page->gen == GEN_NONE ||
		    page_type(page) != page_type(&host->pages[id]))
			continue;
		page->flags &= ~(uint32_t)PAGE_YOUNG;
		young++;
		seq = rules->walked(&memcg->lrugen, page);
		if (seq != UINT64_MAX)
			mglru_set_gen(host, page, gen_of(seq));
	}
	if (young * 8 >= end - first)
		mglru_note_region(host, id);
}

/* Puts an isolated page back; never where it would be scanned again at once. */
static void put_back(struct host *host, uint32_t id, bool active)
{
	const struct mglru_rules *rules = mglru_rules(host);
	struct page *page = &host->pages[id];
	struct lru_gen *lrugen = &page_memcg(host, page)->lrugen;
	uint64_t seq;

	if (active)
		page->flags |= PAGE_ACTIVE;
	seq = rules->new_seq(lrugen, page);
	if (seq == lrugen->min_seq[page_type(page)]) {
		page->flags |= PAGE_ACTIVE;
		seq = rules->new_seq(lrugen, page);
	}
	mglru_set_gen(host, page, gen_of(seq));
	list_add(host, id, gen_list(host, page, page->gen));
}

static void evict_page(struct host *host, uint32_t id, struct scan *scan)
{
	const struct mglru_rules *rules = mglru_rules(host);
	struct page *page = &host->pages[id];
	struct lru_gen *lrugen = &page_memcg(host, page)->lrugen;
	enum lru_type type = page_type(page);
	uint64_t when = rules->distances ? lrugen->evictions[type] : lrugen->min_seq[type];

	page->flags |= PAGE_SHADOW;
	page->shadow = ((uint32_t)when << SHADOW_REFS_BITS) | rules->shadow_refs(page);
	lrugen->evicted[type][rules->tier(page)]++;
	lrugen->evictions[type]++;
	lrugen->oldest_evictions[type]++;
	host_uncharge(host, id, scan);
	scan->reclaimed_pages++;
}

/* One batch (evict_folios()): returns what was scanned, 0: nothing more to be had. */
static uint64_t evict_batch(struct host *host, size_t m, struct scan *scan)
{
	struct lru_gen *lrugen = &host->memcgs[m].lrugen;
	struct batch batch = {.n = 0};
	uint64_t scanned = isolate(host, m, scan->swappiness, &batch);

	scanned += mglru_try_to_inc_min_seq(host, m, scan->swappiness);
	if (mglru_evictable_min_seq(host, lrugen, scan->swappiness) + GENS_MIN > lrugen->max_seq)
		scanned = 0;
	for (size_t i = 0; i < batch.n; i++) {
		uint32_t id = batch.pages[i];
		struct page *page = &host->pages[id];

		if (page->flags & PAGE_YOUNG) {
			page->flags &= ~(uint32_t)PAGE_YOUNG;
			look_around(host, id);
			put_back(host, id, mglru_rules(host)->found_young(page));
		} else if (!(page->flags & PAGE_FILE) && !host_can_swap(host, m)) {
			put_back(host, id, true);
		} else {
			evict_page(host, id, scan);
		}
	}
	return scanned;
}

/* should_run_aging(), with the pages that may be scanned. */
static bool should_age(const struct host *host, const struct lru_gen *lrugen, uint32_t swappiness,
		       uint64_t *ret_pages)
{
	uint64_t oldest = mglru_evictable_min_seq(host, lrugen, swappiness);
	uint64_t old = 0, young = 0, total = 0;

	*ret_pages = 0;
	if (oldest + GENS_MIN > lrugen->max_seq)
		return true;
	for (int type = swappiness ? LRU_ANON : LRU_FILE; type <= LRU_FILE; type++)
		for (uint64_t seq = lrugen->min_seq[type]; seq <= lrugen->max_seq; seq++) {
			uint64_t pages = lrugen->nr_pages[gen_of(seq)][type];

			total += pages;
			young += seq == lrugen->max_seq ? pages : 0;
			old += seq + GENS_MIN == lrugen->max_seq ? pages : 0;
		}
	*ret_pages = total;
	if (oldest + GENS_MIN < lrugen->max_seq)
		return false;
	return !mglru_rules(host)->lazy_aging || young * GENS_MIN > total ||
	       old * (GENS_MIN + 2) < total;
}

/* get_swappiness(): without swap there is no anon to scan. */
static uint32_t usable_swappiness(const struct host *host, size_t m, uint32_t swappiness)
{
	return host_can_swap(host, m) ? swappiness : 0;
}

void mglru_shrink(struct host *host, size_t m, struct scan *scan)
{
	struct lru_gen *lrugen = &host->memcgs[m].lrugen;
	uint32_t asked = scan->swappiness;
	uint64_t scanned = 0;

	scan->swappiness = usable_swappiness(host, m, asked);
	for (;;) {
		uint64_t pages, delta;
		bool age = should_age(host, lrugen, scan->swappiness, &pages);

		/* At the default priority the kernel tries to get away without aging: that is all
		 * there is to "MGLRU hardly ever ages under a limit". */
		if (age && scan->priority < DEF_PRIORITY) {
			mglru_inc_max_seq(host, m, scan->swappiness, false);
			break;
		}
		pages = pages * host->grain >> scan->priority;
		if (pages == 0)
			break;
		delta = evict_batch(host, m, scan);
		scanned += delta * host->grain;
		if (delta == 0 || scanned >= pages)
			break;
	}
	scan->swappiness = asked;
}

int mglru_evict(struct host *host, size_t m, uint64_t seq, uint32_t swappiness, uint64_t pages)
{
	struct lru_gen *lrugen = &host->memcgs[m].lrugen;
	struct scan scan = {.target = m, .swappiness = swappiness, .proactive = true};

	if (seq + GENS_MIN > lrugen->max_seq)
		return -EINVAL;
	while (seq >= mglru_evictable_min_seq(host, lrugen, swappiness) &&
	       scan.reclaimed_pages < pages)
		if (!evict_batch(host, m, &scan))
			break;
	return 0;
}
