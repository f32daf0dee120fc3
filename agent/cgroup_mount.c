/* SPDX-License-Identifier: MIT */
/*
 * How cgroup v2 is mounted, from /proc/self/mountinfo.
 */
#include "cgroup_mount.h"
#include "file.h"

#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>

#define OPTION "memory_recursiveprot"

/* A host with many containers has many mounts; each line is a few hundred bytes. */
#define MOUNTINFO_MAX (256 * 1024)

/* Options are those of the super block: the last field, and alike for all mounts of cgroup v2. */
bool cgroup_mount_parse(const char *mountinfo)
{
	const char *line = strstr(mountinfo, " - cgroup2 "), *option, *end;

	if (!line)
		return true;
	end = strchrnul(line, '\n');
	option = strstr(line, OPTION);
	return option && option < end;
}

bool cgroup_mount_is_recursive(const char *root)
{
	static char text[MOUNTINFO_MAX];
	char path[PATH_MAX];

	snprintf(path, sizeof(path), "%s/proc/self/mountinfo", root);
	return file_read_at(AT_FDCWD, path, text, sizeof(text)) < 0 || cgroup_mount_parse(text);
}
