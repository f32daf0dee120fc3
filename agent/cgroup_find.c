/* SPDX-License-Identifier: MIT */
#include "cgroup_find.h"

#include <errno.h>
#include <string.h>

#define TOP "/"

struct cgroup_find cgroup_find_begin(const char *cgroup)
{
	struct cgroup_find find = {.text = *cgroup ? cgroup : TOP};

	find.len = strlen(find.text);
	while (find.len > 1 && find.text[find.len - 1] == '/')
		find.len--;
	return find;
}

void cgroup_find_offer(struct cgroup_find *find, const char *path)
{
	size_t len = strlen(path);
	const char *end;

	if (len < find->len)
		return;
	end = path + len - find->len;
	if (memcmp(end, find->text, find->len) != 0)
		return;
	/* A path is meant as a whole; the end of one begins with a name. */
	if (end != path && (*find->text == '/' || end[-1] != '/'))
		return;
	find->twice = find->path && strcmp(find->path, path) != 0;
	find->path = path;
}

int cgroup_find(const char *cgroup, struct memcg *const *memcgs, size_t n, struct memcg **ret)
{
	struct cgroup_find find = cgroup_find_begin(cgroup);
	struct memcg *found = NULL;

	for (size_t i = 0; i < n && !find.twice; i++) {
		cgroup_find_offer(&find, memcgs[i]->path);
		if (find.path == memcgs[i]->path)
			found = memcgs[i];
	}
	if (find.twice)
		return -ENOTUNIQ;
	if (!found)
		return -ENOENT;
	*ret = found;
	return 0;
}
