/* SPDX-License-Identifier: MIT */
/*
 * What all MGLRU kernels share, and the rules in which they differ: how accesses are counted, where
 * a page enters, what is protected, what survives eviction.
 *
 * mm/vmscan.c keeps a page's generation in its flags and its place on a list apart: a page that a
 * walk over page tables has promoted stays on its old list until somebody scans that list. So does
 * this model: page.gen is the truth, nr_pages[] follows it, the lists lag.
 */
#ifndef FGRECLAIM_TESTS_SIM_MGLRU_H
#define FGRECLAIM_TESTS_SIM_MGLRU_H

#include "arith.h"
#include "kernel.h"
#include "pagelist.h"

struct mglru_rules {
	/* The tier that eviction, protection and refaults of a page are counted in. */
	unsigned (*tier)(const struct page *page);
	/* Where a page enters (lru_gen_add_folio(), lru_gen_folio_seq()); PAGE_ACTIVE is cleared.
	 */
	uint64_t (*new_seq)(const struct lru_gen *lrugen, struct page *page);
	/* One access by read(). */
	void (*mark_accessed)(struct host *host, uint32_t page);
	/* A walk has found the accessed bit (folio_update_gen()): the generation to be in, or
	 * UINT64_MAX to stay. */
	uint64_t (*walked)(const struct lru_gen *lrugen, struct page *page);
	/* The oldest generation's scan or merge pushes a page to the next one (folio_inc_gen()). */
	void (*pushed)(struct page *page);
	/* Protected whatever the PID controller says; not counted as protected by it. */
	bool (*always_protected)(const struct page *page);
	/* Reclaim found the accessed bit (folio_check_references()): true if the page is to be
	 * active. */
	bool (*found_young)(struct page *page);
	/* What the shadow keeps of the accesses, below 1 << SHADOW_REFS_BITS; the workingset bit is
	 * PAGE_SHADOW_WS. */
	uint32_t (*shadow_refs)(struct page *page);
	/* A page comes back: its accesses restored; returns the tier that the refault counts in.
	 * recent: evicted lately (lru_gen_test_recent()). */
	unsigned (*refault)(struct page *page, bool fault);

	bool sums_types;     /* types are weighed by all tiers, not by tier 0 alone (6.14) */
	bool own_min_seq;    /* anon may be one generation ahead of file and the other way (6.14) */
	bool always_ages;    /* "+" is never ERANGE nor a no-op (6.14) */
	bool merge_protects; /* pages pushed by a merge are counted as protected (6.14) */
	bool moves_count;    /* ... unless they were promoted before, and only lag (fg612) */
	bool recent_by_max;  /* recent: within GENS of max_seq (6.14), else: the same min_seq */
	bool push_to_head;   /* protected pages enter the next generation at its head (6.14) */
	bool lazy_aging;     /* should_run_aging() weighs generations by size (until 6.13) */
	bool prior_tier;     /* a tier is compared with the one before it, not with tier 0 (FG) */
	bool distances;      /* refault distance (fgrd) */
	unsigned tier_gain[2]; /* of the tier compared with, of the tier in question */
};

#define SHADOW_REFS_BITS 3

/* The rules of the running kernel. */
const struct mglru_rules *mglru_rules(const struct host *host);

/* --- mglru.c: generations and the pages in them */

static inline size_t gen_of(uint64_t seq)
{
	return (size_t)(seq % GENS);
}

static inline uint32_t gen_list(const struct host *host, const struct page *page, size_t gen)
{
	return host_list(host, page->memcg, page_type(page) * GENS + gen);
}

static inline uint64_t nr_gens(const struct lru_gen *lrugen, enum lru_type type)
{
	return lrugen->max_seq - lrugen->min_seq[type] + 1;
}

/* Since 6.14: where a page enters, by whether it is of the working set (lru_gen_folio_seq()). */
static inline uint64_t mglru_new_seq(const struct lru_gen *lrugen, struct page *page,
				     bool workingset)
{
	uint64_t back = workingset ? 1 : 0;

	if (page->flags & PAGE_ACTIVE)
		back = GENS_MIN - back;
	else if (!(page->flags & PAGE_FILE))
		back = GENS_MIN;
	else
		back = GENS - back;
	page->flags &= ~(uint32_t)PAGE_ACTIVE;
	return max_u64(lrugen->max_seq + 1 - back, lrugen->min_seq[page_type(page)]);
}

/* Moves a page's membership, not its place on a list. */
void mglru_set_gen(struct host *host, struct page *page, size_t gen);

/* The lowest min_seq that reclaim with this swappiness can evict from (evictable_min_seq()). */
uint64_t mglru_evictable_min_seq(const struct host *host, const struct lru_gen *lrugen,
				 uint32_t swappiness);

void mglru_add(struct host *host, uint32_t page, bool fault);
void mglru_mark_accessed(struct host *host, uint32_t page);
void mglru_active(const struct host *host, size_t memcg, uint64_t ret_pages[_LRU_TYPE_MAX]);

/* --- mglru_pid.c: which tiers are protected, which type pays */

/* The highest tier that may be evicted. */
unsigned mglru_tier_to_evict(const struct host *host, const struct lru_gen *lrugen,
			     enum lru_type type);
enum lru_type mglru_type_to_scan(const struct host *host, const struct lru_gen *lrugen,
				 uint32_t swappiness, int *ret_tier);
/* The oldest generation of a type has gone (reset_ctrl_pos()). */
void mglru_pid_carry(struct lru_gen *lrugen, enum lru_type type);

/* --- mglru_age.c */

/* Walks page tables and begins a new generation (try_to_inc_max_seq()). */
void mglru_inc_max_seq(struct host *host, size_t memcg, uint32_t swappiness, bool force);
/* Drops oldest generations that are empty; true if there were any. */
bool mglru_try_to_inc_min_seq(struct host *host, size_t memcg, uint32_t swappiness);
int mglru_age(struct host *host, size_t memcg, uint64_t seq, uint32_t swappiness, bool force);
/* Marks the region of a page for the next walk (lru_gen_look_around()). */
void mglru_note_region(struct host *host, uint32_t page);

/* --- mglru_evict.c */

void mglru_shrink(struct host *host, size_t memcg, struct scan *scan);
int mglru_evict(struct host *host, size_t memcg, uint64_t seq, uint32_t swappiness, uint64_t pages);

extern const struct mglru_rules rules_612, rules_614, rules_fg, rules_fg612, rules_fgrd;

#endif
