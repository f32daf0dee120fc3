/* SPDX-License-Identifier: MIT */
/*
 * Pages entering generations, and refaults (mm/workingset.c: lru_gen_refault()).
 */
#include "mglru.h"
#include "arith.h"

const struct mglru_rules *mglru_rules(const struct host *host)
{
	if (host->kernel == &kernel_m612)
		return &rules_612;
	if (host->kernel == &kernel_m614)
		return &rules_614;
	if (host->kernel == &kernel_fg612)
		return &rules_fg612;
	return host->kernel == &kernel_fg ? &rules_fg : &rules_fgrd;
}

void mglru_set_gen(struct host *host, struct page *page, size_t gen)
{
	struct lru_gen *lrugen = &page_memcg(host, page)->lrugen;
	enum lru_type type = page_type(page);

	if (page->gen != GEN_NONE)
		lrugen->nr_pages[page->gen][type]--;
	page->gen = (uint8_t)gen;
	if (gen != GEN_NONE)
		lrugen->nr_pages[gen][type]++;
}

uint64_t mglru_evictable_min_seq(const struct host *host, const struct lru_gen *lrugen,
				 uint32_t swappiness)
{
	if (mglru_rules(host)->own_min_seq && swappiness)
		return min_u64(lrugen->min_seq[LRU_ANON], lrugen->min_seq[LRU_FILE]);
	return lrugen->min_seq[swappiness ? LRU_ANON : LRU_FILE];
}

static bool is_recent(const struct mglru_rules *rules, const struct lru_gen *lrugen,
		      const struct page *page)
{
	uint64_t evicted_seq = page->shadow >> SHADOW_REFS_BITS;

	if (rules->recent_by_max)
		return saturating_sub(lrugen->max_seq, evicted_seq) < GENS;
	return lrugen->min_seq[page_type(page)] == evicted_seq;
}

/* kernel-side refault distance of the 2023 design: how near a miss it was, by the pages evicted
 * since, against quarters of the memory. Restores accordingly; returns the tier to count, or -1. */
static int refault_by_distance(const struct host *host, struct lru_gen *lrugen, struct page *page,
			       bool fault)
{
	const struct memcg *memcg = &host->memcgs[page->memcg];
	enum lru_type type = page_type(page);
	uint64_t distance = (lrugen->evictions[type] - (page->shadow >> SHADOW_REFS_BITS)) &
			    (UINT32_MAX >> SHADOW_REFS_BITS);
	uint64_t size = memcg->stat.lru_pages[LRU_FILE] +
			(host_can_swap(host, page->memcg) ? memcg->stat.lru_pages[LRU_ANON] : 0);
	bool recent = distance <= lrugen->oldest_evictions[type];
	unsigned tier;

	if (distance > size)
		return -1;
	tier = rules_fg.refault(page, fault);
	if (distance > size / 2) {
		page->refs = 1;
	} else if (distance <= size / 4) {
		page->refs = (uint8_t)min_u64(page->refs + 1u, 3);
		page->flags |= PAGE_ACTIVE;
		tier = tier ? tier : 1;
	}
	return recent ? (int)tier : -1;
}

static void refault(struct host *host, struct lru_gen *lrugen, struct page *page, bool fault)
{
	const struct mglru_rules *rules = mglru_rules(host);

	if (rules->distances) {
		int tier = refault_by_distance(host, lrugen, page, fault);

		if (tier >= 0)
			lrugen->refaulted[page_type(page)][tier]++;
	} else if (is_recent(rules, lrugen, page)) {
		lrugen->refaulted[page_type(page)][rules->refault(page, fault)]++;
	}
}

void mglru_add(struct host *host, uint32_t id, bool fault)
{
	struct page *page = &host->pages[id];
	struct lru_gen *lrugen = &page_memcg(host, page)->lrugen;

	if (page->flags & PAGE_SHADOW)
		refault(host, lrugen, page, fault);
	/* folio_add_lru(): lru_gen_in_fault() */
	page->flags |= fault ? PAGE_ACTIVE : PAGE_READ_IN;
	mglru_set_gen(host, page, gen_of(mglru_rules(host)->new_seq(lrugen, page)));
	list_add(host, id, gen_list(host, page, page->gen));
}

void mglru_mark_accessed(struct host *host, uint32_t id)
{
	mglru_rules(host)->mark_accessed(host, id);
}

void mglru_active(const struct host *host, size_t memcg, uint64_t ret_pages[_LRU_TYPE_MAX])
{
	const struct lru_gen *lrugen = &host->memcgs[memcg].lrugen;

	for (size_t type = 0; type < _LRU_TYPE_MAX; type++)
		ret_pages[type] = lrugen->nr_pages[gen_of(lrugen->max_seq)][type] +
				  lrugen->nr_pages[gen_of(lrugen->max_seq - 1)][type];
}

/* FG counts as active what was used often (refs >= 3). Nobody asks often enough for a counter. */
static void fg_active(const struct host *host, size_t m, uint64_t ret_pages[_LRU_TYPE_MAX])
{
	const struct memcg *memcg = &host->memcgs[m];

	ret_pages[LRU_ANON] = ret_pages[LRU_FILE] = 0;
	for (uint32_t p = memcg->first_page; p < memcg->first_page + memcg->n_pages; p++)
		if (host->pages[p].flags & PAGE_RESIDENT && host->pages[p].refs >= 3)
			ret_pages[page_type(&host->pages[p])]++;
}

#define MGLRU_KERNEL(id, active_function)             \
	const struct kernel kernel_##id = {           \
		.generations = true,                  \
		.add = mglru_add,                     \
		.mark_accessed = mglru_mark_accessed, \
		.shrink = mglru_shrink,               \
		.age = mglru_age,                     \
		.evict = mglru_evict,                 \
		.active = active_function,            \
	}

MGLRU_KERNEL(m612, mglru_active);
MGLRU_KERNEL(m614, mglru_active);
MGLRU_KERNEL(fg, fg_active);
MGLRU_KERNEL(fg612, fg_active);
MGLRU_KERNEL(fgrd, fg_active);
