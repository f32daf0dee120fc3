/* SPDX-License-Identifier: MIT */
/*
 * One memory cgroup. Its files stay open from tick to tick: that alone saves a third of the cost of
 * reading them (measured), and a descriptor cannot be mistaken for another cgroup of the same name.
 */
#include "memcg.h"
#include "door.h"
#include "escape.h"
#include "file.h"
#include "kparse.h"
#include "macro.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/xattr.h>
#include <sys/resource.h>
#include <unistd.h>

#define STAT_TEXT_MAX  8192
#define OMIT_XATTR     "user.fgreclaim.omit"
#define DELEGATE_XATTR "user.delegate"
#define CLASS_XATTR    "user.fgreclaim.class"

static const char *const file_names[_MEMCG_FILE_MAX] = {
	[MEMCG_CURRENT] = "memory.current",
	[MEMCG_STAT] = "memory.stat",
	[MEMCG_EVENTS] = "memory.events",
	[MEMCG_PRESSURE] = "memory.pressure",
	[MEMCG_IO_PRESSURE] = "io.pressure",
	[MEMCG_CPU_STAT] = "cpu.stat",
	[MEMCG_CGROUP_EVENTS] = "cgroup.events",
	[MEMCG_SWAP_CURRENT] = "memory.swap.current",
	[MEMCG_SWAP_MAX] = "memory.swap.max",
	[MEMCG_ZSWAP_CURRENT] = "memory.zswap.current",
	[MEMCG_ZSWAP_MAX] = "memory.zswap.max",
	[MEMCG_ZSWAP_WRITEBACK] = "memory.zswap.writeback",
	[MEMCG_MIN] = "memory.min",
	[MEMCG_LOW] = "memory.low",
	[MEMCG_HIGH] = "memory.high",
	[MEMCG_MAX] = "memory.max",
};

const char *memcg_file_to_string(enum memcg_file file)
{
	return file_names[file];
}

struct memcg *memcg_free(struct memcg *memcg)
{
	if (!memcg)
		return NULL;
	for (size_t i = 0; i < _MEMCG_FILE_MAX; i++)
		close_fd(&memcg->fds[i]);
	for (size_t i = 0; i < ARRAY_SIZE(memcg->usage_fds); i++)
		close_fd(&memcg->usage_fds[i]);
	close_fd(&memcg->reclaim_fd);
	close_fd(&memcg->dir_fd);
	account_past_done(&memcg->past);
	free(memcg->path);
	free(memcg->name);
	free(memcg);
	return NULL;
}

int memcg_new(uint64_t id, const char *path, int dir_fd, struct memcg **ret)
{
	_cleanup_close_ int owned_fd = dir_fd;
	struct memcg *memcg = calloc(1, sizeof(*memcg));

	if (!memcg)
		return -ENOMEM;
	for (size_t i = 0; i < _MEMCG_FILE_MAX; i++)
		memcg->fds[i] = -1;
	for (size_t i = 0; i < ARRAY_SIZE(memcg->usage_fds); i++)
		memcg->usage_fds[i] = -1;
	memcg->reclaim_fd = -1;
	memcg->watch = -1;
	memcg->id = id;
	memcg->match_index = memcg->class_index = -1;
	memcg->stall_seen_usec = SAMPLE_UNKNOWN;
	memcg->freed.refault_pages[LRU_ANON] = SAMPLE_UNKNOWN;
	memcg->freed.refault_pages[LRU_FILE] = SAMPLE_UNKNOWN;
	memcg->path = strdup(path);
	memcg->name = escape_text(path, strlen(path), true);
	if (!memcg->path || !memcg->name) {
		memcg->dir_fd = -1;
		memcg_free(memcg);
		return -ENOMEM;
	}
	memcg->dir_fd = TAKE_FD(owned_fd);
	*ret = memcg;
	return 0;
}

static int open_file(const struct memcg *memcg, const char *name, int flags)
{
	return door_openat(memcg->dir_fd, name, flags | O_NOFOLLOW);
}

/* Descriptors are given out from below. Files are kept open in the lower half of what the process
 * may have; the upper half is for directories, without which a memcg cannot be looked at, and for
 * what is open for a moment only. */
static bool may_keep(int fd)
{
	struct rlimit limit;

	return getrlimit(RLIMIT_NOFILE, &limit) == 0 && (rlim_t)fd < limit.rlim_cur / 2;
}

static int read_kept(const struct memcg *memcg, int *kept_fd, enum memcg_file file, char *buf,
		     size_t size)
{
	_cleanup_close_ int fd = -1;

	if (*kept_fd >= 0)
		return file_read(*kept_fd, buf, size);
	fd = open_file(memcg, file_names[file], O_RDONLY);
	if (fd < 0)
		return fd;
	if (!may_keep(fd))
		return file_read(fd, buf, size);
	*kept_fd = TAKE_FD(fd);
	return file_read(*kept_fd, buf, size);
}

int memcg_read(struct memcg *memcg, enum memcg_file file, char *buf, size_t size)
{
	return read_kept(memcg, &memcg->fds[file], file, buf, size);
}

static bool has_mark(const struct memcg *memcg, const char *xattr)
{
	char value[8];

	return fgetxattr(memcg->dir_fd, xattr, value, sizeof(value)) == 1 && value[0] == '1';
}

bool memcg_read_mark(const struct memcg *memcg)
{
	return has_mark(memcg, OMIT_XATTR);
}

