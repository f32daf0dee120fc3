/* SPDX-License-Identifier: MIT */
#include "items.h"

#include <err.h>
#include <stddef.h>

static void must(sqlite3 *db, int rc, int expected, const char *what)
{
	if (rc != expected)
		errx(1, "%s: %s", what, sqlite3_errmsg(db));
}

static sqlite3_stmt *prepare(sqlite3 *db, const char *sql)
{
	sqlite3_stmt *statement;

	must(db, sqlite3_prepare_v2(db, sql, -1, &statement, NULL), SQLITE_OK, sql);
	return statement;
}

void items_open(struct items *ret, const char *path)
{
	sqlite3_stmt *last;
	int rc = sqlite3_open_v2(path, &ret->db, SQLITE_OPEN_READONLY, NULL);

	must(ret->db, rc, SQLITE_OK, path);
	must(ret->db,
	     sqlite3_exec(ret->db, "PRAGMA mmap_size = 0; PRAGMA cache_size = -1024", NULL, NULL,
			  NULL),
	     SQLITE_OK, "pragma");
	last = prepare(ret->db, "SELECT max(id) FROM item");
	must(ret->db, sqlite3_step(last), SQLITE_ROW, "max(id)");
	ret->n = (uint64_t)sqlite3_column_int64(last, 0);
	sqlite3_finalize(last);
	if (!ret->n)
		errx(1, "%s: no items", path);
	ret->by_key = prepare(ret->db, "SELECT body FROM item WHERE id = ?");
}

void items_look_up(struct items *items, uint64_t key)
{
	sqlite3_bind_int64(items->by_key, 1, (sqlite3_int64)key);
	must(items->db, sqlite3_step(items->by_key), SQLITE_ROW, "look-up");
	if (sqlite3_column_bytes(items->by_key, 0) == 0)
		errx(1, "item %llu is empty", (unsigned long long)key);
	sqlite3_reset(items->by_key);
}

void items_close(struct items *items)
{
	sqlite3_finalize(items->by_key);
	sqlite3_close(items->db);
}
