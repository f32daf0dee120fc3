/* SPDX-License-Identifier: MIT */
/*
 * Workload B of YCSB (B. F. Cooper and others, "Benchmarking cloud serving systems with YCSB",
 * SoCC 2010) on WiredTiger, the storage engine of MongoDB, without a server around it: 95 % of the
 * operations read a record, 5 % replace one of its fields. Which record is zipf .99 over all; which
 * record has which rank is random, so what is hot lies all over the file.
 *
 *   driver --load --records N DIR
 *   driver --counters FILE --records N [--cache MIB] [--clients N] [--think USEC] [--seed N]
 *          [--interval SEC] [--result FILE] DIR
 *
 * Each client waits --think microseconds between two operations: for the network, and for the server
 * that is not there. Before the first operation the file is read once from end to end.
 */
#define _GNU_SOURCE
#include "ycsb.h"

#include <dirent.h>
#include <err.h>
#include <fcntl.h>
#include <getopt.h>
#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "bench.h"
#include "workload.h"

#define UPDATE_PERCENT 5
#define ZIPF           0.99
/* mongod's default of storage.journal.commitIntervalMs. */
#define LOG_FLUSH_USEC 100000

struct driver {
	const char *home, *result_path;
	uint64_t records, cache_mib, n_clients, think_usec, seed, interval_usec;
	uint64_t *counters;
	struct alias ranks;
	uint32_t *record_of_rank; /* from 0 */
	WT_CONNECTION *connection;
	struct ycsb_result *result;
	bool stop; /* by __atomic */
};

struct client {
	struct driver *driver;
	pthread_t thread;
	uint64_t random;
};

static void choose_init(struct driver *driver)
{
	/* Which records are hot is the same for each seed. */
	uint64_t random = 1;
	double *weights = calloc(driver->records, sizeof(*weights));

	if (!weights)
		err(1, "memory");
	for (uint64_t i = 0; i < driver->records; i++)
		weights[i] = pow((double)i + 1, -ZIPF);
	driver->ranks = alias_new(weights, (uint32_t)driver->records);
	driver->record_of_rank = bench_permutation((uint32_t)driver->records, &random);
	free(weights);
}

static void operate(struct client *client, WT_CURSOR *cursor)
{
	struct driver *driver = client->driver;
	uint64_t key = driver->record_of_rank[alias_pick(&driver->ranks, &client->random)] + 1;
	uint64_t before = workload_now_usec();

	if (workload_random(&client->random) % 100 < UPDATE_PERCENT) {
		store_update(cursor, key, &client->random);
		result_add_update(driver->result, workload_now_usec() - before);
	} else {
		store_read(cursor, key);
		result_add_read(driver->result, workload_now_usec() - before);
	}
	__atomic_fetch_add(&driver->counters[BENCH_OPS], 1, __ATOMIC_RELAXED);
}

static void *run_client(void *argument)
{
	struct client *client = argument;
	struct driver *driver = client->driver;
	WT_CURSOR *cursor = store_cursor(driver->connection);

	prctl(PR_SET_TIMERSLACK, 1);
	while (!__atomic_load_n(&driver->stop, __ATOMIC_RELAXED)) {
		operate(client, cursor);
		if (driver->think_usec)
			usleep((useconds_t)driver->think_usec);
	}
	return NULL;
}

/* Into the page cache, as a server that has run for long has it. */
static void read_whole(const char *home)
{
	static char buffer[1 << 20];
	DIR *directory = opendir(home);
	struct dirent *entry;

	if (!directory)
		err(1, "%s", home);
	while ((entry = readdir(directory))) {
		int fd;

		if (entry->d_type != DT_REG)
			continue;
		fd = openat(dirfd(directory), entry->d_name, O_RDONLY | O_CLOEXEC);
		if (fd < 0)
			err(1, "%s", entry->d_name);
		while (read(fd, buffer, sizeof(buffer)) > 0)
			;
		close(fd);
	}
	closedir(directory);
}

static struct client *start_clients(struct driver *driver)
{
	struct client *clients = calloc(driver->n_clients, sizeof(*clients));

