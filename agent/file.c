/* SPDX-License-Identifier: MIT */
/*
 * Whole reads of small kernel files.
 */
#include "file.h"
#include "arith.h"
#include "door.h"
#include "macro.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <string.h>
#include <sys/resource.h>

int file_read(int fd, char *buf, size_t size)
{
	size_t len = 0;

	for (;;) {
		char more;
		bool full = len == size - 1;
		ssize_t n = door_pread(fd, full ? &more : buf + len, full ? 1 : size - 1 - len,
				       (off_t)len);

		if (n == -EINTR)
			continue;
		if (n < 0)
			return (int)n;
		if (n == 0)
			break;
		if (full)
			return -E2BIG;
		len += (size_t)n;
	}
	buf[len] = '\0';
	return (int)len;
}

int file_read_at(int dir_fd, const char *path, char *buf, size_t size)
{
	_cleanup_close_ int fd = door_openat(dir_fd, path, O_RDONLY);

	if (fd < 0)
		return fd;
	return file_read(fd, buf, size);
}

static int path_below(const char *root, const char *name, char path[PATH_MAX])
{
	return snprintf(path, PATH_MAX, "%s%s", root, name) < PATH_MAX ? 0 : -ENAMETOOLONG;
}

int file_read_below(const char *root, const char *name, char *buf, size_t size)
{
	char path[PATH_MAX];
	int r = path_below(root, name, path);

	return r < 0 ? r : file_read_at(AT_FDCWD, path, buf, size);
}

int kept_file_read(struct kept_file *file, const char *root, const char *name, char *buf,
		   size_t size)
{
	char path[PATH_MAX];
	int r;

	if (!file->open) {
		r = path_below(root, name, path);
		if (r < 0)
			return r;
		file->fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY);
		if (file->fd < 0)
			return -errno;
		file->open = true;
	}
	r = file_read(file->fd, buf, size);
	if (r < 0)
		kept_file_close(file);
	return r;
}

void kept_file_close(struct kept_file *file)
{
	if (file->open)
		close(file->fd);
	*file = (struct kept_file){0};
}

int file_look_for(const char *path, uint64_t offset, uint64_t most_bytes,
		  const struct file_needle *needles, size_t n_needles)
{
	_cleanup_close_ int fd = open(path, O_RDONLY | O_CLOEXEC);
	uint64_t left = most_bytes;
	size_t kept = 0, longest = 0;
	char buf[65536];
	int found = 0;

	if (fd < 0)
		return -errno;
	for (size_t i = 0; i < n_needles; i++)
		longest = max_u64(longest, needles[i].len);
	while (left > 0) {
		ssize_t n = door_pread(fd, buf + kept, min_u64(sizeof(buf) - kept, left),
				       (off_t)offset);
		size_t len;

		if (n == -EINTR)
			continue;
		if (n < 0)
			return (int)n;
		if (n == 0)
			break;
		offset += (uint64_t)n;
		left -= (uint64_t)n;
		len = kept + (size_t)n;
		for (size_t i = 0; i < n_needles; i++)
			if (memmem(buf, len, needles[i].bytes, needles[i].len))
				found |= 1 << i;
		if (found & 1)
			break;
		/* A needle may lie across two reads. */
		kept = min_u64(len, longest - 1);
		memmove(buf, buf + len - kept, kept);
	}
	return found;
}

void file_raise_descriptor_limit(void)
{
	struct rlimit limit;

	if (getrlimit(RLIMIT_NOFILE, &limit) == 0 && limit.rlim_cur < limit.rlim_max) {
		limit.rlim_cur = limit.rlim_max;
		setrlimit(RLIMIT_NOFILE, &limit);
	}
}
