/* SPDX-License-Identifier: MIT */
/*
 * memory.low of one cgroup: what it is, what Protect=auto would have it be, and who may write it.
 *
 * Only one process writes to a cgroup, and systemd is it for every unit's own cgroup; below a unit with
 * Delegate= whoever it was delegated to (https://systemd.io/CGROUP_DELEGATION).
 */
#ifndef FGRECLAIM_LOW_H
#define FGRECLAIM_LOW_H

#include "memcg.h"
#include "unit_name.h"

enum low_writer {
	LOW_WRITER_NONE, /* another manager, a user's or one in a container, or systemd for itself */
	LOW_WRITER_SELF,    /* its memory.low is written directly */
	LOW_WRITER_SYSTEMD, /* the host's, of a unit */
};

/* has_systemd: the host runs on it. ret_unit gets the name of a unit of the host's systemd, or "". */
enum low_writer low_writer_of(const struct memcg *memcg, bool has_systemd,
			      char ret_unit[static UNIT_NAME_LEN_MAX + 1]);

/* What the kernel has now, read anew; SAMPLE_UNKNOWN: not to be read. */
uint64_t low_read(const struct memcg *memcg);

/* SAMPLE_INFINITY is "max". 0 or -errno. */
int low_write(const struct memcg *memcg, uint64_t bytes);

/* Whether it is to be protected beyond what it was given by others. */
bool low_is_wanted(const struct memcg *memcg);

/* What memory.low is to be if so: never below what it was given, and in whole pages, as the kernel
 * keeps it. */
uint64_t low_wanted(const struct memcg *memcg, uint64_t original_bytes);

/* Says that somebody else has set it meanwhile. name: of the cgroup or unit. */
void low_say_foreign(const char *name, uint64_t ours_bytes, uint64_t now_bytes);

#endif
