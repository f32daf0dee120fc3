/* SPDX-License-Identifier: MIT */
/*
 * The lines of a trace as JSON: headers made, lines of all kinds understood. A line is
 *   {"fgreclaim-trace":1,...}   a header: begins a file, or a part of a recording in it;
 *   {"config":"TEXT"}           the configuration from here on;
 *   {"t":USEC,...}              a tick, see trace_text.h.
 */
#ifndef FGRECLAIM_TRACE_H
#define FGRECLAIM_TRACE_H

#include "config.h"
#include "feature.h"
#include "plan.h"
#include "trace_text.h"

/* Of the format; a reader refuses every other. */
#define TRACE_VERSION 1
#define TRACE_MAGIC   "{\"fgreclaim-trace\":"

struct trace_header {
	uint64_t recording; /* a number of its own for each start of the agent */
	uint64_t part;      /* from 1: of the recording */
	bool hashed;        /* names stand for themselves only */
};

/* Put a line. config: as trace_config_text() has it. */
void trace_put_header(struct trace_text *text, const struct trace_header *header,
		      const char *config, const struct features *features);
void trace_put_config(struct trace_text *text, const char *config);

/* As config_dump() has it, without where it was written; without Match= too if names are hashed, since
 * patterns tell names. NULL: no memory. */
char *trace_config_text(const struct config *config, bool hashed);

/* Any bytes as a string of JSON in quotes, as escape_text() makes them text. NULL: no memory. */
char *trace_json_string(const char *bytes);

enum trace_line {
	TRACE_LINE_HEADER,
	TRACE_LINE_CONFIG,
	TRACE_LINE_TICK,
};

/* What lines make up, one after the other. All zeros at first. */
struct trace_parse {
	struct trace_header header;
	bool begun; /* there was a header */
	char *config;
	uint8_t map[_TRACE_ROWS_MAX][TRACE_FIELDS_MAX]; /* our number of each field of the header */
	size_t n_map[_TRACE_ROWS_MAX];
	struct trace_frame frame;
	/* Of the last tick: */
	bool ids_changed;
	uint32_t *rebase; /* memcgs whose history starts over */
	size_t n_rebase, rebase_capacity;
	struct plan
		plan; /* as recorded; a reason or action of no known name is the _MAX of its kind */
	size_t decisions_capacity;
	uint64_t verdicts;
	char why[160]; /* after an error */
};

/* The kind of the line, -EINVAL with parse->why, or -ENOMEM. A header empties the frame. */
int trace_parse(struct trace_parse *parse, const char *line, size_t len);
void trace_parse_done(struct trace_parse *parse);

#endif
