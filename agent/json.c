/* SPDX-License-Identifier: MIT */
/*
 * JSON, written as it is made. The only file that meets jansson.
 *
 * The whole and its members are written as text at once; what is inside of those, one row of a list
 * or so, is built as a tree by jansson and written when it ends. So thousands of cgroups, each with
 * generations and tiers, need no more memory than one.
 */
#include "json.h"
#include "escape.h"
#include "macro.h"

#include <errno.h>
#include <jansson.h>
#include <string.h>

/* Containers written as text: the whole, and its members. */
#define TEXT_DEPTH 2

#define DEPTH_MAX 16

/* ASCII: what is read on a terminal must not hold its commands, of which UTF-8 has some too. */
#define DUMP_FLAGS (JSON_COMPACT | JSON_ENCODE_ANY | JSON_ENSURE_ASCII | JSON_REAL_PRECISION(15))

struct json_writer {
	FILE *file;
	unsigned depth; /* containers open */
	bool any;       /* something has been written in the innermost one written as text */
	char closing[TEXT_DEPTH];
	json_t *open[DEPTH_MAX]; /* from TEXT_DEPTH on; the first owns the others */
	int error;
};

int json_writer_new(FILE *file, struct json_writer **ret)
{
	struct json_writer *writer = calloc(1, sizeof(*writer));

	if (!writer)
		return -ENOMEM;
	writer->file = file;
	*ret = writer;
	return 0;
}

struct json_writer *json_writer_free(struct json_writer *writer)
{
	if (!writer)
		return NULL;
	if (writer->depth > TEXT_DEPTH)
		json_decref(writer->open[TEXT_DEPTH]);
	free(writer);
	return NULL;
}

static void set_error(struct json_writer *writer, int error)
{
	if (writer->error == 0)
		writer->error = error;
}

int json_writer_finish(struct json_writer *writer)
{
	if (writer->depth > 0)
		set_error(writer, -EINVAL);
	fputc('\n', writer->file);
	return writer->error;
}

/* What stands before a value that is written as text: each row of a list on a line of its own. */
static void write_lead(struct json_writer *writer, const char *key)
{
	if (writer->any)
		fputc(',', writer->file);
	if (writer->depth == TEXT_DEPTH)
		fputc('\n', writer->file);
	if (key)
		fprintf(writer->file, "\"%s\":", key);
	writer->any = true;
}

/* Takes over value; NULL: there was no memory for it. */
static void put(struct json_writer *writer, const char *key, json_t *value)
{
	json_t *parent;
	int r;

	if (!value)
		set_error(writer, -ENOMEM);
	if (writer->error < 0) {
		json_decref(value);
		return;
	}
	if (writer->depth <= TEXT_DEPTH) {
		write_lead(writer, key);
		r = json_dumpf(value, writer->file, DUMP_FLAGS);
		json_decref(value);
		if (r < 0 && !ferror(writer->file))
			set_error(writer, -ENOMEM);
		return;
	}
	parent = writer->open[writer->depth - 1];
	r = key ? json_object_set_new(parent, key, value) : json_array_append_new(parent, value);
	if (r < 0)
		set_error(writer, -ENOMEM);
}

static void begin(struct json_writer *writer, const char *key, bool array)
{
	json_t *container;

	if (writer->depth == DEPTH_MAX)
		set_error(writer, -EINVAL);
	if (writer->error < 0)
		return;
	if (writer->depth < TEXT_DEPTH) {
		write_lead(writer, key);
		fputc(array ? '[' : '{', writer->file);
		writer->closing[writer->depth++] = array ? ']' : '}';
		writer->any = false;
		return;
	}
	container = array ? json_array() : json_object();
	if (!container || writer->depth > TEXT_DEPTH)
		put(writer, key, container);
	if (writer->error == 0)
		writer->open[writer->depth++] = container;
}

void json_begin_object(struct json_writer *writer, const char *key)
{
	begin(writer, key, false);
}

void json_begin_array(struct json_writer *writer, const char *key)
{
	begin(writer, key, true);
}

void json_end(struct json_writer *writer)
{
	if (writer->depth == 0)
		set_error(writer, -EINVAL);
	if (writer->error < 0)
		return;
	writer->depth--;
	if (writer->depth == TEXT_DEPTH)
		put(writer, NULL, writer->open[TEXT_DEPTH]);
	if (writer->depth >= TEXT_DEPTH)
		return;
	if (writer->any && writer->depth == TEXT_DEPTH - 1)
		fputc('\n', writer->file);
	fputc(writer->closing[writer->depth], writer->file);
	writer->any = true;
}

void json_put_u64(struct json_writer *writer, const char *key, uint64_t value)
{
	put(writer, key, value <= INT64_MAX ? json_integer((json_int_t)value) : json_null());
}

void json_put_milli(struct json_writer *writer, const char *key, uint64_t value)
{
	put(writer, key, value <= INT64_MAX ? json_real((double)value / 1000) : json_null());
}

void json_put_bool(struct json_writer *writer, const char *key, bool value)
{
	put(writer, key, json_boolean(value));
}

void json_put_null(struct json_writer *writer, const char *key)
{
	put(writer, key, json_null());
}

void json_put_text(struct json_writer *writer, const char *key, const char *text)
{
	if (text)
		json_put_bytes(writer, key, text, strlen(text));
	else
		json_put_null(writer, key);
}

void json_put_bytes(struct json_writer *writer, const char *key, const char *bytes, size_t len)
{
	_cleanup_free_ char *text = escape_text(bytes, len, false);

	put(writer, key, text ? json_string(text) : NULL);
}
