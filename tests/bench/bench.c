/* SPDX-License-Identifier: MIT */
#define _GNU_SOURCE
#include "bench.h"
#include "workload.h"

#include <err.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

static void *allocate(size_t n, size_t size)
{
	void *p = calloc(n, size);

	if (!p)
		err(1, "memory");
	return p;
}

uint64_t *bench_counters(const char *path)
{
	const size_t size = _BENCH_COUNTER_MAX * sizeof(uint64_t);
	int fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0644);
	uint64_t *counters;

	if (fd < 0 || ftruncate(fd, (off_t)size) < 0)
		err(1, "%s", path);
	counters = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (counters == MAP_FAILED)
		err(1, "%s", path);
	close(fd);
	return counters;
}

int bench_open(const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);

	if (fd < 0)
		err(1, "%s", path);
	if (posix_fadvise(fd, 0, 0, POSIX_FADV_RANDOM) != 0)
		errx(1, "%s: posix_fadvise", path);
	return fd;
}

void bench_read_page(int fd, uint64_t page)
{
	char bytes[64];

	if (pread(fd, bytes, sizeof(bytes), (off_t)(page * BENCH_PAGE)) != sizeof(bytes))
		err(1, "page %llu", (unsigned long long)page);
}

/* Each column gets the rest of one light thing and is filled up by one heavy thing. */
struct alias alias_new(double *weights, uint32_t n)
{
	struct alias alias = {n, allocate(n, sizeof(uint32_t)), allocate(n, sizeof(uint32_t))};
	uint32_t *stack = allocate(n, sizeof(uint32_t)), light = 0, heavy = n;
	double sum = 0;

	for (uint32_t i = 0; i < n; i++)
		sum += weights[i];
	for (uint32_t i = 0; i < n; i++) {
		weights[i] *= n / sum;
		alias.other[i] = i;
		alias.threshold[i] = UINT32_MAX;
		stack[weights[i] < 1 ? light++ : --heavy] = i;
	}
	while (light > 0 && heavy < n) {
		uint32_t low = stack[--light], high = stack[heavy];

		alias.threshold[low] = (uint32_t)(weights[low] * UINT32_MAX);
		alias.other[low] = high;
		weights[high] -= 1 - weights[low];
		if (weights[high] < 1) {
			heavy++;
			stack[light++] = high;
		}
	}
	free(stack);
	return alias;
}

/* The upper half of the random word chooses the column, the lower one the part of it. */
uint32_t alias_pick(const struct alias *alias, uint64_t *random)
{
	uint64_t word = workload_random(random);
	uint32_t column = (uint32_t)(((word >> 32) * alias->n) >> 32);

	return (uint32_t)word <= alias->threshold[column] ? column : alias->other[column];
}

void bench_shuffle(uint32_t *numbers, uint32_t n, uint64_t *random)
{
	for (uint32_t i = n; i > 1; i--) {
		uint32_t j = (uint32_t)(workload_random(random) % i), former = numbers[i - 1];

		numbers[i - 1] = numbers[j];
		numbers[j] = former;
	}
}

uint32_t *bench_permutation(uint32_t n, uint64_t *random)
{
	uint32_t *numbers = allocate(n, sizeof(*numbers));

	for (uint32_t i = 0; i < n; i++)
		numbers[i] = i;
	bench_shuffle(numbers, n, random);
	return numbers;
}
