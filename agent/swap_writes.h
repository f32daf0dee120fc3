/* SPDX-License-Identifier: MIT */
/*
 * WriteBudget= over restarts: what was written to swap on a disk, in a small file below the
 * service's state directory.
 */
#ifndef FGRECLAIM_SWAP_WRITES_H
#define FGRECLAIM_SWAP_WRITES_H

#include "swap_budget.h"

#include <stdbool.h>

struct swap_writes {
	struct swap_budget budget;
	uint64_t total_bytes; /* that were booked */
	const char *folder;   /* NULL: kept in memory alone */
	bool changed;         /* since it was saved */
	bool failed;          /* to save it, which was said */
	uint64_t saved_usec;
};

/* folder: where the file is, or NULL; has to stay. A file that is damaged, or of a version that is
 * not known here, counts as none and is said; it is replaced by the next save. */
void swap_writes_open(struct swap_writes *ret, const char *folder);

/* Books what was written. Returns what was in the last 24 hours, and up to an hour before. */
uint64_t swap_writes_book(struct swap_writes *writes, uint64_t bytes);

/* The same by a running total. */
uint64_t swap_writes_follow(struct swap_writes *writes, uint64_t total_bytes);

/* Saves what is new, as one file in place of the other: once a minute at most, or at_end. A crash
 * loses what is newer; a failure to save is said once. */
void swap_writes_save(struct swap_writes *writes, bool at_end);

#endif
