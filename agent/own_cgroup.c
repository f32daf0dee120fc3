/* SPDX-License-Identifier: MIT */
/*
 * Where we are ourselves: the line "0::PATH" of /proc/self/cgroup, which is that of cgroup v2, see
 * cgroups(7).
 */
#include "own_cgroup.h"
#include "file.h"

#include <fcntl.h>
#include <string.h>

char *own_cgroup_path(void)
{
	char text[8192];
	char *line, *end;

	if (file_read_at(AT_FDCWD, "/proc/self/cgroup", text, sizeof(text)) < 0)
		return NULL;
	line = strncmp(text, "0::", 3) == 0 ? text : strstr(text, "\n0::");
	if (!line)
		return NULL;
	line = strchr(line, '/');
	if (!line)
		return NULL;
	end = strchrnul(line, '\n');
	return strndup(line, (size_t)(end - line));
}
