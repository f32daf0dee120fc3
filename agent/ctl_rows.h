/* SPDX-License-Identifier: MIT */
/*
 * fgreclaimctl: cgroups as rows, from the daemon or from a look of its own, and how they are shown.
 */
#ifndef FGRECLAIM_CTL_ROWS_H
#define FGRECLAIM_CTL_ROWS_H

#include "bus_client_ledger.h"
#include "ctl.h"
#include "json.h"

/* A list to be shown. */
struct ctl_rows {
	struct cgroup_rows rows;
	bool from_daemon;
	const char *capability; /* of this host, by a look of its own; NULL: not known */
	uint64_t dying;         /* removed cgroups that are not gone */
};

void ctl_rows_print(const struct ctl_rows *rows, bool why);

/* 0, or -errno: the output could not be made. */
int ctl_rows_print_json(const struct ctl_rows *rows);

/* "12.3", or "-" where it is not known, behind a space and right-aligned to 9 columns. */
void ctl_print_rate(uint64_t mpps);

/* A value as a member of an object, null when it is not known. */
void ctl_put_field(struct json_writer *writer, const struct field *field, const void *of);

/* What kept the daemon from answering, on standard error. what: that only root may do. Returns the exit
 * code. */
int ctl_bus_fail(const struct bus_client_error *error, const char *what);

/* --- colours: on a terminal, and never with NO_COLOR set */

enum ctl_colour {
	COLOUR_PLAIN,
	COLOUR_HEAD,
	COLOUR_ACTS, /* something is done */
	COLOUR_HELD, /* something is not */
	_COLOUR_MAX,
};

bool ctl_colours_wanted(void);

/* What begins a colour on standard output, or "". */
const char *ctl_colour(enum ctl_colour colour);

/* Of a row, by its decision. */
enum ctl_colour ctl_row_colour(const struct ledger_row *row);

#endif
