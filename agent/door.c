/* SPDX-License-Identifier: MIT */
#include "door.h"
#include "write_text.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

int door_openat(int dir_fd, const char *path, int flags)
{
	int fd = openat(dir_fd, path, flags | O_CLOEXEC | O_NOCTTY);

	return fd < 0 ? -errno : fd;
}

ssize_t door_pread(int fd, void *buf, size_t size, off_t offset)
{
	ssize_t n = pread(fd, buf, size, offset);

	return n < 0 ? -errno : n;
}

ssize_t door_ask(int fd, const char *text)
{
	return write_text(fd, text, strlen(text));
}
