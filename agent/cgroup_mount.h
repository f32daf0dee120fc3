/* SPDX-License-Identifier: MIT */
#ifndef FGRECLAIM_CGROUP_MOUNT_H
#define FGRECLAIM_CGROUP_MOUNT_H

#include <stdbool.h>

/* Whether cgroup v2 is mounted with memory_recursiveprot, as systemd does: then what a cgroup's children
 * do not claim of its protection is shared out among them. Where that cannot be found out it counts
 * as mounted so: more is protected that way. root: "" for the host. */
bool cgroup_mount_is_recursive(const char *root);

/* The same of the text of a mountinfo, see proc_pid_mountinfo(5). */
bool cgroup_mount_parse(const char *mountinfo);

#endif
