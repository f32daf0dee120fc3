/* SPDX-License-Identifier: MIT */
/*
 * Latency of random 4 KiB O_DIRECT reads, one at a time:
 *   measure-disk DEVICE COUNT
 * prints mean, p50, p99 and maximum in microseconds, and the share of the machine's
 * CPU time that was not idle meanwhile, in per cent.
 */
#define _GNU_SOURCE
#include <err.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

enum { BLOCK = 4096 };

static long now_usec(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec * 1000000L + ts.tv_nsec / 1000;
}

static int compare(const void *a, const void *b)
{
	long x = *(const long *)a, y = *(const long *)b;

	return (x > y) - (x < y);
}

/* Clock ticks since boot: all of them, and those in which the CPUs were idle. */
static void cpu_ticks(long *ret_all, long *ret_idle)
{
	long v[8] = {0};
	FILE *f = fopen("/proc/stat", "re");

	if (!f || fscanf(f, "cpu %ld %ld %ld %ld %ld %ld %ld %ld", v, v + 1, v + 2, v + 3, v + 4,
			 v + 5, v + 6, v + 7) != 8)
		err(1, "/proc/stat");
	fclose(f);
	*ret_all = v[0] + v[1] + v[2] + v[3] + v[4] + v[5] + v[6] + v[7];
	*ret_idle = v[3] + v[4];
}

int main(int argc, char **argv)
{
	long count, sum = 0, all0, idle0, all1, idle1, *usec;
	off_t blocks;
	void *buffer;
	int fd;

	if (argc != 3 || (count = atol(argv[2])) < 100)
		errx(2, "usage: measure-disk DEVICE COUNT (100 or more)");
	fd = open(argv[1], O_RDONLY | O_DIRECT | O_CLOEXEC);
	if (fd < 0)
		err(1, "%s", argv[1]);
	blocks = lseek(fd, 0, SEEK_END) / BLOCK;
	usec = calloc((size_t)count, sizeof(*usec));
	if (blocks <= 0 || !usec || posix_memalign(&buffer, BLOCK, BLOCK))
		errx(1, "%s: empty, or no memory", argv[1]);

	srandom(1);
	cpu_ticks(&all0, &idle0);
	for (long i = 0; i < count; i++) {
		long begin = now_usec();

		if (pread(fd, buffer, BLOCK, random() % blocks * BLOCK) != BLOCK)
			err(1, "read");
		usec[i] = now_usec() - begin;
		sum += usec[i];
	}
	cpu_ticks(&all1, &idle1);

	qsort(usec, (size_t)count, sizeof(*usec), compare);
	printf("%ld %ld %ld %ld %ld\n", sum / count, usec[count / 2], usec[count * 99 / 100],
	       usec[count - 1], 100 - 100 * (idle1 - idle0) / (all1 - all0 ? all1 - all0 : 1));
	return 0;
}
