/* SPDX-License-Identifier: MIT */
/*
 * How MGLRU with frequency-guided promotion counts accesses: version 3 of the series on linux-mm,
 * folio_inc_lru_refs() and what calls it, on top of 6.14's rules. fgrd adds the refault distance of
 * the 2023 design (mglru.c). fg612 is the same on top of Linux 6.12, as tests/vm/kernel/patches has
 * it: lru_flags_after_ref(), folio_inc_gen(), putback_lru_refs(), lru_gen_refault() there.
 *
 * One counter of 0 to 7 for accesses of both kinds. A page in the oldest generation leaves it by
 * its second access, at once and by one generation; accesses survive protection (two of them) and
 * eviction (three).
 */
#include "mglru.h"

#define REFS_MAX        7u
#define REFS_WORKINGSET 2u
#define REFS_PROTECTED  3u /* LRU_REFS_PROTECTED, LRU_REFS_ACTIVATED */

static unsigned tier_of(unsigned refs)
{
	static const unsigned tiers[] = {0, 0, 1, 2, 2, 3, 3, 3};

	return tiers[refs];
}

static unsigned tier(const struct page *page)
{
	return tier_of(page->refs);
}

static uint64_t new_seq(const struct lru_gen *lrugen, struct page *page)
{
	return mglru_new_seq(lrugen, page, page->refs >= REFS_WORKINGSET);
}

static void set_refs(struct page *page, unsigned refs)
{
	page->refs = (uint8_t)refs;
}

static void mark_accessed(struct host *host, uint32_t id)
{
	struct page *page = &host->pages[id];
	const struct lru_gen *lrugen = &page_memcg(host, page)->lrugen;
	unsigned refs = page->refs + 1u;
	size_t oldest = gen_of(lrugen->min_seq[page_type(page)]);

	if (page->gen == GEN_NONE || page->gen == gen_of(lrugen->max_seq)) {
		set_refs(page, (unsigned)min_u64(refs, REFS_MAX));
		return;
	}
	if (refs <= REFS_MAX && (page->gen != oldest || refs < REFS_WORKINGSET)) {
		set_refs(page, refs);
		return;
	}
	set_refs(page, (unsigned)min_u64(refs, REFS_PROTECTED));
	mglru_set_gen(host, page, (page->gen + 1u) % GENS);
}

static bool found_young(struct page *page)
{
	set_refs(page, (unsigned)min_u64(page->refs + 1u, REFS_PROTECTED));
	return page->refs >= REFS_WORKINGSET;
}

static uint64_t walked(const struct lru_gen *lrugen, struct page *page)
{
	uint64_t oldest = lrugen->min_seq[page_type(page)];

	if (found_young(page))
		return page->gen == GEN_NONE ? UINT64_MAX : lrugen->max_seq;
	return page->gen == gen_of(oldest) ? oldest + 1 : UINT64_MAX;
}

/* A page that was just read in is not on a list yet, and where it goes is no promotion. */
static void mark_accessed_612(struct host *host, uint32_t id)
{
	struct page *page = &host->pages[id];

	if (!(page->flags & PAGE_READ_IN)) {
		mark_accessed(host, id);
		return;
	}
	page->flags &= ~(uint32_t)PAGE_READ_IN;
	set_refs(page, (unsigned)min_u64(page->refs + 1u, REFS_MAX));
}

static uint64_t new_seq_612(const struct lru_gen *lrugen, struct page *page)
{
	enum lru_type type = page_type(page);

	if (page->flags & PAGE_ACTIVE) {
		page->flags &= ~(uint32_t)PAGE_ACTIVE;
		return lrugen->max_seq;
	}
	if (type == LRU_ANON)
		return lrugen->max_seq - 1;
	if (lrugen->min_seq[type] + GENS_MIN >= lrugen->max_seq &&
	    !(page->flags & PAGE_MAPPED && page->refs))
		return lrugen->min_seq[type];
	return lrugen->min_seq[type] + 1;
}

static uint64_t walked_612(const struct lru_gen *lrugen, struct page *page)
{
	if (page->gen != gen_of(lrugen->max_seq))
		return walked(lrugen, page);
	set_refs(page, (unsigned)min_u64(page->refs + 1u, REFS_MAX));
	return UINT64_MAX;
}

static void pushed(struct page *page)
{
	set_refs(page, (unsigned)min_u64(page->refs, REFS_WORKINGSET));
}

static bool always_protected(const struct page *page)
{
	(void)page;
	return false;
}

static uint32_t shadow_refs(struct page *page)
{
	return page->refs;
}

static unsigned refault(struct page *page, bool fault)
{
	unsigned refs = page->shadow & ((1u << SHADOW_REFS_BITS) - 1);

	(void)fault;
	set_refs(page, (unsigned)min_u64(refs, REFS_PROTECTED));
	/* What the stall accounting goes by. */
	if (refs >= REFS_WORKINGSET)
		page->flags |= PAGE_WORKINGSET;
	return tier_of(refs);
}

#define FG_RULES                                                                                  \
	.tier = tier, .new_seq = new_seq, .mark_accessed = mark_accessed, .walked = walked,       \
	.pushed = pushed, .always_protected = always_protected, .found_young = found_young,       \
	.shadow_refs = shadow_refs, .refault = refault, .sums_types = true, .own_min_seq = true,  \
	.always_ages = true, .merge_protects = true, .recent_by_max = true, .push_to_head = true, \
	.prior_tier = true, .tier_gain = {1, 2}

const struct mglru_rules rules_fg = {FG_RULES};
const struct mglru_rules rules_fg612 = {
	.tier = tier,
	.new_seq = new_seq_612,
	.mark_accessed = mark_accessed_612,
	.walked = walked_612,
	.pushed = pushed,
	.always_protected = always_protected,
	.found_young = found_young,
	.shadow_refs = shadow_refs,
	.refault = refault,
	.merge_protects = true,
	.moves_count = true,
	.recent_by_max = true,
	.lazy_aging = true,
	.prior_tier = true,
	.tier_gain = {1, 2},
};
const struct mglru_rules rules_fgrd = {FG_RULES, .distances = true};
