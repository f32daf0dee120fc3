/* SPDX-License-Identifier: MIT */
/*
 * What each part of a look at the host costs, as one row of a table: milliseconds of the processor,
 * user and system, for one time of each.
 *
 *	scan-cost TIMES DIR		DIR: as in /proc/PID/cgroup; "-" prints the header
 */
#include "host.h"

#include "kparse.h"
#include "macro.h"

#include <err.h>
#include <fcntl.h>
#include <inttypes.h>
#include <string.h>

struct cost {
	struct host host;
	const char *dir;
	int full_fd;
	ssize_t listing_len, full_len;
};

static void find_memcgs(struct cost *cost)
{
	host_scan(&cost->host);
}

static void read_files(struct cost *cost)
{
	struct snapshot snapshot;

	host_sample(&cost->host, false, &snapshot);
}

/* Only this file of each, whose descriptor is open already. */
static void read_memory_stat(struct cost *cost)
{
	char text[8192];
	size_t n;
	struct memcg *const *memcgs = hierarchy_memcgs(cost->host.hierarchy, &n);

	for (size_t i = 0; i < n; i++)
		memcg_read(memcgs[i], MEMCG_STAT, text, sizeof(text));
}

static void read_listing(struct cost *cost)
{
	cost->listing_len = lru_gen_read(&cost->host.lru_gen);
	if (cost->listing_len <= 0)
		errx(2, "no listing");
}

static void take(const struct lru_gen_record *record, void *userdata)
{
	*(uint64_t *)userdata += record->flaw == KPARSE_OK;
}

static void parse_listing(struct cost *cost)
{
	static struct lru_gen_record record;
	uint64_t good = 0;

	kparse_lru_gen(cost->host.lru_gen.text, (size_t)cost->listing_len, &record, take, &good);
	if (good == 0)
		errx(1, "the listing has no good record");
}

static void read_full(struct cost *cost)
{
	char text[8192];
	ssize_t n;

	cost->full_len = 0;
	while ((n = pread(cost->full_fd, text, sizeof(text), cost->full_len)) > 0)
		cost->full_len += n;
	if (n < 0)
		err(2, "lru_gen_full");
}

static void look(struct cost *cost)
{
	struct snapshot snapshot;

	host_scan(&cost->host);
	host_sample(&cost->host, true, &snapshot);
}

static const struct {
	const char *name;
	void (*run)(struct cost *cost);
} parts[] = {
	{"tree", find_memcgs},       {"all files", read_files}, {"memory.stat", read_memory_stat},
	{"lru_gen", read_listing},   {"parse", parse_listing},  {"whole look", look},
	{"lru_gen_full", read_full},
};

static void print_header(void)
{
	printf("%8s", "cgroups");
	for (size_t i = 0; i < ARRAY_SIZE(parts); i++)
		printf(" %17s", parts[i].name);
	printf(" %10s\n", "RSS KiB");
}

static void measure(struct cost *cost, unsigned times)
{
	for (size_t i = 0; i < ARRAY_SIZE(parts); i++) {
		struct cpu_time before, after;
		char text[64];

		before = cpu_time();
		for (unsigned j = 0; j < times; j++)
			parts[i].run(cost);
		after = cpu_time();
		snprintf(text, sizeof(text), "%.2f + %.2f",
			 (double)(after.user_usec - before.user_usec) / 1000 / times,
			 (double)(after.system_usec - before.system_usec) / 1000 / times);
		printf(" %17s", text);
	}
}

int main(int argc, char **argv)
{
	struct cost cost = {0};

	if (argc == 2 && strcmp(argv[1], "-") == 0) {
		print_header();
		return 0;
	}
	if (argc != 3)
		errx(2, "usage: scan-cost - | TIMES DIR");
	cost.dir = argv[2];
	host_open(&cost.host);
	cost.full_fd = open("/sys/kernel/debug/lru_gen_full", O_RDONLY | O_CLOEXEC);
	if (cost.full_fd < 0)
		err(2, "lru_gen_full");
	/* The first look opens all files; it is not the one that recurs. */
	look(&cost);
	printf("%8zu", host_count_below(&cost.host, cost.dir));
	measure(&cost, (unsigned)atoi(argv[1]));
	printf(" %10" PRIu64 "\n", memory_kib("VmHWM:"));
	return 0;
}
