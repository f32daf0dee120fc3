/* SPDX-License-Identifier: MIT */
/*
 * The lines of a trace as JSON. Nothing of a trace is believed: who reads one may have got it from
 * anybody.
 */
#include "trace.h"
#include "array.h"
#include "escape.h"
#include "macro.h"

#include <errno.h>
#include <jansson.h>
#include <stdarg.h>
#include <string.h>

#define DUMP_FLAGS (JSON_COMPACT | JSON_ENCODE_ANY | JSON_ENSURE_ASCII)

#define DECISION_FIELDS 9
#define PLAN_FIELDS     4

DEFINE_CLEANUP(json_t *, json_decref)

/* --- making */

char *trace_json_string(const char *bytes)
{
	_cleanup_free_ char *text = escape_text(bytes, strlen(bytes), false);
	_cleanup_(json_decref_ptr) json_t *string = text ? json_string(text) : NULL;

	return string ? json_dumps(string, DUMP_FLAGS) : NULL;
}

/* --- understanding */

void trace_parse_done(struct trace_parse *parse)
{
	trace_frame_done(&parse->frame);
	free(parse->config);
	free(parse->rebase);
	free(parse->plan.decisions);
	*parse = (struct trace_parse){0};
}

static _printf_(2, 3) int refuse(struct trace_parse *parse, const char *format, ...)
{
	va_list ap;

	va_start(ap, format);
	vsnprintf(parse->why, sizeof(parse->why), format, ap);
	va_end(ap);
	return -EINVAL;
}

static bool get_u64(const json_t *value, uint64_t *ret)
{
	*ret = (uint64_t)json_integer_value(value);
	return json_is_integer(value);
}

static int parse_config(struct trace_parse *parse, const json_t *line)
{
	const char *config = json_string_value(json_object_get(line, "config"));

	if (!config)
		return refuse(parse, "no configuration");
	free(parse->config);
	parse->config = strdup(config);
	return parse->config ? 0 : -ENOMEM;
}

static int map_field(struct trace_parse *parse, size_t rows, const json_t *value)
{
	const struct trace_table *table = &trace_tables[rows];
	const char *name = json_string_value(value);

	for (size_t f = 0; name && f < table->n_fields; f++) {
		if (strcmp(table->fields[f].name, name) == 0) {
			parse->map[rows][parse->n_map[rows]++] = (uint8_t)f;
			return 0;
		}
	}
	return refuse(parse, "\"%.40s\" is not a field of \"%s\" that this version knows",
		      name ?: "?", table->name);
}

static int parse_fields(struct trace_parse *parse, const json_t *fields)
{
	int r = 0;

	for (size_t i = 0; i < _TRACE_ROWS_MAX && r == 0; i++) {
		const json_t *names = json_object_get(fields, trace_tables[i].name);
		size_t n = json_array_size(names);

		if (n == 0 || n > TRACE_FIELDS_MAX)
			return refuse(parse, "no fields of \"%s\", or too many",
				      trace_tables[i].name);
		parse->n_map[i] = 0;
		for (size_t f = 0; f < n && r == 0; f++)
			r = map_field(parse, i, json_array_get(names, f));
	}
	return r;
}

static int parse_header(struct trace_parse *parse, const json_t *line)
{
	const json_t *version = json_object_get(line, "fgreclaim-trace");
	struct trace_header former = parse->header;
	int r;

	if (json_integer_value(version) != TRACE_VERSION)
		return refuse(parse, "a trace of another version than %d", TRACE_VERSION);
	if (!get_u64(json_object_get(line, "recording"), &parse->header.recording) ||
	    !get_u64(json_object_get(line, "part"), &parse->header.part))
		return refuse(parse, "a header without recording or part");
	parse->header.hashed = json_is_true(json_object_get(line, "hashed"));
	if (parse->begun &&
	    (parse->header.recording != former.recording || parse->header.part != former.part + 1))
		return refuse(parse, "not the part that follows the one before it");
	parse->begun = true;
	trace_frame_done(&parse->frame);
	r = parse_config(parse, line);
	return r < 0 ? r : parse_fields(parse, json_object_get(line, "fields"));
}

