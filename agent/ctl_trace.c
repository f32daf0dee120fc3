/* SPDX-License-Identifier: MIT */
/*
 * What the verbs of fgreclaimctl that read a trace share.
 */
#include "ctl_trace.h"
#include "arith.h"
#include "array.h"

#include <errno.h>
#include <string.h>

bool ctl_trace_open(struct trace_reader *ret, const struct ctl *ctl)
{
	bool is_stdin = strcmp(ctl->argument, "-") == 0;

	*ret = (struct trace_reader){
		.name = is_stdin ? "standard input" : ctl->argument,
		.file = is_stdin ? stdin : fopen(ctl->argument, "re"),
	};
	if (!ret->file)
		ctl_fail("%s: %s", ctl->argument, strerror(errno));
	return ret->file != NULL;
}

void ctl_trace_close(struct trace_reader *reader)
{
	if (reader->file && reader->file != stdin)
		fclose(reader->file);
	trace_reader_done(reader);
}

int ctl_trace_read(const struct ctl *ctl, int (*each)(struct trace_reader *reader, void *userdata),
		   void *userdata)
{
	_cleanup_(ctl_trace_close) struct trace_reader reader;
	bool first = true;
	int r;

	if (!ctl_trace_open(&reader, ctl))
		return EXIT_FAILURE;
	while ((r = trace_reader_next(&reader)) > 0) {
		if (first && reader.parse.header.part > 1)
			ctl_note("%s begins with part %ju: what was learnt before it is missing",
				 reader.name, (uintmax_t)reader.parse.header.part);
		first = false;
		r = each(&reader, userdata);
		if (r < 0)
			return ctl_fail("%s", strerror(-r));
	}
	return r < 0 ? ctl_fail("%s", reader.error) : EXIT_SUCCESS;
}

void trace_book_done(struct trace_book *book)
{
	for (size_t i = 0; i < book->n; i++) {
		free(book->entries[i]->path);
		free(book->entries[i]);
	}
	free(book->entries);
	free(book->by_index);
	*book = (struct trace_book){0};
}

static int add(struct trace_book *book, uint64_t id, const char *path)
{
	struct trace_entry *entry;

	if (array_reserve(book->entries, book->capacity, book->n + 1) < 0)
		return -ENOMEM;
	entry = calloc(1, sizeof(*entry));
	if (!entry)
		return -ENOMEM;
	entry->id = id;
	entry->path = strdup(path);
	if (!entry->path) {
		free(entry);
		return -ENOMEM;
	}
	book->entries[book->n++] = entry;
	return 0;
}

int trace_book_follow(struct trace_book *book, const struct trace_reader *reader)
{
	const struct trace_frame *frame = &reader->parse.frame;
	size_t next = 0;

	if (!reader->parse.ids_changed)
		return 0;
	if (array_reserve(book->by_index, book->by_index_capacity, frame->snapshot.n_memcgs) < 0)
		return -ENOMEM;
	for (size_t i = 0; i < frame->snapshot.n_memcgs; i++) {
		size_t left = book->n, id = frame->memcgs[i].id;

		for (; left > 0; left--, next++) {
			next = next >= book->n ? 0 : next;
			if (book->entries[next]->id == id)
				break;
		}
		if (left == 0) {
			next = book->n;
			if (add(book, id, frame->paths[i]) < 0)
				return -ENOMEM;
		}
		book->by_index[i] = next++;
	}
	return 0;
}

void trace_book_add(struct trace_book *book, const struct plan *plan, bool other)
{
	for (size_t i = 0; i < plan->n_decisions; i++) {
		const struct decision *decision = &plan->decisions[i];
		struct trace_entry *entry = book->entries[book->by_index[decision->memcg]];
		struct trace_moves *moves = other ? &entry->other : &entry->recorded;

		if (decision->action == ACTION_AGE) {
			moves->agings++;
			continue;
		}
		moves->writes++;
		moves->asked_bytes = saturating_add(moves->asked_bytes, decision->bytes);
	}
}
