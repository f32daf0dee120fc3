/* SPDX-License-Identifier: MIT */
/*
 * Pages that are used at random times, each at a rate of its own: a quarter never, the others
 * between once in 10 000 seconds and once in 2, log-uniform, in random places. So there is no
 * working set with an edge, and what to take is a question of the price: the rate at which pages
 * come back.
 *
 * All pages are used once at the start. Without --file they are anonymous memory, else pages of
 * that file, read by pread(2).
 */
#define _GNU_SOURCE
#include "bench.h"
#include "workload.h"

#include <err.h>
#include <fcntl.h>
#include <getopt.h>
#include <math.h>
#include <stdlib.h>
#include <sys/mman.h>

/* measure.py computes the best possible outcome from the same four numbers. */
#define NEVER_USED_SHARE 0.25
#define RATE_MIN_HZ      1e-4
#define RATE_MAX_HZ      0.5
#define PAUSE_USEC       10000 /* short against the shortest time between two uses of a page */

struct population {
	int fd; /* -1: anonymous */
	char *base;
	uint32_t pages;
	uint32_t *place;
	struct alias choice;
	double rate_hz; /* of all pages together */
	uint64_t random;
};

static void population_init(struct population *population)
{
	uint32_t used = population->pages - (uint32_t)(NEVER_USED_SHARE * population->pages);
	double *weights = calloc(used, sizeof(*weights));

	if (!weights)
		err(1, "memory");
	for (uint32_t i = 0; i < used; i++) {
		weights[i] = RATE_MIN_HZ * pow(RATE_MAX_HZ / RATE_MIN_HZ, (i + 0.5) / used);
		population->rate_hz += weights[i];
	}
	population->choice = alias_new(weights, used);
	population->place = bench_permutation(population->pages, &population->random);
	free(weights);
}

static void map_anonymous(struct population *population)
{
	size_t bytes = (size_t)population->pages * BENCH_PAGE;

	population->base =
		mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (population->base == MAP_FAILED)
		err(1, "mmap");
	/* EINVAL: a kernel without huge pages, which suits as well. */
	(void)madvise(population->base, bytes, MADV_NOHUGEPAGE);
}

static void use_page(struct population *population, uint32_t page)
{
	if (population->fd >= 0)
		bench_read_page(population->fd, page);
	else
		*(volatile uint64_t *)(void *)(population->base + (size_t)page * BENCH_PAGE) += 1;
}

/* Anon is half random, half zero, as the memory of the demo's idle unit: zram shall be neither
 * flattered nor made hopeless. A file is read ahead: one page at a time, a slow disk would need
 * minutes. */
static void fill(struct population *population)
{
	if (population->fd >= 0)
		posix_fadvise(population->fd, 0, 0, POSIX_FADV_SEQUENTIAL);
	for (uint32_t page = 0; page < population->pages; page++) {
		use_page(population, page);
		if (population->fd >= 0)
			continue;
		for (size_t i = 0; i < BENCH_PAGE / 2; i += sizeof(uint64_t))
			*(uint64_t *)(void *)(population->base + (size_t)page * BENCH_PAGE + i) =
				workload_random(&population->random);
	}
	if (population->fd >= 0)
		posix_fadvise(population->fd, 0, 0, POSIX_FADV_RANDOM);
}

static void run(struct population *population, uint64_t *counters)
{
	const uint64_t begin = workload_now_usec();
	uint64_t done = 0;

	while (!workload_should_stop()) {
		double seconds = (double)(workload_now_usec() - begin) / 1e6;

		for (; (double)done < seconds * population->rate_hz; done++)
			use_page(population, population->place[alias_pick(&population->choice,
									  &population->random)]);
		counters[BENCH_OPS] = done;
		workload_sleep(PAUSE_USEC);
	}
}

int main(int argc, char **argv)
{
	static const struct option options[] = {
		{"counters", required_argument, NULL, 'c'},
		{"pages", required_argument, NULL, 'p'},
		{"file", required_argument, NULL, 'f'},
		{"seed", required_argument, NULL, 'r'},
		{0},
	};
	struct population population = {.fd = -1, .random = 1};
	uint64_t *counters = NULL;
	int c;

	while ((c = getopt_long(argc, argv, "", options, NULL)) != -1) {
		switch (c) {
		case 'c':
			counters = bench_counters(optarg);
			break;
		case 'p':
			population.pages = (uint32_t)workload_parse_u64("--pages", optarg);
			break;
		case 'f':
			population.fd = bench_open(optarg);
			break;
		case 'r':
			population.random = workload_parse_u64("--seed", optarg);
			break;
		default:
			return 2;
		}
	}
	if (optind != argc || !counters || population.pages < 4)
		errx(2, "usage: population --counters FILE --pages N [--file FILE] [--seed N]");

	workload_init();
	population_init(&population);
	if (population.fd < 0)
		map_anonymous(&population);
	fill(&population);
	workload_ready("all used once, going on");
	run(&population, counters);
	return 0;
}
