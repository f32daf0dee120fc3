/* SPDX-License-Identifier: MIT */
/*
 * fgreclaimctl replay --sweep=[CLASS.]KEY=VALUE,...: a trace planned again with each of the values, and
 * a table of what that would have freed against what would have come back.
 *
 * Both are estimates, cgroup by cgroup. Of what is asked for, as much is freed as was of what was asked
 * for in the recording, and never more than the cgroup held beyond what this replay has taken already;
 * of what is freed, as much comes back.
 */
#include "arith.h"
#include "array.h"
#include "config_keys.h"
#include "ctl_replay.h"
#include "ctl_trace.h"
#include "explain.h"
#include "json.h"

#include <inttypes.h>
#include <string.h>

#define VALUES_MAX 64

struct row {
	const char *value; /* NULL: as recorded */
	struct trace_moves moves;
	uint64_t freed_bytes, refault_bytes; /* SAMPLE_UNKNOWN: nothing to go by */
};

struct sweep {
	char *class; /* NULL: all */
	char *key;
	char *values[VALUES_MAX];
	size_t n;
	char *buffer;
};

struct run {
	const struct sweep *sweep;
	const char *value;
	struct config *config; /* of value, made when the trace's is known */
	uint64_t n_configs;    /* of the trace, when it was made */
	struct replay replay;
	struct trace_book book;
	struct config_error error;
};

static void run_done(struct run *run)
{
	config_free(run->config);
	replay_done(&run->replay);
	trace_book_done(&run->book);
}

static void sweep_done(struct sweep *sweep)
{
	free(sweep->buffer);
}

/* Keys that plans depend on, and not what a snapshot holds already. */
static bool is_planned_by(const char *name)
{
	static const enum config_section sections[] = {SECTION_AGENT, SECTION_SWAP};

	for (size_t i = 0; i < ARRAY_SIZE(sections); i++) {
		const struct config_key *key = config_key_find(sections[i], name);

		if (key)
			return key->print && key->offset >= offsetof(struct config, policy);
	}
	return false;
}

static bool is_of_classes(const char *name)
{
	const struct config_key *key = config_key_find(SECTION_CLASS, name);

	return key && key->print;
}

/* Returns what is wrong, or NULL. */
static const char *parse_sweep(const char *text, struct sweep *ret)
{
	char *dot, *equals, *values, *save = NULL;

	ret->buffer = strdup(text);
	if (!ret->buffer)
		return "out of memory";
	equals = strchr(ret->buffer, '=');
	if (!equals)
		return "KEY=VALUE,... is wanted";
	*equals = '\0';
	dot = strrchr(ret->buffer, '.');
	if (dot)
		*dot = '\0';
	ret->class = dot ? ret->buffer : NULL;
	ret->key = dot ? dot + 1 : ret->buffer;
	if (!is_of_classes(ret->key) && (ret->class || !is_planned_by(ret->key)))
		return "no key that a replay can change";
	for (values = equals + 1;; values = NULL) {
		char *value = strtok_r(values, ",", &save);

		if (!value)
			break;
		if (ret->n == VALUES_MAX)
			return "too many values";
		ret->values[ret->n++] = value;
	}
	return ret->n > 0 ? NULL : "no values";
}

/* The trace's configuration with the value in the place of its own. */
static char *config_with(const struct run *run, const struct config *config)
{
	const struct sweep *sweep = run->sweep;
	char *text = NULL;
	size_t size;
	FILE *f = open_memstream(&text, &size);

	if (!f)
		return NULL;
	config_dump(config, f);
	if (!is_of_classes(sweep->key))
		fprintf(f, "\n[%s]\n%s=%s\n",
			config_section_to_string(config_key_find(SECTION_AGENT, sweep->key)
							 ? SECTION_AGENT
							 : SECTION_SWAP),
			sweep->key, run->value);
	for (size_t i = 0; is_of_classes(sweep->key) && i < config->policy.n_classes; i++) {
		const char *class = config->policy.classes[i].name;

		if (!sweep->class || strcmp(sweep->class, class) == 0)
			fprintf(f, "\n[Class %s]\n%s=%s\n", class, sweep->key, run->value);
	}
	fclose(f);
	return text;
}

