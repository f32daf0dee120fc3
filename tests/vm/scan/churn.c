/* SPDX-License-Identifier: MIT */
/*
 * Makes cgroups, each with an amount of memory of its own, and then removes and makes so many of
 * them a second again, under the same names, until SIGTERM; then removes all.
 *
 *	churn DIR N RATE TRUTH		DIR is made, with N cgroups below; "ready" once they are charged
 *
 * Each cgroup holds shared memory (on the anon lists) and page cache of a file with no blocks (on
 * the file lists). No two of them hold the same: the amounts repeat after 53 x 47 cgroups. Removed
 * cgroups take three ways out, in turn: freed, removed and made again at once; removed first, so
 * that a dying cgroup of the same path stays in the listing for 2 s; and removed while another comes
 * back.
 */
#define _GNU_SOURCE
#include "truth.h"

#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <linux/mempolicy.h>
#include <linux/sched.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define PAGE_BYTES 4096
#define NAME_SIZE  96
#define GRAVES     100 /* steps for which a removed cgroup keeps its memory */

/* What is read into the page cache with one call. */
#define READ_PAGES 32

struct group {
	int anon_fd, file_fd; /* -1: no memory */
	struct truth *truth;  /* NULL: it is not there */
};

struct grave {
	int anon_fd, file_fd;
};

struct churn {
	int dir_fd;
	int drain_fd;
	struct truth_table *table;
	struct group *groups;
	unsigned n;
	int absent; /* index of the one that is away, -1: none */
	struct grave graves[GRAVES];
	uint64_t made, removed;
};

static volatile sig_atomic_t stop;

static void on_signal(int signal)
{
	(void)signal;
	stop = 1;
}

static uint64_t now_usec(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (uint64_t)ts.tv_sec * 1000000 + (uint64_t)ts.tv_nsec / 1000;
}

static void write_at(int dir_fd, const char *name, const char *text)
{
	int fd = openat(dir_fd, name, O_WRONLY | O_CLOEXEC);

	if (fd < 0 || write(fd, text, strlen(text)) < 0)
		err(2, "%s", name);
	close(fd);
}

/* A process of its own in the cgroup charges it: shared memory and page cache stay when it ends. */
static void charge(const struct group *group, int cgroup_fd)
{
	static char buf[READ_PAGES * PAGE_BYTES];
	off_t anon_bytes = (off_t)group->truth->anon_pages * PAGE_BYTES;
	struct clone_args args = {
		.flags = CLONE_INTO_CGROUP,
		.exit_signal = SIGCHLD,
		.cgroup = (unsigned)cgroup_fd,
	};
	int status;
	long pid = syscall(SYS_clone3, &args, sizeof(args));

	if (pid < 0)
		err(2, "clone3");
	if (pid == 0) {
		ssize_t n;

		if (fallocate(group->anon_fd, 0, 0, anon_bytes) < 0)
			_exit(1);
		while ((n = read(group->file_fd, buf, sizeof(buf))) > 0)
			;
		_exit(n < 0);
	}
	if (waitpid((pid_t)pid, &status, 0) < 0 || status != 0)
		errx(2, "a cgroup could not be charged");
}

/* What has just been allocated on this processor is on the lists after this, not in a batch. */
static void drain(const struct churn *churn)
{
	posix_fadvise(churn->drain_fd, 0, 0, POSIX_FADV_DONTNEED);
}

/* Of many lengths, so that the listing's pages end anywhere, between two nodes of a cgroup too. */
static void name_of(char name[NAME_SIZE], unsigned i)
{
	int len = snprintf(name, NAME_SIZE, "g%04u", i);

	memset(name + len, '-', i % 80);
	name[(unsigned)len + i % 80] = '\0';
}

static void make(struct churn *churn, unsigned i)
{
	struct group *group = &churn->groups[i];
	uint32_t anon_pages = 1 + 2 * (uint32_t)(churn->made % 53);
	uint32_t file_pages = 2 + 2 * (uint32_t)(churn->made % 47);
	char name[NAME_SIZE];
	struct stat st;
	int fd;

	name_of(name, i);
	group->anon_fd = memfd_create(name, MFD_CLOEXEC);
	group->file_fd =
		open("/var/tmp", O_TMPFILE | O_RDWR | O_NOATIME | O_EXCL | O_CLOEXEC, 0600);
	if (group->anon_fd < 0 || group->file_fd < 0 ||
	    ftruncate(group->file_fd, (off_t)file_pages * PAGE_BYTES) < 0)
		err(2, "memory for %s", name);
	if (mkdirat(churn->dir_fd, name, 0755) < 0)
		err(2, "mkdir %s", name);
	fd = openat(churn->dir_fd, name, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd < 0 || fstat(fd, &st) < 0)
		err(2, "%s", name);
	group->truth = truth_add(churn->table, st.st_ino, anon_pages, file_pages);
	charge(group, fd);
	drain(churn);
	atomic_store(&group->truth->charged_usec, now_usec());
	close(fd);
	churn->made++;
}

