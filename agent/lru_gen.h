/* SPDX-License-Identifier: MIT */
/*
 * The door to MGLRU in debugfs: listings as text, commands as text. Who is behind an id is the
 * sampler's business, when a command is due the policy's.
 */
#ifndef FGRECLAIM_LRU_GEN_H
#define FGRECLAIM_LRU_GEN_H

#include "plan.h"

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

struct lru_gen {
	int read_fd;                 /* lru_gen, -1: not readable */
	int write_fd;                /* lru_gen, -1: not writable */
	int read_error, write_error; /* why, as -errno */
	bool full_readable;          /* lru_gen_full */
	bool live;                   /* the kernel's, not a file of a fixture tree */
	bool asked;                  /* which words it takes: lru_gen_probe.h */
	bool takes_max;              /* swappiness "max": anon and nothing else */
	unsigned n_readings;
	char *text;
	size_t capacity;
};

/* Opens what is there below ROOT/sys/kernel/debug. Never fails: what is missing is said in *ret. */
void lru_gen_open(struct lru_gen *ret, const char *root);
void lru_gen_close(struct lru_gen *lru_gen);

/* Follows debugfs as it is mounted and unmounted: opens what is missing, and lets go of files that
 * are no longer to be found, which would keep the file system alive. No write to it may be under
 * way. */
void lru_gen_refresh(struct lru_gen *lru_gen, const char *root);

/* Reads the whole listing into lru_gen->text. Length or -errno. One read(2) gives a page at most
 * and the kernel walks all memcgs again for each, so that many memcgs cost more than their number.
 * A node line that may be another memcg's than those before it is made unreadable (lru_gen.c). */
ssize_t lru_gen_read(struct lru_gen *lru_gen);

/* The same of lru_gen_full below root, which is opened for that alone: a file that is kept open would
 * keep debugfs when that is unmounted. It is dear: a page of it holds but one memcg or two. lru_gen is
 * one for this alone, with read_fd and write_fd -1, and closed by lru_gen_close(). */
ssize_t lru_gen_read_full(struct lru_gen *lru_gen, const char *root);

/* Writes the command for an ACTION_AGE or ACTION_EVICT into buf, in the words that this kernel takes.
 * pages: for ACTION_EVICT. Returns its length; buf of RING_TEXT_MAX bytes always suffices. */
size_t lru_gen_format(const struct lru_gen *lru_gen, const struct decision *decision,
		      uint64_t listing_id, uint64_t pages, char *buf, size_t size);

#endif
