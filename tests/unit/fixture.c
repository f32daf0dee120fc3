/* SPDX-License-Identifier: MIT */
/*
 * A host in a temporary directory.
 */
#include "fixture.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>
#include <cmocka.h>

#define CGROUPS "sys/fs/cgroup"

/* What a service of 100 MiB says: 60 MiB anon, 36 MiB file, the rest kernel memory. */
static const char stat_text[] =
	"anon 62914560\nfile 37748736\nkernel 4194304\npagetables 524288\nshmem 0\n"
	"file_mapped 8388608\nfile_dirty 40960\nfile_writeback 8192\nswapcached 0\n"
	"inactive_anon 41943040\nactive_anon 20971520\ninactive_file 25165824\n"
	"active_file 12582912\nunevictable 4096\nslab_reclaimable 1048576\n"
	"workingset_refault_anon 11\nworkingset_refault_file 1234\nworkingset_activate_anon 3\n"
	"workingset_activate_file 400\nworkingset_nodereclaim 0\npgscan 70000\npgsteal 60000\n"
	"pgscan_kswapd 50000\npgscan_direct 20000\npgsteal_kswapd 45000\npgsteal_direct 15000\n"
	"pgfault 99999\npgmajfault 12\nthp_fault_alloc 0\n";

static const struct {
	const char *file;
	const char *text;
} memcg_files[] = {
	{"cgroup.controllers", "memory pids\n"},
	{"cgroup.events", "populated 1\nfrozen 0\n"},
	{"memory.current", "104857600\n"},
	{"memory.stat", stat_text},
	{"memory.events", "low 0\nhigh 5\nmax 7\noom 1\noom_kill 2\noom_group_kill 0\n"},
	{"memory.pressure", "some avg10=0.00 avg60=0.10 avg300=0.02 total=123456\n"
			    "full avg10=0.00 avg60=0.00 avg300=0.00 total=23456\n"},
	{"io.pressure", "some avg10=1.00 avg60=0.10 avg300=0.02 total=777\n"
			"full avg10=0.00 avg60=0.00 avg300=0.00 total=66\n"},
	{"memory.swap.current", "4096\n"},
	{"memory.swap.max", "max\n"},
	{"memory.min", "0\n"},
	{"memory.low", "16777216\n"},
	{"memory.high", "max\n"},
	{"memory.max", "1073741824\n"},
	{"memory.reclaim", ""},
};

const char *fixture_path(const struct fixture *fixture, const char *name)
{
	static char path[FIXTURE_PATH_MAX];
	int n = snprintf(path, sizeof(path), "%s/%s", fixture->root, name);

	assert_true(n > 0 && (size_t)n < sizeof(path));
	return path;
}

static void make_parents(const struct fixture *fixture, const char *name)
{
	char path[FIXTURE_PATH_MAX];

	strcpy(path, fixture_path(fixture, name));
	for (char *p = path + strlen(fixture->root) + 1; (p = strchr(p, '/')); p++) {
		*p = '\0';
		mkdir(path, 0755);
		*p = '/';
	}
}

void fixture_mkdir(const struct fixture *fixture, const char *name)
{
	make_parents(fixture, name);
	if (mkdir(fixture_path(fixture, name), 0755) < 0 && errno != EEXIST)
		fail_msg("mkdir %s: %s", name, strerror(errno));
}

void fixture_write(const struct fixture *fixture, const char *name, const char *text)
{
	int fd;

	fd = open(fixture_path(fixture, name), O_WRONLY | O_CREAT | O_CLOEXEC, 0644);
	if (fd < 0 && errno == ENOENT) {
		make_parents(fixture, name);
		fd = open(fixture_path(fixture, name), O_WRONLY | O_CREAT | O_CLOEXEC, 0644);
	}
	if (fd < 0)
		fail_msg("open %s: %s", name, strerror(errno));
	assert_int_equal(write(fd, text, strlen(text)), strlen(text));
	/* Not O_TRUNC: a file that is emptied and written anew is flushed to the disk by ext4. */
	assert_int_equal(ftruncate(fd, (off_t)strlen(text)), 0);
	close(fd);
}

void fixture_printf(const struct fixture *fixture, const char *name, const char *format, ...)
{
	char *text;
	va_list ap;
	int n;

	va_start(ap, format);
	n = vasprintf(&text, format, ap);
	va_end(ap);
	assert_true(n >= 0);
	fixture_write(fixture, name, text);
	free(text);
}

void fixture_read(const struct fixture *fixture, const char *name, char *buf, size_t size)
{
	int fd = open(fixture_path(fixture, name), O_RDONLY | O_CLOEXEC);
	ssize_t n;

	if (fd < 0)
		fail_msg("open %s: %s", name, strerror(errno));
	n = read(fd, buf, size - 1);
	close(fd);
	assert_true(n >= 0 && (size_t)n < size - 1);
	buf[n] = '\0';
}

