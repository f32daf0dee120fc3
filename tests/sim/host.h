/* SPDX-License-Identifier: MIT */
/*
 * The modelled host: pages, memory cgroups over them, and what both have been through. The kernels
 * (kernel.h) decide what is evicted; this is what they decide about.
 *
 * A modelled page stands for host.grain pages of the kernel's, which are always used, kept and
 * evicted together; the kernel's own numbers (batches, clusters, limits on noise) are divided by it.
 * So a host of 65536 pages is modelled by 16384 with the same results. "Page" below is a modelled
 * one.
 *
 * Pages are numbered through the whole host; a memcg owns a range of them for good. One node, no
 * zones. Time is virtual and in microseconds.
 */
#ifndef FGRECLAIM_TESTS_SIM_HOST_H
#define FGRECLAIM_TESTS_SIM_HOST_H

#include "sample.h"

#define KERNEL_PAGE_BYTES 4096u

#define MEMCGS_MAX 16
#define MAPS_MAX   4

/* MAX_NR_GENS, MIN_NR_GENS, MAX_NR_TIERS, MIN_LRU_BATCH, MAX_LRU_BATCH of linux/mmzone.h,
 * SWAP_CLUSTER_MAX of linux/swap.h; the last three are in pages of the kernel's. */
#define GENS      4
#define GENS_MIN  2
#define TIERS     4
#define BATCH_MIN 64u
#define BATCH_MAX 4096u
#define CLUSTER   32u

#define PAGE_NONE UINT32_MAX
#define GEN_NONE  UINT8_MAX

/* Pages of the kernel's under one page-table page (PTRS_PER_PTE): a bit of the Bloom filter. */
#define REGION_PAGES 512u

enum page_flag {
	PAGE_RESIDENT = 1 << 0,
	PAGE_FILE = 1 << 1,       /* else anon */
	PAGE_MAPPED = 1 << 2,     /* reached through page tables, else through read() */
	PAGE_YOUNG = 1 << 3,      /* accessed bit of its page-table entry */
	PAGE_REFERENCED = 1 << 4, /* PG_referenced */
	PAGE_WORKINGSET = 1 << 5, /* PG_workingset */
	PAGE_ACTIVE = 1 << 6,     /* PG_active */
	PAGE_SHADOW = 1 << 7,     /* was evicted; page.shadow says when */
	PAGE_SHADOW_WS = 1 << 8,  /* the shadow's workingset bit */
	PAGE_SWAPPED = 1 << 9,    /* its contents are in swap */
	PAGE_READ_IN = 1 << 10,   /* by the read() that goes on: not on a list yet */
};

struct page {
	uint32_t prev, next; /* neighbours on its list */
	uint32_t shadow;     /* as the kernel packs it */
	uint32_t flags;
	uint8_t refs; /* accesses as this kernel counts them */
	uint8_t gen;  /* seq modulo GENS, GEN_NONE: on no list of MGLRU's */
	uint16_t memcg;
};

/* The lists of a memcg; their heads are pages behind the last real one (host_list()). */
enum {
	LIST_GENS = 0, /* type * GENS + gen */
	LISTS = _LRU_TYPE_MAX * GENS,
};

/* mm/vmscan.c: the classic LRU keeps its lists in these places. */
enum {
	LIST_INACTIVE_ANON,
	LIST_ACTIVE_ANON,
	LIST_INACTIVE_FILE,
	LIST_ACTIVE_FILE,
	CLASSIC_LISTS,
};

struct lru_gen {
	uint64_t max_seq;
	uint64_t min_seq[_LRU_TYPE_MAX];
	uint64_t born_usec[GENS];
	uint64_t nr_pages[GENS][_LRU_TYPE_MAX];
	/* The PID controller: means over former oldest generations, and the present one. */
	uint64_t avg_refaulted[_LRU_TYPE_MAX][TIERS];
	uint64_t avg_total[_LRU_TYPE_MAX][TIERS];
	uint64_t refaulted[_LRU_TYPE_MAX][TIERS];
	uint64_t evicted[_LRU_TYPE_MAX][TIERS];
	uint64_t protected[_LRU_TYPE_MAX][TIERS];
	/* By region of the memcg's pages: a walk with seq looks where filter[seq % 2] is set. */
	uint8_t *filter[2];
	bool filter_valid[2];
	/* Refault distance (fgrd): pages evicted so far, and since min_seq last moved. */
	uint64_t evictions[_LRU_TYPE_MAX];
	uint64_t oldest_evictions[_LRU_TYPE_MAX];
};

/* Of the whole subtree, as lruvec_page_state() has it. */
struct classic_stat {
	uint64_t nr_pages[CLASSIC_LISTS];
	uint64_t activations[_LRU_TYPE_MAX]; /* WORKINGSET_ACTIVATE */
};

