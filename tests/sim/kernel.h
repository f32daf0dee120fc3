/* SPDX-License-Identifier: MIT */
/*
 * A kernel's page replacement, as a table of what the host asks of it. The variants:
 *	lru	one list by time of use, for every access: the textbook's, as a yardstick
 *	clru	active and inactive lists with refault detection (MGLRU off)
 *	m612	MGLRU of Linux 6.1 to 6.13
 *	m614	MGLRU since the rework of Linux 6.14
 *	fg	m614 with frequency-guided promotion (MGLRU-FG version 3)
 *	fg612	m612 with frequency-guided promotion (tests/vm/kernel)
 *	fgrd	fg with refault distances
 */
#ifndef FGRECLAIM_TESTS_SIM_KERNEL_H
#define FGRECLAIM_TESTS_SIM_KERNEL_H

#include "host.h"

/* struct scan_control of mm/vmscan.c, as far as memcg reclaim needs it. */
struct scan {
	size_t target; /* the memcg on whose behalf */
	int priority;  /* DEF_PRIORITY down to 0 */
	uint64_t want_pages, reclaimed_pages;
	uint32_t swappiness;
	bool proactive;   /* asked for by a command */
	bool low_reclaim; /* second pass: memory.low is broken */
	bool low_skipped;
	bool force_deactivate; /* second pass: active lists are shortened whatever the counters say */
	bool skipped_deactivate;
};

#define DEF_PRIORITY 12

struct kernel {
	bool generations; /* has lru_gen */
	/* A page has become resident, by a page fault or by read(). It may have a shadow. */
	void (*add)(struct host *host, uint32_t page, bool fault);
	/* One more access by read() (folio_mark_accessed). */
	void (*mark_accessed)(struct host *host, uint32_t page);
	/* Access through page tables; NULL: only the accessed bit. */
	void (*touch)(struct host *host, uint32_t page);
	/* Reclaims from one memcg (shrink_lruvec). */
	void (*shrink)(struct host *host, size_t memcg, struct scan *scan);
	/* lru_gen "+" and "-": 0 or -errno; NULL without generations. */
	int (*age)(struct host *host, size_t memcg, uint64_t seq, uint32_t swappiness, bool force);
	int (*evict)(struct host *host, size_t memcg, uint64_t seq, uint32_t swappiness,
		     uint64_t pages);
	/* active_anon and active_file of memory.stat, in pages, of this memcg alone. */
	void (*active)(const struct host *host, size_t memcg, uint64_t ret_pages[_LRU_TYPE_MAX]);
};

extern const struct kernel kernel_lru, kernel_clru, kernel_m612, kernel_m614, kernel_fg,
	kernel_fg612, kernel_fgrd;

/* --- what kernels do to the host (host.c, reclaim.c) */

/* Takes a page that is on no list out of memory; the shadow is the caller's to set. */
void host_uncharge(struct host *host, uint32_t page, const struct scan *scan);

/* Counters of a memcg and its ancestors. */
void host_count_scan(struct host *host, size_t memcg, uint64_t pages);
void host_count_refault(struct host *host, uint32_t page);

/* Frees want_pages or more of the target's subtree (try_to_free_mem_cgroup_pages); returns how
 * many. */
uint64_t reclaim_memcg(struct host *host, size_t target, uint64_t want_pages, uint32_t swappiness,
		       bool proactive);

/* memory.reclaim; swappiness SAMPLE: UINT32_MAX is the host's. 0 or -EAGAIN. */
int reclaim_write(struct host *host, size_t memcg, uint64_t bytes, uint32_t swappiness);

#endif
