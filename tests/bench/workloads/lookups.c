/* SPDX-License-Identifier: MIT */
/*
 * Look-ups in a small database beside files that are read once, in one closed loop: after every so
 * many files come so many look-ups, whatever the host does.
 *
 *   lookups [--seed N] [--rounds N] [--hot N] [--step N] [--probe N] [--slow USEC] [--result FILE]
 *           DATABASE FILES
 *
 * A round reads the database from end to end, looks up --hot random keys, reads each file below FILES
 * once, and after every --step of them looks up --probe random keys: the time of those is what is
 * measured. --slow: from that on a look-up has waited for the disk.
 *
 * Without rounds it warms up: the database and the --hot look-ups only.
 */
#define _GNU_SOURCE
#include <err.h>
#include <fts.h>
#include <getopt.h>
#include <stdio.h>
#include <sys/resource.h>

#define HISTOGRAM_SUB_BITS 7 /* right to 1/128 */
#include "histogram.h"
#include "items.h"
#include "workload.h"

struct lookups {
	const char *database, *result;
	char *files;
	uint64_t random, rounds, hot, step, probe, slow_usec;
	struct items items;
	struct histogram probes;
	uint64_t n_slow, n_files, hot_usec, files_usec;
	uint64_t hot_pages_read; /* from the disk, of the database */
};

/* Pages that this process has read from disks, read-ahead included. */
static uint64_t pages_read(void)
{
	struct rusage usage;

	getrusage(RUSAGE_SELF, &usage);
	return (uint64_t)usage.ru_inblock / 8;
}

static uint64_t look_up(struct lookups *l)
{
	uint64_t begin = workload_now_usec();

	items_look_up(&l->items, workload_random(&l->random) % l->items.n + 1);
	return workload_now_usec() - begin;
}

static void probe(struct lookups *l)
{
	uint64_t before = pages_read();

	for (uint64_t i = 0; i < l->probe; i++) {
		uint64_t usec = look_up(l);

		histogram_add(&l->probes, usec);
		l->n_slow += usec >= l->slow_usec;
	}
	l->hot_pages_read += pages_read() - before;
}

static void make_hot(struct lookups *l)
{
	uint64_t begin = workload_now_usec(), before = pages_read();

	workload_read_file(l->database);
	for (uint64_t i = 0; i < l->hot; i++)
		look_up(l);
	l->hot_usec += workload_now_usec() - begin;
	l->hot_pages_read += pages_read() - before;
}

/* Only the reading counts for the files' time. */
static void read_files(struct lookups *l)
{
	char *roots[] = {l->files, NULL};
	FTS *tree = fts_open(roots, FTS_PHYSICAL | FTS_NOCHDIR | FTS_NOSTAT, NULL);
	uint64_t begin = workload_now_usec(), probing_usec = 0;
	FTSENT *entry;

	if (!tree)
		err(1, "%s", l->files);
	while ((entry = fts_read(tree))) {
		uint64_t before;

		if (entry->fts_info != FTS_NSOK && entry->fts_info != FTS_F)
			continue; /* a directory */
		workload_read_file(entry->fts_accpath);
		if (++l->n_files % l->step)
			continue;
		before = workload_now_usec();
		probe(l);
		probing_usec += workload_now_usec() - before;
	}
	fts_close(tree);
	l->files_usec += workload_now_usec() - begin - probing_usec;
}

static void write_result(const struct lookups *l, uint64_t usec)
{
	static const unsigned int percents[] = {50, 90, 95, 99};
	const struct histogram *h = &l->probes;
	FILE *file = workload_result_open(l->result);

	fprintf(file, "seconds=%.6f\nops=%llu\nops_per_second=%.2f\n", (double)usec / 1e6,
		(unsigned long long)h->count,
		h->sum_usec ? (double)h->count * 1e6 / (double)h->sum_usec : 0.0);
	fprintf(file, "mean_us=%.2f\n", h->count ? (double)h->sum_usec / (double)h->count : 0.0);
	for (size_t i = 0; i < sizeof(percents) / sizeof(percents[0]); i++)
		fprintf(file, "p%u_us=%llu\n", percents[i],
			(unsigned long long)histogram_percentile(h, percents[i] * 10));
	fprintf(file, "p999_us=%llu\nmax_us=%llu\n",
		(unsigned long long)histogram_percentile(h, 999), (unsigned long long)h->max_usec);
	fprintf(file, "slow_percent=%.3f\n",
		h->count ? 100 * (double)l->n_slow / (double)h->count : 0.0);
	fprintf(file, "files=%llu\nfiles_seconds=%.6f\nhot_seconds=%.6f\nhot_refaults=%llu\n",
		(unsigned long long)l->n_files, (double)l->files_usec / 1e6,
		(double)l->hot_usec / 1e6, (unsigned long long)l->hot_pages_read);
	workload_result_close(file, l->result);
}

static void run(struct lookups *l)
{
	uint64_t begin = workload_now_usec();

	items_open(&l->items, l->database);
	if (!l->rounds)
		make_hot(l);
	for (uint64_t i = 0; i < l->rounds; i++) {
		if (l->hot)
			make_hot(l);
		read_files(l);
	}
	write_result(l, workload_now_usec() - begin);
	items_close(&l->items);
}

static void parse_option(struct lookups *l, int c)
{
	switch (c) {
	case 's':
		l->random = workload_parse_u64("--seed", optarg) * UINT64_C(0x9E3779B97F4A7C15) | 1;
		break;
	case 'n':
		l->rounds = workload_parse_u64("--rounds", optarg);
		break;
	case 'h':
		l->hot = workload_parse_u64("--hot", optarg);
		break;
	case 'k':
		l->step = workload_parse_u64("--step", optarg);
		break;
	case 'p':
		l->probe = workload_parse_u64("--probe", optarg);
		break;
	case 'w':
		l->slow_usec = workload_parse_u64("--slow", optarg);
		break;
	case 'r':
		l->result = optarg;
		break;
	default:
		errx(2, "usage: see lookups.c");
	}
}

int main(int argc, char **argv)
{
	static const struct option options[] = {
		{"seed", required_argument, NULL, 's'},   {"rounds", required_argument, NULL, 'n'},
		{"hot", required_argument, NULL, 'h'},    {"step", required_argument, NULL, 'k'},
		{"probe", required_argument, NULL, 'p'},  {"slow", required_argument, NULL, 'w'},
		{"result", required_argument, NULL, 'r'}, {0},
	};
	static struct lookups l = {.random = 1, .step = 1, .probe = 1, .slow_usec = UINT64_MAX};
	int c;

	while ((c = getopt_long(argc, argv, "", options, NULL)) != -1)
		parse_option(&l, c);
	if (optind + 2 != argc || !l.step)
		errx(2, "usage: see lookups.c");
	l.database = argv[optind];
	l.files = argv[optind + 1];
	run(&l);
	return 0;
}