/* The difference of a field, to what the frame has of the former tick. */
static int parse_number(struct trace_parse *parse, enum trace_rows rows, void *row,
			uint64_t former_usec, const json_t *name, const json_t *value)
{
	uint64_t f, more;
	const struct trace_field *field;

	if (!get_u64(name, &f) || f >= parse->n_map[rows] || !get_u64(value, &more))
		return refuse(parse, "\"%s\": not a field and a number", trace_tables[rows].name);
	field = &trace_tables[rows].fields[parse->map[rows][f]];
	more += trace_field_get(field, row, former_usec);
	if (!trace_field_set(field, row, former_usec, more))
		return refuse(parse, "\"%s\" out of its range", field->name);
	return 0;
}

static int parse_row(struct trace_parse *parse, enum trace_rows rows, const json_t *list)
{
	uint64_t now_usec = parse->frame.snapshot.now_usec, index;
	size_t n = json_array_size(list);
	void *row;
	int r = 0;

	if (!get_u64(json_array_get(list, 0), &index) || n % 2 == 0)
		return refuse(parse, "\"%s\": not a row", trace_tables[rows].name);
	row = trace_frame_row(&parse->frame, rows, index);
	if (!row)
		return refuse(parse, "\"%s\": a row that is not there", trace_tables[rows].name);
	for (size_t i = 1; i < n && r == 0; i += 2)
		r = parse_number(parse, rows, row, now_usec, json_array_get(list, i),
				 json_array_get(list, i + 1));
	return r;
}

static int parse_ids(struct trace_parse *parse, const json_t *list, size_t n)
{
	_cleanup_free_ uint64_t *ids = calloc(n + 1, sizeof(*ids));

	if (!ids)
		return -ENOMEM;
	if (json_array_size(list) != n)
		return refuse(parse, "not as many ids as cgroups");
	for (size_t i = 0; i < n; i++)
		if (!get_u64(json_array_get(list, i), &ids[i]))
			return refuse(parse, "an id that is no number");
	return trace_frame_set_ids(&parse->frame, ids, n);
}

static int parse_new(struct trace_parse *parse, const json_t *list)
{
	struct trace_frame *frame = &parse->frame;

	for (size_t i = 0; i < json_array_size(list); i++) {
		const json_t *entry = json_array_get(list, i);
		const char *path = json_string_value(json_array_get(entry, 1));
		uint64_t at;

		if (!get_u64(json_array_get(entry, 0), &at) || !path ||
		    at >= frame->snapshot.n_memcgs || frame->paths[at])
			return refuse(parse, "a name of no new cgroup");
		frame->paths[at] = strdup(path);
		if (!frame->paths[at])
			return -ENOMEM;
	}
	return 0;
}

static int parse_lists(struct trace_parse *parse, const json_t *line)
{
	const json_t *counts = json_object_get(line, "n"), *ids = json_object_get(line, "ids");
	uint64_t n[3] = {parse->frame.snapshot.n_memcgs, parse->frame.snapshot.n_lruvecs,
			 parse->frame.snapshot.n_tiers};
	int r = 0;

	for (size_t i = 0; counts && i < ARRAY_SIZE(n); i++)
		if (!get_u64(json_array_get(counts, i), &n[i]))
			return refuse(parse, "\"n\" has no three numbers");
	if (n[0] > TRACE_MEMCGS_MAX || n[1] > TRACE_LRUVECS_MAX || n[2] > TRACE_LRUVECS_MAX)
		return refuse(parse, "more cgroups or generations than any host has");
	parse->ids_changed = ids != NULL;
	if (ids)
		r = parse_ids(parse, ids, n[0]);
	else if (n[0] != parse->frame.snapshot.n_memcgs)
		return refuse(parse, "another number of cgroups, and no ids");
	if (r == 0)
		r = trace_frame_set_counts(&parse->frame, n[1], n[2]);
	return r < 0 ? r : parse_new(parse, json_object_get(line, "new"));
}

static int parse_rebase(struct trace_parse *parse, const json_t *list)
{
	size_t n = json_array_size(list);
	uint64_t at;

	if (array_reserve(parse->rebase, parse->rebase_capacity, n) < 0)
		return -ENOMEM;
	for (parse->n_rebase = 0; parse->n_rebase < n; parse->n_rebase++) {
		if (!get_u64(json_array_get(list, parse->n_rebase), &at) ||
		    at >= parse->frame.snapshot.n_memcgs)
			return refuse(parse, "\"rebase\" of no cgroup");
		parse->rebase[parse->n_rebase] = (uint32_t)at;
	}
	return 0;
}

