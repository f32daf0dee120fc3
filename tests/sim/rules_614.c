/* SPDX-License-Identifier: MIT */
/*
 * How Linux 6.14 and later count accesses (commit 37a260870f2c and its siblings;
 * include/linux/mm_inline.h: folio_lru_refs(), lru_tier_from_refs(), lru_gen_folio_seq();
 * mm/swap.c: lru_gen_inc_refs(); mm/vmscan.c: lru_gen_set_refs(), folio_update_gen(),
 * folio_inc_gen()).
 *
 * The first access sets PG_referenced, the next three count, the fifth sets PG_workingset, which
 * then stays through protection and eviction: tier 3.
 */
#include "mglru.h"

#define REFS_MAX 3u /* of the counter; with PG_referenced one more */

static unsigned refs_of(const struct page *page)
{
	return page->flags & PAGE_REFERENCED ? page->refs + 1u : 0;
}

static unsigned tier_of(unsigned refs, bool workingset)
{
	static const unsigned tiers[] = {0, 0, 1, 2, 2};

	return workingset ? TIERS - 1 : tiers[refs];
}

static unsigned tier(const struct page *page)
{
	return tier_of(refs_of(page), page->flags & PAGE_WORKINGSET);
}

static uint64_t new_seq(const struct lru_gen *lrugen, struct page *page)
{
	return mglru_new_seq(lrugen, page, page->flags & PAGE_WORKINGSET);
}

static void mark_accessed(struct host *host, uint32_t id)
{
	struct page *page = &host->pages[id];

	if (!(page->flags & PAGE_REFERENCED)) {
		page->flags |= PAGE_REFERENCED;
		page->refs = 0;
	} else if (page->refs < REFS_MAX) {
		page->refs++;
	} else {
		page->flags |= PAGE_WORKINGSET;
	}
}

static void pushed(struct page *page)
{
	page->refs = 0;
	page->flags &= ~(uint32_t)PAGE_REFERENCED;
}

static bool found_young(struct page *page)
{
	if (!(page->flags & (PAGE_REFERENCED | PAGE_WORKINGSET))) {
		page->refs = 0;
		page->flags |= PAGE_REFERENCED;
		return false;
	}
	pushed(page);
	page->flags |= PAGE_WORKINGSET;
	return true;
}

static uint64_t walked(const struct lru_gen *lrugen, struct page *page)
{
	if (!found_young(page) || page->gen == GEN_NONE)
		return UINT64_MAX;
	return lrugen->max_seq;
}

static bool always_protected(const struct page *page)
{
	return page->flags & PAGE_WORKINGSET && refs_of(page) == REFS_MAX + 1;
}

static uint32_t shadow_refs(struct page *page)
{
	unsigned refs = refs_of(page);

	if (page->flags & PAGE_WORKINGSET)
		page->flags |= PAGE_SHADOW_WS;
	return refs ? refs - 1 : 0;
}

static unsigned refault(struct page *page, bool fault)
{
	unsigned refs = page->shadow & ((1u << SHADOW_REFS_BITS) - 1);

	(void)fault;
	if (page->flags & PAGE_SHADOW_WS)
		page->flags |= PAGE_WORKINGSET;
	else
		page->refs = (uint8_t)refs;
	return tier_of(refs + 1, page->flags & PAGE_SHADOW_WS);
}

const struct mglru_rules rules_614 = {
	.tier = tier,
	.new_seq = new_seq,
	.mark_accessed = mark_accessed,
	.walked = walked,
	.pushed = pushed,
	.always_protected = always_protected,
	.found_young = found_young,
	.shadow_refs = shadow_refs,
	.refault = refault,
	.sums_types = true,
	.own_min_seq = true,
	.always_ages = true,
	.merge_protects = true,
	.recent_by_max = true,
	.push_to_head = true,
	.tier_gain = {2, 3},
};