static void free_memory(int *anon_fd, int *file_fd)
{
	if (*anon_fd >= 0)
		close(*anon_fd);
	if (*file_fd >= 0)
		close(*file_fd);
	*anon_fd = *file_fd = -1;
}

/* keep: where its memory goes, NULL: freed before. */
static void unmake(struct churn *churn, unsigned i, struct grave *keep)
{
	struct group *group = &churn->groups[i];
	char name[NAME_SIZE];

	name_of(name, i);
	atomic_store(&group->truth->leaving_usec, now_usec());
	if (keep)
		*keep = (struct grave){group->anon_fd, group->file_fd};
	else
		free_memory(&group->anon_fd, &group->file_fd);
	group->anon_fd = group->file_fd = -1;
	group->truth = NULL;
	if (unlinkat(churn->dir_fd, name, AT_REMOVEDIR) < 0)
		err(2, "rmdir %s", name);
	churn->removed++;
}

static void step(struct churn *churn, uint64_t number)
{
	static uint32_t random = 1;
	struct grave *grave = &churn->graves[number % GRAVES];
	unsigned i;

	do {
		random = random * 1664525 + 1013904223;
		i = (random >> 8) % churn->n;
	} while (!churn->groups[i].truth);
	free_memory(&grave->anon_fd, &grave->file_fd);
	switch (number % 3) {
	case 0:
		unmake(churn, i, NULL);
		make(churn, i);
		break;
	case 1:
		unmake(churn, i, grave);
		make(churn, i);
		break;
	default:
		unmake(churn, i, NULL);
		if (churn->absent >= 0)
			make(churn, (unsigned)churn->absent);
		churn->absent = (int)i;
		break;
	}
}

/* Keeps to the rate on average: a step that came late is made up for. */
static void run(struct churn *churn, unsigned rate)
{
	uint64_t start = now_usec(), steps = 0, took;

	churn->removed = 0;
	while (!stop) {
		uint64_t due = start + (rate ? steps * 1000000 / rate : UINT64_MAX / 2);
		uint64_t now = now_usec();

		if (now < due) {
			struct timespec wait = {.tv_sec = rate ? 0 : 1};

			if (rate)
				wait.tv_nsec = (long)(due - now) * 1000;
			nanosleep(&wait, NULL);
			continue;
		}
		step(churn, steps++);
	}
	took = now_usec() - start;
	printf("removed=%" PRIu64 "\nseconds=%" PRIu64 "\nper_second=%" PRIu64 "\n", churn->removed,
	       took / 1000000, took ? churn->removed * 1000000 / took : 0);
}

static void set_up(struct churn *churn, const char *dir)
{
	rlim_t descriptors = 2 * (churn->n + GRAVES) + 64;
	struct rlimit limit = {descriptors, descriptors};
	unsigned long nodes = 3;
	cpu_set_t last;

	if (setrlimit(RLIMIT_NOFILE, &limit) < 0)
		err(2, "setrlimit");
	/* One processor, so that its batches are the only ones to drain. */
	CPU_ZERO(&last);
	CPU_SET((size_t)sysconf(_SC_NPROCESSORS_ONLN) - 1, &last);
	if (sched_setaffinity(0, sizeof(last), &last) < 0)
		err(2, "sched_setaffinity");
	/* Some of it on each node, where there are two. */
	if (syscall(SYS_set_mempolicy, MPOL_INTERLEAVE, &nodes, 8 * sizeof(nodes)) < 0)
		err(2, "set_mempolicy");
	if (mkdir(dir, 0755) < 0 && errno != EEXIST)
		err(2, "%s", dir);
	churn->dir_fd = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	churn->drain_fd = open("/var/tmp", O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
	if (churn->dir_fd < 0 || churn->drain_fd < 0)
		err(2, "%s", dir);
	write_at(churn->dir_fd, "cgroup.subtree_control", "+memory");
	churn->groups = calloc(churn->n, sizeof(*churn->groups));
	if (!churn->groups)
		err(2, "%u cgroups", churn->n);
	churn->absent = -1;
	for (unsigned i = 0; i < GRAVES; i++)
		churn->graves[i] = (struct grave){-1, -1};
}

int main(int argc, char **argv)
{
	struct sigaction action = {.sa_handler = on_signal, .sa_flags = SA_RESTART};
	struct churn churn = {0};

	if (argc != 5)
		errx(2, "usage: churn DIR N RATE TRUTH");
	sigaction(SIGTERM, &action, NULL);
	churn.n = (unsigned)atoi(argv[2]);
	churn.table = truth_open(argv[4], true);
	set_up(&churn, argv[1]);
	for (unsigned i = 0; i < churn.n && !stop; i++)
		make(&churn, i);
	printf("ready\n");
	fflush(stdout);
	run(&churn, (unsigned)atoi(argv[3]));
	for (unsigned i = 0; i < churn.n; i++)
		if (churn.groups[i].truth)
			unmake(&churn, i, NULL);
	for (unsigned i = 0; i < GRAVES; i++)
		free_memory(&churn.graves[i].anon_fd, &churn.graves[i].file_fd);
	return rmdir(argv[1]) < 0 ? 2 : 0;
}
