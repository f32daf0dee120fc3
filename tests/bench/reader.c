/* SPDX-License-Identifier: MIT */
/*
 * A reader of files by pread(2), in a closed loop. Its accesses come from sources that take turns,
 * so many operations of each in a cycle: the mixture is fixed, whatever the host does. A source is
 * KIND:FILE:PAGES:COUNT, with KIND
 *
 *   zipfN    a page by rank r with weight r^-(N/1000); which page has which rank is random
 *   loop     one page after the other, and again from the first
 *   stream   likewise, but of a file so large that the end is not seen, and with read-ahead
 *
 * zipf0 is uniform. --shift deals the ranks anew at SIGUSR1; --drift N makes two ranks change
 * places N times in a million zipf operations from SIGUSR1 on. Both count operations and not
 * seconds.
 *
 * --pause waits so many microseconds after each cycle. --seed begins another random sequence.
 *
 * --peer CGROUP: the last source is read by a process in that cgroup, in lock-step.
 */
#define _GNU_SOURCE
#include "bench.h"
#include "workload.h"

#include <err.h>
#include <fcntl.h>
#include <getopt.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define SOURCES_MAX 4

enum kind {
	ZIPF,
	LOOP,
	STREAM,
};

struct source {
	enum kind kind;
	int fd;
	uint32_t pages;
	uint32_t count; /* operations in a cycle */
	uint64_t next;  /* loop and stream */
	struct alias ranks;
	uint32_t *page_of_rank;
};

struct reader {
	uint64_t *counters;
	uint64_t random;
	uint64_t drift_ppm;
	uint64_t drift_owed; /* in parts of a million of a swap */
	bool shift;
	bool drifting;
	uint64_t pause_usec; /* after each cycle */
	struct source sources[SOURCES_MAX];
	size_t n_sources;
	int to_peer, from_peer; /* -1: no peer */
};

static void zipf_init(struct source *source, uint64_t theta_permille, uint64_t *random)
{
	double *weights = calloc(source->pages, sizeof(*weights));

	if (!weights)
		err(1, "memory");
	for (uint32_t i = 0; i < source->pages; i++)
		weights[i] = pow(i + 1.0, -(double)theta_permille / 1000);
	source->ranks = alias_new(weights, source->pages);
	source->page_of_rank = bench_permutation(source->pages, random);
	free(weights);
}

static void source_init(struct source *source, char *text, uint64_t *random)
{
	const char *kind = strsep(&text, ":"), *file = strsep(&text, ":");
	const char *pages = strsep(&text, ":"), *count = strsep(&text, ":");

	if (!count)
		errx(2, "a source is KIND:FILE:PAGES:COUNT");
	source->pages = (uint32_t)workload_parse_u64("PAGES", pages);
	source->count = (uint32_t)workload_parse_u64("COUNT", count);
	source->fd = bench_open(file);
	if (strncmp(kind, "zipf", 4) == 0) {
		source->kind = ZIPF;
		zipf_init(source, workload_parse_u64("zipf", kind + 4), random);
	} else if (strcmp(kind, "loop") == 0) {
		source->kind = LOOP;
	} else if (strcmp(kind, "stream") == 0) {
		source->kind = STREAM;
		posix_fadvise(source->fd, 0, 0, POSIX_FADV_NORMAL);
	} else {
		errx(2, "unknown kind %s", kind);
	}
}

static void drift(struct reader *reader, struct source *source)
{
	for (reader->drift_owed += reader->drift_ppm; reader->drift_owed >= 1000000;
	     reader->drift_owed -= 1000000) {
		uint32_t a = (uint32_t)(workload_random(&reader->random) % source->pages);
		uint32_t b = (uint32_t)(workload_random(&reader->random) % source->pages);
		uint32_t former = source->page_of_rank[a];

		source->page_of_rank[a] = source->page_of_rank[b];
		source->page_of_rank[b] = former;
	}
}

static void take_turn(struct reader *reader, struct source *source)
{
	for (uint32_t i = 0; i < source->count; i++) {
		if (source->kind == ZIPF) {
			bench_read_page(
				source->fd,
				source->page_of_rank[alias_pick(&source->ranks, &reader->random)]);
			if (reader->drifting)
				drift(reader, source);
		} else {
			bench_read_page(source->fd, source->next++ % source->pages);
		}
	}
	reader->counters[source->kind == STREAM ? BENCH_STREAM : BENCH_OPS] += source->count;
}