static enum action_kind action_from_string(const char *name)
{
	int action = 0;

	while (action < _ACTION_MAX &&
	       (!name || strcmp(trace_action_to_string((enum action_kind)action), name) != 0))
		action++;
	return (enum action_kind)action;
}

static enum reason reason_from_string(const char *name)
{
	int reason = 0;

	while (reason < _REASON_MAX &&
	       (!name || strcmp(reason_to_string((enum reason)reason), name) != 0))
		reason++;
	return (enum reason)reason;
}

static int parse_decision(struct trace_parse *parse, const json_t *list, struct decision *ret)
{
	uint64_t n[DECISION_FIELDS] = {0};

	for (size_t i = 0; i < DECISION_FIELDS; i++)
		if (i != 1 && i != 2 && !get_u64(json_array_get(list, i), &n[i]))
			return refuse(parse, "not a decision");
	if (n[0] >= parse->frame.snapshot.n_memcgs || n[3] > UINT32_MAX || n[6] > UINT32_MAX)
		return refuse(parse, "a decision for no cgroup");
	*ret = (struct decision){
		.memcg = n[0],
		.action = action_from_string(json_string_value(json_array_get(list, 1))),
		.reason = reason_from_string(json_string_value(json_array_get(list, 2))),
		.node = (uint32_t)n[3],
		.seq = n[4],
		.force = n[5] != 0,
		.swappiness = (uint32_t)n[6],
		.bytes = n[7],
		.to_disk = n[8] != 0,
	};
	return 0;
}

static int parse_plan(struct trace_parse *parse, const json_t *line)
{
	const json_t *numbers = json_object_get(line, "plan");
	const json_t *list = json_object_get(line, "decisions");
	size_t n = json_array_size(list);
	struct plan *plan = &parse->plan;
	uint64_t of[PLAN_FIELDS];
	int r = 0;

	for (size_t i = 0; i < PLAN_FIELDS; i++)
		if (!get_u64(json_array_get(numbers, i), &of[i]))
			return refuse(parse, "no plan");
	plan->next_usec = of[0];
	plan->swap_bytes = of[1];
	plan->disk_bytes = of[2];
	parse->verdicts = of[3];
	if (array_reserve(plan->decisions, parse->decisions_capacity, n) < 0)
		return -ENOMEM;
	plan->capacity = parse->decisions_capacity;
	plan->n_decisions = n;
	for (size_t i = 0; i < n && r == 0; i++)
		r = parse_decision(parse, json_array_get(list, i), &plan->decisions[i]);
	return r;
}

static int parse_tick(struct trace_parse *parse, const json_t *line)
{
	uint64_t now_usec;
	int r;

	if (!parse->begun)
		return refuse(parse, "no header before it");
	if (!get_u64(json_object_get(line, "t"), &now_usec))
		return refuse(parse, "neither a header, a configuration nor a tick");
	r = parse_lists(parse, line);
	if (r == 0) {
		trace_frame_set_now(&parse->frame, now_usec);
		r = parse_rebase(parse, json_object_get(line, "rebase"));
	}
	for (int rows = 0; rows < _TRACE_ROWS_MAX && r == 0; rows++) {
		const json_t *list = json_object_get(line, trace_tables[rows].name);

		for (size_t i = 0; i < json_array_size(list) && r == 0; i++)
			r = parse_row(parse, (enum trace_rows)rows, json_array_get(list, i));
	}
	return r < 0 ? r : parse_plan(parse, line);
}

int trace_parse(struct trace_parse *parse, const char *line, size_t len)
{
	json_error_t error;
	_cleanup_(json_decref_ptr) json_t *json = json_loadb(line, len, 0, &error);
	enum trace_line kind;
	int r;

	if (!json_is_object(json))
		return refuse(parse, "no object of JSON%s%.100s", json ? "" : ": ",
			      json ? "" : error.text);
	if (json_object_get(json, "fgreclaim-trace")) {
		kind = TRACE_LINE_HEADER;
		r = parse_header(parse, json);
	} else if (json_object_get(json, "config")) {
		kind = TRACE_LINE_CONFIG;
		r = parse_config(parse, json);
	} else {
		kind = TRACE_LINE_TICK;
		r = parse_tick(parse, json);
	}
	return r < 0 ? r : (int)kind;
}
