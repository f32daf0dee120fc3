/* SPDX-License-Identifier: MIT */
/*
 * Lines of a trace as text.
 */
#include "trace_text.h"
#include "array.h"
#include "macro.h"

#include <string.h>

/* FNV-1a, http://www.isthe.com/chongo/tech/comp/fnv/ */
#define FNV_OFFSET UINT64_C(0xcbf29ce484222325)
#define FNV_PRIME  UINT64_C(0x100000001b3)

void trace_text_done(struct trace_text *text)
{
	free(text->data);
	*text = (struct trace_text){0};
}

static bool reserve(struct trace_text *text, size_t len)
{
	if (!text->failed && array_reserve(text->data, text->capacity, text->len + len + 1) < 0)
		text->failed = true;
	return !text->failed;
}

void trace_text_put(struct trace_text *text, const char *string)
{
	size_t len = strlen(string);

	if (!reserve(text, len))
		return;
	memcpy(text->data + text->len, string, len + 1);
	text->len += len;
}

static void put_char(struct trace_text *text, char c)
{
	if (reserve(text, 1))
		text->data[text->len++] = c;
}

/* Modulo 2^64: what is more than INT64_MAX is negative. */
static void put_number(struct trace_text *text, uint64_t number)
{
	char digits[20];
	size_t n = sizeof(digits);

	if (number > INT64_MAX) {
		put_char(text, '-');
		number = -number;
	}
	do {
		digits[--n] = (char)('0' + number % 10);
		number /= 10;
	} while (number > 0);
	if (!reserve(text, sizeof(digits) - n))
		return;
	memcpy(text->data + text->len, digits + n, sizeof(digits) - n);
	text->len += sizeof(digits) - n;
}

/* A list that is left out when nothing is put into it. */
struct list {
	struct trace_text *text;
	const char *name;
	bool any;
};

static void list_next(struct list *list)
{
	if (list->any) {
		put_char(list->text, ',');
		return;
	}
	trace_text_put(list->text, ",\"");
	trace_text_put(list->text, list->name);
	trace_text_put(list->text, "\":[");
	list->any = true;
}

static void list_end(struct list *list)
{
	if (list->any)
		put_char(list->text, ']');
}

/* former: of the frame, at the same time; becomes as row is. */
static void put_row(struct list *list, enum trace_rows rows, size_t index, void *former,
		    const void *row, uint64_t now_usec)
{
	const struct trace_table *table = &trace_tables[rows];
	size_t bytes = trace_row_bytes(rows, row);
	bool any = false;

	for (size_t f = 0; f < table->n_fields && table->fields[f].offset < bytes; f++) {
		const struct trace_field *field = &table->fields[f];
		uint64_t number = trace_field_get(field, row, now_usec);
		uint64_t more = number - trace_field_get(field, former, now_usec);

		if (more == 0)
			continue;
		if (!any) {
			list_next(list);
			put_char(list->text, '[');
			put_number(list->text, index);
		}
		any = true;
		put_char(list->text, ',');
		put_number(list->text, f);
		put_char(list->text, ',');
		put_number(list->text, more);
		trace_field_set(field, former, now_usec, number);
	}
	if (any)
		put_char(list->text, ']');
}

static void put_rows(struct trace_text *text, struct trace_frame *frame, enum trace_rows rows,
		     const struct snapshot *snapshot)
{
	const struct trace_table *table = &trace_tables[rows];
	struct list list = {.text = text, .name = table->name};
	size_t n;
	const char *row = trace_rows_of(snapshot, rows, &n);

	for (size_t i = 0; i < n; i++, row += table->row_bytes)
		put_row(&list, rows, i, trace_frame_row(frame, rows, i), row, snapshot->now_usec);
	list_end(&list);
}

static bool ids_differ(const struct trace_frame *frame, const struct snapshot *snapshot)
{
	if (frame->snapshot.n_memcgs != snapshot->n_memcgs)
		return true;
	for (size_t i = 0; i < snapshot->n_memcgs; i++)
		if (frame->memcgs[i].id != snapshot->memcgs[i].id)
			return true;
	return false;
}

static void put_counts(struct trace_text *text, const struct snapshot *snapshot)
{
	trace_text_put(text, ",\"n\":[");
	put_number(text, snapshot->n_memcgs);
	put_char(text, ',');
	put_number(text, snapshot->n_lruvecs);
	put_char(text, ',');
	put_number(text, snapshot->n_tiers);
	put_char(text, ']');
}

