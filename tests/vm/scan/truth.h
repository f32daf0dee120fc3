/* SPDX-License-Identifier: MIT */
/*
 * What each test cgroup really holds, by cgroup id, in a file that churn writes and scan-check reads
 * while both run: an open hash of fixed size, in which nothing is ever deleted.
 */
#ifndef FGRECLAIM_TEST_TRUTH_H
#define FGRECLAIM_TEST_TRUTH_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

struct truth {
	_Atomic uint64_t id; /* 0: free */
	/* Final once the cgroup is charged, and an upper bound at any time. */
	uint32_t anon_pages;
	uint32_t file_pages;
	/* CLOCK_MONOTONIC, 0: not yet. Between the two it holds exactly those pages. */
	_Atomic uint64_t charged_usec;
	_Atomic uint64_t leaving_usec;
};

struct truth_table;

/* Maps the file; a writer makes it anew. Ends the program on failure. */
struct truth_table *truth_open(const char *path, bool writer);

/* The entry of a cgroup, or NULL. */
struct truth *truth_find(struct truth_table *table, uint64_t id);

/* A new one, by the writer only. */
struct truth *truth_add(struct truth_table *table, uint64_t id, uint32_t anon_pages,
			uint32_t file_pages);

#endif