static int follow_config(struct run *run, const struct trace_reader *reader)
{
	_cleanup_free_ char *text = NULL;
	int r;

	if (!run->value || run->n_configs == reader->n_configs)
		return 0;
	if (run->sweep->class && config_find_class(reader->config, run->sweep->class) < 0) {
		snprintf(run->error.text, sizeof(run->error.text), "no class \"%.40s\" in it",
			 run->sweep->class);
		return -EINVAL;
	}
	text = config_with(run, reader->config);
	if (!text)
		return -ENOMEM;
	config_free(run->config);
	run->config = NULL;
	r = trace_config_load(text, &run->config, &run->error);
	run->n_configs = reader->n_configs;
	return r;
}

/* What was recorded since the former tick; what is not known counts as nothing. */
static void note_recorded(struct trace_entry *entry, const struct memcg_sample *memcg,
			  uint64_t page_bytes)
{
	const uint64_t *refaults = memcg->refault_pages;
	uint64_t pages;

	entry->asked_bytes = saturating_add(entry->asked_bytes, memcg->outcome.asked_bytes);
	entry->freed_bytes = saturating_add(entry->freed_bytes, memcg->outcome.freed_bytes);
	entry->out_bytes = saturating_sub(entry->out_bytes, memcg->outcome.freed_bytes);
	if (memcg->skipped || refaults[LRU_ANON] >= SAMPLE_INFINITY ||
	    refaults[LRU_FILE] >= SAMPLE_INFINITY)
		return;
	pages = saturating_add(refaults[LRU_ANON], refaults[LRU_FILE]);
	if (entry->counted && memcg->leaf)
		entry->refault_bytes = saturating_add(
			entry->refault_bytes,
			saturating_mul(saturating_sub(pages, entry->last_refault_pages),
				       page_bytes));
	entry->last_refault_pages = pages;
	entry->counted = true;
}

static uint64_t held_bytes(const struct memcg_sample *memcg)
{
	uint64_t bytes = 0;

	for (int type = 0; type < _LRU_TYPE_MAX; type++)
		if (memcg->lru_bytes[type] < SAMPLE_INFINITY)
			bytes = saturating_add(bytes, memcg->lru_bytes[type]);
	return bytes;
}

static int each(struct trace_reader *reader, void *userdata)
{
	const struct trace_frame *frame = &reader->parse.frame;
	struct run *run = userdata;
	const struct plan *plan = &reader->parse.plan;
	int r = follow_config(run, reader);

	if (r == 0)
		r = trace_book_follow(&run->book, reader);
	if (r == 0 && run->value) {
		run->replay.config = run->config;
		r = replay_tick(&run->replay, reader);
		plan = &run->replay.plan;
	}
	if (r < 0)
		return r;
	for (size_t i = 0; i < frame->snapshot.n_memcgs; i++)
		note_recorded(run->book.entries[run->book.by_index[i]], &frame->memcgs[i],
			      frame->snapshot.page_bytes);
	trace_book_add(&run->book, plan, false);
	for (size_t i = 0; i < plan->n_decisions; i++) {
		const struct decision *decision = &plan->decisions[i];
		struct trace_entry *entry = run->book.entries[run->book.by_index[decision->memcg]];
		uint64_t bytes = min_u64(decision->action == ACTION_AGE ? 0 : decision->bytes,
					 saturating_sub(held_bytes(&frame->memcgs[decision->memcg]),
							entry->out_bytes));

		entry->taken_bytes = saturating_add(entry->taken_bytes, bytes);
		entry->out_bytes = saturating_add(entry->out_bytes, bytes);
	}
	return 0;
}

