/* SPDX-License-Identifier: MIT */
/* The records in WiredTiger 3.2, set up as mongod sets up a collection. */
#define _GNU_SOURCE
#include "ycsb.h"

#include <err.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "workload.h"

#define TABLE "table:usertable"

void store_check(int result, const char *what)
{
	if (result != 0)
		errx(1, "%s: %s", what, wiredtiger_strerror(result));
}

/* The log is written at once and synced by whoever calls log_flush(), mongod every 100 ms. */
WT_CONNECTION *store_open(const char *home, uint64_t cache_mib)
{
	WT_CONNECTION *connection;
	char config[512];

	if (mkdir(home, 0755) < 0 && errno != EEXIST)
		err(1, "%s", home);
	snprintf(config, sizeof(config),
		 "create,cache_size=%lluM,session_max=1000,eviction=(threads_min=4,threads_max=4),"
		 "config_base=false,statistics=(fast),extensions=[libwiredtiger_snappy.so],"
		 "log=(enabled=true,archive=true,compressor=snappy,file_max=16MB,prealloc=false),"
		 "checkpoint=(wait=60),transaction_sync=(enabled=false)",
		 (unsigned long long)cache_mib);
	store_check(wiredtiger_open(home, NULL, config, &connection), home);
	return connection;
}

static WT_SESSION *session_new(WT_CONNECTION *connection)
{
	WT_SESSION *session;

	store_check(connection->open_session(connection, NULL, "isolation=snapshot", &session),
		    "open_session");
	return session;
}

/* Half of it can be compressed, as documents of a usual kind can: their keys repeat. */
static void fill_field(char *field, uint64_t *random)
{
	const size_t half = YCSB_FIELD_BYTES / 2;

	memset(field, 'x', YCSB_FIELD_BYTES);
	for (size_t i = 0; i < half; i += 5) {
		uint64_t word = workload_random(random);

		memcpy(field + i, &word, 5);
	}
}

void store_load(WT_CONNECTION *connection, uint64_t n)
{
	WT_SESSION *session = session_new(connection);
	uint64_t random = 1;
	WT_CURSOR *cursor;

	store_check(session->create(session, TABLE,
				    "key_format=q,value_format=u,block_compressor=snappy,"
				    "allocation_size=4KB,internal_page_max=4KB,leaf_page_max=32KB,"
				    "memory_page_max=10m,split_pct=90"),
		    "create");
	store_check(session->open_cursor(session, TABLE, NULL, "bulk", &cursor), "bulk load");
	for (uint64_t key = 1; key <= n; key++) {
		char record[YCSB_RECORD_BYTES];
		WT_ITEM item = {.data = record, .size = sizeof(record)};

		for (size_t i = 0; i < YCSB_FIELDS; i++)
			fill_field(record + i * YCSB_FIELD_BYTES, &random);
		cursor->set_key(cursor, key);
		cursor->set_value(cursor, &item);
		store_check(cursor->insert(cursor), "insert");
	}
	store_check(cursor->close(cursor), "close");
	store_check(session->checkpoint(session, NULL), "checkpoint");
	store_check(session->close(session, NULL), "close");
}

WT_CURSOR *store_cursor(WT_CONNECTION *connection)
{
	WT_SESSION *session = session_new(connection);
	WT_CURSOR *cursor;

	store_check(session->open_cursor(session, TABLE, NULL, NULL, &cursor), "open_cursor");
	return cursor;
}

/* The record found, copied. 0, WT_ROLLBACK or another error. */
static int look_up(WT_CURSOR *cursor, uint64_t key, char record[static YCSB_RECORD_BYTES])
{
	WT_ITEM item;
	int result;

	cursor->set_key(cursor, key);
	result = cursor->search(cursor);
	if (result == 0)
		result = cursor->get_value(cursor, &item);
	if (result != 0)
		return result;
	if (item.size != YCSB_RECORD_BYTES)
		errx(1, "record %llu has %zu bytes", (unsigned long long)key, item.size);
	memcpy(record, item.data, YCSB_RECORD_BYTES);
	return 0;
}

void store_read(WT_CURSOR *cursor, uint64_t key)
{
	char record[YCSB_RECORD_BYTES];

	store_check(look_up(cursor, key, record), "search");
	store_check(cursor->reset(cursor), "reset");
}

static int try_update(WT_CURSOR *cursor, uint64_t key, uint64_t *random)
{
	char record[YCSB_RECORD_BYTES];
	WT_ITEM item = {.data = record, .size = sizeof(record)};
	int result = look_up(cursor, key, record);

	if (result != 0)
		return result;
	fill_field(record + workload_random(random) % YCSB_FIELDS * YCSB_FIELD_BYTES, random);
	cursor->set_value(cursor, &item);
	return cursor->update(cursor);
}

void store_update(WT_CURSOR *cursor, uint64_t key, uint64_t *random)
{
	WT_SESSION *session = cursor->session;

	for (;;) {
		int result;

		store_check(session->begin_transaction(session, NULL), "begin_transaction");
		result = try_update(cursor, key, random);
		if (result == 0)
			result = session->commit_transaction(session, NULL);
		else
			store_check(session->rollback_transaction(session, NULL), "rollback");
		if (result == 0)
			return;
		if (result != WT_ROLLBACK)
			store_check(result, "update");
	}
}

uint64_t store_pages_read(WT_CONNECTION *connection)
{
	WT_SESSION *session = session_new(connection);
	const char *description, *text;
	WT_CURSOR *cursor;
	int64_t value;

	store_check(
		session->open_cursor(session, "statistics:", NULL, "statistics=(fast)", &cursor),
		"statistics");
	cursor->set_key(cursor, WT_STAT_CONN_CACHE_READ);
	store_check(cursor->search(cursor), "statistics");
	store_check(cursor->get_value(cursor, &description, &text, &value), "statistics");
	store_check(session->close(session, NULL), "close");
	return (uint64_t)value;
}
