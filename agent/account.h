/* SPDX-License-Identifier: MIT */
/*
 * Running totals of one memcg, or of all: what was asked of it, what that freed, and what it cost.
 *
 * Totals as of the last full hours are kept, so that the growth over a time in the past can be told.
 * Who has nothing to tell needs no room for that.
 */
#ifndef FGRECLAIM_ACCOUNT_H
#define FGRECLAIM_ACCOUNT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum account_value {
	ACCOUNT_WRITES,         /* that have ended, and of them: */
	ACCOUNT_FAILURES,       /* without effect, */
	ACCOUNT_AGINGS,         /* that made a generation */
	ACCOUNT_ASKED_BYTES,    /* for */
	ACCOUNT_FREED_BYTES,    /* as measured */
	ACCOUNT_RETURNED_BYTES, /* of it, by the memcg's refaults: savings.h */
	ACCOUNT_WRITE_USEC,     /* that writes took */
	ACCOUNT_CPU_USEC,       /* CPU time that they cost: write_cpu.h */
	ACCOUNT_STALL_USEC, /* that tasks of the memcg waited for memory, whoever's doing it was */
	/* Of a dry run, by estimate.h: */
	ACCOUNT_DRY_FREED_BYTES,    /* would have been freed, */
	ACCOUNT_DRY_RETURNED_BYTES, /* and of it have come back; */
	ACCOUNT_DRY_UNJUDGED_BYTES, /* of which nobody can tell that */
	ACCOUNT_DRY_AGINGS,         /* were not made */
	_ACCOUNT_MAX,
};

struct account {
	uint64_t values[_ACCOUNT_MAX];
};

void account_add(struct account *account, enum account_value which, uint64_t value);
bool account_is_empty(const struct account *account);

/* What grew from former to now. */
struct account account_growth(const struct account *now, const struct account *former);

/* --- points in the past, the same for all accounts of a clock */

#define ACCOUNT_POINTS   24
#define ACCOUNT_GAP_USEC (UINT64_C(3600) * 1000000)

/* When points were made. All zeros but start_usec: none yet. */
struct account_clock {
	uint64_t start_usec; /* when all accounts were empty */
	uint64_t point_usec[ACCOUNT_POINTS];
	size_t n; /* made so far; the last ACCOUNT_POINTS are kept */
};

/* True if a point is due, which is made now: account_keep() is to be called for each account. */
bool account_clock_tick(struct account_clock *clock, uint64_t now_usec);

#define ACCOUNT_SINCE_START SIZE_MAX

/* The newest point that is span_usec old or more; ACCOUNT_SINCE_START if there is none. *ret_usec: how
 * long ago that was, or the start. */
size_t account_clock_find(const struct account_clock *clock, uint64_t now_usec, uint64_t span_usec,
			  uint64_t *ret_usec);

/* An account's totals at the points of a clock. All zeros: none kept. */
struct account_past {
	struct account *points; /* ACCOUNT_POINTS of them; NULL: all empty */
};

/* Keeps the account as of the point just made. Without memory for it nothing is kept, and growth is
 * told since the start. */
void account_keep(struct account_past *past, const struct account_clock *clock,
		  const struct account *account);

/* Growth since a point that account_clock_find() gave. */
struct account account_since(const struct account_past *past, const struct account *now,
			     size_t point);

void account_past_done(struct account_past *past);

#endif
