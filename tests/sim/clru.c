/* SPDX-License-Identifier: MIT */
/*
 * The classic LRU, Linux 6.12 with MGLRU off: an active and an inactive list for each type, and
 * refaults that are activated when they would have fitted.
 *
 * mm/swap.c: folio_mark_accessed(), lru_note_cost(); mm/workingset.c: workingset_eviction(),
 * workingset_refault(); mm/vmscan.c: prepare_scan_control(), get_scan_count(), shrink_lruvec(),
 * shrink_active_list(), shrink_inactive_list(), folio_check_references(). Left out: writeback,
 * executable mappings; once enough is reclaimed a call ends, where the kernel goes on a little in
 * the longer list.
 */
#include "arith.h"
#include "kernel.h"
#include "pagelist.h"

#define MAX_SWAPPINESS 200u

/* FLUSH_TIME of mm/memcontrol.c: so often the counters of memcgs are summed up. */
#define FLUSH_USEC (2 * USEC_PER_SEC)

/* What reclaim and refaults know of a memcg's counters: they do not have them summed up themselves
 * (mem_cgroup_flush_stats_ratelimited()). So within these two seconds only the first reclaim takes
 * note of new activations. */
static const struct classic_stat *stat_of(struct host *host, size_t m)
{
	struct classic_lru *classic = &host->memcgs[m].classic;

	if (host->now_usec / FLUSH_USEC != classic->flushed_usec / FLUSH_USEC ||
	    classic->flushed_usec == 0) {
		classic->flushed = classic->stat;
		classic->flushed_usec = host->now_usec;
	}
	return &classic->flushed;
}

static bool is_active_list(size_t list)
{
	return list & 1;
}

static enum lru_type list_type(size_t list)
{
	return list >= LIST_INACTIVE_FILE ? LRU_FILE : LRU_ANON;
}

static size_t list_of(const struct page *page)
{
	return (page->flags & PAGE_FILE ? LIST_INACTIVE_FILE : LIST_INACTIVE_ANON) +
	       (page->flags & PAGE_ACTIVE ? 1u : 0u);
}

static void count(struct host *host, size_t memcg, size_t list, int64_t delta)
{
	host->memcgs[memcg].classic.own_pages[list] += (uint64_t)delta;
	for (int m = (int)memcg; m >= 0; m = host->memcgs[m].parent)
		host->memcgs[m].classic.stat.nr_pages[list] += (uint64_t)delta;
}

static void put(struct host *host, uint32_t id)
{
	const struct page *page = &host->pages[id];

	list_add(host, id, host_list(host, page->memcg, list_of(page)));
	count(host, page->memcg, list_of(page), 1);
}

static void take(struct host *host, uint32_t id)
{
	const struct page *page = &host->pages[id];

	list_del(host, id);
	count(host, page->memcg, list_of(page), -1);
}

/* lru_note_cost(): what reclaim from a type costs, here and in all ancestors. */
static void note_cost(struct host *host, size_t memcg, enum lru_type type, uint64_t cost)
{
	for (int m = (int)memcg; m >= 0; m = host->memcgs[m].parent) {
		struct classic_lru *classic = &host->memcgs[m].classic;
		const struct classic_stat *stat = stat_of(host, (size_t)m);
		uint64_t pages = 0;

		for (size_t list = 0; list < CLASSIC_LISTS; list++)
			pages += stat->nr_pages[list];
		classic->cost[type] += cost;
		if (classic->cost[LRU_ANON] + classic->cost[LRU_FILE] > pages / 4) {
			classic->cost[LRU_ANON] /= 2;
			classic->cost[LRU_FILE] /= 2;
		}
	}
}

static void age_nonresident(struct host *host, size_t memcg)
{
	for (int m = (int)memcg; m >= 0; m = host->memcgs[m].parent)
		host->memcgs[m].classic.nonresident_age++;
}

/* --- in */

/* workingset_test_recent(). The shadow names the memcg whose limit it was; the upper four bits of
 * page.shadow are its index, the rest its age. */
static bool test_recent(struct host *host, const struct page *page)
{
	size_t m = page->shadow >> 28;
	const struct classic_stat *stat = stat_of(host, m);
	uint64_t distance =
		((uint32_t)host->memcgs[m].classic.nonresident_age - page->shadow) & 0xfffffff;
	bool file = page->flags & PAGE_FILE;
	uint64_t size = stat->nr_pages[LIST_ACTIVE_FILE];

	if (!file)
		size += stat->nr_pages[LIST_INACTIVE_FILE];
	if (host->swap_used_pages < host->swap_total_pages) {
		size += stat->nr_pages[LIST_ACTIVE_ANON];
		if (file)
			size += stat->nr_pages[LIST_INACTIVE_ANON];
	}
	return distance <= size;
}

