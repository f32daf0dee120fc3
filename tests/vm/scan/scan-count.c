/* SPDX-License-Identifier: MIT */
/*
 * Instructions, where the guest's clock counts them (QEMU -icount shift=0: one for each nanosecond,
 * and the time stamp counter the same): what the kernel spends on printing the listing, and what we
 * spend on understanding one of 5 000 cgroups on two nodes. The least of several times each, since
 * the timer's interrupts count as well.
 *
 *	scan-count		Exit: 0, 1 when ours is not less than the print of lru_gen_full,
 *				77 when the clock counts something else
 */
#include "lru_gen.h"

#include "kparse.h"
#include "macro.h"

#include <err.h>
#include <fcntl.h>
#include <inttypes.h>
#include <sys/resource.h>
#include <x86intrin.h>

#define TIMES   7
#define CGROUPS 5000
#define NODES   2

struct text {
	char *p;
	size_t len;
};

/* A loop of two instructions: the counter must say so, within one part in a hundred. */
static bool clock_counts(void)
{
	uint64_t least = UINT64_MAX;

	for (int i = 0; i < TIMES; i++) {
		uint64_t n = 1000000, start = __rdtsc(), took;

		__asm__ volatile("1: dec %0; jnz 1b" : "+r"(n) : : "cc");
		took = __rdtsc() - start;
		least = took < least ? took : least;
	}
	printf("calibration: a loop of 2000000 instructions takes %" PRIu64 "\n", least);
	return least > 1980000 && least < 2020000;
}

/* As lru_gen_seq_show() of 6.12 prints it, with numbers of the sizes that occur. */
static struct text make_listing(void)
{
	struct text text = {NULL, 0};
	FILE *f = open_memstream(&text.p, &text.len);
	uint32_t random = 1;

	if (!f)
		err(2, "open_memstream");
	for (unsigned i = 0; i < CGROUPS; i++) {
		fprintf(f, "memcg %5u /kubepods.slice/kubepods-burstable.slice/pod%08x/c%u\n",
			i + 1, i * 2654435761u, i);
		for (unsigned node = 0; node < NODES; node++) {
			fprintf(f, " node %5u\n", node);
			for (unsigned gen = 0; gen < 4; gen++) {
				random = random * 1664525 + 1013904223;
				fprintf(f, " %10u %10u %10u%c %10u%c\n", gen + 17,
					9000000 - gen * 60000, random >> 16, ' ', random >> 12,
					' ');
			}
		}
	}
	fclose(f);
	return text;
}

static void take(const struct lru_gen_record *record, void *userdata)
{
	*(uint64_t *)userdata += record->flaw == KPARSE_OK;
}

static uint64_t count_parse(struct text listing, uint64_t *ret_good)
{
	static struct lru_gen_record record;
	uint64_t least = UINT64_MAX;

	for (int i = 0; i < TIMES; i++) {
		uint64_t start = __rdtsc(), took;

		*ret_good = 0;
		kparse_lru_gen(listing.p, listing.len, &record, take, ret_good);
		took = __rdtsc() - start;
		least = took < least ? took : least;
	}
	return least;
}

/* What the kernel spends until the whole file is there. */
static uint64_t count_print(const char *name, size_t *ret_len, unsigned *ret_reads)
{
	static char buf[65536];
	uint64_t least = UINT64_MAX;
	int fd = open(name, O_RDONLY | O_CLOEXEC);

	if (fd < 0)
		err(2, "%s", name);
	for (int i = 0; i < TIMES; i++) {
		uint64_t start = __rdtsc(), took;
		ssize_t n;

		*ret_len = 0;
		*ret_reads = 0;
		while ((n = pread(fd, buf, sizeof(buf), (off_t)*ret_len)) > 0) {
			*ret_len += (size_t)n;
			++*ret_reads;
		}
		took = __rdtsc() - start;
		least = took < least ? took : least;
	}
	close(fd);
	return least;
}

static void print_row(const char *name, uint64_t count, size_t len, uint64_t records)
{
	printf("%-34s %12" PRIu64 " %10zu %8" PRIu64 "\n", name, count, len, records);
}

int main(void)
{
	static const char *const files[] = {"/sys/kernel/debug/lru_gen",
					    "/sys/kernel/debug/lru_gen_full"};
	struct text listing = make_listing();
	struct rusage before, after;
	uint64_t good, parse, print = 0;

	if (!clock_counts())
		return 77;
	printf("%-34s %12s %10s %8s\n", "", "instructions", "bytes", "records");
	for (size_t i = 0; i < ARRAY_SIZE(files); i++) {
		size_t len;
		unsigned reads;
		uint64_t count = count_print(files[i], &len, &reads);

		printf("print %-28s %12" PRIu64 " %10zu %8s in %u reads\n", files[i], count, len,
		       "", reads);
		print = count; /* the last one, lru_gen_full, is what it is held against */
	}
	getrusage(RUSAGE_SELF, &before);
	parse = count_parse(listing, &good);
	getrusage(RUSAGE_SELF, &after);
	print_row("parse 5000 cgroups on two nodes", parse, listing.len, good);
	printf("parse: %" PRIu64 " instructions per record, %ld KiB more memory\n", parse / good,
	       after.ru_maxrss - before.ru_maxrss);
	return good == CGROUPS * NODES && parse < print ? 0 : 1;
}
