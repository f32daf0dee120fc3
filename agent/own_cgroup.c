/* SPDX-License-Identifier: MIT */
/*
 * Where we are ourselves: the line "0::PATH" of /proc/self/cgroup, which is that of cgroup v2, see
 * cgroups(7). In a container the path begins at the container's own cgroup, as does what is mounted
 * there: both together lead to a directory whose inode is the same in all mounts.
 */
#include "own_cgroup.h"
#include "file.h"
#include "macro.h"

#include <fcntl.h>
#include <limits.h>
#include <linux/magic.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/vfs.h>

/* Where systemd and the runtimes of containers mount it. */
#define MOUNT "/sys/fs/cgroup"

void own_cgroup_look(const char *text, const char *mount, struct own_cgroup *ret)
{
	const char *line = strncmp(text, "0::/", 4) == 0 ? text : strstr(text, "\n0::/");
	char directory[PATH_MAX];
	struct stat st;

	*ret = (struct own_cgroup){0};
	if (!line)
		return;
	line = strchr(line, '/');
	ret->path = strndup(line, strcspn(line, "\n"));
	if (!mount || !ret->path)
		return;
	if ((size_t)snprintf(directory, sizeof(directory), "%s%s", mount, ret->path) <
		    sizeof(directory) &&
	    stat(directory, &st) == 0)
		ret->id = st.st_ino;
}

void own_cgroup_find(struct own_cgroup *ret)
{
	char text[8192];
	struct statfs fs;
	bool mounted = statfs(MOUNT, &fs) == 0 && fs.f_type == CGROUP2_SUPER_MAGIC;

	*ret = (struct own_cgroup){0};
	if (file_read_at(AT_FDCWD, "/proc/self/cgroup", text, sizeof(text)) >= 0)
		own_cgroup_look(text, mounted ? MOUNT : NULL, ret);
}

bool own_cgroup_is(const struct own_cgroup *own, uint64_t id, const char *path)
{
	if (own->id != 0)
		return own->id == id;
	return own->path && strcmp(own->path, path) == 0;
}

void own_cgroup_done(struct own_cgroup *own)
{
	free(own->path);
	*own = (struct own_cgroup){0};
}
