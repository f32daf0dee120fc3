/* SPDX-License-Identifier: MIT */
/*
 * Lists of pages, by page number; a list's head is a page of its own. Reclaim takes from the tail
 * (lru_to_folio()), what is new enters at the head (list_add()).
 */
#ifndef FGRECLAIM_TESTS_SIM_PAGELIST_H
#define FGRECLAIM_TESTS_SIM_PAGELIST_H

#include "host.h"

/* The head of a list of a memcg: LIST_* or type * GENS + gen. */
static inline uint32_t host_list(const struct host *host, size_t memcg, size_t list)
{
	return host->n_pages + (uint32_t)(memcg * LISTS + list);
}

static inline void list_init(struct host *host, uint32_t head)
{
	host->pages[head].prev = host->pages[head].next = head;
}

static inline bool list_is_empty(const struct host *host, uint32_t head)
{
	return host->pages[head].next == head;
}

static inline uint32_t list_tail(const struct host *host, uint32_t head)
{
	return host->pages[head].prev;
}

static inline void list_insert(struct host *host, uint32_t page, uint32_t prev, uint32_t next)
{
	host->pages[page].prev = prev;
	host->pages[page].next = next;
	host->pages[prev].next = page;
	host->pages[next].prev = page;
}

static inline void list_add(struct host *host, uint32_t page, uint32_t head)
{
	list_insert(host, page, head, host->pages[head].next);
}

static inline void list_add_tail(struct host *host, uint32_t page, uint32_t head)
{
	list_insert(host, page, host->pages[head].prev, head);
}

static inline void list_del(struct host *host, uint32_t page)
{
	uint32_t prev = host->pages[page].prev, next = host->pages[page].next;

	host->pages[prev].next = next;
	host->pages[next].prev = prev;
}

static inline void list_move(struct host *host, uint32_t page, uint32_t head)
{
	list_del(host, page);
	list_add(host, page, head);
}

static inline void list_move_tail(struct host *host, uint32_t page, uint32_t head)
{
	list_del(host, page);
	list_add_tail(host, page, head);
}

#endif