static void clru_add(struct host *host, uint32_t id, bool fault)
{
	struct page *page = &host->pages[id];

	(void)fault;
	if (page->flags & PAGE_SHADOW && test_recent(host, page)) {
		page->flags |= PAGE_ACTIVE;
		age_nonresident(host, page->memcg);
		for (int m = page->memcg; m >= 0; m = host->memcgs[m].parent)
			host->memcgs[m].classic.stat.activations[page_type(page)]++;
		if (page->flags & PAGE_SHADOW_WS) {
			page->flags |= PAGE_WORKINGSET;
			note_cost(host, page->memcg, page_type(page), CLUSTER);
		}
	}
	put(host, id);
}

static void clru_mark_accessed(struct host *host, uint32_t id)
{
	struct page *page = &host->pages[id];

	if (!(page->flags & PAGE_REFERENCED)) {
		page->flags |= PAGE_REFERENCED;
		return;
	}
	if (page->flags & PAGE_ACTIVE)
		return;
	take(host, id);
	page->flags |= PAGE_ACTIVE;
	page->flags &= ~(uint32_t)PAGE_REFERENCED;
	put(host, id);
	age_nonresident(host, page->memcg);
}

/* --- out */

static void deactivate(struct host *host, size_t memcg, size_t list, uint64_t n)
{
	uint32_t head = host_list(host, memcg, list);

	host->pages_scanned += n;
	while (n-- > 0 && !list_is_empty(host, head)) {
		uint32_t id = list_tail(host, head);
		struct page *page = &host->pages[id];

		take(host, id);
		page->flags &= ~(uint32_t)(PAGE_ACTIVE | PAGE_YOUNG);
		page->flags |= PAGE_WORKINGSET;
		put(host, id);
	}
}

/* folio_check_references(): true if the page is to stay, active or where it was. */
static bool stays(struct page *page, bool can_swap)
{
	bool referenced = page->flags & PAGE_REFERENCED;

	page->flags &= ~(uint32_t)PAGE_REFERENCED;
	if (page->flags & PAGE_YOUNG) {
		page->flags &= ~(uint32_t)PAGE_YOUNG;
		page->flags |= PAGE_REFERENCED | (referenced ? PAGE_ACTIVE : 0u);
		return true;
	}
	if (!(page->flags & PAGE_FILE) && !can_swap) {
		page->flags |= PAGE_ACTIVE;
		return true;
	}
	return false;
}

static void evict(struct host *host, uint32_t id, struct scan *scan)
{
	struct page *page = &host->pages[id];
	struct memcg *target = &host->memcgs[scan->target];

	page->shadow = ((uint32_t)scan->target << 28) |
		       ((uint32_t)target->classic.nonresident_age & 0xfffffff);
	page->flags |= PAGE_SHADOW | (page->flags & PAGE_WORKINGSET ? PAGE_SHADOW_WS : 0u);
	age_nonresident(host, scan->target);
	host_uncharge(host, id, scan);
	scan->reclaimed_pages++;
}

static void shrink_inactive(struct host *host, size_t memcg, size_t list, uint64_t n,
			    struct scan *scan)
{
	uint32_t head = host_list(host, memcg, list);
	uint64_t scanned = 0, before = scan->reclaimed_pages;
	bool can_swap = host_can_swap(host, memcg);

	for (; scanned < n && !list_is_empty(host, head); scanned++) {
		uint32_t id = list_tail(host, head);

		take(host, id);
		if (stays(&host->pages[id], can_swap))
			put(host, id);
		else
			evict(host, id, scan);
	}
	host->pages_scanned += scanned;
	host_count_scan(host, memcg, scanned);
	/* Each anon page written to swap counts as I/O, each page that stayed as CPU time. */
	before = scan->reclaimed_pages - before;
	note_cost(host, memcg, list_type(list),
		  scanned - before + (list_type(list) == LRU_ANON ? before * CLUSTER : 0));
}

static bool inactive_is_low(const struct classic_stat *stat, enum lru_type type)
{
	size_t list = type == LRU_FILE ? LIST_INACTIVE_FILE : LIST_INACTIVE_ANON;

	/* The ratio is 1 below a gigabyte. */
	return stat->nr_pages[list] < stat->nr_pages[list + 1];
}

