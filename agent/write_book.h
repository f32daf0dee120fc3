/* SPDX-License-Identifier: MIT */
/*
 * The books: each write that has ended is measured, judged, entered into its memcg's outcome and into
 * the totals, and logged; and what all of them tell of this kernel is remembered.
 */
#ifndef FGRECLAIM_WRITE_BOOK_H
#define FGRECLAIM_WRITE_BOOK_H

#include "actuator.h"
#include "write_cpu.h"
#include "write_result.h"
#include "zram_meter.h"

/* Since the start of the daemon. */
struct executor_totals {
	uint64_t writes; /* that have ended, and of them: */
	uint64_t results[_WRITE_RESULT_MAX];
	uint64_t failures;
	uint64_t agings;
	uint64_t asked_bytes;
	uint64_t freed_bytes;
	uint64_t cost_bytes; /* what of it zram and zswap took, as far as that is known */
	uint64_t disk_bytes; /* by the growth of pgsteal: what was swapped out to a disk at most */
	uint64_t took_most_usec; /* of all writes */
	uint64_t late_most_usec; /* that one went on after its deadline */
	uint64_t dry_bytes;      /* what a dry run would have asked for */
	uint64_t took_usec;      /* all of them together, */
	uint64_t cpu_usec;       /* and what they cost */
};

struct write_book {
	struct executor_totals totals;
	uint64_t excess_bytes[_ACTION_MAX]; /* that this kernel takes above what it is asked for */
	unsigned lies;  /* successes of memory.reclaim in a row that freed nothing */
	unsigned races; /* EINVAL of lru_gen in a row */
	struct write_cpu cpu;
	struct zram_meter meter;
	struct zram_total zram; /* as last read in a row of writes */
	bool zram_read;         /* and it still holds */
};

/* A write of action is about to begin. zram is read ahead of the first of a row that swaps, and after
 * each: what it grew by between two readings is shared out by what was swapped. */
void write_book_begin(struct write_book *book, struct action *action);

/* In place of write_book_enter(): it could not be handed over. */
void write_book_drop(struct write_book *book, const struct action *action);

/* The row has ended. */
void write_book_rest(struct write_book *book);

/* Enters the write of action that has just ended with result. *ret_freed_bytes is always set.
 * Returns 0, or the error of looking at the memcg afterwards: -ENODEV and -ENOENT when it has gone. */
int write_book_enter(struct write_book *book, struct action *action, int result,
		     uint64_t *ret_freed_bytes);

/* memory.reclaim has reported success several times in a row without anything having been freed. */
bool write_book_lies(const struct write_book *book);

/* What an action does, for people: "reclaimed file". Never NULL. */
const char *write_book_word(const struct action *action);

#endif