static void add_entry(struct row *row, const struct trace_entry *entry)
{
	uint64_t freed = entry->freed_bytes, back = entry->refault_bytes;

	row->moves.agings += entry->recorded.agings;
	row->moves.writes += entry->recorded.writes;
	row->moves.asked_bytes =
		saturating_add(row->moves.asked_bytes, entry->recorded.asked_bytes);
	if (row->value) {
		freed = entry->taken_bytes;
		if (entry->asked_bytes > 0)
			freed = mul_div(freed, entry->freed_bytes, entry->asked_bytes);
		back = entry->freed_bytes > 0 ? mul_div(back, freed, entry->freed_bytes)
					      : entry->refault_bytes;
		if (entry->freed_bytes == 0 && freed > 0)
			row->refault_bytes = SAMPLE_UNKNOWN;
	}
	row->freed_bytes = saturating_add(row->freed_bytes, freed);
	row->refault_bytes = saturating_add(row->refault_bytes, back);
}

static int run_value(const struct ctl *ctl, const struct sweep *sweep, const char *value,
		     struct row *ret)
{
	_cleanup_(run_done) struct run run = {.sweep = sweep, .value = value};
	int status = ctl_trace_read(ctl, each, &run);

	if (status != EXIT_SUCCESS) {
		if (run.error.text[0])
			ctl_note("%s=%s: %s", sweep->key, value,
				 strrchr(run.error.text, ':') ? strrchr(run.error.text, ':') + 2
							      : run.error.text);
		return status;
	}
	*ret = (struct row){.value = value};
	for (size_t i = 0; i < run.book.n; i++)
		add_entry(ret, run.book.entries[i]);
	return EXIT_SUCCESS;
}

static void print_row(const struct row *row)
{
	char asked[BYTES_TEXT_MAX], freed[BYTES_TEXT_MAX], back[BYTES_TEXT_MAX];

	printf("%-16s %8" PRIu64 " %8" PRIu64 " %8s %8s %8s\n", row->value ?: "as recorded",
	       row->moves.agings, row->moves.writes,
	       explain_bytes(row->moves.asked_bytes, asked, sizeof(asked)),
	       explain_bytes(row->freed_bytes, freed, sizeof(freed)),
	       explain_bytes(row->refault_bytes, back, sizeof(back)));
}

static int print_json(const struct row *rows, size_t n)
{
	struct json_writer *writer;
	int r = json_writer_new(stdout, &writer);

	if (r < 0)
		return r;
	json_begin_object(writer, NULL);
	json_begin_array(writer, "rows");
	for (size_t i = 0; i < n; i++) {
		json_begin_object(writer, NULL);
		json_put_text(writer, "value", rows[i].value);
		json_put_u64(writer, "agings", rows[i].moves.agings);
		json_put_u64(writer, "writes", rows[i].moves.writes);
		json_put_u64(writer, "asked_bytes", rows[i].moves.asked_bytes);
		json_put_u64(writer, "freed_bytes", rows[i].freed_bytes);
		json_put_u64(writer, "refault_bytes", rows[i].refault_bytes);
		json_end(writer);
	}
	json_end(writer);
	json_end(writer);
	r = json_writer_finish(writer);
	json_writer_free(writer);
	return r;
}

int ctl_sweep(const struct ctl *ctl)
{
	_cleanup_(sweep_done) struct sweep sweep = {0};
	const char *why = parse_sweep(ctl->sweep, &sweep);
	struct row rows[VALUES_MAX + 1];
	int status;

	if (why) {
		ctl_fail("--sweep: %s", why);
		return EXIT_USAGE;
	}
	if (strcmp(ctl->argument, "-") == 0) {
		ctl_fail("--sweep reads a trace several times: not from standard input");
		return EXIT_USAGE;
	}
	for (size_t i = 0; i <= sweep.n; i++) {
		status = run_value(ctl, &sweep, i == 0 ? NULL : sweep.values[i - 1], &rows[i]);
		if (status != EXIT_SUCCESS)
			return status;
	}
	if (ctl->json)
		return print_json(rows, sweep.n + 1) < 0 ? ctl_fail("out of memory") : EXIT_SUCCESS;
	printf("%-16s %8s %8s %8s %8s %8s\n", sweep.key, "agings", "writes", "asked", "freed",
	       "refaults");
	for (size_t i = 0; i <= sweep.n; i++)
		print_row(&rows[i]);
	puts("freed and refaults but for the first row are estimated in proportion to what was "
	     "recorded");
	return EXIT_SUCCESS;
}
