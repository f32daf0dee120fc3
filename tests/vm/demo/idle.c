/* SPDX-License-Identifier: MIT */
/*
 * The unit `idle`: a service that built something large at start and lives in a quarter of it. All
 * of its anonymous memory is touched once, then the first quarter in passes with a pause between,
 * and the rest never again. Half of each page is random and half zero, so that what zram needs for
 * it is neither flattering nor hopeless. Huge pages are off: one would count as hot as a whole.
 *
 * At the end it tells the truth about itself: /proc/self/pagemap says of each page whether it is in
 * memory or in swap, and only this program knows which pages are hot. Addresses and sizes are in
 * pages of the kernel (4 KiB on x86).
 */
#define _GNU_SOURCE
#include <err.h>
#include <fcntl.h>
#include <getopt.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include "workload.h"

/* Documentation/admin-guide/mm/pagemap.rst: one 64-bit word for each page. */
#define PAGEMAP_PRESENT (UINT64_C(1) << 63)
#define PAGEMAP_SWAPPED (UINT64_C(1) << 62)

struct region {
	char *base;
	size_t pages;
	size_t hot_pages;
	size_t page_size;
};

struct residence {
	uint64_t total;
	uint64_t present;
	uint64_t swapped;
};

static void region_map(struct region *region, uint64_t mib, uint64_t hot_percent)
{
	size_t bytes = (size_t)mib * 1024 * 1024;

	region->page_size = (size_t)sysconf(_SC_PAGESIZE);
	region->pages = bytes / region->page_size;
	region->hot_pages = region->pages * hot_percent / 100;
	region->base =
		mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (region->base == MAP_FAILED)
		err(1, "mmap of %llu MiB", (unsigned long long)mib);
	/* EINVAL: a kernel without huge pages, which suits as well. */
	(void)madvise(region->base, bytes, MADV_NOHUGEPAGE);
}

static void region_fill(const struct region *region)
{
	const size_t words = region->page_size / 2 / sizeof(uint64_t);
	uint64_t random = 1;

	for (size_t page = 0; page < region->pages; page++) {
		uint64_t *half = (uint64_t *)(void *)(region->base + page * region->page_size);

		for (size_t i = 0; i < words; i++)
			half[i] = workload_random(&random);
	}
}

/* One write for each hot page, into the half that is zero. */
static void region_touch_hot(const struct region *region, char value)
{
	for (size_t page = 0; page < region->hot_pages; page++) {
		char *byte = region->base + (page + 1) * region->page_size - 1;

		*(volatile char *)byte = value;
	}
}

static struct residence residence_read(int pagemap, const struct region *region, size_t first,
				       size_t end)
{
	struct residence r = {.total = end - first};
	uint64_t entries[512];
	const size_t first_pfn = (size_t)region->base / region->page_size;

	while (first < end) {
		size_t n = end - first;
		size_t bytes;

		if (n > sizeof(entries) / sizeof(entries[0]))
			n = sizeof(entries) / sizeof(entries[0]);
		bytes = n * sizeof(entries[0]);
		if (pread(pagemap, entries, bytes,
			  (off_t)((first_pfn + first) * sizeof(entries[0]))) != (ssize_t)bytes)
			err(1, "/proc/self/pagemap");
		for (size_t i = 0; i < n; i++) {
			r.present += !!(entries[i] & PAGEMAP_PRESENT);
			r.swapped += !!(entries[i] & PAGEMAP_SWAPPED);
		}
		first += n;
	}
	return r;
}

static void print_residence(FILE *file, const char *name, const struct residence *r)
{
	fprintf(file, "%s_pages=%llu\n", name, (unsigned long long)r->total);
	fprintf(file, "%s_present=%llu\n", name, (unsigned long long)r->present);
	fprintf(file, "%s_swapped=%llu\n", name, (unsigned long long)r->swapped);
}

static void write_result(const char *path, const struct region *region, uint64_t passes)
{
	struct residence hot, cold;
	struct rusage usage;
	FILE *file;
	int pagemap;

	getrusage(RUSAGE_SELF, &usage);
	pagemap = open("/proc/self/pagemap", O_RDONLY | O_CLOEXEC);
	if (pagemap < 0)
		err(1, "/proc/self/pagemap");
	hot = residence_read(pagemap, region, 0, region->hot_pages);
	cold = residence_read(pagemap, region, region->hot_pages, region->pages);
	close(pagemap);

	file = workload_result_open(path);
	fprintf(file, "page_size=%zu\n", region->page_size);
	print_residence(file, "hot", &hot);
	print_residence(file, "cold", &cold);
	fprintf(file, "passes=%llu\n", (unsigned long long)passes);
	fprintf(file, "majflt=%ld\n", usage.ru_majflt);
	workload_result_close(file, path);
}

int main(int argc, char **argv)
{
	static const struct option options[] = {
		{"size", required_argument, NULL, 's'},
		{"hot-percent", required_argument, NULL, 'h'},
		{"pause-us", required_argument, NULL, 'p'},
		{"result", required_argument, NULL, 'r'},
		{0},
	};
	uint64_t mib = 320, hot_percent = 25, pause_usec = 50000, passes = 0;
	const char *result = NULL;
	struct region region;
	int c;

	while ((c = getopt_long(argc, argv, "", options, NULL)) != -1) {
		switch (c) {
		case 's':
			mib = workload_parse_u64("--size", optarg);
			break;
		case 'h':
			hot_percent = workload_parse_u64("--hot-percent", optarg);
			break;
		case 'p':
			pause_usec = workload_parse_u64("--pause-us", optarg);
			break;
		case 'r':
			result = optarg;
			break;
		default:
			return 2;
		}
	}
	if (optind != argc || mib == 0 || hot_percent > 100)
		errx(2,
		     "usage: idle [--size MIB] [--hot-percent N] [--pause-us N] [--result FILE]");

	workload_init();
	region_map(&region, mib, hot_percent);
	region_fill(&region);
	workload_ready("all touched once, going on with the hot part");
	while (!workload_should_stop()) {
		region_touch_hot(&region, (char)passes);
		passes++;
		/* The pause is a context switch, and that flushes the TLB: without it an emulated
		 * CPU may go on from its own translation cache and never set an accessed bit. */
		workload_sleep(pause_usec);
	}
	write_result(result, &region, passes);
	return 0;
}
