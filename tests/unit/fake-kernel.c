/* SPDX-License-Identifier: MIT */
/*
 * A kernel that fails where it is told to.
 */
#include "door.h"
#include "macro.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>
#include <sys/eventfd.h>
#include <cmocka.h>

#include "fake-kernel.h"

#define FDS_MAX     1024
#define PATH_LENGTH 256
#define CGROUPS     "/sys/fs/cgroup"

struct fake_kernel fake_kernel;

static char paths[FDS_MAX][PATH_LENGTH]; /* below the fixture's root, of what the door opened */
static char gone[PATH_LENGTH];           /* the cgroup that has vanished */

void fake_kernel_reset(const struct fixture *fixture)
{
	fake_kernel = (struct fake_kernel){.fixture = fixture};
	fake_kernel_mend();
}

void fake_kernel_mend(void)
{
	gone[0] = '\0';
}

static bool is_gone(const char *path)
{
	size_t len = strlen(gone);

	return len > 0 && strncmp(path, gone, len) == 0 && (path[len] == '/' || path[len] == '\0');
}

/* "/sys/fs/cgroup/a" of "/sys/fs/cgroup/a/memory.stat"; false for files of no cgroup but the root. */
static bool take_cgroup(const char *path, char *ret)
{
	size_t len = strlen(CGROUPS);
	const char *end;

	if (strncmp(path, CGROUPS "/", len + 1) != 0)
		return false;
	end = strchr(path + len + 1, '/');
	if (!end)
		return false;
	memcpy(ret, path, (size_t)(end - path));
	ret[end - path] = '\0';
	return true;
}

/* Counts a call; the fault that it meets, or 0. */
static int meet(enum fake_call call, const char *verb, const char *path)
{
	const char *name = strrchr(path, '/');

	if (!fake_kernel.counting || ++fake_kernel.n_calls != fake_kernel.fault_call)
		return 0;
	fake_kernel.met_call = call;
	/* A directory is not named after its cgroup. */
	snprintf(fake_kernel.met, sizeof(fake_kernel.met), "%s %s", verb,
		 name && strpbrk(name, "._") ? name + 1 : "directory");
	if (fake_kernel.fault == FAULT_VANISHES && take_cgroup(path, gone))
		return ENODEV;
	return fake_kernel.fault;
}

/* Where a directory is, below the fixture's root. Asked of the real kernel, as directories are also
 * duplicated behind the door. */
static void find_directory(int dir_fd, char *ret, size_t size)
{
	char link[64];
	ssize_t n;

	snprintf(link, sizeof(link), "/proc/self/fd/%d", dir_fd);
	n = readlink(link, ret, size - 1);
	assert_true(n > 0);
	ret[n] = '\0';
	assert_memory_equal(ret, fake_kernel.fixture->root, strlen(fake_kernel.fixture->root));
	memmove(ret, ret + strlen(fake_kernel.fixture->root),
		strlen(ret) + 1 - strlen(fake_kernel.fixture->root));
}

int door_openat(int dir_fd, const char *path, int flags)
{
	char whole[2 * PATH_LENGTH], directory[PATH_LENGTH];
	size_t root_len = strlen(fake_kernel.fixture->root);
	int fault, fd;

	if (dir_fd == AT_FDCWD) {
		assert_memory_equal(path, fake_kernel.fixture->root, root_len);
		snprintf(whole, sizeof(whole), "%s", path + root_len);
	} else {
		find_directory(dir_fd, directory, sizeof(directory));
		snprintf(whole, sizeof(whole), "%s/%s", directory, path);
	}
	fault = meet(FAKE_OPEN, "open", whole);
	if (fault > 0 && fault < FAULT_VANISHES)
		return -fault;
	if (is_gone(whole))
		return -ENOENT;
	fd = openat(dir_fd, path, flags | O_CLOEXEC | O_NOCTTY);
	if (fd < 0)
		return -errno;
	assert_true(fd < FDS_MAX && strlen(whole) < PATH_LENGTH);
	strcpy(paths[fd], whole);
	return fd;
}

ssize_t door_pread(int fd, void *buf, size_t size, off_t offset)
{
	int fault = meet(FAKE_READ, "read", paths[fd]);
	ssize_t n;

	if (fault > 0 && fault < FAULT_VANISHES)
		return -fault;
	if (is_gone(paths[fd]))
		return -ENODEV;
	if (fault == FAULT_EMPTY)
		return 0;
	n = pread(fd, buf, size, offset);
	if (n > 0 && fault == FAULT_GARBAGE)
		memset(buf, '?', (size_t)n);
	return n < 0 ? -errno : n;
}

/* Only a live host is asked, and a fixture is none. */
ssize_t door_ask(int fd _unused_, const char *text)
{
	fail_msg("asked: %s", text);
	return -EINVAL;
}

/* --- behind the ring */

struct entry {
	uint64_t user_data;
	int fd;
	char text[RING_TEXT_MAX + 1];
	int fault;
	bool cancelled;
	unsigned n_told;
	int result;
};

struct fake_backend {
	struct ring_backend backend;
	struct entry entries[RING_WRITES_MAX];
	unsigned n_entries;
};

static int fake_open(struct ring_backend **ret)
{
	struct fake_backend *fake = calloc(1, sizeof(*fake));

	assert_non_null(fake);
	fake->backend = (struct ring_backend){.ops = &fake_kernel_ring,
					      .fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)};
	assert_true(fake->backend.fd >= 0);
	*ret = &fake->backend;
	return 0;
}