	if (!clients)
		err(1, "memory");
	for (uint64_t i = 0; i < driver->n_clients; i++) {
		int error;

		clients[i] = (struct client){
			.driver = driver,
			.random = (driver->seed * 1000 + i) * UINT64_C(0x9E3779B97F4A7C15) | 1,
		};
		error = pthread_create(&clients[i].thread, NULL, run_client, &clients[i]);
		if (error)
			errx(1, "pthread_create: %s", strerror(error));
	}
	return clients;
}

/* This thread is mongod's that flushes the journal, and watches for signals. */
static void run(struct driver *driver)
{
	struct client *clients;
	WT_SESSION *session;

	read_whole(driver->home);
	driver->connection = store_open(driver->home, driver->cache_mib);
	store_check(driver->connection->open_session(driver->connection, NULL, NULL, &session),
		    "open_session");
	driver->result = result_new(driver->interval_usec);
	workload_init(); /* before the threads: they are not to have the signals */
	clients = start_clients(driver);
	workload_ready("serving");
	while (!workload_should_stop()) {
		workload_sleep(LOG_FLUSH_USEC);
		if (workload_take_go())
			result_begin(driver->result, workload_now_usec(),
				     store_pages_read(driver->connection));
		result_tick(driver->result, workload_now_usec());
		store_check(session->log_flush(session, "sync=on"), "log_flush");
	}
	result_write(driver->result, driver->result_path, workload_now_usec(),
		     store_pages_read(driver->connection));
	__atomic_store_n(&driver->stop, true, __ATOMIC_RELAXED);
	for (uint64_t i = 0; i < driver->n_clients; i++)
		pthread_join(clients[i].thread, NULL);
	store_check(driver->connection->close(driver->connection, NULL), "close");
}

static void load(const struct driver *driver)
{
	WT_CONNECTION *connection = store_open(driver->home, driver->cache_mib);

	store_load(connection, driver->records);
	store_check(connection->close(connection, NULL), "close");
}

static void parse_option(struct driver *driver, int c)
{
	switch (c) {
	case 'o':
		driver->counters = bench_counters(optarg);
		break;
	case 'n':
		driver->records = workload_parse_u64("--records", optarg);
		break;
	case 'm':
		driver->cache_mib = workload_parse_u64("--cache", optarg);
		break;
	case 'c':
		driver->n_clients = workload_parse_u64("--clients", optarg);
		break;
	case 't':
		driver->think_usec = workload_parse_u64("--think", optarg);
		break;
	case 's':
		driver->seed = workload_parse_u64("--seed", optarg);
		break;
	case 'i':
		driver->interval_usec = workload_parse_u64("--interval", optarg) * 1000000;
		break;
	case 'r':
		driver->result_path = optarg;
		break;
	default:
		exit(2);
	}
}

int main(int argc, char **argv)
{
	static const struct option options[] = {
		{"load", no_argument, NULL, 'l'},
		{"counters", required_argument, NULL, 'o'},
		{"records", required_argument, NULL, 'n'},
		{"cache", required_argument, NULL, 'm'},
		{"clients", required_argument, NULL, 'c'},
		{"think", required_argument, NULL, 't'},
		{"seed", required_argument, NULL, 's'},
		{"interval", required_argument, NULL, 'i'},
		{"result", required_argument, NULL, 'r'},
		{0},
	};
	struct driver driver = {
		.cache_mib = 64, .n_clients = 4, .seed = 1, .interval_usec = 5000000};
	bool is_load = false;
	int c;

	while ((c = getopt_long(argc, argv, "", options, NULL)) != -1) {
		if (c == 'l')
			is_load = true;
		else
			parse_option(&driver, c);
	}
	if (optind + 1 != argc || !driver.records || driver.records > UINT32_MAX ||
	    (!is_load && (!driver.counters || !driver.n_clients)))
		errx(2, "usage: driver --load --records N DIR, or driver --counters FILE "
			"--records N [OPTION]... DIR");
	driver.home = argv[optind];
	if (is_load) {
		load(&driver);
		return 0;
	}
	choose_init(&driver);
	run(&driver);
	return 0;
}
