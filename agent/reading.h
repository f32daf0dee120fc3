/* SPDX-License-Identifier: MIT */
/*
 * One reading of the host's files: a job that any thread can do.
 *
 * Reads and nothing else. The kernel may take seconds over a file (memory.stat adds up the counters
 * of all processors and of dying cgroups below), so this runs beside the event loop. What it needs
 * is in the job: while it runs, the memcgs' fds and the text of lru_gen are its own, and nobody else
 * touches the rest of the job. What was read is judged elsewhere: sampler.c.
 */
#ifndef FGRECLAIM_READING_H
#define FGRECLAIM_READING_H

#include "file.h"
#include "kparse.h"
#include "lru_gen.h"
#include "memcg.h"

#include <stdatomic.h>

/* The dear files of one memcg. */
struct counters_reading {
	bool cpu_stat;       /* cpu.stat is wanted */
	uint64_t idle_bytes; /* not wanted of one without a process that holds still just so much */
	uint64_t cpu_usec;   /* that reading them took, 0: they were not */
};

struct reading {
	const char *root;
	struct lru_gen *lru_gen; /* NULL: not to be read */
	struct memcg **memcgs;
	struct memcg_sample *samples; /* of the memcgs, in their order; skipped: leave the counters */
	struct counters_reading *counters; /* likewise */
	size_t n_memcgs, capacity;
	bool wants_full;  /* lru_gen_full is to be read, too */
	bool wants_zswap; /* so are the files memory.zswap.*: of whoever runs passes */

	ssize_t listing_len; /* of lru_gen->text, or -errno */
	struct lru_gen full; /* lru_gen_full, opened when first wanted */
	ssize_t full_len;    /* of full.text, or -errno; 0: not read */
	uint64_t full_cpu_usec;
	struct meminfo meminfo;
	uint64_t took_usec; /* from its begin to its end, CLOCK_MONOTONIC */
	uint64_t cpu_usec;  /* of the thread */

	struct kept_file meminfo_file;
	atomic_size_t at; /* what is being read; see reading_where() */
};

void reading_init(struct reading *ret, const char *root);
void reading_done(struct reading *reading);

/* Room for n memcgs. Errors: -ENOMEM. */
int reading_reserve(struct reading *reading, size_t n);

/* The job. Files are read into the samples, whose other fields are left alone; values that cannot be
 * read are unknown. Counters that were not wanted after all make a sample skipped. */
void reading_run(struct reading *reading);

/* From another thread: names the file that is being read, for people. */
void reading_where(struct reading *reading, char *buf, size_t size);

#endif