static void fake_close(struct ring_backend *backend)
{
	close_fd(&backend->fd);
	free(backend);
}

static int fake_write(struct ring_backend *backend, uint64_t user_data,
		      const struct ring_request *request)
{
	struct fake_backend *fake = (struct fake_backend *)backend;
	const char *path = paths[request->fd];
	int fault = meet(FAKE_SUBMIT, "submit", path);
	struct entry *entry;

	if (fault > 0 && fault < FAULT_VANISHES)
		return -fault;
	assert_true(fake->n_entries < RING_WRITES_MAX);
	entry = &fake->entries[fake->n_entries++];
	*entry = (struct entry){.user_data = user_data, .fd = request->fd};
	memcpy(entry->text, request->text, request->len);
	entry->fault = meet(FAKE_WRITE, "write", path);
	eventfd_write(backend->fd, 1);
	return 0;
}

static void fake_cancel(struct ring_backend *backend, uint64_t user_data)
{
	struct fake_backend *fake = (struct fake_backend *)backend;

	for (unsigned i = 0; i < fake->n_entries; i++)
		if (fake->entries[i].user_data == user_data)
			fake->entries[i].cancelled = true;
	eventfd_write(backend->fd, 1);
}

static uint64_t number_in(const char *name, const char *key)
{
	char text[8192];
	const char *found;

	fixture_read(fake_kernel.fixture, name, text, sizeof(text));
	found = strstr(text, key);
	assert_non_null(found);
	return strtoull(found + strlen(key), NULL, 10);
}

static void free_memory(const char *cgroup, uint64_t bytes)
{
	const struct fixture *fixture = fake_kernel.fixture;
	uint64_t page_bytes = (uint64_t)sysconf(_SC_PAGESIZE), current, stolen;
	char name[2 * PATH_LENGTH];

	snprintf(name, sizeof(name), "%s/memory.current", cgroup);
	current = number_in(name, "");
	fixture_printf(fixture, name, "%" PRIu64 "\n", current - bytes);
	snprintf(name, sizeof(name), "%s/memory.stat", cgroup);
	stolen = number_in(name, "pgsteal_direct ") + bytes / page_bytes;
	fixture_printf(fixture, name, FAKE_STAT, (uintmax_t)stolen, (uintmax_t)stolen);
	fake_kernel.freed_bytes += bytes;
}

/* Does what a write asks for. */
static void take_effect(const struct entry *entry)
{
	char cgroup[PATH_LENGTH];
	uint64_t bytes = strtoull(entry->text, NULL, 10);
	unsigned id;

	if (take_cgroup(paths[entry->fd], cgroup)) {
		free_memory(cgroup, bytes);
		return;
	}
	/* "- ID NODE SEQ SWAPPINESS PAGES"; the ids of the listing are a is 1, b is 2, ... */
	if (sscanf(entry->text, "- %u %*u %*u %*u %" SCNu64, &id, &bytes) != 2)
		return;
	snprintf(cgroup, sizeof(cgroup), CGROUPS "/%c", 'a' + (int)id - 1);
	free_memory(cgroup, bytes * (uint64_t)sysconf(_SC_PAGESIZE));
}

static void note(const struct entry *entry)
{
	const char *path = paths[entry->fd];
	size_t len = strlen(fake_kernel.log);
	char cgroup[PATH_LENGTH];

	fake_kernel.n_ended++;
	if (take_cgroup(path, cgroup))
		snprintf(fake_kernel.log + len, sizeof(fake_kernel.log) - len, "%s reclaim;",
			 cgroup + strlen(CGROUPS));
	else
		snprintf(fake_kernel.log + len, sizeof(fake_kernel.log) - len, "lru_gen %.4s;",
			 entry->text);
}

/* The result of a write that ends now. */
static int end(struct entry *entry)
{
	int fault = entry->fault;

	note(entry);
	if (entry->cancelled)
		return -EINTR;
	if (is_gone(paths[entry->fd]))
		return -ENODEV;
	if (fault > 0 && fault < FAULT_VANISHES)
		return -fault;
	if (fault != FAULT_LIES)
		take_effect(entry);
	return (int)strlen(entry->text);
}

static bool fake_next(struct ring_backend *backend, uint64_t *ret_user_data, int *ret_result)
{
	struct fake_backend *fake = (struct fake_backend *)backend;
	eventfd_t count;

	for (unsigned i = 0; i < fake->n_entries; i++) {
		struct entry *entry = &fake->entries[i];

		if (entry->fault == FAULT_BLOCKS && !entry->cancelled)
			continue;
		*ret_user_data = entry->user_data;
		if (entry->n_told++ == 0)
			entry->result = end(entry);
		*ret_result = entry->result;
		if (entry->fault != FAULT_TWICE || entry->n_told == 2)
			memmove(entry, entry + 1, (--fake->n_entries - i) * sizeof(*entry));
		return true;
	}
	eventfd_read(backend->fd, &count);
	return false;
}

const struct ring_ops fake_kernel_ring = {
	.name = "fake",
	.open = fake_open,
	.close = fake_close,
	.write = fake_write,
	.cancel = fake_cancel,
	.next = fake_next,
};
