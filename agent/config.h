/* SPDX-License-Identifier: MIT */
/*
 * The agent's configuration: what the files say, checked as a whole before anything of it counts.
 *
 * A struct config is a plain value on the heap, owned by whoever loaded it. Loading never changes a
 * former configuration: a bad file leaves the caller with the old one and a message.
 */
#ifndef FGRECLAIM_CONFIG_H
#define FGRECLAIM_CONFIG_H

#include "hours.h"
#include "params.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

/* EX_CONFIG of sysexits(3): the exit code for a bad configuration. */
#define EXIT_CONFIGURATION 78

/* Whether the kernel has frequency-guided promotion: found out, or said. */
enum fast_path {
	FAST_PATH_AUTO,
	FAST_PATH_YES,
	FAST_PATH_NO,
	_FAST_PATH_MAX,
};
const char *fast_path_to_string(enum fast_path choice);

/* Who carries writes out: io_uring where it is not refused, or the one that is named and no other. */
enum ring_choice {
	RING_AUTO,
	RING_IO_URING,
	RING_THREADS,
	_RING_CHOICE_MAX,
};
const char *ring_choice_to_string(enum ring_choice choice);

/* One Match= line, see cgroup_match.h, and where it was written, for explanations. */
struct config_match {
	char *pattern;
	char *origin; /* "FILE:LINE" */
	int32_t class_index;
};

/* Longest path of Textfile=: what a line holds. */
#define CONFIG_TEXTFILE_MAX 192

struct config {
	uint64_t interval_usec;
	uint64_t write_deadline_usec;
	bool dry_run;
	enum fast_path fast_path;
	enum ring_choice ring;
	char textfile[CONFIG_TEXTFILE_MAX]; /* empty: no metrics are written */
	uint32_t top_memcgs;                /* with metrics of their own */
	struct policy_params policy;
	struct hours hours[CLASSES_MAX]; /* of the classes of policy */
	struct config_match *matches;    /* in the order in which they count: first fit wins */
	size_t n_matches;
};

/* The message of the first fault: "FILE:LINE: KEY: what is wrong". */
struct config_error {
	char text[512];
};

/*
 * Loads the configuration into a new struct config.
 *
 * root: "" or "/" for the host, else a directory that stands before the standard places ("--root").
 * path: NULL for the standard places, else this one file and no drop-ins, taken as it is: root does
 * not stand before it.
 *
 * Standard places: the first fgreclaimd.conf found in /etc/fgreclaim, /run/fgreclaim,
 * /usr/local/lib/fgreclaim, /usr/lib/fgreclaim, and then all *.conf in fgreclaimd.conf.d of these
 * directories in the order of their file names; of two with the same name the former directory's
 * counts, and a link to /dev/null or an empty file masks. None at all is the default
 * configuration. When no file defines a class, one class "default" that fits all stands in.
 *
 * Returns 0, -EINVAL (bad content, *error says where), -ENOENT (path was given and is not there),
 * -ENOMEM or another error of reading; *error is filled in each of these cases.
 */
int config_load(const char *root, const char *path, struct config **ret,
		struct config_error *error);

struct config *config_free(struct config *config);

/* Writes the effective configuration as a configuration file, each Match= with its origin. */
void config_dump(const struct config *config, FILE *f);

/*
 * Which class a cgroup belongs to: index into policy.classes, or -1. *ret_match, unless NULL, is
 * the line that decided, or NULL. The patterns: cgroup_match.h.
 */
int32_t config_classify(const struct config *config, const char *cgroup_path,
			const struct config_match **ret_match);

/* The class of this name, or -1. */
int32_t config_find_class(const struct config *config, const char *name);

/* Bit I for the class of index I whose Hours= do not hold at what the wall clock shows. */
_Static_assert(CLASSES_MAX <= 64, "a bit for each class");
uint64_t config_closed_classes(const struct config *config, const struct tm *shown);

#endif
