/* SPDX-License-Identifier: MIT */
/*
 * What memory.low was before we set it, in a file that outlives us: written before the first change,
 * found by the next start after a crash.
 */
#ifndef FGRECLAIM_PROTECT_JOURNAL_H
#define FGRECLAIM_PROTECT_JOURNAL_H

#include <stddef.h>
#include <stdint.h>

/* One cgroup. Bytes are as in struct memcg_sample: SAMPLE_INFINITY is "max". */
struct protect_entry {
	uint64_t id; /* of the cgroup: its path may be another's by now */
	uint64_t original_bytes;
	uint64_t former_bytes; /* what we had set before, ... */
	uint64_t next_bytes;   /* ... and what we were about to set: the file has one of the two */
	char *path;
};

struct protect_journal {
	struct protect_entry *entries;
	size_t n, capacity;
};

void protect_journal_done(struct protect_journal *journal);

/* Appends an entry; path is copied. Errors: -ENOMEM. */
int protect_journal_add(struct protect_journal *journal, const struct protect_entry *entry);

/* Puts the file in place as a whole, or removes it when there is no entry. Errors: those of writing;
 * then the former file is in place still. */
int protect_journal_write(const char *path, const struct protect_journal *journal);

/* Reads it. Returns 0, and nothing where there is no file; -EBADMSG: not a whole file of a version
 * that is understood; others of reading. *ret is touched on success only. */
int protect_journal_read(const char *path, struct protect_journal *ret);

#endif
