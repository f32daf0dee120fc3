/* SPDX-License-Identifier: MIT */
/*
 * fgreclaimctl replay: plans a trace again, as it was recorded or by another configuration, and says
 * where the plans differ.
 */
#include "ctl_replay.h"
#include "array.h"
#include "ctl_trace.h"
#include "explain.h"
#include "json.h"

#include <inttypes.h>
#include <string.h>

struct run {
	struct replay recorded, other;
	bool has_other;
	struct trace_book book;
	uint64_t ticks, unlike_recorded, unlike_line; /* the latter: of the first of them */
	uint64_t ticks_differ;
	uint64_t first_usec, last_usec;
};

static void run_done(struct run *run)
{
	replay_done(&run->recorded);
	replay_done(&run->other);
	trace_book_done(&run->book);
}

static void note_class(char *to, const struct config *config, int32_t index)
{
	snprintf(to, CLASS_NAME_MAX + 1, "%s",
		 index < 0 ? "-" : config->policy.classes[index].name);
}

static bool is_same(const struct verdict *a, const struct verdict *b)
{
	return a->action == b->action && a->reason == b->reason && a->bytes == b->bytes;
}

static void note_change(struct trace_entry *entry, const struct verdict *from,
			const struct verdict *to, uint64_t at_usec)
{
	struct trace_change *change;
	size_t i = 0;

	while (i < entry->n_changes &&
	       (entry->changes[i].from != from->reason || entry->changes[i].to != to->reason))
		i++;
	if (i == TRACE_CHANGES_MAX)
		return;
	change = &entry->changes[i];
	if (i == entry->n_changes) {
		entry->n_changes++;
		*change = (struct trace_change){
			.from = from->reason,
			.to = to->reason,
			.at_usec = at_usec,
			.verdict_from = *from,
			.verdict_to = *to,
		};
	}
	change->ticks++;
}

static void compare(struct run *run, const struct trace_reader *reader)
{
	bool differ = false;

	for (size_t i = 0; i < run->recorded.n; i++) {
		const struct verdict *from = &run->recorded.states[i].verdict;
		const struct verdict *to = &run->other.states[i].verdict;
		struct trace_entry *entry = run->book.entries[run->book.by_index[i]];

		note_class(entry->class_recorded, reader->config,
			   run->recorded.memcgs[i].class_index);
		note_class(entry->class_other, run->other.config, run->other.memcgs[i].class_index);
		entry->ticks++;
		if (is_same(from, to))
			continue;
		differ = true;
		entry->ticks_differ++;
		note_change(entry, from, to, run->last_usec - run->first_usec);
	}
	run->ticks_differ += differ;
}

static int each(struct trace_reader *reader, void *userdata)
{
	struct run *run = userdata;
	int r = replay_tick(&run->recorded, reader);

	if (r == 0 && run->has_other)
		r = replay_tick(&run->other, reader);
	if (r == 0)
		r = trace_book_follow(&run->book, reader);
	if (r < 0)
		return r;
	run->last_usec = reader->parse.frame.snapshot.now_usec;
	if (run->ticks++ == 0)
		run->first_usec = run->last_usec;
	if (!replay_is_as_recorded(&run->recorded, reader) && run->unlike_recorded++ == 0)
		run->unlike_line = reader->line;
	trace_book_add(&run->book, &run->recorded.plan, false);
	if (!run->has_other)
		return 0;
	trace_book_add(&run->book, &run->other.plan, true);
	compare(run, reader);
	return 0;
}

static void sum_up(const struct run *run, bool other, struct trace_moves *ret)
{
	*ret = (struct trace_moves){0};
	for (size_t i = 0; i < run->book.n; i++) {
		const struct trace_entry *entry = run->book.entries[i];
		const struct trace_moves *moves = other ? &entry->other : &entry->recorded;

		ret->agings += moves->agings;
		ret->writes += moves->writes;
		ret->asked_bytes += moves->asked_bytes;
	}
}

static void print_moves(const char *name, const struct trace_moves *moves)
{
	char bytes[BYTES_TEXT_MAX];

	printf("%s: %" PRIu64 " agings, %" PRIu64 " writes for %s\n", name, moves->agings,
	       moves->writes, explain_bytes(moves->asked_bytes, bytes, sizeof(bytes)));
}

static void print_change(const struct trace_change *change)
{
	char from[256], to[256];

	explain_verdict(&change->verdict_from, from, sizeof(from));
	explain_verdict(&change->verdict_to, to, sizeof(to));
	printf("  %" PRIu64 " ticks, first at %.1fs: %s\n    now: %s\n", change->ticks,
	       (double)change->at_usec / 1e6, from, to);
}