struct classic_lru {
	struct classic_stat stat, flushed; /* now, and when they were last summed up */
	uint64_t flushed_usec;
	uint64_t own_pages[CLASSIC_LISTS];
	uint64_t carried_pages[CLASSIC_LISTS]; /* the kernel's, due to be scanned */
	uint64_t nonresident_age;
	uint64_t cost[_LRU_TYPE_MAX];
	uint64_t seen_activations[_LRU_TYPE_MAX]; /* at the last reclaim (snapshot_refaults()) */
};

/* Running totals as memory.stat, memory.events and the pressure files have them: of the subtree. */
struct memcg_stat {
	uint64_t lru_pages[_LRU_TYPE_MAX];
	uint64_t refault_pages[_LRU_TYPE_MAX];
	uint64_t pgscan_pages, pgsteal_pages;
	uint64_t events_max, events_oom;
	uint64_t swap_pages;
	uint64_t memory_stall_usec, io_stall_usec;
	uint64_t cpu_nsec;
	/* What no file of the kernel's shows. */
	uint64_t refault_usec;                   /* waited for refaults */
	uint64_t stolen_pages[_LRU_TYPE_MAX];    /* pgsteal by type */
	uint64_t proactive_pages[_LRU_TYPE_MAX]; /* of these, by commands */
};

struct map {
	uint32_t first_page, n_pages;
};

struct memcg {
	char name[32];
	int parent; /* -1: none */
	bool leaf;
	uint32_t first_page, n_pages; /* its range */
	struct map maps[MAPS_MAX];    /* the parts of it that page tables reach */
	size_t n_maps;
	uint64_t max_pages, min_pages, low_pages; /* SAMPLE_INFINITY: none */
	uint64_t swap_max_pages;
	uint64_t usage_pages;
	struct memcg_stat stat;
	struct lru_gen lrugen;
	struct classic_lru classic;
	size_t iterator; /* where reclaim on behalf of this memcg goes on (mem_cgroup_iter) */
	uint64_t agings, forced_agings;
};

/* What things take, in virtual time. */
struct cost {
	uint64_t refault_usec[_LRU_TYPE_MAX]; /* one page read from swap, from the file system */
	uint64_t scan_nsec, walk_nsec;        /* one page on a list, one page-table entry */
	uint64_t access_nsec;                 /* the work that an access is part of */
					      /* All of one page of the kernel's. */
};

struct kernel;

struct host {
	const struct kernel *kernel;
	uint32_t grain;
	struct cost cost;
	uint64_t now_usec;
	struct page *pages; /* n_pages, then the heads of the lists */
	uint32_t n_pages;
	struct memcg memcgs[MEMCGS_MAX];
	size_t n_memcgs;
	uint64_t swap_total_pages, swap_used_pages;
	uint32_t swappiness;
	uint64_t entries_walked;  /* page-table entries that agings looked at */
	uint64_t pages_scanned;   /* list entries that reclaim and merges looked at */
	uint64_t direct_reclaims; /* calls for a limit */
};

/* Adds a memcg below parent (-1: the root, first of all); returns its index. Limits are none. */
size_t host_add_memcg(struct host *host, int parent, const char *name);

/* Gives a leaf n more pages, all absent; those of one leaf must be added in a row. mapped:
 * reached through page tables. Returns the first page's number. */
uint32_t host_add_pages(struct host *host, size_t memcg, enum lru_type type, bool mapped,
			uint32_t n);

/* After the last page: allocates pages and lists. host_free() returns them. */
void host_start(struct host *host);
void host_free(struct host *host);

/* One access to a page. True if it was resident. */
bool host_access(struct host *host, uint32_t page);

/* The page becomes one of another file: nobody remembers that it was evicted. A resident page is left
 * alone: a stream has more pages than fit. */
void host_forget(struct host *host, uint32_t page);

/* An ancestor or the memcg itself. */
bool host_is_below(const struct host *host, size_t memcg, size_t ancestor);

/* A number of the kernel's pages in modelled ones, 1 at least. */
static inline uint32_t host_grains(const struct host *host, uint32_t kernel_pages)
{
	return kernel_pages > host->grain ? kernel_pages / host->grain : 1;
}

static inline uint64_t host_page_bytes(const struct host *host)
{
	return (uint64_t)KERNEL_PAGE_BYTES * host->grain;
}

static inline enum lru_type page_type(const struct page *page)
{
	return page->flags & PAGE_FILE ? LRU_FILE : LRU_ANON;
}

static inline struct memcg *page_memcg(struct host *host, const struct page *page)
{
	return &host->memcgs[page->memcg];
}

/* Room for anon to be swapped out of this memcg. */
bool host_can_swap(const struct host *host, size_t memcg);

#endif
