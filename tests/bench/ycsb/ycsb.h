/* SPDX-License-Identifier: MIT */
/*
 * What the driver of the YCSB bench is made of: the database (store.c), the results (result.c), and
 * the clients and their life (driver.c). Times are microseconds.
 */
#ifndef FGYCSB_YCSB_H
#define FGYCSB_YCSB_H

#include <stdint.h>

#include <wiredtiger.h>

/* A record of YCSB: ten fields of 100 bytes. */
#define YCSB_FIELDS       10
#define YCSB_FIELD_BYTES  100
#define YCSB_RECORD_BYTES (YCSB_FIELDS * YCSB_FIELD_BYTES)

/* Opens the database in directory home, as mongod does by default but for the size of WiredTiger's
 * cache, which leaves out what a server has beside records; it is made when it is not there. Exits
 * on failure, as all here do. */
WT_CONNECTION *store_open(const char *home, uint64_t cache_mib);

/* Exits with what WiredTiger says to it when result is not 0. */
void store_check(int result, const char *what);

/* Fills a new database with records 1 to n, in this order, and makes a checkpoint. */
void store_load(WT_CONNECTION *connection, uint64_t n);

/* A cursor on the records, in a session of its own: one for each thread. */
WT_CURSOR *store_cursor(WT_CONNECTION *connection);

/* Reads record key; every byte of it is looked at. */
void store_read(WT_CURSOR *cursor, uint64_t key);

/* Replaces one field of record key in a transaction, again after a conflict. */
void store_update(WT_CURSOR *cursor, uint64_t key, uint64_t *random);

/* Pages that WiredTiger has read into its cache since it was opened, each a read of the file. */
uint64_t store_pages_read(WT_CONNECTION *connection);

/* Latencies of a stretch of time, merged from all clients. */
struct ycsb_result;

/* Intervals of so many microseconds; the clients add from threads of their own. */
struct ycsb_result *result_new(uint64_t interval_usec);

void result_add_read(struct ycsb_result *result, uint64_t usec);
void result_add_update(struct ycsb_result *result, uint64_t usec);

/* To be called now and then: ends an interval when its time is over. */
void result_tick(struct ycsb_result *result, uint64_t now_usec);

/* What was added so far becomes the warm-up: it stays in the list of intervals only. */
void result_begin(struct ycsb_result *result, uint64_t now_usec, uint64_t pages_read);

/* As JSON to the file at path, NULL: to standard output. */
void result_write(struct ycsb_result *result, const char *path, uint64_t now_usec,
		  uint64_t pages_read);

#endif
