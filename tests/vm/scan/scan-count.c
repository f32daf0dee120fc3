/* SPDX-License-Identifier: MIT */
/*
 * Instructions, where the guest's clock counts them (QEMU -icount shift=0: one for each nanosecond,
 * and the time stamp counter the same): what the kernel spends on printing a listing of its own
 * cgroups, and what we spend on understanding the same kind of listing of 5 000 cgroups on two
 * nodes. The least of several times each, since the timer's interrupts count as well.
 *
 *	scan-count		Exit: 0, 1 when a parse is not less than the print of 200 cgroups of
 *				its kind, 77 when the clock counts something else
 */
#include "lru_gen.h"

#include "kparse.h"
#include "macro.h"

#include <err.h>
#include <fcntl.h>
#include <inttypes.h>
#include <string.h>
#include <sys/resource.h>
#include <x86intrin.h>

#define TIMES           7
#define CGROUPS         5000
#define CGROUPS_PRINTED 200u
#define NODES           2

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

static uint32_t random_number(unsigned bits)
{
	static uint32_t state = 1;

	state = state * 1664525 + 1013904223;
	return state >> (32 - bits);
}

/* The lines of lru_gen_full that lru_gen has not. stats: as with LRU_GEN_STATS=y, where no row of
 * any generation is empty; otherwise those of the oldest and the youngest only. */
static void print_full(FILE *f, unsigned gen, bool stats)
{
	const char *marks = gen == 3 ? "RTx" : gen == 0 || stats ? "rep" : "xxx";
	const char *walk = gen == 3 ? (stats ? "xxxx" : "TYFA") : (stats ? "tyfa" : "xxxx");

	for (unsigned tier = 0; tier < 4; tier++) {
		fprintf(f, "            %10u", tier);
		for (unsigned i = 0; i < 6; i++)
			fprintf(f, " %10u%c", marks[i % 3] == 'x' ? 0 : random_number(18),
				marks[i % 3]);
		fprintf(f, "\n");
	}
	fprintf(f, "                      ");
	for (unsigned i = 0; i < 4; i++)
		fprintf(f, " %10u%c", walk[i] == 'x' ? 0 : random_number(18), walk[i]);
	fprintf(f, "\n");
}

enum kind {
	KIND_PLAIN,
	KIND_FULL,
	KIND_FULL_STATS,
};

/* As lru_gen_seq_show() of 6.12 prints it, with numbers of the sizes that occur. */
static struct text make_listing(enum kind kind)
{
	struct text text = {NULL, 0};
	FILE *f = open_memstream(&text.p, &text.len);

	if (!f)
		err(2, "open_memstream");
	for (unsigned i = 0; i < CGROUPS; i++) {
		fprintf(f, "memcg %5u /kubepods.slice/kubepods-burstable.slice/pod%08x/c%u\n",
			i + 1, i * 2654435761u, i);
		for (unsigned node = 0; node < NODES; node++) {
			fprintf(f, " node %5u\n", node);
			for (unsigned gen = 0; gen < 4; gen++) {
				fprintf(f, " %10u %10u %10u%c %10u%c\n", gen + 17,
					9000000 - gen * 60000, random_number(16), ' ',
					random_number(20), ' ');
				if (kind != KIND_PLAIN)
					print_full(f, gen, kind == KIND_FULL_STATS);
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

/* Those that the file lists: the guest has a few of its own. */
static unsigned count_cgroups(const char *name)
{
	_cleanup_file_ FILE *f = fopen(name, "re");
	_cleanup_free_ char *line = NULL;
	size_t size = 0;
	unsigned n = 0;

	if (!f)
		err(2, "%s", name);
	while (getline(&line, &size, f) > 0)
		n += strncmp(line, "memcg ", 6) == 0;
	return n;
}

/* Returns what it costs for so many as it is held against. */
static uint64_t print_kernel(const char *name)
{
	size_t len;
	unsigned reads, cgroups = count_cgroups(name);
	uint64_t count = count_print(name, &len, &reads);
	uint64_t share = count * CGROUPS_PRINTED / (cgroups ? cgroups : 1);

	printf("print %-34s %12" PRIu64
	       " %10zu %8s in %u reads, %u cgroups; for %u of them %" PRIu64 "\n",
	       name, count, len, "", reads, cgroups, CGROUPS_PRINTED, share);
	return share;
}

/* False when a record was not understood, or not at less than limit. */
static bool print_parse(const char *name, enum kind kind, uint64_t limit)
{
	struct text listing = make_listing(kind);
	struct rusage before, after;
	uint64_t good, count;

	getrusage(RUSAGE_SELF, &before);
	count = count_parse(listing, &good);
	getrusage(RUSAGE_SELF, &after);
	free(listing.p);
	printf("parse %-34s %12" PRIu64 " %10zu %8" PRIu64 " %" PRIu64
	       " per record, %ld KiB more memory\n",
	       name, count, listing.len, good, good ? count / good : 0,
	       after.ru_maxrss - before.ru_maxrss);
	return good == CGROUPS * NODES && count < limit;
}

int main(void)
{
	uint64_t plain, full;
	bool less;

	if (!clock_counts())
		return 77;
	printf("%-40s %12s %10s %8s\n", "", "instructions", "bytes", "records");
	plain = print_kernel("/sys/kernel/debug/lru_gen");
	full = print_kernel("/sys/kernel/debug/lru_gen_full");
	less = print_parse("lru_gen, 5000 cgroups", KIND_PLAIN, plain);
	less = print_parse("lru_gen_full, 5000 cgroups", KIND_FULL, full) && less;
	less = print_parse("the same with LRU_GEN_STATS", KIND_FULL_STATS, full) && less;
	return less ? 0 : 1;
}
