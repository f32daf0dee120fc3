/* SPDX-License-Identifier: MIT */
/*
 * What a running agent tells of itself. One table says how each field is called: on the bus, where it
 * is a property of org.fgreclaim1.Manager, and in JSON.
 */
#ifndef FGRECLAIM_STATUS_H
#define FGRECLAIM_STATUS_H

#include <stddef.h>
#include <stdint.h>

/* SAMPLE_UNKNOWN: not known. Strings are the owner's; NULL: not there. */
struct status {
	char *version;
	char *state; /* "starting": before the first look; "running"; "paused": the whole host */
	char *capability;
	int dry_run;                          /* as D-Bus has its booleans */
	char **paused;                        /* paths, as text; a NULL follows */
	uint64_t uptime_msec, look_age_msec;  /* since the start, and since the last look began */
	uint64_t looks;                       /* that were planned for */
	uint64_t memcgs, class_memcgs;        /* all; and leaves of a class */
	uint64_t held_memcgs, paused_memcgs;  /* of these leaves */
	uint64_t writes, failures, agings;    /* since the start, and so are all below */
	uint64_t asked_bytes, freed_bytes;    /* as measured */
	uint64_t returned_bytes, out_bytes;   /* of it: came back; is out still */
	uint64_t swap_cost_bytes, disk_bytes; /* zram and zswap took for it; swapped out to disks */
	uint64_t dry_run_bytes;               /* would have been asked for */
	uint64_t cpu_usec, rss_bytes;         /* of the process */
};

/* The types are D-Bus's: 's', 'b', 't' and 'a' for "as". */
struct status_field {
	const char *property, *key;
	char type;
	size_t offset;
};
#define STATUS_FIELDS_N 24
extern const struct status_field status_fields[STATUS_FIELDS_N];

/* Frees what it holds. */
void status_done(struct status *status);

#endif
