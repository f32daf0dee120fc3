/* SPDX-License-Identifier: MIT */
/*
 * The fields of a snapshot as a trace has them: one table for each kind of row, by which rows are
 * written and read. A header names the fields, rows name them by their number there, so that a trace
 * stays readable when fields are added or change places.
 */
#ifndef FGRECLAIM_TRACE_FIELD_H
#define FGRECLAIM_TRACE_FIELD_H

#include "sample.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum trace_rows {
	TRACE_HEAD,   /* of struct snapshot itself */
	TRACE_SYSTEM, /* struct system_sample */
	TRACE_MEMCG,  /* struct memcg_sample; ids are elsewhere */
	TRACE_LRUVEC, /* struct lruvec_sample */
	TRACE_TIERS,  /* struct lruvec_tiers */
	_TRACE_ROWS_MAX,
};

/* What grows as the clock does is written as the moment that it counts from. */
enum trace_clock {
	TRACE_PLAIN,
	TRACE_SINCE_USEC,
	TRACE_SINCE_MSEC,
};

struct trace_field {
	const char *name;
	uint16_t offset;
	uint8_t size; /* 1: bool, 4 or 8 */
	uint8_t clock;
};

struct trace_table {
	const char *name;
	const struct trace_field *fields;
	size_t n_fields;
	size_t row_bytes; /* of the struct */
};

#define TRACE_FIELDS_MAX 80

extern const struct trace_table trace_tables[_TRACE_ROWS_MAX];

/* The number that stands for a field in a trace, at now_usec of its snapshot. */
uint64_t trace_field_get(const struct trace_field *field, const void *row, uint64_t now_usec);

/* The reverse. False: no value of this field. */
bool trace_field_set(const struct trace_field *field, void *row, uint64_t now_usec,
		     uint64_t number);

#endif
