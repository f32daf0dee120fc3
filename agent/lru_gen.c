/* SPDX-License-Identifier: MIT */
/*
 * The door to MGLRU in debugfs. Grammar of the commands:
 * Documentation/admin-guide/mm/multigen_lru.rst and mm/vmscan.c lru_gen_seq_write():
 *	+ memcg_id node_id max_gen_nr [can_swap [force_scan]]
 *	- memcg_id node_id min_gen_nr [swappiness [nr_to_reclaim]]
 *
 * can_swap 0 ages file alone on every kernel; from 6.14 on it is a swappiness, of which any but 0 ages
 * both. Of swappiness, 0 evicts file alone, and 200 anon first: file as well, where no anon of that
 * generation is left to be had. From 6.16 on "max" evicts anon alone.
 */
#include "lru_gen.h"
#include "door.h"
#include "macro.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <linux/magic.h>
#include <string.h>
#include <sys/vfs.h>

#define CAPACITY_START (64 * 1024)

/* One read(2) of seq_file gives what its buffer of one page holds, at most twice. */
#define CHUNK_MAX 4096

/* 5 000 memcgs on two nodes make 2.2 MB; a listing of more than this is not a listing. */
#define CAPACITY_MAX (64 * 1024 * 1024)

static int open_below(const char *root, const char *name, int flags)
{
	char path[PATH_MAX];

	if ((size_t)snprintf(path, sizeof(path), "%s/sys/kernel/debug/%s", root, name) >=
	    sizeof(path))
		return -ENAMETOOLONG;
	return door_openat(AT_FDCWD, path, flags);
}

static void open_reading(struct lru_gen *ret, const char *root, const char *name)
{
	struct statfs fs;
	int fd = open_below(root, name, O_RDONLY);

	if (fd < 0)
		ret->read_error = fd;
	else
		ret->read_fd = fd;
	ret->live = fd >= 0 && fstatfs(fd, &fs) == 0 && fs.f_type == DEBUGFS_MAGIC;
}

void lru_gen_open(struct lru_gen *ret, const char *root)
{
	int fd;

	*ret = (struct lru_gen){.read_fd = -1, .write_fd = -1};
	open_reading(ret, root, "lru_gen");
	fd = open_below(root, "lru_gen", O_WRONLY);
	if (fd < 0)
		ret->write_error = fd;
	else
		ret->write_fd = fd;
	fd = open_below(root, "lru_gen_full", O_RDONLY);
	ret->full_readable = fd >= 0;
	close_fd(&fd);
}

void lru_gen_close(struct lru_gen *lru_gen)
{
	close_fd(&lru_gen->read_fd);
	close_fd(&lru_gen->write_fd);
	free(lru_gen->text);
	*lru_gen = (struct lru_gen){.read_fd = -1, .write_fd = -1};
}

static bool is_there(const char *root)
{
	char path[PATH_MAX];

	return (size_t)snprintf(path, sizeof(path), "%s/sys/kernel/debug/lru_gen", root) <
		       sizeof(path) &&
	       access(path, F_OK) == 0;
}

void lru_gen_refresh(struct lru_gen *lru_gen, const char *root)
{
	if (lru_gen->read_fd >= 0 && lru_gen->write_fd >= 0 && is_there(root))
		return;
	lru_gen_close(lru_gen);
	lru_gen_open(lru_gen, root);
}

static int grow(struct lru_gen *lru_gen)
{
	size_t capacity = lru_gen->capacity ? 2 * lru_gen->capacity : CAPACITY_START;
	char *text;

	if (capacity > CAPACITY_MAX)
		return -E2BIG;
	text = realloc(lru_gen->text, capacity);
	if (!text)
		return -ENOMEM;
	lru_gen->text = text;
	lru_gen->capacity = capacity;
	return 0;
}

static bool line_is(const char *line, const char *end, const char *word)
{
	size_t len = strlen(word);

	return (size_t)(end - line) >= len && memcmp(line, word, len) == 0;
}

/*
 * A page of the listing ended behind the record that holds the byte before from; for the next one
 * the kernel found its place anew, by number. When memcgs came or went meanwhile, a further node
 * that stands there is another memcg's than those before it: its line is made unreadable, so that
 * this memcg counts as damaged in this listing.
 */
static void mark_seam(char *text, size_t from, size_t len)
{
	char *end = text + len, *line = memrchr(text, '\n', from - 1);
	bool behind_memcg;

	line = line ? line + 1 : text;
	behind_memcg = line_is(line, end, "memcg ");
	for (line = memchr(text + from - 1, '\n', len - from + 1); line;
	     line = memchr(line, '\n', (size_t)(end - line))) {
		line++;
		if (line_is(line, end, "memcg "))
			return;
		if (line_is(line, end, " node ") && !behind_memcg) {
			*line = '?';
			return;
		}
		behind_memcg = false;
	}
}

/* How much to ask for. The seams are to be elsewhere each time, or the same memcgs would always be
 * damaged on an idle host: a short first read moves all of them. */
static size_t next_size(const struct lru_gen *lru_gen, size_t len)
{
	size_t room = lru_gen->capacity - len;

	return lru_gen->live && len == 0 ? 1 + lru_gen->n_readings * 331 % CHUNK_MAX : room;
}

ssize_t lru_gen_read(struct lru_gen *lru_gen)
{
	size_t len = 0;

	if (lru_gen->read_fd < 0)
		return lru_gen->read_error;
	for (;;) {
		ssize_t n;

		if (lru_gen->capacity - len < 2 * CHUNK_MAX) {
			int r = grow(lru_gen);

			if (r < 0)
				return r;
		}
		/* The offset must be the running total: any other makes the kernel start over. */
		n = door_pread(lru_gen->read_fd, lru_gen->text + len, next_size(lru_gen, len),
			       (off_t)len);
		if (n == -EINTR)
			continue;
		if (n < 0)
			return n;
		if (n == 0)
			break;
		if (lru_gen->live && len > 0)
			mark_seam(lru_gen->text, len, len + (size_t)n);
		len += (size_t)n;
	}
	lru_gen->n_readings++;
	return (ssize_t)len;
}

ssize_t lru_gen_read_full(struct lru_gen *lru_gen, const char *root)
{
	ssize_t len;

	open_reading(lru_gen, root, "lru_gen_full");
	len = lru_gen_read(lru_gen);
	close_fd(&lru_gen->read_fd);
	return len;
}

size_t lru_gen_format(const struct lru_gen *lru_gen, const struct decision *decision,
		      uint64_t listing_id, uint64_t pages, char *buf, size_t size)
{
	bool file_only = decision->swappiness == SWAPPINESS_FILE_ONLY;
	char swappiness[16] = "max";
	int len;

	if (decision->swappiness != SWAPPINESS_ANON || !lru_gen->takes_max)
		snprintf(swappiness, sizeof(swappiness), "%" PRIu32, decision->swappiness);
	if (decision->action == ACTION_AGE)
		len = snprintf(buf, size, "+ %" PRIu64 " %" PRIu32 " %" PRIu64 " %d %d", listing_id,
			       decision->node, decision->seq, !file_only, decision->force);
	else
		len = snprintf(buf, size, "- %" PRIu64 " %" PRIu32 " %" PRIu64 " %s %" PRIu64,
			       listing_id, decision->node, decision->seq, swappiness, pages);
	return len < 0 || (size_t)len >= size ? 0 : (size_t)len;
}
