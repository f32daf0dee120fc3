/* SPDX-License-Identifier: MIT */
/*
 * The calls by which the kernel's files are opened, read and asked what they take. All that looks at
 * cgroups, lru_gen and /proc goes through here, and all that acts through the ring: so a test can put
 * a kernel of its own in their place that fails at each of them (tests/unit/fake-kernel.c).
 */
#ifndef FGRECLAIM_DOOR_H
#define FGRECLAIM_DOOR_H

#include <sys/types.h>

/* openat(2) with O_CLOEXEC and O_NOCTTY. The descriptor, or -errno. */
int door_openat(int dir_fd, const char *path, int flags);

/* pread(2). Bytes, or -errno. */
ssize_t door_pread(int fd, void *buf, size_t size, off_t offset);

/* write(2) of text at offset 0, for requests that do nothing. Bytes, or -errno. */
ssize_t door_ask(int fd, const char *text);

#endif
