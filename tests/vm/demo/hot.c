/* SPDX-License-Identifier: MIT */
/*
 * The unit `hot`: a small database server reduced to what matters here, look-ups of random keys over
 * the whole database (items.h). The loop is closed: think, a burst of look-ups, think. A look-up that has to wait for the disk lowers the rate, as it would
 * with a real client.
 */
#define _GNU_SOURCE
#include <err.h>
#include <getopt.h>
#include <string.h>

#include "histogram.h"
#include "items.h"
#include "workload.h"

struct hot {
	const char *database;
	const char *result;
	uint64_t burst;
	uint64_t think_usec;
	uint64_t seed;
};

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
	uint64_t random = hot->seed, begin;
	struct items items;

	workload_read_file(hot->database); /* the cheap way into the page cache, in file order */
	items_open(&items, hot->database);
	workload_ready("warm, looking up");
	begin = workload_now_usec();
	while (!workload_should_stop()) {
		if (workload_take_go()) {
			memset(&latencies, 0, sizeof(latencies));
			begin = workload_now_usec();
		}
		for (uint64_t i = 0; i < hot->burst; i++) {
			uint64_t key = workload_random(&random) % items.n + 1;
			uint64_t before = workload_now_usec();

			items_look_up(&items, key);
			histogram_add(&latencies, workload_now_usec() - before);
		}
		workload_sleep(hot->think_usec);
	}
	write_result(hot, &latencies, workload_now_usec() - begin);
	items_close(&items);
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