static void print_entry(const struct trace_entry *entry)
{
	char from[BYTES_TEXT_MAX], to[BYTES_TEXT_MAX];

	if (entry->ticks_differ == 0)
		return;
	ctl_print_text(stdout, entry->path, strlen(entry->path));
	printf(": %" PRIu64 " of %" PRIu64 " ticks differ", entry->ticks_differ, entry->ticks);
	if (strcmp(entry->class_recorded, entry->class_other) != 0)
		printf("; class %s, not %s", entry->class_other, entry->class_recorded);
	printf("; agings %" PRIu64 " -> %" PRIu64 ", asked %s -> %s\n", entry->recorded.agings,
	       entry->other.agings, explain_bytes(entry->recorded.asked_bytes, from, sizeof(from)),
	       explain_bytes(entry->other.asked_bytes, to, sizeof(to)));
	for (size_t i = 0; i < entry->n_changes; i++)
		print_change(&entry->changes[i]);
}

static void print_text(const struct run *run)
{
	struct trace_moves moves;

	printf("%" PRIu64 " ticks over %.1fs, %zu cgroups\n", run->ticks,
	       (double)(run->last_usec - run->first_usec) / 1e6, run->book.n);
	sum_up(run, false, &moves);
	print_moves("recorded configuration", &moves);
	if (run->unlike_recorded == 0)
		puts("all plans are those that were recorded");
	else
		printf("%" PRIu64
		       " plans are not those that were recorded, the first in line %" PRIu64 "\n",
		       run->unlike_recorded, run->unlike_line);
	if (!run->has_other)
		return;
	sum_up(run, true, &moves);
	print_moves("other configuration", &moves);
	printf("%" PRIu64 " plans differ between the two; each is for what was recorded\n",
	       run->ticks_differ);
	for (size_t i = 0; i < run->book.n; i++)
		print_entry(run->book.entries[i]);
}

static void put_moves(struct json_writer *writer, const char *key, const struct trace_moves *moves)
{
	json_begin_object(writer, key);
	json_put_u64(writer, "agings", moves->agings);
	json_put_u64(writer, "writes", moves->writes);
	json_put_u64(writer, "asked_bytes", moves->asked_bytes);
	json_end(writer);
}

static void put_entry(struct json_writer *writer, const struct trace_entry *entry)
{
	json_begin_object(writer, NULL);
	json_put_text(writer, "path", entry->path);
	json_put_text(writer, "class_recorded", entry->class_recorded);
	json_put_text(writer, "class", entry->class_other);
	json_put_u64(writer, "ticks", entry->ticks);
	json_put_u64(writer, "ticks_differ", entry->ticks_differ);
	put_moves(writer, "recorded", &entry->recorded);
	put_moves(writer, "other", &entry->other);
	json_begin_array(writer, "changes");
	for (size_t i = 0; i < entry->n_changes; i++) {
		const struct trace_change *change = &entry->changes[i];

		json_begin_object(writer, NULL);
		json_put_text(writer, "from", reason_to_string(change->from));
		json_put_text(writer, "to", reason_to_string(change->to));
		json_put_u64(writer, "ticks", change->ticks);
		json_put_u64(writer, "first_ms", change->at_usec / 1000);
		json_end(writer);
	}
	json_end(writer);
	json_end(writer);
}

static int print_json(const struct run *run)
{
	struct json_writer *writer;
	int r = json_writer_new(stdout, &writer);

	if (r < 0)
		return r;
	json_begin_object(writer, NULL);
	json_put_u64(writer, "ticks", run->ticks);
	json_put_u64(writer, "ticks_unlike_recorded", run->unlike_recorded);
	json_put_u64(writer, "ticks_differ", run->ticks_differ);
	json_begin_array(writer, "cgroups");
	for (size_t i = 0; i < run->book.n; i++)
		if (run->book.entries[i]->ticks_differ > 0)
			put_entry(writer, run->book.entries[i]);
	json_end(writer);
	json_end(writer);
	r = json_writer_finish(writer);
	json_writer_free(writer);
	return r;
}

DEFINE_CLEANUP(struct config *, config_free)

int ctl_replay(const struct ctl *ctl)
{
	_cleanup_(config_free_ptr) struct config *config = NULL;
	_cleanup_(run_done) struct run run = {0};
	struct config_error error;
	int status;

	if (ctl->sweep)
		return ctl_sweep(ctl);
	if (ctl->config_path) {
		if (config_load("", ctl->config_path, &config, &error) < 0) {
			ctl_fail("%s", error.text);
			return EXIT_CONFIGURATION;
		}
		run.other.config = config;
		run.has_other = true;
	}
	status = ctl_trace_read(ctl, each, &run);
	if (status != EXIT_SUCCESS)
		return status;
	if (!ctl->json)
		print_text(&run);
	else if (print_json(&run) < 0)
		return ctl_fail("out of memory");
	return EXIT_SUCCESS;
}