/* The list of memcgs, where it has changed, and the names of new ones. */
static int put_memcgs(struct trace_text *text, struct trace_frame *frame,
		      const struct snapshot *snapshot, trace_name_t *name, void *userdata)
{
	struct list ids = {.text = text, .name = "ids"}, new = {.text = text, .name = "new"};
	_cleanup_free_ uint64_t *list = calloc(snapshot->n_memcgs + 1, sizeof(*list));

	if (!list)
		return -ENOMEM;
	for (size_t i = 0; i < snapshot->n_memcgs; i++) {
		list_next(&ids);
		put_number(text, list[i] = snapshot->memcgs[i].id);
	}
	list_end(&ids);
	if (trace_frame_set_ids(frame, list, snapshot->n_memcgs) < 0)
		return -ENOMEM;
	for (size_t i = 0; i < snapshot->n_memcgs; i++) {
		if (frame->paths[i])
			continue;
		frame->paths[i] = name(i, userdata);
		if (!frame->paths[i])
			return -ENOMEM;
		list_next(&new);
		put_char(text, '[');
		put_number(text, i);
		put_char(text, ',');
		trace_text_put(text, frame->paths[i]);
		put_char(text, ']');
	}
	list_end(&new);
	return 0;
}

int trace_text_snapshot(struct trace_text *text, struct trace_frame *frame,
			const struct snapshot *snapshot, const struct memcg_state *states,
			trace_name_t *name, void *userdata)
{
	struct list rebase = {.text = text, .name = "rebase"};
	bool differ = ids_differ(frame, snapshot);
	int r;

	trace_text_put(text, "{\"t\":");
	put_number(text, snapshot->now_usec);
	if (differ || frame->snapshot.n_lruvecs != snapshot->n_lruvecs ||
	    frame->snapshot.n_tiers != snapshot->n_tiers)
		put_counts(text, snapshot);
	if (differ) {
		r = put_memcgs(text, frame, snapshot, name, userdata);
		if (r < 0)
			return r;
	}
	r = trace_frame_set_counts(frame, snapshot->n_lruvecs, snapshot->n_tiers);
	if (r < 0)
		return r;
	trace_frame_set_now(frame, snapshot->now_usec);
	for (size_t i = 0; i < snapshot->n_memcgs; i++) {
		if (!states[i].rebase)
			continue;
		list_next(&rebase);
		put_number(text, i);
	}
	list_end(&rebase);
	for (int rows = 0; rows < _TRACE_ROWS_MAX; rows++)
		put_rows(text, frame, (enum trace_rows)rows, snapshot);
	return text->failed ? -ENOMEM : 0;
}

const char *trace_action_to_string(enum action_kind action)
{
	static const char *const names[_ACTION_MAX] = {
		[ACTION_NONE] = "none",       [ACTION_AGE] = "age",
		[ACTION_EVICT] = "evict",     [ACTION_RECLAIM] = "reclaim",
		[ACTION_PROTECT] = "protect",
	};

	return (unsigned)action < _ACTION_MAX ? names[action] : "unknown";
}

static uint64_t mix(uint64_t hash, const void *bytes, size_t len)
{
	const unsigned char *byte = bytes;

	for (size_t i = 0; i < len; i++)
		hash = (hash ^ byte[i]) * FNV_PRIME;
	return hash;
}

/* By name: the numbers of reasons change. */
uint64_t trace_verdicts(const struct memcg_state *states, size_t n)
{
	uint64_t hash = FNV_OFFSET;

	for (size_t i = 0; i < n; i++) {
		const struct verdict *verdict = &states[i].verdict;
		const uint64_t numbers[] = {verdict->measured, verdict->limit, verdict->bytes};
		const char *action = trace_action_to_string(verdict->action);
		const char *reason = reason_to_string(verdict->reason);

		hash = mix(hash, action, strlen(action) + 1);
		hash = mix(hash, reason, strlen(reason) + 1);
		hash = mix(hash, numbers, sizeof(numbers));
	}
	return hash >> 1;
}

static void put_decision(struct trace_text *text, const struct decision *decision)
{
	const uint64_t numbers[] = {decision->node,       decision->seq,   decision->force,
				    decision->swappiness, decision->bytes, decision->to_disk};

	put_char(text, '[');
	put_number(text, decision->memcg);
	trace_text_put(text, ",\"");
	trace_text_put(text, trace_action_to_string(decision->action));
	trace_text_put(text, "\",\"");
	trace_text_put(text, reason_to_string(decision->reason));
	put_char(text, '"');
	for (size_t i = 0; i < ARRAY_SIZE(numbers); i++) {
		put_char(text, ',');
		put_number(text, numbers[i]);
	}
	put_char(text, ']');
}

void trace_text_plan(struct trace_text *text, const struct plan *plan,
		     const struct memcg_state *states, size_t n)
{
	const uint64_t numbers[] = {plan->next_usec, plan->swap_bytes, plan->disk_bytes,
				    trace_verdicts(states, n)};
	struct list decisions = {.text = text, .name = "decisions"};

	trace_text_put(text, ",\"plan\":");
	for (size_t i = 0; i < ARRAY_SIZE(numbers); i++) {
		put_char(text, i == 0 ? '[' : ',');
		put_number(text, numbers[i]);
	}
	put_char(text, ']');
	for (size_t i = 0; i < plan->n_decisions; i++) {
		list_next(&decisions);
		put_decision(text, &plan->decisions[i]);
	}
	list_end(&decisions);
	trace_text_put(text, "}\n");
}
