/* SPDX-License-Identifier: MIT */
/*
 * oddpages [--kills N] FILE: processes that are killed with the accessed bits of their pages set, while
 * others read the same pages of FILE. Among their pages are those of no LRU and of no cgroup: rings that
 * the kernel shares with them, zero pages, hugetlb's, locked ones. All are made known to the LRU as used
 * and as unused in each way there is, though it does not have them. Prints how many of each kind of memory
 * there were.
 */
#define _GNU_SOURCE /* O_DIRECT, memfd_create, process_vm_readv */
#include <err.h>
#include <fcntl.h>
#include <getopt.h>
#include <linux/aio_abi.h>
#include <linux/if_packet.h>
#include <linux/io_uring.h>
#include <linux/perf_event.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define PAGE      4096
#define HUGE_PAGE (2 << 20)
#define VICTIMS   3
#define READERS   2

enum kind {
	KIND_PACKET_RING,
	KIND_PERF_RING,
	KIND_IO_URING,
	KIND_AIO_RING,
	KIND_ZERO_PAGE,
	KIND_HUGE_ZERO_PAGE,
	KIND_HUGETLB,
	KIND_LOCKED,
	KIND_SHMEM,
	KIND_ANON,
	KIND_FILE,
	KINDS
};

static const char *const kind_names[KINDS] = {
	"packet ring", "perf ring", "io_uring", "aio ring",  "zero page", "huge zero page",
	"hugetlb",     "locked",    "shmem",    "anonymous", "file"};

/* Shared by all: how many mappings of each kind there were, and who has made all of its own. */
static struct {
	atomic_long mapped[KINDS];
	atomic_int ready[VICTIMS];
} * shared;

/* In a victim: which one it is. */
static int number;
static int file, direct;
static size_t file_size;

static void *map_packet_ring(size_t size)
{
	struct tpacket_req ring = {.tp_block_size = PAGE * 4,
				   .tp_block_nr = (unsigned int)(size / (PAGE * 4)),
				   .tp_frame_size = 2048,
				   .tp_frame_nr = (unsigned int)(size / 2048)};
	int fd = socket(AF_PACKET, SOCK_RAW | SOCK_CLOEXEC, 0);

	if (fd < 0 || setsockopt(fd, SOL_PACKET, PACKET_RX_RING, &ring, sizeof(ring)) < 0)
		return MAP_FAILED;
	return mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
}

/* The size is one page and a power of two of them: what lies behind is left out. */
static void *map_perf_ring(void)
{
	struct perf_event_attr attr = {.type = PERF_TYPE_SOFTWARE,
				       .size = sizeof(attr),
				       .config = PERF_COUNT_SW_CPU_CLOCK,
				       .sample_period = 100000,
				       .sample_type = PERF_SAMPLE_IP};
	int fd = (int)syscall(SYS_perf_event_open, &attr, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);

	if (fd < 0)
		return MAP_FAILED;
	return mmap(NULL, 9 * PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
}

static void *map_io_uring(size_t size)
{
	struct io_uring_params params = {0};
	int fd = (int)syscall(SYS_io_uring_setup, size / sizeof(struct io_uring_sqe), &params);

	if (fd < 0)
		return MAP_FAILED;
	return mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, IORING_OFF_SQES);
}

static void *map_aio_ring(void)
{
	aio_context_t context = 0;

	if (syscall(SYS_io_setup, 64, &context) < 0)
		return MAP_FAILED;
	return (void *)context; /* which is the ring's address */
}

static void *map_shmem(size_t size)
{
	int fd = memfd_create("oddpages", MFD_CLOEXEC);

	if (fd < 0 || ftruncate(fd, (off_t)size) < 0)
		return MAP_FAILED;
	return mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
}

static void *map_anon(size_t size, int protection, int flags)
{
	return mmap(NULL, size, protection, MAP_PRIVATE | MAP_ANONYMOUS | flags, -1, 0);
}

/* On return *size is what may be touched of it. */
static char *map_kind(enum kind kind, size_t *size)
{
	char *at = MAP_FAILED;

	*size = 16 * PAGE;
	switch (kind) {
	case KIND_PACKET_RING:
		at = map_packet_ring(*size);
		break;
	case KIND_PERF_RING:
		*size = 9 * PAGE;
		at = map_perf_ring();
		break;
	case KIND_IO_URING:
		at = map_io_uring(*size);
		break;
	case KIND_AIO_RING:
		*size = PAGE;
		at = map_aio_ring();
		break;
	case KIND_ZERO_PAGE:
		at = map_anon(*size, PROT_READ, 0);
		break;
	case KIND_HUGE_ZERO_PAGE:
		*size = 2 * HUGE_PAGE;
		at = map_anon(*size, PROT_READ, 0);
		if (at != MAP_FAILED)
			madvise(at, *size, MADV_HUGEPAGE);
		break;
	case KIND_HUGETLB:
		*size = HUGE_PAGE;
		at = map_anon(*size, PROT_READ | PROT_WRITE, MAP_HUGETLB);
		break;
	case KIND_LOCKED:
		at = map_anon(*size, PROT_READ | PROT_WRITE, 0);
		if (at != MAP_FAILED && mlock(at, *size) < 0)
			return MAP_FAILED;
		break;
	case KIND_SHMEM:
		*size = 256 * PAGE;
		at = map_shmem(*size);
		break;
	case KIND_ANON:
		*size = 512 * PAGE;
		at = map_anon(*size, PROT_READ | PROT_WRITE, 0);
		break;
	default:
		*size = file_size;
		at = mmap(NULL, *size, PROT_READ, MAP_SHARED, file, 0);
	}
	return at;
}

