/* SPDX-License-Identifier: MIT */
/*
 * Charging, faults and counters: the parts of mm/memcontrol.c, mm/filemap.c and mm/memory.c that a
 * page goes through between an access and the kernel's lists.
 *
 * Which stall is seen: a task waiting for a page that it reads stands in io.pressure always, and in
 * memory.pressure only if the page came back with PG_workingset set (folio_wait_bit_common(),
 * swap_read_folio()); how seldom that is, is each kernel's own affair (kernels' add()).
 */
#include "arith.h"
#include "kernel.h"
#include "pagelist.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* try_charge_memcg() tries so often before the OOM killer is called: MAX_RECLAIM_RETRIES. */
#define CHARGE_RETRIES 16

size_t host_add_memcg(struct host *host, int parent, const char *name)
{
	struct memcg *memcg = &host->memcgs[host->n_memcgs];

	if (host->n_memcgs == MEMCGS_MAX)
		abort();
	*memcg = (struct memcg){
		.parent = parent,
		.leaf = true,
		.first_page = host->n_pages,
		.max_pages = SAMPLE_INFINITY,
		.swap_max_pages = SAMPLE_INFINITY,
	};
	snprintf(memcg->name, sizeof(memcg->name), "%s", name);
	if (parent >= 0)
		host->memcgs[parent].leaf = false;
	return host->n_memcgs++;
}

uint32_t host_add_pages(struct host *host, size_t index, enum lru_type type, bool mapped,
			uint32_t n)
{
	struct memcg *memcg = &host->memcgs[index];
	uint32_t first = host->n_pages;
	struct page *pages = realloc(host->pages, (size_t)(first + n) * sizeof(*pages));

	if (!pages || memcg->n_maps == MAPS_MAX)
		abort();
	host->pages = pages;
	if (memcg->n_pages == 0)
		memcg->first_page = first;
	memcg->n_pages += n;
	host->n_pages += n;
	for (uint32_t p = first; p < host->n_pages; p++)
		pages[p] = (struct page){
			.gen = GEN_NONE,
			.memcg = (uint16_t)index,
			.flags = (type == LRU_FILE ? PAGE_FILE : 0u) | (mapped ? PAGE_MAPPED : 0u),
		};
	if (mapped)
		memcg->maps[memcg->n_maps++] = (struct map){first, n};
	return first;
}

static void lru_gen_start(struct host *host, struct memcg *memcg)
{
	struct lru_gen *lrugen = &memcg->lrugen;

	/* lru_gen_init_lruvec() */
	lrugen->max_seq = GENS_MIN + 1;
	for (size_t g = 0; g < GENS; g++)
		lrugen->born_usec[g] = host->now_usec;
	for (size_t f = 0; f < 2; f++) {
		lrugen->filter[f] = calloc(memcg->n_pages / host_grains(host, REGION_PAGES) + 2, 1);
		if (!lrugen->filter[f])
			abort();
	}
}

void host_start(struct host *host)
{
	size_t n = host->n_pages + host->n_memcgs * LISTS;
	struct page *pages = realloc(host->pages, n * sizeof(*pages));

	if (!pages)
		abort();
	host->pages = pages;
	memset(&pages[host->n_pages], 0, host->n_memcgs * LISTS * sizeof(*pages));
	for (size_t m = 0; m < host->n_memcgs; m++) {
		for (size_t list = 0; list < LISTS; list++)
			list_init(host, host_list(host, m, list));
		lru_gen_start(host, &host->memcgs[m]);
	}
}

void host_free(struct host *host)
{
	for (size_t m = 0; m < host->n_memcgs; m++)
		for (size_t f = 0; f < 2; f++)
			free(host->memcgs[m].lrugen.filter[f]);
	free(host->pages);
}

bool host_is_below(const struct host *host, size_t memcg, size_t ancestor)
{
	for (int m = (int)memcg; m >= (int)ancestor; m = host->memcgs[m].parent)
		if (m == (int)ancestor)
			return true;
	return false;
}

bool host_can_swap(const struct host *host, size_t memcg)
{
	if (host->swap_used_pages >= host->swap_total_pages)
		return false;
	for (int m = (int)memcg; m >= 0; m = host->memcgs[m].parent)
		if (host->memcgs[m].stat.swap_pages >= host->memcgs[m].swap_max_pages)
			return false;
	return true;
}

/* --- counters, up the tree */

void host_count_scan(struct host *host, size_t memcg, uint64_t pages)
{
	for (int m = (int)memcg; m >= 0; m = host->memcgs[m].parent)
		host->memcgs[m].stat.pgscan_pages += pages;
}

void host_count_refault(struct host *host, uint32_t id)
{
	const struct page *page = &host->pages[id];

	for (int m = page->memcg; m >= 0; m = host->memcgs[m].parent)
		host->memcgs[m].stat.refault_pages[page_type(page)]++;
}

