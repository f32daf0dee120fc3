/* SPDX-License-Identifier: MIT */
/*
 * What the policy sees: one snapshot of the host, taken at one moment, with time in it.
 *
 * Input types only, no functions and no kernel access, so that a snapshot can come from a live
 * host, a recorded tree or a test alike. Conventions:
 *  - Every field carries its unit in its name. Pages are base pages (snapshot.page_bytes).
 *  - A value that could not be read is SAMPLE_UNKNOWN, never 0. Limits that the kernel prints as
 *    "max" are SAMPLE_INFINITY.
 *  - Counters are the kernel's own running totals; whoever wants a rate keeps the former value.
 *  - Names are the kernel's: memcg, lruvec (memcg x node), generation, refault.
 */
#ifndef FGRECLAIM_POLICY_SAMPLE_H
#define FGRECLAIM_POLICY_SAMPLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define SAMPLE_UNKNOWN  UINT64_MAX
#define SAMPLE_INFINITY (UINT64_MAX - 1)

/* A leaf that holds less is not worth anybody's attention: its counters need not be sampled. */
#define SAMPLE_SMALL_BYTES (UINT64_C(4) << 20)

enum lru_type {
	LRU_ANON,
	LRU_FILE,
	_LRU_TYPE_MAX,
};

/*
 * Four generations in every kernel so far (MAX_NR_GENS); more have been proposed on linux-mm, so
 * room is left, and a listing with still more is reported as not understood.
 */
#define LRUVEC_GENS_MAX 16

struct gen_sample {
	uint64_t seq;
	uint64_t age_msec;             /* since the generation was created; wraps at 49.7 days */
	uint64_t pages[_LRU_TYPE_MAX]; /* SAMPLE_UNKNOWN: older than min_seq of its type ('x') */
};

/* The generations of one memcg on one node, oldest first. */
struct lruvec_sample {
	uint32_t node;
	uint32_t n_gens;
	struct gen_sample gens[LRUVEC_GENS_MAX];
};

/* Four tiers in every kernel so far (MAX_NR_TIERS), log2 of the accesses of a page; room for more. */
#define LRUVEC_TIERS_MAX 8

/* File pages of one tier, by what became of them when they were the oldest. */
struct tier_flow {
	uint64_t refaulted_pages; /* since the present oldest generation is the oldest: came back, */
	uint64_t evicted_pages;   /* left, */
	uint64_t protected_pages; /* and were moved on instead */
	/* Means over the former oldest ones, each of half the weight of the one after it. */
	uint64_t mean_refaulted_pages;
	uint64_t mean_total_pages; /* evicted and protected */
};

/* The file of one memcg on one node: of lru_gen_full. */
struct lruvec_tiers {
	uint64_t seq; /* of the oldest generation that holds file */
	uint32_t n_tiers;
	struct tier_flow tiers[LRUVEC_TIERS_MAX];
};

/* Where writes have got to since the last snapshot: measured, never assumed. */
struct outcome {
	uint32_t writes;         /* completed writes, whatever their result */
	uint32_t failures;       /* of those: refused, timed out or without any progress */
	uint32_t agings;         /* of those: successful aging commands */
	uint32_t refused_agings; /* of those: ERANGE, as many generations as fit exist (to 6.13) */
	uint64_t asked_bytes;
	uint64_t freed_bytes;                 /* by the growth of pgsteal over the writes */
	uint64_t stolen_pages[_LRU_TYPE_MAX]; /* our own share of the growth of pgsteal */
	uint64_t scanned_pages;               /* our own share of the growth of pgscan */
	bool to_disk;        /* some of it was swapped to a disk, which is written to later */
	uint64_t write_usec; /* time spent in those writes */
	uint64_t aging_usec; /* of it: in aging commands */
};

struct psi_total {
	uint64_t some_usec;
	uint64_t full_usec;
};

