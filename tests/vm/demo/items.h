/* SPDX-License-Identifier: MIT */
/*
 * Look-ups by key in the database that make-data.py makes. SQLite reads by pread(2) through the page
 * cache (no mmap) with 1 MiB of its own cache, so nearly every look-up needs one page of the file in
 * memory. All exit on failure.
 */
#ifndef FGDEMO_ITEMS_H
#define FGDEMO_ITEMS_H

#include <sqlite3.h>
#include <stdint.h>

struct items {
	sqlite3 *db;
	sqlite3_stmt *by_key;
	uint64_t n; /* keys are 1 to n */
};

void items_open(struct items *ret, const char *path);
void items_close(struct items *items);

/* The key's value is there and not empty. */
void items_look_up(struct items *items, uint64_t key);

#endif