static void count_stall(struct host *host, const struct page *page, bool refault)
{
	uint64_t usec = host->cost.refault_usec[page_type(page)] * host->grain;

	for (int m = page->memcg; m >= 0; m = host->memcgs[m].parent) {
		struct memcg_stat *stat = &host->memcgs[m].stat;

		stat->io_stall_usec += usec;
		if (refault)
			stat->refault_usec += usec;
		if (page->flags & PAGE_WORKINGSET)
			stat->memory_stall_usec += usec;
	}
}

/* --- charging */

static void charge_limit(struct host *host, size_t m)
{
	struct memcg *memcg = &host->memcgs[m];
	uint64_t scanned = host->pages_scanned;
	uint64_t usec;

	for (int i = 0; memcg->usage_pages + 1 > memcg->max_pages && i < CHARGE_RETRIES; i++) {
		for (int a = (int)m; a >= 0; a = host->memcgs[a].parent)
			host->memcgs[a].stat.events_max++;
		host->direct_reclaims++;
		reclaim_memcg(host, m, 1, host->swappiness, false);
	}
	/* try_charge_memcg() calls reclaim within psi_memstall_enter() and _leave(). */
	usec = (host->pages_scanned - scanned) * host->cost.scan_nsec * host->grain / 1000;
	for (int a = (int)m; a >= 0; a = host->memcgs[a].parent)
		host->memcgs[a].stat.memory_stall_usec += usec;
	if (memcg->usage_pages + 1 > memcg->max_pages)
		memcg->stat.events_oom++;
}

static void charge(struct host *host, const struct page *page)
{
	for (int m = page->memcg; m >= 0; m = host->memcgs[m].parent)
		if (host->memcgs[m].usage_pages + 1 > host->memcgs[m].max_pages)
			charge_limit(host, (size_t)m);
	for (int m = page->memcg; m >= 0; m = host->memcgs[m].parent) {
		host->memcgs[m].usage_pages++;
		host->memcgs[m].stat.lru_pages[page_type(page)]++;
	}
}

void host_uncharge(struct host *host, uint32_t id, const struct scan *scan)
{
	struct page *page = &host->pages[id];
	enum lru_type type = page_type(page);

	page->flags &= ~(uint32_t)(PAGE_RESIDENT | PAGE_YOUNG | PAGE_ACTIVE | PAGE_REFERENCED |
				   PAGE_WORKINGSET);
	page->refs = 0;
	for (int m = page->memcg; m >= 0; m = host->memcgs[m].parent) {
		struct memcg_stat *stat = &host->memcgs[m].stat;

		host->memcgs[m].usage_pages--;
		stat->lru_pages[type]--;
		stat->pgsteal_pages++;
		stat->stolen_pages[type]++;
		stat->proactive_pages[type] += scan->proactive;
		stat->swap_pages += type == LRU_ANON;
	}
	if (type == LRU_ANON) {
		page->flags |= PAGE_SWAPPED;
		host->swap_used_pages++;
	}
}

/* --- accesses */

void host_forget(struct host *host, uint32_t id)
{
	host->pages[id].flags &= ~(uint32_t)(PAGE_SHADOW | PAGE_SHADOW_WS);
}

static void fault(struct host *host, uint32_t id)
{
	struct page *page = &host->pages[id];
	bool refault = page->flags & PAGE_SHADOW;
	bool read_in = page->flags & (PAGE_FILE | PAGE_SWAPPED);

	charge(host, page);
	if (page->flags & PAGE_SWAPPED) {
		page->flags &= ~(uint32_t)PAGE_SWAPPED;
		host->swap_used_pages--;
		for (int m = page->memcg; m >= 0; m = host->memcgs[m].parent)
			host->memcgs[m].stat.swap_pages--;
	}
	page->flags |= PAGE_RESIDENT;
	if (refault)
		host_count_refault(host, id);
	host->kernel->add(host, id, page->flags & PAGE_MAPPED);
	page->flags &= ~(uint32_t)(PAGE_SHADOW | PAGE_SHADOW_WS);
	if (read_in)
		count_stall(host, page, refault);
}

bool host_access(struct host *host, uint32_t id)
{
	struct page *page = &host->pages[id];
	bool resident = page->flags & PAGE_RESIDENT;

	for (int m = page->memcg; m >= 0; m = host->memcgs[m].parent)
		host->memcgs[m].stat.cpu_nsec += host->cost.access_nsec * host->grain;
	if (!resident)
		fault(host, id);
	if (page->flags & PAGE_MAPPED) {
		page->flags |= PAGE_YOUNG;
		if (host->kernel->touch)
			host->kernel->touch(host, id);
	} else {
		host->kernel->mark_accessed(host, id);
	}
	return resident;
}