struct memcg_sample {
	uint64_t id;         /* cgroup id: inode of its directory, 64 bits */
	int32_t parent;      /* index of the parent in snapshot.memcgs (always smaller), -1: none */
	int32_t class_index; /* index into policy_params.classes, -1: watched, never touched */
	uint64_t seen_usec;  /* how long we have known it */
	bool leaf;           /* no child with the memory controller */
	bool populated;
	bool frozen;
	bool omitted; /* marked by its owner, or one of those that are never touched, */
	bool paused;  /* or only for now, by a command: never without omitted */
	bool closed;  /* now is not within the Hours= of its class */
	bool busy;    /* a write of ours is still under way here */
	bool listed;  /* lruvecs below are whole and of this very scan */
	bool skipped; /* its counters were left out on purpose this time: from lru_bytes to psi_io */
	uint64_t read_interval_usec; /* so far apart they are read where they are dear; 0: each time */

	uint64_t current_bytes;
	uint64_t swap_current_bytes;
	uint64_t swap_max_bytes;
	uint64_t zswap_current_bytes; /* these are read where zswap is on: compressed, ... */
	uint64_t zswap_max_bytes;
	bool zswap_only; /* ... and memory.zswap.writeback is 0: nothing of it goes to a device */
	uint64_t min_bytes;
	uint64_t low_bytes;
	uint64_t high_bytes;
	uint64_t max_bytes;

	uint64_t lru_bytes[_LRU_TYPE_MAX];    /* on the evictable lists: active + inactive */
	uint64_t active_bytes[_LRU_TYPE_MAX]; /* of these; what that means depends on the kernel */
	uint64_t unevictable_bytes;
	uint64_t file_dirty_bytes;
	uint64_t file_writeback_bytes;

	uint64_t refault_pages[_LRU_TYPE_MAX];
	uint64_t pgscan_pages;
	uint64_t pgsteal_pages;
	bool counts_proactive; /* memory.stat tells proactive reclaim apart: Linux 6.15 on */

	uint64_t events_high;
	uint64_t events_max;
	uint64_t events_oom;
	uint64_t events_oom_kill;

	uint64_t cpu_usec; /* CPU time used; read only of those under a limit (residence.h) */

	struct psi_total psi_memory;
	struct psi_total psi_io;

	uint32_t first_lruvec; /* index into snapshot.lruvecs */
	uint32_t n_lruvecs;

	uint32_t first_tiers; /* index into snapshot.tiers */
	uint32_t n_tiers; /* one for each lruvec; 0: not read this time, or not to be believed */

	struct outcome outcome;
};

/* What the host can do; each step includes those before it: the capability ladder. */
enum capability {
	CAPABILITY_OBSERVE,
	CAPABILITY_RECLAIM,
	CAPABILITY_GENERATIONS,
	CAPABILITY_TIERS,
	CAPABILITY_FAST_PATH,
	_CAPABILITY_MAX,
};

struct system_sample {
	enum capability capability;
	bool reclaim_swappiness;   /* memory.reclaim takes swappiness= */
	bool recursive_protection; /* memory_recursiveprot: what nobody claims is shared out */
	bool swap_is_zram;         /* every active swap area is */
	bool zswap;                /* is on, before all of them */
	bool swap_rotates;         /* some area that is not zram is on a disk that rotates */
	uint64_t zswap_room_bytes; /* what the host's pool takes before it refuses, compressed */
	uint64_t swap_total_bytes;
	uint64_t swap_free_bytes;
	uint64_t swap_written_bytes; /* by us, to swap that is no memory, in the last 24 hours */
	uint64_t cpu_wait_usec; /* until CpuBudget= has paid for what was done so far; 0: it has */
	uint64_t ram_bytes;
	uint64_t available_bytes;
};

struct snapshot {
	uint64_t now_usec; /* CLOCK_MONOTONIC or virtual; the policy's only clock */
	uint64_t interval_usec;
	uint64_t read_usec; /* how long reading all this took: its parts are so far apart at most */
	uint32_t page_bytes;
	struct system_sample system;
	const struct memcg_sample *memcgs; /* parents before children */
	size_t n_memcgs;
	const struct lruvec_sample *lruvecs;
	size_t n_lruvecs;
	const struct lruvec_tiers *tiers; /* read seldom: tier.h */
	size_t n_tiers;
};

#endif