/* prepare_scan_control(): is a type's active list to be shortened? */
static bool may_deactivate(struct host *host, const struct scan *scan, enum lru_type type)
{
	const struct classic_stat *stat = stat_of(host, scan->target);
	const struct classic_lru *target = &host->memcgs[scan->target].classic;

	return scan->force_deactivate ||
	       stat->activations[type] != target->seen_activations[type] ||
	       inactive_is_low(stat, type);
}

/* get_scan_count(): pages to scan of each list. */
static void get_scan_count(struct host *host, size_t m, const struct scan *scan,
			   const bool may[_LRU_TYPE_MAX], uint64_t ret_n[CLASSIC_LISTS])
{
	struct memcg *memcg = &host->memcgs[m];
	const struct classic_lru *target = &host->memcgs[scan->target].classic;
	bool trim = stat_of(host, scan->target)->nr_pages[LIST_INACTIVE_FILE] * host->grain >>
			    scan->priority &&
		    !may[LRU_FILE];
	bool file_only = !host_can_swap(host, m) || scan->swappiness == 0 || trim;
	uint64_t total = target->cost[LRU_ANON] + target->cost[LRU_FILE];
	uint64_t anon_cost = total + target->cost[LRU_ANON];
	uint64_t file_cost = total + target->cost[LRU_FILE];
	uint64_t share[_LRU_TYPE_MAX];
	uint64_t keep = m == scan->target ? 0
			: scan->low_reclaim || memcg->low_pages <= memcg->min_pages
				? memcg->min_pages
				: memcg->low_pages;

	total = anon_cost + file_cost;
	share[LRU_ANON] = scan->swappiness * (total + 1) / (anon_cost + 1);
	share[LRU_FILE] = (MAX_SWAPPINESS - scan->swappiness) * (total + 1) / (file_cost + 1);
	for (size_t list = 0; list < CLASSIC_LISTS; list++) {
		uint64_t pages = memcg->classic.own_pages[list] * host->grain;

		if (keep)
			pages = max_u64(
				pages - pages * keep / (max_u64(memcg->usage_pages, keep) + 1),
				CLUSTER);
		pages >>= scan->priority;
		if (file_only)
			pages = list_type(list) == LRU_FILE ? pages : 0;
		else if (scan->priority > 0)
			pages = pages * share[list_type(list)] /
				(share[LRU_ANON] + share[LRU_FILE]);
		/* What is less than a modelled page waits for the next time. */
		pages += memcg->classic.carried_pages[list];
		ret_n[list] = pages / host->grain;
		memcg->classic.carried_pages[list] = pages % host->grain;
	}
}

static void clru_shrink(struct host *host, size_t memcg, struct scan *scan)
{
	const bool may[] = {may_deactivate(host, scan, LRU_ANON),
			    may_deactivate(host, scan, LRU_FILE)};
	uint64_t before = scan->reclaimed_pages;
	uint64_t n[CLASSIC_LISTS];

	get_scan_count(host, memcg, scan, may, n);
	while (n[LIST_INACTIVE_ANON] || n[LIST_ACTIVE_FILE] || n[LIST_INACTIVE_FILE]) {
		for (size_t list = 0; list < CLASSIC_LISTS; list++) {
			uint64_t step = min_u64(n[list], host_grains(host, CLUSTER));

			n[list] -= step;
			if (step && !is_active_list(list))
				shrink_inactive(host, memcg, list, step, scan);
			else if (step && may[list_type(list)])
				deactivate(host, memcg, list, step);
			else if (step)
				scan->skipped_deactivate = true;
		}
		if (scan->reclaimed_pages - before >= scan->want_pages)
			break;
	}
	if (inactive_is_low(stat_of(host, memcg), LRU_ANON) && host->swap_total_pages)
		deactivate(host, memcg, LIST_ACTIVE_ANON, host_grains(host, CLUSTER));
}

static void clru_active(const struct host *host, size_t memcg, uint64_t ret_pages[_LRU_TYPE_MAX])
{
	ret_pages[LRU_ANON] = host->memcgs[memcg].classic.own_pages[LIST_ACTIVE_ANON];
	ret_pages[LRU_FILE] = host->memcgs[memcg].classic.own_pages[LIST_ACTIVE_FILE];
}

const struct kernel kernel_clru = {
	.add = clru_add,
	.mark_accessed = clru_mark_accessed,
	.shrink = clru_shrink,
	.active = clru_active,
};
