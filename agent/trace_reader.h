/* SPDX-License-Identifier: MIT */
/*
 * Reads a trace, tick by tick. What is hostile, damaged or cut off is refused, with the line.
 */
#ifndef FGRECLAIM_TRACE_READER_H
#define FGRECLAIM_TRACE_READER_H

#include "trace.h"

/* A line of a snapshot of every cgroup that a trace may have is shorter. */
#define TRACE_LINE_BYTES_MAX (64 << 20)

struct trace_reader {
	FILE *file; /* the caller's */
	const char *name;
	uint64_t line; /* number of the line read last, from 1 */
	char *text;
	size_t capacity;
	struct trace_parse parse;
	struct config *config; /* of the present tick */
	uint64_t n_configs;    /* that were loaded so far */
	char error[512];       /* "FILE:LINE: what is wrong" */
};

/* All zeros but file and name is a reader at the beginning. */
void trace_reader_done(struct trace_reader *reader);

/* 1: there is a tick, in reader->parse and reader->config; 0: the end. Otherwise reader->error is
 * filled in: -EINVAL, -ENOMEM or what reading gives. */
int trace_reader_next(struct trace_reader *reader);

/* Loads a configuration from text; *error as of config_load(). Errors: as there. */
int trace_config_load(const char *text, struct config **ret, struct config_error *error);

#endif
