/* SPDX-License-Identifier: MIT */
/*
 * A snapshot with memory of its own.
 */
#include "trace_frame.h"
#include "array.h"
#include "macro.h"

#include <string.h>

void trace_frame_done(struct trace_frame *frame)
{
	for (size_t i = 0; frame->paths && i < frame->snapshot.n_memcgs; i++)
		free(frame->paths[i]);
	free(frame->paths);
	free(frame->memcgs);
	free(frame->lruvecs);
	free(frame->tiers);
	*frame = (struct trace_frame){0};
}

static void point(struct trace_frame *frame)
{
	frame->snapshot.memcgs = frame->memcgs;
	frame->snapshot.lruvecs = frame->lruvecs;
	frame->snapshot.tiers = frame->tiers;
}

/* Lists change in few places: what is looked for is mostly right behind what was found last. */
static size_t find(const struct trace_frame *frame, uint64_t id, size_t from)
{
	size_t n = frame->snapshot.n_memcgs;

	for (size_t k = 0; k < n; k++) {
		size_t i = (from + k) % n;

		if (frame->memcgs[i].id == id)
			return i;
	}
	return n;
}

int trace_frame_set_ids(struct trace_frame *frame, const uint64_t *ids, size_t n)
{
	size_t n_former = frame->snapshot.n_memcgs, next = 0;
	size_t capacity = array_capacity(frame->memcgs_capacity, n);
	struct memcg_sample *memcgs = calloc(capacity, sizeof(*memcgs));
	char **paths = calloc(capacity, sizeof(*paths));

	if (!memcgs || !paths) {
		free(memcgs);
		free(paths);
		return -ENOMEM;
	}
	for (size_t i = 0; i < n; i++) {
		size_t at = find(frame, ids[i], next);

		if (at < n_former) {
			memcgs[i] = frame->memcgs[at];
			paths[i] = TAKE_PTR(frame->paths[at]);
			next = at + 1;
		}
		memcgs[i].id = ids[i];
	}
	for (size_t i = 0; i < n_former; i++)
		free(frame->paths[i]);
	free(frame->paths);
	free(frame->memcgs);
	frame->memcgs = memcgs;
	frame->paths = paths;
	frame->memcgs_capacity = frame->paths_capacity = capacity;
	frame->snapshot.n_memcgs = n;
	frame->snapshot.n_lruvecs = frame->snapshot.n_tiers = 0;
	point(frame);
	return 0;
}

int trace_frame_set_counts(struct trace_frame *frame, size_t n_lruvecs, size_t n_tiers)
{
	struct snapshot *snapshot = &frame->snapshot;

	if (n_lruvecs > snapshot->n_lruvecs) {
		if (array_reserve(frame->lruvecs, frame->lruvecs_capacity, n_lruvecs) < 0)
			return -ENOMEM;
		memset(&frame->lruvecs[snapshot->n_lruvecs], 0,
		       (n_lruvecs - snapshot->n_lruvecs) * sizeof(*frame->lruvecs));
	}
	if (n_tiers > snapshot->n_tiers) {
		if (array_reserve(frame->tiers, frame->tiers_capacity, n_tiers) < 0)
			return -ENOMEM;
		memset(&frame->tiers[snapshot->n_tiers], 0,
		       (n_tiers - snapshot->n_tiers) * sizeof(*frame->tiers));
	}
	snapshot->n_lruvecs = n_lruvecs;
	snapshot->n_tiers = n_tiers;
	point(frame);
	return 0;
}

const void *trace_rows_of(const struct snapshot *snapshot, enum trace_rows rows, size_t *ret_n)
{
	*ret_n = 1;
	switch (rows) {
	case TRACE_HEAD:
		return snapshot;
	case TRACE_SYSTEM:
		return &snapshot->system;
	case TRACE_MEMCG:
		*ret_n = snapshot->n_memcgs;
		return snapshot->memcgs;
	case TRACE_LRUVEC:
		*ret_n = snapshot->n_lruvecs;
		return snapshot->lruvecs;
	case TRACE_TIERS:
		*ret_n = snapshot->n_tiers;
		return snapshot->tiers;
	case _TRACE_ROWS_MAX:
		break;
	}
	*ret_n = 0;
	return NULL;
}