static void touch(const volatile char *at, size_t size)
{
	for (size_t i = 0; i < size; i += PAGE)
		(void)at[i];
}

/* Through get_user_pages(), the fast and the other one; failures are of no interest. */
static void pin(char *at, size_t size)
{
	static char copy[PAGE];
	struct iovec mine = {copy, sizeof(copy)};

	for (size_t i = 0; i < size && i < 64 * PAGE; i += PAGE) {
		struct iovec its = {at + i, PAGE};

		if (process_vm_readv(getpid(), &mine, 1, &its, 1, 0) < 0)
			break;
		if (direct >= 0 && pwrite(direct, at + i, PAGE, (off_t)i) < 0)
			break;
	}
}

static void forget_references(void)
{
	int fd = open("/proc/self/clear_refs", O_WRONLY | O_CLOEXEC);

	if (fd < 0 || write(fd, "1", 1) < 0)
		err(1, "/proc/self/clear_refs");
	close(fd);
}

/* Uses all there is, and is killed while it does so. */
static void victim(void)
{
	char *at[KINDS];
	size_t size[KINDS];

	for (int kind = 0; kind < KINDS; kind++) {
		at[kind] = map_kind(kind, &size[kind]);
		if (at[kind] == MAP_FAILED)
			continue;
		touch(at[kind], size[kind]);
		atomic_fetch_add(&shared->mapped[kind], 1);
	}
	atomic_store(&shared->ready[number], 1);
	for (int i = 0;; i++)
		for (int kind = 0; kind < KINDS; kind++) {
			if (at[kind] == MAP_FAILED)
				continue;
			touch(at[kind], size[kind]);
			if (i % 4 == 1)
				pin(at[kind], size[kind]);
			if (i % 8 == 3)
				madvise(at[kind], size[kind], kind % 2 ? MADV_COLD : MADV_PAGEOUT);
			if (i % 16 == 7)
				forget_references();
		}
}

/* Reads and maps the file, which the victims do as well. */
static void reader(void)
{
	static char buf[64 * PAGE];
	char *at = mmap(NULL, file_size, PROT_READ, MAP_SHARED, file, 0);

	if (at == MAP_FAILED)
		err(1, "mmap");
	for (;;) {
		for (off_t i = 0; i < (off_t)file_size; i += sizeof(buf))
			if (pread(file, buf, sizeof(buf), i) < 0)
				err(1, "pread");
		touch(at, file_size);
		madvise(at, file_size, MADV_DONTNEED);
	}
}

/* It ends with its parent, and is the first to go where memory is short. */
static pid_t start(void (*run)(void))
{
	pid_t pid = fork();

	if (pid < 0)
		err(1, "fork");
	if (pid == 0) {
		int fd = open("/proc/self/oom_score_adj", O_WRONLY | O_CLOEXEC);

		if (fd < 0 || write(fd, "1000", 4) < 0 || prctl(PR_SET_PDEATHSIG, SIGKILL) < 0)
			err(1, "oom_score_adj");
		close(fd);
		run();
		_exit(0);
	}
	return pid;
}

/* For want of memory; it stays to be waited for. */
static int has_ended(pid_t pid)
{
	siginfo_t info = {0};

	return waitid(P_PID, (id_t)pid, &info, WEXITED | WNOHANG | WNOWAIT) < 0 ||
	       info.si_pid == pid;
}

/* One after the other, each after some part of its work; it has to be a signal that it died of. */
static void kill_and_replace(long kills)
{
	struct timespec pause = {0};
	pid_t victims[VICTIMS];

	for (number = 0; number < VICTIMS; number++)
		victims[number] = start(victim);
	for (long i = 0; i < kills; i++) {
		pid_t *pid = &victims[i % VICTIMS];
		int status;

		number = (int)(i % VICTIMS);
		pause.tv_nsec = (1 + i * 37 % 200) * 1000000;
		do
			nanosleep(&pause, NULL);
		while (!atomic_load(&shared->ready[number]) && !has_ended(*pid));
		kill(*pid, SIGKILL);
		if (waitpid(*pid, &status, 0) < 0 || !WIFSIGNALED(status))
			errx(1, "a process ended by itself");
		atomic_store(&shared->ready[number], 0);
		*pid = start(victim);
	}
	for (int i = 0; i < VICTIMS; i++)
		kill(victims[i], SIGKILL);
}

int main(int argc, char **argv)
{
	static const struct option options[] = {{"kills", required_argument, NULL, 'k'}, {0}};
	pid_t readers[READERS];
	long kills = 30;
	struct stat st;
	int c;

	while ((c = getopt_long(argc, argv, "", options, NULL)) >= 0) {
		if (c != 'k')
			return 2;
		kills = atol(optarg);
	}
	if (optind + 1 != argc || kills < 1)
		errx(2, "usage: oddpages [--kills N] FILE");
	file = open(argv[optind], O_RDONLY | O_CLOEXEC);
	if (file < 0 || fstat(file, &st) < 0)
		err(1, "%s", argv[optind]);
	file_size = (size_t)st.st_size / PAGE * PAGE;
	direct = open(".", O_TMPFILE | O_RDWR | O_DIRECT | O_CLOEXEC, 0600);
	shared = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (shared == MAP_FAILED)
		err(1, "mmap");
	for (int i = 0; i < READERS; i++)
		readers[i] = start(reader);
	kill_and_replace(kills);
	for (int i = 0; i < READERS; i++)
		kill(readers[i], SIGKILL);
	while (wait(NULL) > 0)
		;
	for (int kind = 0; kind < KINDS; kind++)
		printf("mapped %ld %s\n", atomic_load(&shared->mapped[kind]), kind_names[kind]);
	return 0;
}
