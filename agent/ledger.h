/* SPDX-License-Identifier: MIT */
/*
 * What is told of one cgroup: by the bus, by fgreclaimctl, and by metrics. One row holds it all, and one
 * table says how each value is called.
 *
 * Whoever makes a row looks into the memcg and nowhere else: it costs no reading, and may be done at
 * any time in the loop.
 */
#ifndef FGRECLAIM_LEDGER_H
#define FGRECLAIM_LEDGER_H

#include "account.h"
#include "config.h"
#include "field.h"
#include "memcg.h"
#include "savings.h"

#define LEDGER_TEXT_MAX    192
#define LEDGER_EXPLAIN_MAX 768

/* SAMPLE_UNKNOWN: not known. NULL: not there. Strings are the memcg's, the configuration's, static, or
 * the row's own: it is not to be copied, nor to be used after any of these. */
struct ledger_row {
	const char *path; /* as text for people */
	const char *name, *kind;
	uint64_t id;
	const char *class, *match, *asked_class, *asked_class_refused;
	uint64_t current_bytes, swap_bytes;
	uint64_t working_set_bytes, cold_bytes; /* anon */
	uint64_t anon_refault_mpps, file_refault_mpps;
	uint64_t tier_return_ppm;
	uint64_t age_msec; /* of these values */
	const char *action, *reason, *sentence;
	uint64_t protect_low_bytes, protect_working_set_bytes;
	const char *protect_reason, *protect_sentence;

	uint64_t dying_descendants; /* told by who looks itself: it is read for that */

	/* What it was decided by: explain. */
	const char *explanation; /* the decision in one sentence, with what bound it */
	uint64_t look_age_msec;  /* since the look that it was decided by */
	const char *law;         /* "saver", "split" or "gclk": residence.h */
	const char *floor_layer;
	uint64_t floor_bytes, peak_bytes, locked_bytes;
	uint64_t memory_stall_ppm, io_stall_ppm;
	uint64_t file_return_ppm, settled_file_return_ppm;
	uint64_t growth_bps;
	uint64_t hold_msec, backoffs;    /* left alone for so long; times in a row */
	struct seen_gen gens[SEEN_GENS]; /* the youngest first */

	/* What came of it: report. Growth of the account since some time, but for what is out now. */
	uint64_t account[_ACCOUNT_MAX];
	uint64_t out_bytes, swap_cost_bytes, net_bytes;

	char name_text[LEDGER_TEXT_MAX], sentence_text[LEDGER_TEXT_MAX];
	char protect_text[LEDGER_TEXT_MAX], explanation_text[LEDGER_EXPLAIN_MAX];
};

/* Keys are those of fgreclaimctl(1) and org.fgreclaim1(5). The first LEDGER_NAME_N say whose they
 * are; the first LEDGER_LIST_N are told of each cgroup of a list; an explanation has all below
 * LEDGER_REPORT_FIRST; a report has those from there on. */
#define LEDGER_NAME_N       5
#define LEDGER_LIST_N       23
#define LEDGER_REPORT_FIRST 49
#define LEDGER_FIELDS_N     65
extern const struct field ledger_fields[LEDGER_FIELDS_N];

/* Fills all but the explanation and the account, which is empty. now_usec: CLOCK_BOOTTIME, or 0: of a recording, nobody knows
 * how old anything is. */
void ledger_fill(const struct memcg *memcg, const struct config *config, uint64_t now_usec,
		 struct ledger_row *ret);

/* Fills the explanation, of what is there already. */
void ledger_explain(struct ledger_row *row);

/* Fills the account as it grew since point, and what is out. */
void ledger_fill_account(const struct memcg *memcg, size_t point, struct ledger_row *ret);

/* The same of the whole host: all that was done since the point, also to cgroups that have gone. */
struct ledger_totals {
	uint64_t span_msec; /* that the growth is of */
	uint64_t dry_run;   /* 1: nothing is carried out */
	uint64_t memcgs;    /* of a class, without children */
	uint64_t cpu_usec; /* all that the process cost in the span, reading and deciding included */
	uint64_t rss_bytes;
	uint64_t account[_ACCOUNT_MAX];
	uint64_t out_bytes, swap_cost_bytes, net_bytes;
};
#define LEDGER_TOTALS_N 21
extern const struct field ledger_totals_fields[LEDGER_TOTALS_N];

/* Takes what memcgs of a class have stalled since the last time into their accounts, and makes a point of
 * clock if one is due. Returns the sum of these stalls, in usec. */
uint64_t ledger_look(struct account_clock *clock, struct memcg *const *memcgs, size_t n,
		     uint64_t now_usec);

#endif
