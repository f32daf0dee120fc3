/* SPDX-License-Identifier: MIT */
/*
 * Lines of a trace as text. A tick is written as it is made, without a tree of JSON in between: it is
 * numbers and nothing else.
 *
 * A tick: {"t":USEC,"n":[MEMCGS,LRUVECS,TIERS],"ids":[ID...],"new":[[INDEX,"PATH"]...],
 * "rebase":[INDEX...],"head":[ROW...],"system":[...],"memcg":[...],"lruvec":[...],"tiers":[...],
 * "plan":[NEXT,SWAP,DISK,VERDICTS],"decisions":[[INDEX,ACTION,"REASON",NODE,SEQ,FORCE,SWAPPINESS,
 * BYTES,TO_DISK]...]}. A row is [INDEX,FIELD,NUMBER,FIELD,NUMBER...]: how much more each field is than
 * in the former line, modulo 2^64. "ids" is there when the list of memcgs has changed, "n" when a
 * number has; empty lists are left out.
 */
#ifndef FGRECLAIM_TRACE_TEXT_H
#define FGRECLAIM_TRACE_TEXT_H

#include "plan.h"
#include "state.h"
#include "trace_frame.h"

/* Grows; a lack of memory sticks in it. */
struct trace_text {
	char *data;
	size_t len, capacity;
	bool failed;
};

void trace_text_done(struct trace_text *text);
void trace_text_put(struct trace_text *text, const char *string);

/* The first part of a tick, up to the plan: what the snapshot is more than the frame, which becomes a
 * copy of it. states: as the policy finds them. name(): the path of a memcg as it is to be written, as
 * a string of JSON, quotes and all; the caller's to free; NULL: no memory. Errors: -ENOMEM. */
typedef char *trace_name_t(size_t memcg, void *userdata);
int trace_text_snapshot(struct trace_text *text, struct trace_frame *frame,
			const struct snapshot *snapshot, const struct memcg_state *states,
			trace_name_t *name, void *userdata);

/* The rest of it, to the end of the line. states: as the plan leaves them. */
void trace_text_plan(struct trace_text *text, const struct plan *plan,
		     const struct memcg_state *states, size_t n);

/* A number of all verdicts: two plans that differ in any have different ones, but for one chance in
 * 2^63. */
uint64_t trace_verdicts(const struct memcg_state *states, size_t n);

/* "age", "evict" and so on; never NULL. */
const char *trace_action_to_string(enum action_kind action);

#endif
