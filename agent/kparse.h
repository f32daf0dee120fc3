/* SPDX-License-Identifier: MIT */
/*
 * Kernel text to structs. Pure and total: any bytes in, no I/O, no allocation, no log; torn or
 * hostile input ends in an error code or an invalid record, never in a wrong number.
 *
 * Text is given as pointer and length and need not end in NUL. Unknown keys are accepted (kernels
 * add them); a known key that is missing leaves its field SAMPLE_UNKNOWN, never 0. "max" is
 * SAMPLE_INFINITY. Numbers that overflow 64 bits make the value unknown or the record invalid.
 *
 * Errors: -EINVAL  the text is not of the file's form.
 */
#ifndef FGRECLAIM_KPARSE_H
#define FGRECLAIM_KPARSE_H

#include "sample.h"

#include <sys/types.h>

/* One number or "max", as in memory.current and memory.high. */
int kparse_value(const char *text, size_t len, uint64_t *ret);

/* memory.stat of a memcg: fills lru_bytes, active_bytes, unevictable, dirty, writeback, refaults,
 * pgscan, pgsteal of *ret and sets those it did not find to SAMPLE_UNKNOWN. Where the kernel prints
 * no "pgscan" or "pgsteal" sum, it is the sum of the parts present (kswapd, direct, khugepaged,
 * proactive). */
int kparse_memory_stat(const char *text, size_t len, struct memcg_sample *ret);

/* memory.events: high, max, oom, oom_kill. */
int kparse_memory_events(const char *text, size_t len, struct memcg_sample *ret);

/* cpu.stat: usage_usec, which every cgroup has, the cpu controller on or off. */
int kparse_cpu_stat(const char *text, size_t len, uint64_t *ret_usec);

/* cgroup.events: populated, frozen. -EINVAL when populated is missing. */
int kparse_cgroup_events(const char *text, size_t len, bool *ret_populated, bool *ret_frozen);

/* cgroup.stat: nr_dying_descendants, removed cgroups below this one that something pins, which is
 * memory that was charged to them in most cases. Linux 4.14 and later. */
int kparse_cgroup_stat(const char *text, size_t len, uint64_t *ret_dying);

/* A PSI file: "some avg10=... total=N" and "full ..."; the full line may be absent. */
int kparse_psi(const char *text, size_t len, struct psi_total *ret);

/* /proc/meminfo, in bytes. */
struct meminfo {
	uint64_t total_bytes;
	uint64_t available_bytes;
	uint64_t swap_total_bytes;
	uint64_t swap_free_bytes;
	uint64_t zswap_bytes; /* that zswap holds in RAM: Linux 5.19 and later, with zswap */
};
int kparse_meminfo(const char *text, size_t len, struct meminfo *ret);

/* /proc/vmstat, in pages since boot. What a cgroup's limit or its memory.reclaim reclaims is in its
 * memory.stat, not in pgscan and pgsteal here; what lru_gen commands evict is, as direct.
 * khugepaged and proactive (6.15) are unknown where the kernel has none. */
struct vmstat_reclaim {
	uint64_t kswapd;
	uint64_t direct;
	uint64_t khugepaged;
	uint64_t proactive;
};
struct vmstat {
	struct vmstat_reclaim pgscan;
	struct vmstat_reclaim pgsteal;
	uint64_t refault_pages[_LRU_TYPE_MAX];
	uint64_t oom_kill;
};
int kparse_vmstat(const char *text, size_t len, struct vmstat *ret);

/* /proc/swaps: calls emit for each area, or for none when a line is not understood; name as printed
 * (octal escapes \040 undone, cut off to fit). */
struct swap_area {
	char name[256];
	bool is_zram; /* a /dev/zramN partition */
	bool is_file; /* of a file system; else a disk, or a part of one */
	uint64_t size_bytes;
	uint64_t used_bytes;
	int64_t priority;
};
typedef void (*kparse_swap_emit_t)(const struct swap_area *area, void *userdata);
int kparse_swaps(const char *text, size_t len, kparse_swap_emit_t emit, void *userdata);