void *trace_frame_row(struct trace_frame *frame, enum trace_rows rows, size_t index)
{
	size_t n;
	const char *first = trace_rows_of(&frame->snapshot, rows, &n);

	return index < n ? (void *)(first + index * trace_tables[rows].row_bytes) : NULL;
}

size_t trace_row_bytes(enum trace_rows rows, const void *row)
{
	uint32_t n;

	if (rows == TRACE_LRUVEC) {
		n = ((const struct lruvec_sample *)row)->n_gens;
		if (n < LRUVEC_GENS_MAX)
			return offsetof(struct lruvec_sample, gens) + n * sizeof(struct gen_sample);
	} else if (rows == TRACE_TIERS) {
		n = ((const struct lruvec_tiers *)row)->n_tiers;
		if (n < LRUVEC_TIERS_MAX)
			return offsetof(struct lruvec_tiers, tiers) + n * sizeof(struct tier_flow);
	}
	return trace_tables[rows].row_bytes;
}

static void row_set_now(enum trace_rows rows, void *row, uint64_t former_usec, uint64_t now_usec)
{
	const struct trace_table *table = &trace_tables[rows];
	size_t bytes = trace_row_bytes(rows, row);

	for (size_t f = 0; f < table->n_fields && table->fields[f].offset < bytes; f++) {
		const struct trace_field *field = &table->fields[f];

		if (field->clock != TRACE_PLAIN)
			trace_field_set(field, row, now_usec,
					trace_field_get(field, row, former_usec));
	}
}

void trace_frame_set_now(struct trace_frame *frame, uint64_t now_usec)
{
	for (int rows = 0; rows < _TRACE_ROWS_MAX; rows++) {
		size_t n;
		char *row = (char *)trace_rows_of(&frame->snapshot, (enum trace_rows)rows, &n);

		for (size_t i = 0; i < n; i++, row += trace_tables[rows].row_bytes)
			row_set_now((enum trace_rows)rows, row, frame->snapshot.now_usec, now_usec);
	}
	frame->snapshot.now_usec = now_usec;
}

static const char *check_memcg(const struct snapshot *snapshot, size_t i, size_t n_classes)
{
	const struct memcg_sample *memcg = &snapshot->memcgs[i];

	if (memcg->parent < -1 || memcg->parent >= (int32_t)i)
		return "a cgroup before its parent";
	if (memcg->class_index < -1 || memcg->class_index >= (int32_t)n_classes)
		return "a cgroup of no known class";
	if (memcg->n_lruvecs > 0 && (memcg->first_lruvec > snapshot->n_lruvecs ||
				     memcg->n_lruvecs > snapshot->n_lruvecs - memcg->first_lruvec))
		return "generations that are not there";
	if (memcg->n_tiers > 0 && (memcg->first_tiers > snapshot->n_tiers ||
				   memcg->n_tiers > snapshot->n_tiers - memcg->first_tiers))
		return "tiers that are not there";
	return NULL;
}

const char *trace_frame_check(const struct trace_frame *frame, size_t n_classes)
{
	const struct snapshot *snapshot = &frame->snapshot;
	const char *why = NULL;

	if (snapshot->page_bytes == 0)
		return "pages of no size";
	if ((unsigned)snapshot->system.capability >= _CAPABILITY_MAX)
		return "an unknown capability";
	for (size_t i = 0; i < snapshot->n_lruvecs; i++)
		if (snapshot->lruvecs[i].n_gens > LRUVEC_GENS_MAX)
			return "too many generations";
	for (size_t i = 0; i < snapshot->n_tiers; i++)
		if (snapshot->tiers[i].n_tiers > LRUVEC_TIERS_MAX)
			return "too many tiers";
	for (size_t i = 0; i < snapshot->n_memcgs && !why; i++)
		why = frame->paths[i] ? check_memcg(snapshot, i, n_classes) : "a cgroup of no name";
	return why;
}
