/* SPDX-License-Identifier: MIT */
/*
 * The two calls by which the kernel's files are opened and read. All that looks at cgroups, lru_gen
 * and /proc goes through here, and all that writes through the ring: so a test can put a kernel of
 * its own in their place that fails at each of them (tests/unit/fake-kernel.c).
 */
#ifndef FGRECLAIM_DOOR_H
#define FGRECLAIM_DOOR_H

#include <sys/types.h>

/* openat(2) with O_CLOEXEC and O_NOCTTY. The descriptor, or -errno. */
int door_openat(int dir_fd, const char *path, int flags);

/* pread(2). Bytes, or -errno. */
ssize_t door_pread(int fd, void *buf, size_t size, off_t offset);

#endif
