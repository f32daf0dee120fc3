/* SPDX-License-Identifier: MIT */
/*
 * A snapshot with memory of its own: what the next line of a trace is the difference to. Who writes
 * and who reads a trace each keep one, and both change it in the same steps.
 */
#ifndef FGRECLAIM_TRACE_FRAME_H
#define FGRECLAIM_TRACE_FRAME_H

#include "trace_field.h"

/* More is no host's, but a trace that means harm. */
#define TRACE_MEMCGS_MAX  32768
#define TRACE_LRUVECS_MAX (4 * TRACE_MEMCGS_MAX)

/* All zeros: the frame before the first line. */
struct trace_frame {
	struct snapshot snapshot; /* its arrays are the following */
	struct memcg_sample *memcgs;
	struct lruvec_sample *lruvecs;
	struct lruvec_tiers *tiers;
	char **paths; /* one a memcg; NULL: not given yet */
	size_t memcgs_capacity, paths_capacity, lruvecs_capacity, tiers_capacity;
};

void trace_frame_done(struct trace_frame *frame);

/* Makes it a frame of the memcgs of these ids, in this order: those that were there keep their sample
 * and path, others begin with zeros. The lists of lruvecs and tiers become empty. Errors: -ENOMEM. */
int trace_frame_set_ids(struct trace_frame *frame, const uint64_t *ids, size_t n);

/* The number of lruvecs and of tiers; new ones begin with zeros. Errors: -ENOMEM. */
int trace_frame_set_counts(struct trace_frame *frame, size_t n_lruvecs, size_t n_tiers);

/* The clock's time of the snapshot. What counts from a moment grows with it. */
void trace_frame_set_now(struct trace_frame *frame, uint64_t now_usec);

/* Bytes of a row that mean something: generations and tiers beyond their number do not. */
size_t trace_row_bytes(enum trace_rows rows, const void *row);

/* Row index of a kind, or NULL if there is none. */
void *trace_frame_row(struct trace_frame *frame, enum trace_rows rows, size_t index);

/* Rows of a kind in a snapshot, the first of them, and how many. */
const void *trace_rows_of(const struct snapshot *snapshot, enum trace_rows rows, size_t *ret_n);

/* What is wrong with its indices and enumerations, or NULL. n_classes: of the configuration. */
const char *trace_frame_check(const struct trace_frame *frame, size_t n_classes);

#endif
