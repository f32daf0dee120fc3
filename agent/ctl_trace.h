/* SPDX-License-Identifier: MIT */
/*
 * What the verbs of fgreclaimctl that read a trace share.
 */
#ifndef FGRECLAIM_CTL_TRACE_H
#define FGRECLAIM_CTL_TRACE_H

#include "ctl.h"
#include "replay.h"

/* Opens ctl->argument, "-" for standard input. False: said why. */
bool ctl_trace_open(struct trace_reader *ret, const struct ctl *ctl);
void ctl_trace_close(struct trace_reader *reader);

/* A trace from its start to its end: each(), until it returns other than 0, for each tick. 0, or the
 * exit code, the reason said. */
int ctl_trace_read(const struct ctl *ctl, int (*each)(struct trace_reader *reader, void *userdata),
		   void *userdata);

/* Totals of one cgroup, by id; they stay in place as long as the book. */
struct trace_book {
	struct trace_entry **entries; /* in the order in which they were first seen */
	size_t n, capacity;
	size_t *by_index; /* entry of each memcg of the present tick */
	size_t by_index_capacity;
};

/* What is summed up: more of it or less, each verb has its use. */
struct trace_change {
	enum reason from, to;
	uint64_t ticks;
	uint64_t at_usec; /* the first of them */
	struct verdict verdict_from, verdict_to;
};

#define TRACE_CHANGES_MAX 8

struct trace_moves {
	uint64_t agings, writes, asked_bytes;
};

struct trace_entry {
	uint64_t id;
	char *path;
	bool counted;
	struct trace_moves recorded, other;
	/* replay --config */
	char class_recorded[CLASS_NAME_MAX + 1], class_other[CLASS_NAME_MAX + 1];
	uint64_t ticks, ticks_differ;
	struct trace_change changes[TRACE_CHANGES_MAX];
	size_t n_changes;
	/* replay --sweep: of what was recorded, */
	uint64_t asked_bytes, freed_bytes, refault_bytes, last_refault_pages;
	/* and of another configuration: */
	uint64_t taken_bytes, out_bytes;
};

/* Entries for the memcgs of this tick: book->entries[book->by_index[i]]. Errors: -ENOMEM. */
int trace_book_follow(struct trace_book *book, const struct trace_reader *reader);
void trace_book_done(struct trace_book *book);

/* Adds the decisions of a plan: to entry->other, or to entry->recorded. */
void trace_book_add(struct trace_book *book, const struct plan *plan, bool other);

#endif
