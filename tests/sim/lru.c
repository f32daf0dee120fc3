/* SPDX-License-Identifier: MIT */
/*
 * The textbook's LRU: one list for all, every access moves to its head. No kernel can afford it;
 * here it tells whether a workload is what its scenario says (Che's approximation gives its hit
 * ratio on paper).
 */
#include "kernel.h"
#include "pagelist.h"

static uint32_t list_of(const struct host *host, const struct page *page)
{
	return host_list(host, page->memcg, LIST_INACTIVE_FILE);
}

static void lru_add(struct host *host, uint32_t id, bool fault)
{
	(void)fault;
	list_add(host, id, list_of(host, &host->pages[id]));
}

static void lru_touch(struct host *host, uint32_t id)
{
	list_move(host, id, list_of(host, &host->pages[id]));
}

static void lru_shrink(struct host *host, size_t memcg, struct scan *scan)
{
	uint32_t head = host_list(host, memcg, LIST_INACTIVE_FILE);
	uint32_t id = list_tail(host, head);
	uint64_t scanned = 0;

	while (id != head && scan->reclaimed_pages < scan->want_pages) {
		struct page *page = &host->pages[id];
		uint32_t next = page->prev;

		scanned++;
		if (page->flags & PAGE_FILE ||
		    (scan->swappiness > 0 && host_can_swap(host, memcg))) {
			list_del(host, id);
			page->flags |= PAGE_SHADOW;
			host_uncharge(host, id, scan);
			scan->reclaimed_pages++;
		}
		id = next;
	}
	host->pages_scanned += scanned;
	host_count_scan(host, memcg, scanned);
}

static void lru_active(const struct host *host, size_t memcg, uint64_t ret_pages[_LRU_TYPE_MAX])
{
	(void)host;
	(void)memcg;
	ret_pages[LRU_ANON] = ret_pages[LRU_FILE] = 0;
}

const struct kernel kernel_lru = {
	.add = lru_add,
	.mark_accessed = lru_touch,
	.touch = lru_touch,
	.shrink = lru_shrink,
	.active = lru_active,
};
