/* SPDX-License-Identifier: MIT */
/*
 * The door to MGLRU in debugfs. Grammar of the commands:
 * Documentation/admin-guide/mm/multigen_lru.rst and mm/vmscan.c lru_gen_seq_write():
 *	+ memcg_id node_id max_gen_nr [can_swap [force_scan]]
 *	- memcg_id node_id min_gen_nr [swappiness [nr_to_reclaim]]
 */
#include "lru_gen.h"
#include "macro.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <string.h>

#define CAPACITY_START (64 * 1024)

/* 5 000 memcgs on two nodes make 2.2 MB; a listing of more than this is not a listing. */
#define CAPACITY_MAX (64 * 1024 * 1024)

static int open_below(const char *root, const char *name, int flags)
{
	char path[PATH_MAX];
	int fd;

	if ((size_t)snprintf(path, sizeof(path), "%s/sys/kernel/debug/%s", root, name) >=
	    sizeof(path))
		return -ENAMETOOLONG;
	fd = open(path, flags | O_CLOEXEC | O_NOCTTY);
	return fd < 0 ? -errno : fd;
}

void lru_gen_open(struct lru_gen *ret, const char *root)
{
	int fd;

	*ret = (struct lru_gen){.read_fd = -1, .write_fd = -1};
	fd = open_below(root, "lru_gen", O_RDONLY);
	if (fd < 0)
		ret->read_error = fd;
	else
		ret->read_fd = fd;
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

ssize_t lru_gen_read(struct lru_gen *lru_gen)
{
	size_t len = 0;

	if (lru_gen->read_fd < 0)
		return lru_gen->read_error;
	for (;;) {
		ssize_t n;

		if (len == lru_gen->capacity) {
			int r = grow(lru_gen);

			if (r < 0)
				return r;
		}
		/* The offset must be the running total: any other makes the kernel start over. */
		n = pread(lru_gen->read_fd, lru_gen->text + len, lru_gen->capacity - len,
			  (off_t)len);
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -errno;
		if (n == 0)
			return (ssize_t)len;
		len += (size_t)n;
	}
}

size_t lru_gen_format(const struct decision *decision, uint64_t listing_id, uint64_t pages,
		      char *buf, size_t size)
{
	int len;

	if (decision->action == ACTION_AGE)
		len = snprintf(buf, size, "+ %" PRIu64 " %" PRIu32 " %" PRIu64 " 1 %d", listing_id,
			       decision->node, decision->seq, decision->force);
	else
		len = snprintf(
			buf, size, "- %" PRIu64 " %" PRIu32 " %" PRIu64 " %" PRIu32 " %" PRIu64,
			listing_id, decision->node, decision->seq, decision->swappiness, pages);
	return len < 0 || (size_t)len >= size ? 0 : (size_t)len;
}
