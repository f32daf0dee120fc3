/* SPDX-License-Identifier: MIT */
/*
 * mmstress [--seed N] [--seconds N] [--mib N] FILE: memory of all kinds, used and given up in all ways
 * that the kernel's reference counts and generations hear of, in an order by dice: anonymous, of FILE and
 * of tmpfs, private and shared, read and mapped, huge, merged, locked, forked, moved between the memory
 * nodes 0 and 1. Ends by itself; what it does is of no interest, what the kernel says of it is.
 */
#define _GNU_SOURCE /* O_DIRECT, memfd_create */
#include <err.h>
#include <fcntl.h>
#include <getopt.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define PAGE       4096
#define HUGE_PAGE  (2 << 20)
#define AREAS      24
#define MOST_MOVED 64

/* Of <numaif.h>, which is libnuma's, and of newer C libraries. */
#define MPOL_MF_MOVE 2
#ifndef MADV_COLLAPSE
#define MADV_COLLAPSE 25
#endif

struct area {
	char *at;
	size_t pages;
	int writable;
};

static struct area areas[AREAS];
static uint64_t dice;
static int file, direct;
static off_t file_pages;
static size_t most_pages;

static uint64_t roll(uint64_t n)
{
	dice ^= dice << 13;
	dice ^= dice >> 7;
	dice ^= dice << 17;
	return dice % n;
}

static void give_up(struct area *area)
{
	if (area->at)
		munmap(area->at, area->pages * PAGE);
	area->at = NULL;
}

static void *map_shmem(size_t size)
{
	int fd = memfd_create("mmstress", MFD_CLOEXEC);
	void *at = MAP_FAILED;

	if (fd < 0)
		return MAP_FAILED;
	if (ftruncate(fd, (off_t)size) == 0)
		at = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	close(fd);
	return at;
}

/* Anonymous, of tmpfs, or some part of the file; now and then to be huge. */
static void take(struct area *area)
{
	int kind = (int)roll(5);
	size_t pages = 1 + roll(most_pages);
	int flags = kind == 0 ? MAP_SHARED : MAP_PRIVATE;
	int protection = PROT_READ | (kind == 0 ? 0 : PROT_WRITE) | (roll(8) ? 0 : PROT_EXEC);

	give_up(area);
	if (kind >= 2) {
		if (kind == 4) {
			area->at = map_shmem(pages * PAGE);
			protection = PROT_READ | PROT_WRITE;
		} else {
			area->at =
				mmap(NULL, pages * PAGE, protection, flags | MAP_ANONYMOUS, -1, 0);
		}
		if (area->at != MAP_FAILED && pages * PAGE > 2 * HUGE_PAGE && roll(2))
			madvise(area->at, pages * PAGE, MADV_HUGEPAGE);
	} else {
		off_t first = (off_t)roll((uint64_t)file_pages);

		if (pages > (size_t)(file_pages - first))
			pages = (size_t)(file_pages - first);
		area->at = mmap(NULL, pages * PAGE, protection, flags, file, first * PAGE);
	}
	if (area->at == MAP_FAILED)
		area->at = NULL;
	area->pages = pages;
	area->writable = !!(protection & PROT_WRITE);
}

static void touch(struct area *area)
{
	size_t first = roll(area->pages), n = 1 + roll(area->pages - first);
	volatile char *at = area->at;

	for (size_t i = first; i < first + n; i++) {
		if (area->writable && roll(3) == 0)
			at[i * PAGE] = (char)i;
		else
			(void)at[i * PAGE];
	}
}

static void advise(struct area *area)
{
	static const int advice[] = {MADV_COLD,     MADV_PAGEOUT,   MADV_FREE,       MADV_DONTNEED,
				     MADV_WILLNEED, MADV_HUGEPAGE,  MADV_NOHUGEPAGE, MADV_COLLAPSE,
				     MADV_COLLAPSE, MADV_MERGEABLE, MADV_UNMERGEABLE};
	size_t first = roll(area->pages), n = 1 + roll(area->pages - first);

	madvise(area->at + first * PAGE, n * PAGE, advice[roll(sizeof(advice) / sizeof(*advice))]);
}

