/* SPDX-License-Identifier: MIT */
/*
 * The unit `hot`: a small database server reduced to what matters here. SQLite looks up random
 * keys over the whole database, by pread(2) through the page cache (no mmap, 1 MiB of its own
 * cache), so nearly every look-up needs one page of the file in memory. The loop is closed: think,
 * a burst of look-ups, think. A look-up that has to wait for the disk lowers the rate, as it would
 * with a real client.
 */
#define _GNU_SOURCE
#include <err.h>
#include <fcntl.h>
#include <getopt.h>
#include <sqlite3.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "histogram.h"
#include "workload.h"

struct hot {
	const char *database;
	const char *result;
	uint64_t burst;
	uint64_t think_usec;
	uint64_t seed;
};

/* Fills the page cache the cheap way, in file order. */
static void warm_up(const char *path)
{
	static char buffer[128 * 1024];
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t n;

	if (fd < 0)
		err(1, "%s", path);
	while ((n = read(fd, buffer, sizeof(buffer))) > 0)
		if (workload_should_stop())
			break;
	if (n < 0)
		err(1, "%s", path);
	close(fd);
}

static void sql_must(sqlite3 *db, int rc, int expected, const char *what)
{
	if (rc != expected)
		errx(1, "%s: %s", what, sqlite3_errmsg(db));
}

static sqlite3_stmt *database_open(const char *path, sqlite3 **ret_db, uint64_t *ret_keys)
{
	sqlite3_stmt *statement;
	sqlite3 *db;
	int rc;

	rc = sqlite3_open_v2(path, &db, SQLITE_OPEN_READONLY, NULL);
	sql_must(db, rc, SQLITE_OK, path);
	sql_must(db,
		 sqlite3_exec(db, "PRAGMA mmap_size = 0; PRAGMA cache_size = -1024", NULL, NULL,
			      NULL),
		 SQLITE_OK, "pragma");
	sql_must(db, sqlite3_prepare_v2(db, "SELECT max(id) FROM item", -1, &statement, NULL),
		 SQLITE_OK, "prepare");
	sql_must(db, sqlite3_step(statement), SQLITE_ROW, "max(id)");
	*ret_keys = (uint64_t)sqlite3_column_int64(statement, 0);
	sqlite3_finalize(statement);
	if (!*ret_keys)
		errx(1, "%s: no items", path);

	sql_must(db,
		 sqlite3_prepare_v2(db, "SELECT body FROM item WHERE id = ?", -1, &statement, NULL),
		 SQLITE_OK, "prepare");
	*ret_db = db;
	return statement;
}

static void look_up(sqlite3 *db, sqlite3_stmt *statement, uint64_t key)
{
	sqlite3_bind_int64(statement, 1, (sqlite3_int64)key);
	sql_must(db, sqlite3_step(statement), SQLITE_ROW, "look-up");
	if (sqlite3_column_bytes(statement, 0) == 0)
		errx(1, "item %llu is empty", (unsigned long long)key);
	sqlite3_reset(statement);
}

static void write_result(const struct hot *hot, const struct histogram *h, uint64_t usec)
{
	FILE *file = workload_result_open(hot->result);
	double seconds = (double)usec / 1e6;

	fprintf(file, "lookups=%llu\n", (unsigned long long)h->count);
	fprintf(file, "seconds=%.3f\n", seconds);
	fprintf(file, "lookups_per_second=%.2f\n", seconds > 0 ? (double)h->count / seconds : 0.0);
	if (h->count) {
		fprintf(file, "mean_us=%llu\n", (unsigned long long)(h->sum_usec / h->count));
		fprintf(file, "p50_us=%llu\n", (unsigned long long)histogram_percentile(h, 500));
		fprintf(file, "p99_us=%llu\n", (unsigned long long)histogram_percentile(h, 990));
		fprintf(file, "max_us=%llu\n", (unsigned long long)h->max_usec);
	}
	workload_result_close(file, hot->result);
}

static void run(const struct hot *hot)
{
	static struct histogram latencies;
	uint64_t keys, random = hot->seed, begin;
	sqlite3_stmt *statement;
	sqlite3 *db;

	warm_up(hot->database);
	statement = database_open(hot->database, &db, &keys);
	workload_ready("warm, looking up");
	begin = workload_now_usec();
	while (!workload_should_stop()) {
		if (workload_take_go()) {
			memset(&latencies, 0, sizeof(latencies));
			begin = workload_now_usec();
		}
		for (uint64_t i = 0; i < hot->burst; i++) {
			uint64_t key = workload_random(&random) % keys + 1;
			uint64_t before = workload_now_usec();

			look_up(db, statement, key);
			histogram_add(&latencies, workload_now_usec() - before);
		}
		workload_sleep(hot->think_usec);
	}
	write_result(hot, &latencies, workload_now_usec() - begin);
	sqlite3_finalize(statement);
	sqlite3_close(db);
}

int main(int argc, char **argv)
{
	static const struct option options[] = {
		{"burst", required_argument, NULL, 'b'},
		{"think-us", required_argument, NULL, 't'},
		{"seed", required_argument, NULL, 's'},
		{"result", required_argument, NULL, 'r'},
		{0},
	};
	struct hot hot = {.burst = 4, .think_usec = 4000, .seed = 1};
	int c;

	while ((c = getopt_long(argc, argv, "", options, NULL)) != -1) {
		switch (c) {
		case 'b':
			hot.burst = workload_parse_u64("--burst", optarg);
			break;
		case 't':
			hot.think_usec = workload_parse_u64("--think-us", optarg);
			break;
		case 's':
			hot.seed = workload_parse_u64("--seed", optarg) | 1;
			break;
		case 'r':
			hot.result = optarg;
			break;
		default:
			return 2;
		}
	}
	if (optind + 1 != argc)
		errx(2,
		     "usage: hot [--burst N] [--think-us N] [--seed N] [--result FILE] DATABASE");
	hot.database = argv[optind];
	workload_init();
	run(&hot);
	return 0;
}