/* By descriptors: a path may be longer than the kernel takes. */
static int remove_at(int dir_fd, const char *name)
{
	int fd = openat(dir_fd, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	struct dirent *entry;
	DIR *dir;

	if (fd < 0)
		return unlinkat(dir_fd, name, 0);
	dir = fdopendir(fd);
	assert_non_null(dir);
	while ((entry = readdir(dir)))
		if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0)
			remove_at(fd, entry->d_name);
	closedir(dir);
	return unlinkat(dir_fd, name, AT_REMOVEDIR);
}

void fixture_remove(const struct fixture *fixture, const char *name)
{
	if (remove_at(AT_FDCWD, fixture_path(fixture, name)) < 0)
		fail_msg("remove %s: %s", name, strerror(errno));
}

int fixture_log_begin(const struct fixture *fixture)
{
	int stderr_fd = dup(STDERR_FILENO), fd;

	fixture_write(fixture, FIXTURE_LOG, "");
	fd = open(fixture_path(fixture, FIXTURE_LOG), O_WRONLY | O_APPEND | O_CLOEXEC);
	assert_true(fd >= 0 && stderr_fd >= 0 && dup2(fd, STDERR_FILENO) >= 0);
	close(fd);
	return stderr_fd;
}

void fixture_log_end(const struct fixture *fixture, int stderr_fd, char *buf, size_t size)
{
	dup2(stderr_fd, STDERR_FILENO);
	close(stderr_fd);
	fixture_read(fixture, FIXTURE_LOG, buf, size);
}

int fixture_open_notify_socket(const struct fixture *fixture)
{
	struct sockaddr_un address = {.sun_family = AF_UNIX};
	int fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);

	snprintf(address.sun_path, sizeof(address.sun_path), "%s/notify", fixture->root);
	assert_int_equal(bind(fd, (const struct sockaddr *)&address, sizeof(address)), 0);
	setenv("NOTIFY_SOCKET", address.sun_path, true);
	return fd;
}

void fixture_add_cgroups(const struct fixture *fixture)
{
	fixture_write(fixture, CGROUPS "/cgroup.controllers", "cpuset cpu io memory pids\n");
	/* Of the root's files only those that the kernel has there; no memory.current. */
	fixture_write(fixture, CGROUPS "/memory.stat", stat_text);
}

const char *fixture_memcg_file(const char *path, const char *file)
{
	static char name[FIXTURE_PATH_MAX];
	int n = snprintf(name, sizeof(name), CGROUPS "%s%s%s", path, *file ? "/" : "", file);

	assert_true(n > 0 && (size_t)n < sizeof(name));
	return name;
}

void fixture_add_memcg(const struct fixture *fixture, const char *path)
{
	for (size_t i = 0; i < sizeof(memcg_files) / sizeof(memcg_files[0]); i++)
		fixture_write(fixture, fixture_memcg_file(path, memcg_files[i].file),
			      memcg_files[i].text);
}

void fixture_copy_listing(const struct fixture *fixture, const char *listing, const char *name)
{
	static char text[1 << 20];
	const char *srcdir = getenv("srcdir");
	char path[FIXTURE_PATH_MAX];
	FILE *file;
	size_t n;

	snprintf(path, sizeof(path), "%s/tests/fixtures/listings/%s", srcdir ? srcdir : ".",
		 listing);
	file = fopen(path, "re");
	if (!file)
		fail_msg("%s: %s", path, strerror(errno));
	n = fread(text, 1, sizeof(text) - 1, file);
	fclose(file);
	assert_true(n > 0 && n < sizeof(text) - 1);
	text[n] = '\0';
	snprintf(path, sizeof(path), "sys/kernel/debug/%s", name);
	fixture_write(fixture, path, text);
}

struct config *fixture_config(const struct fixture *fixture, const char *text)
{
	struct config_error error = {""};
	struct config *config = NULL;
	char path[FIXTURE_PATH_MAX];

	if (text)
		fixture_write(fixture, "test.conf", text);
	strcpy(path, fixture_path(fixture, "test.conf"));
	if (config_load(fixture->root, text ? path : NULL, &config, &error) < 0)
		fail_msg("%s", error.text);
	return config;
}

size_t fixture_count_descriptors(void)
{
	DIR *dir = opendir("/proc/self/fd");
	size_t n = 0;

	assert_non_null(dir);
	while (readdir(dir))
		n++;
	closedir(dir);
	return n;
}

uint64_t fixture_now_usec(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (uint64_t)ts.tv_sec * 1000000 + (uint64_t)ts.tv_nsec / 1000;
}

int fixture_setup(void **state)
{
	struct fixture *fixture = calloc(1, sizeof(*fixture));
	const char *base = getenv("TMPDIR");

	if (!fixture)
		return -1;
	if (!base || strlen(base) > 40)
		base = "/tmp";
	fixture->descriptors = fixture_count_descriptors();
	snprintf(fixture->root, sizeof(fixture->root), "%s/fixture-XXXXXX", base);
	*state = fixture;
	return mkdtemp(fixture->root) ? 0 : -1;
}

int fixture_teardown(void **state)
{
	struct fixture *fixture = *state;
	size_t leaked = fixture_count_descriptors() - fixture->descriptors;

	remove_at(AT_FDCWD, fixture->root);
	free(fixture);
	if (leaked)
		print_error("%zu descriptors leaked\n", leaked);
	return leaked ? -1 : 0;
}
