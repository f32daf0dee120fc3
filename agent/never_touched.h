/* SPDX-License-Identifier: MIT */
#ifndef FGRECLAIM_NEVER_TOUCHED_H
#define FGRECLAIM_NEVER_TOUCHED_H

#include <stdbool.h>

/* True for the cgroup, by its path from the top of the hierarchy, from which nothing is ever taken,
 * whatever is configured: the root, and those of what a host cannot be mended without: PID 1, the system
 * bus, who lets an administrator in. A page of theirs that has to be read again while the disk stutters
 * is a host that hangs for everybody. */
bool never_touched(const char *path);

#endif