static void read_file(void)
{
	static char buf[64 * PAGE];
	off_t first = (off_t)roll((uint64_t)file_pages);
	size_t n = 1 + roll(64);

	for (int again = (int)roll(12); again >= 0; again--)
		if (pread(file, buf, n * PAGE, first * PAGE) < 0)
			err(1, "pread");
}

/* Without the page cache, into memory that the kernel pins for it: get_user_pages_fast(). */
static void read_direct(struct area *area)
{
	size_t page = roll(area->pages);

	if (area->writable && direct >= 0 &&
	    pread(direct, area->at + page * PAGE, PAGE, (off_t)roll((uint64_t)file_pages) * PAGE) <
		    0)
		warn("pread, direct");
}

/* To the other memory node, if there is one. */
static void move(struct area *area)
{
	size_t first = roll(area->pages), n = area->pages - first;
	int nodes[MOST_MOVED], status[MOST_MOVED], node = (int)roll(2);
	void *pages[MOST_MOVED];

	if (n > MOST_MOVED)
		n = MOST_MOVED;
	for (size_t i = 0; i < n; i++) {
		pages[i] = area->at + (first + i) * PAGE;
		nodes[i] = node;
	}
	syscall(SYS_move_pages, 0, n, pages, nodes, status, MPOL_MF_MOVE);
}

static void forget_references(void)
{
	int fd = open("/proc/self/clear_refs", O_WRONLY | O_CLOEXEC);

	if (fd < 0)
		return;
	if (write(fd, "1", 1) < 0)
		warn("clear_refs");
	close(fd);
}

static void lock_some(struct area *area)
{
	size_t pages = area->pages > 64 ? 64 : area->pages;

	if (mlock(area->at, pages * PAGE) == 0 && roll(4))
		munlock(area->at, pages * PAGE);
}

/* Shares all that is private for a while, and ends without giving it up first. */
static void split(void)
{
	pid_t pid = fork();

	if (pid < 0)
		return;
	if (pid == 0) {
		for (int i = 0; i < AREAS; i++)
			if (areas[i].at && roll(2))
				touch(&areas[i]);
		_exit(0);
	}
	waitpid(pid, NULL, 0);
}

static void step(void)
{
	struct area *area = &areas[roll(AREAS)];
	uint64_t what = roll(100);

	if (!area->at || what < 6)
		take(area);
	else if (what < 50)
		touch(area);
	else if (what < 62)
		advise(area);
	else if (what < 79)
		read_file();
	else if (what < 82)
		read_direct(area);
	else if (what < 86)
		move(area);
	else if (what < 87)
		forget_references();
	else if (what < 89)
		lock_some(area);
	else if (what < 91)
		posix_fadvise(file, (off_t)roll((uint64_t)file_pages) * PAGE, 64 * PAGE,
			      POSIX_FADV_DONTNEED);
	else if (what < 93)
		split();
	else
		give_up(area);
}

int main(int argc, char **argv)
{
	static const struct option options[] = {{"seed", required_argument, NULL, 's'},
						{"seconds", required_argument, NULL, 't'},
						{"mib", required_argument, NULL, 'm'},
						{0}};
	long seconds = 60, mib = 8, seed = 1;
	struct timespec now;
	struct stat st;
	time_t end;
	int c;

	while ((c = getopt_long(argc, argv, "", options, NULL)) >= 0) {
		if (c == 's')
			seed = atol(optarg);
		else if (c == 't')
			seconds = atol(optarg);
		else if (c == 'm')
			mib = atol(optarg);
		else
			return 2;
	}
	if (optind + 1 != argc || seconds < 1 || mib < 1)
		errx(2, "usage: mmstress [--seed N] [--seconds N] [--mib N] FILE");
	file = open(argv[optind], O_RDONLY);
	if (file < 0 || fstat(file, &st) < 0)
		err(1, "%s", argv[optind]);
	direct = open(argv[optind], O_RDONLY | O_DIRECT);
	file_pages = st.st_size / PAGE;
	most_pages = (size_t)mib * 256;
	dice = 0x9e3779b97f4a7c15u * (uint64_t)(seed + 1);
	clock_gettime(CLOCK_MONOTONIC, &now);
	end = now.tv_sec + seconds;
	while (now.tv_sec < end) {
		for (int i = 0; i < 16; i++)
			step();
		clock_gettime(CLOCK_MONOTONIC, &now);
	}
	return 0;
}