bool memcg_read_delegated(const struct memcg *memcg)
{
	return has_mark(memcg, DELEGATE_XATTR);
}

void memcg_read_asked_class(const struct memcg *memcg, char *buf, size_t size)
{
	ssize_t len = fgetxattr(memcg->dir_fd, CLASS_XATTR, buf, size - 1);

	if (len < 0)
		snprintf(buf, size, "%s", errno == ERANGE ? "?" : "");
	else
		buf[len] = '\0';
}

uint64_t memcg_read_dying(const struct memcg *memcg)
{
	uint64_t dying = SAMPLE_UNKNOWN;
	char text[512];
	int len = file_read_at(memcg->dir_fd, "cgroup.stat", text, sizeof(text));

	return len >= 0 && kparse_cgroup_stat(text, (size_t)len, &dying) >= 0 ? dying
									      : SAMPLE_UNKNOWN;
}

int memcg_read_low(const struct memcg *memcg, char *buf, size_t size)
{
	return file_read_at(memcg->dir_fd, file_names[MEMCG_LOW], buf, size);
}

int memcg_write_low(const struct memcg *memcg, const char *text)
{
	_cleanup_close_ int fd = open_file(memcg, file_names[MEMCG_LOW], O_WRONLY | O_TRUNC);
	size_t len = strlen(text);

	if (fd < 0)
		return fd;
	return write(fd, text, len) == (ssize_t)len ? 0 : -errno;
}

int memcg_reclaim_fd(struct memcg *memcg)
{
	int fd = memcg->reclaim_fd;

	if (fd < 0)
		fd = open_file(memcg, "memory.reclaim", O_WRONLY);
	if (fd >= 0)
		memcg->reclaim_fd = fd;
	return fd;
}

/* A write is measured in the event loop, which is not to wait longer for the kernel to add up the
 * counters of a memcg: what was freed is then told by memory.current alone. */
#define USAGE_STAT_MOST_USEC (20 * 1000)

static const struct memcg_usage unknown_usage = {
	.current_bytes = SAMPLE_UNKNOWN,
	.swap_bytes = SAMPLE_UNKNOWN,
	.zswap_bytes = SAMPLE_UNKNOWN,
	.pgsteal = {SAMPLE_UNKNOWN, SAMPLE_UNKNOWN, SAMPLE_UNKNOWN},
	.pgscan = {SAMPLE_UNKNOWN, SAMPLE_UNKNOWN, SAMPLE_UNKNOWN},
};

static struct reclaim_parts parts_of(uint64_t all, const struct vmstat_reclaim *parts)
{
	return (struct reclaim_parts){
		.all = all, .direct = parts->direct, .proactive = parts->proactive};
}

static int read_usage_stat(struct memcg *memcg, struct memcg_usage *ret)
{
	struct memcg_sample sample = {.zswap_current_bytes = SAMPLE_UNKNOWN};
	struct vmstat parts; /* of the memcg: the names are the same */
	char text[STAT_TEXT_MAX];
	int len = read_kept(memcg, &memcg->usage_fds[1], MEMCG_STAT, text, sizeof(text));

	if (len < 0)
		return len;
	if (kparse_memory_stat(text, (size_t)len, &sample) >= 0 &&
	    kparse_vmstat(text, (size_t)len, &parts) >= 0) {
		ret->zswap_bytes = sample.zswap_current_bytes;
		ret->pgsteal = parts_of(sample.pgsteal_pages, &parts.pgsteal);
		ret->pgscan = parts_of(sample.pgscan_pages, &parts.pgscan);
	}
	return 0;
}

int memcg_read_usage(struct memcg *memcg, struct memcg_usage *ret)
{
	struct memcg_usage usage = unknown_usage;
	char text[64];
	int len, r;

	len = read_kept(memcg, &memcg->usage_fds[0], MEMCG_CURRENT, text, sizeof(text));
	if (len < 0)
		return len;
	kparse_value(text, (size_t)len, &usage.current_bytes);
	/* Not there without swap accounting. */
	len = read_kept(memcg, &memcg->usage_fds[2], MEMCG_SWAP_CURRENT, text, sizeof(text));
	if (len >= 0)
		kparse_value(text, (size_t)len, &usage.swap_bytes);
	r = memcg->cost.cpu_usec <= USAGE_STAT_MOST_USEC ? read_usage_stat(memcg, &usage) : 0;
	if (r < 0)
		return r;
	*ret = usage;
	return 0;
}

int memcg_read_protection(const struct memcg *memcg, uint64_t *ret_bytes)
{
	static const enum memcg_file files[] = {MEMCG_MIN, MEMCG_LOW};
	uint64_t bytes = 0;

	for (size_t i = 0; i < ARRAY_SIZE(files); i++) {
		uint64_t value;
		char text[64];
		int r = file_read_at(memcg->dir_fd, file_names[files[i]], text, sizeof(text));

		if (r >= 0)
			r = kparse_value(text, (size_t)r, &value);
		if (r < 0)
			return r;
		if (value > bytes)
			bytes = value;
	}
	*ret_bytes = bytes;
	return 0;
}

bool memcg_is_gone_errno(int r)
{
	return r == -ENODEV || r == -ENOENT || r == -ESTALE;
}

struct memcg *memcg_ref(struct memcg *memcg)
{
	memcg->references++;
	return memcg;
}

void memcg_unref(struct memcg *memcg)
{
	if (--memcg->references == 0 && memcg->scan == MEMCG_VANISHED)
		memcg_free(memcg);
}