/* queue/rotational of a disk in sysfs: 0 or 1, and nothing else. */
int kparse_rotational(const char *text, size_t len, bool *ret);

/* zram's mm_stat: orig_data_size, compr_data_size, mem_used_total in bytes. */
struct zram_stat {
	uint64_t orig_bytes;
	uint64_t compressed_bytes;
	uint64_t used_bytes;
};
int kparse_zram_mm_stat(const char *text, size_t len, struct zram_stat *ret);

/*
 * lru_gen and lru_gen_full. Grammar, letters and versions: mm/vmscan.c lru_gen_seq_show() of Linux
 * 6.1, 6.12 and 7.x; all of them are understood, by position and indentation and never by version.
 */
#define LRU_GEN_TIERS_MAX LRUVEC_TIERS_MAX
#define LRU_GEN_WALK_MAX  8

enum tier_kind {
	TIER_NONE,    /* zeros, not applicable */
	TIER_CURRENT, /* r e p: refaulted, evicted, protected of that generation */
	TIER_AVERAGE, /* R T: moving averages of refaulted and total (evicted + protected) */
};

struct tier_sample {
	enum tier_kind kind[_LRU_TYPE_MAX];
	uint64_t refaulted[_LRU_TYPE_MAX]; /* r, or R */
	uint64_t evicted[_LRU_TYPE_MAX];   /* e, or T: total */
	uint64_t protected[_LRU_TYPE_MAX]; /* p; SAMPLE_UNKNOWN with TIER_AVERAGE */
};

/* What the page-table walker counted: letter and value, in the order printed; 0 letters: none. */
struct walk_sample {
	uint32_t n;
	char letter[LRU_GEN_WALK_MAX]; /* upper case: T Y F A, or L O Y N F A of older kernels */
	uint64_t value[LRU_GEN_WALK_MAX];
};

enum kparse_flaw {
	KPARSE_OK,
	KPARSE_TORN,           /* text ends inside the record, or a line is cut short */
	KPARSE_BAD_LINE,       /* a line that fits no rule */
	KPARSE_BAD_NUMBER,     /* not a number, or beyond 64 bits */
	KPARSE_BAD_SEQUENCE,   /* generations or tiers not consecutive, or not as many in each */
	KPARSE_TOO_MANY,       /* more generations, tiers or columns than known */
	KPARSE_NO_MEMCG,       /* a node block with no memcg line before it */
	KPARSE_NO_GENERATIONS, /* a node block without generations */
	_KPARSE_FLAW_MAX,
};
const char *kparse_flaw_to_string(enum kparse_flaw flaw);

/* One record: one memcg on one node. Lives only during the call of emit. With a flaw, only memcg_id
 * and path (0 and empty with KPARSE_NO_MEMCG) and node (UINT32_MAX: not known) mean anything. */
struct lru_gen_record {
	uint64_t memcg_id; /* 16 bits up to Linux 6.19, the cgroup id from 7.0 */
	const char *path;  /* bytes inside the text, not terminated; empty: unknown, or no memcgs */
	size_t path_len;
	bool first_node; /* the memcg line stood right before this node block */
	enum kparse_flaw flaw;
	struct lruvec_sample lruvec; /* beyond n_gens: anything */
	uint32_t n_tiers;            /* 0 in plain lru_gen */
	struct tier_sample tiers[LRUVEC_GENS_MAX][LRU_GEN_TIERS_MAX];
	struct walk_sample walk[LRUVEC_GENS_MAX];
};

typedef void (*kparse_lru_gen_emit_t)(const struct lru_gen_record *record, void *userdata);

/* The text has to be read to its end: a cut behind a line of plain lru_gen that leaves two or more
 * generations cannot be seen, any other one is (KPARSE_TORN).
 *
 * Calls emit for each record in order, valid ones and flawed ones (flaw set). record is scratch
 * space of the caller, since it is large. Returns the number of records emitted, or -EINVAL when
 * nothing in a non-empty text looks like a listing. */
ssize_t kparse_lru_gen(const char *text, size_t len, struct lru_gen_record *record,
		       kparse_lru_gen_emit_t emit, void *userdata);

#endif