/* One turn for each byte that comes, and a byte back; until the reader is gone. */
static void be_peer(struct reader *reader, struct source *source, int in, int out)
{
	char byte;

	while (read(in, &byte, 1) == 1) {
		take_turn(reader, source);
		if (write(out, &byte, 1) != 1)
			break;
	}
	_exit(0);
}

static void join_cgroup(const char *cgroup)
{
	char *path;
	FILE *file;

	if (asprintf(&path, "%s/cgroup.procs", cgroup) < 0)
		err(1, "asprintf");
	file = fopen(path, "we");
	if (!file || fprintf(file, "0\n") < 0 || fclose(file) != 0)
		err(1, "%s", path);
	free(path);
}

/* The peer joins its cgroup before it reads anything, so that all it reads is charged there. */
static void start_peer(struct reader *reader, const char *cgroup)
{
	struct source *source = &reader->sources[--reader->n_sources];
	int there[2], back[2];

	if (pipe2(there, O_CLOEXEC) < 0 || pipe2(back, O_CLOEXEC) < 0)
		err(1, "pipe");
	switch (fork()) {
	case -1:
		err(1, "fork");
	case 0:
		close(there[1]);
		close(back[0]);
		join_cgroup(cgroup);
		be_peer(reader, source, there[0], back[1]);
	}
	close(there[0]);
	close(back[1]);
	reader->to_peer = there[1];
	reader->from_peer = back[0];
}

static void cycle(struct reader *reader)
{
	char byte = 0;

	if (reader->to_peer >= 0 && write(reader->to_peer, &byte, 1) != 1)
		err(1, "the peer");
	for (size_t i = 0; i < reader->n_sources; i++)
		take_turn(reader, &reader->sources[i]);
	if (reader->pause_usec)
		workload_sleep(reader->pause_usec);
	if (reader->to_peer >= 0 && read(reader->from_peer, &byte, 1) != 1)
		err(1, "the peer");
}

static void go(struct reader *reader)
{
	for (size_t i = 0; reader->shift && i < reader->n_sources; i++) {
		struct source *source = &reader->sources[i];

		if (source->kind == ZIPF)
			bench_shuffle(source->page_of_rank, source->pages, &reader->random);
	}
	reader->drifting = reader->drift_ppm > 0;
}

int main(int argc, char **argv)
{
	static const struct option options[] = {
		{"counters", required_argument, NULL, 'c'},
		{"shift", no_argument, NULL, 's'},
		{"drift", required_argument, NULL, 'd'},
		{"peer", required_argument, NULL, 'p'},
		{"pause", required_argument, NULL, 'w'},
		{"seed", required_argument, NULL, 'r'},
		{0},
	};
	/* A signal is looked for once in so many cycles: it costs a system call. */
	const unsigned int cycles = 64;
	struct reader reader = {.random = 1, .to_peer = -1, .from_peer = -1};
	const char *peer = NULL;
	int c;

	while ((c = getopt_long(argc, argv, "", options, NULL)) != -1) {
		switch (c) {
		case 'c':
			reader.counters = bench_counters(optarg);
			break;
		case 's':
			reader.shift = true;
			break;
		case 'd':
			reader.drift_ppm = workload_parse_u64("--drift", optarg);
			break;
		case 'p':
			peer = optarg;
			break;
		case 'w':
			reader.pause_usec = workload_parse_u64("--pause", optarg);
			break;
		case 'r':
			reader.random = workload_parse_u64("--seed", optarg);
			break;
		default:
			return 2;
		}
	}
	if (!reader.counters || optind == argc || argc - optind > SOURCES_MAX)
		errx(2, "usage: reader --counters FILE [--seed N] [--shift] [--drift N] "
			"[--peer CGROUP] [--pause USEC] KIND:FILE:PAGES:COUNT...");

	for (; optind < argc; optind++)
		source_init(&reader.sources[reader.n_sources++], argv[optind], &reader.random);
	if (peer)
		start_peer(&reader, peer);
	workload_init();
	workload_ready("reading");
	while (!workload_should_stop()) {
		if (workload_take_go())
			go(&reader);
		for (unsigned int i = 0; i < cycles; i++)
			cycle(&reader);
	}
	return 0;
}
