/* SPDX-License-Identifier: MIT */
/*
 * How Linux 6.1 to 6.13 count accesses (include/linux/mm_inline.h: folio_lru_refs(),
 * lru_gen_add_folio(); mm/swap.c: folio_inc_refs(); mm/workingset.c: lru_gen_refault()).
 *
 * LRU_REFS_WIDTH is 2. The first access by read() sets PG_referenced, the second PG_workingset, the
 * others count up to three more: refs is accesses less one, 0 to 4, tier order_base_2(refs + 1). A
 * page with all four is never evicted, and comes back, if reclaim takes it otherwise, with all.
 */
#include "arith.h"
#include "mglru.h"

#define REFS_MAX 3u /* of the counter; with PG_workingset one more */

static unsigned refs_of(const struct page *page)
{
	return page->refs + (page->flags & PAGE_WORKINGSET ? 1u : 0u);
}

static unsigned tier_of(unsigned refs)
{
	static const unsigned tiers[] = {0, 1, 2, 2, 3};

	return tiers[refs];
}

static unsigned tier(const struct page *page)
{
	return tier_of(refs_of(page));
}

static void forget(struct page *page)
{
	page->refs = 0;
	page->flags &= ~(uint32_t)(PAGE_REFERENCED | PAGE_WORKINGSET);
}

static uint64_t new_seq(const struct lru_gen *lrugen, struct page *page)
{
	enum lru_type type = page_type(page);

	if (page->flags & PAGE_ACTIVE) {
		page->refs = 0;
		page->flags &= ~(uint32_t)(PAGE_ACTIVE | PAGE_REFERENCED);
		return lrugen->max_seq;
	}
	if (type == LRU_ANON)
		return lrugen->max_seq - 1;
	if (lrugen->min_seq[type] + GENS_MIN >= lrugen->max_seq)
		return lrugen->min_seq[type];
	return lrugen->min_seq[type] + 1;
}

static void mark_accessed(struct host *host, uint32_t id)
{
	struct page *page = &host->pages[id];

	if (!(page->flags & PAGE_REFERENCED))
		page->flags |= PAGE_REFERENCED;
	else if (!(page->flags & PAGE_WORKINGSET))
		page->flags |= PAGE_WORKINGSET;
	else if (page->refs < REFS_MAX)
		page->refs++;
}

static uint64_t walked(const struct lru_gen *lrugen, struct page *page)
{
	if (page->gen == GEN_NONE)
		return UINT64_MAX;
	forget(page);
	return lrugen->max_seq;
}

static bool always_protected(const struct page *page)
{
	return refs_of(page) == REFS_MAX + 1;
}

/* Whatever folio_check_references() says, evict_folios() activates what it cannot evict. */
static bool found_young(struct page *page)
{
	forget(page);
	return true;
}

/* The token keeps refs - 1, and PG_workingset apart. */
static uint32_t shadow_refs(struct page *page)
{
	unsigned refs;

	/* isolate_folio() */
	if (!(page->flags & PAGE_REFERENCED))
		forget(page);
	refs = refs_of(page);
	if (refs)
		page->flags |= PAGE_SHADOW_WS;
	return refs ? refs - 1 : 0;
}

static unsigned refault(struct page *page, bool fault)
{
	unsigned refs = page->shadow & ((1u << SHADOW_REFS_BITS) - 1);

	if (page->flags & PAGE_SHADOW_WS)
		refs++;
	if (fault || refs >= REFS_MAX) {
		page->refs = REFS_MAX;
		page->flags |= PAGE_WORKINGSET;
	}
	return tier_of(refs);
}

const struct mglru_rules rules_612 = {
	.tier = tier,
	.new_seq = new_seq,
	.mark_accessed = mark_accessed,
	.walked = walked,
	.pushed = forget,
	.always_protected = always_protected,
	.found_young = found_young,
	.shadow_refs = shadow_refs,
	.refault = refault,
	.lazy_aging = true,
	.tier_gain = {1, 2},
};
