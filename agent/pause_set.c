/* SPDX-License-Identifier: MIT */
#include "pause_set.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

void pause_set_done(struct pause_set *set)
{
	for (size_t i = 0; i < set->n; i++)
		free(set->paths[i]);
	free(set->paths);
	*set = (struct pause_set){0};
}

static bool is_within(const char *path, const char *top)
{
	size_t len = strlen(top);

	/* The path of the root ends with the separator. */
	if (len > 0 && top[len - 1] == '/')
		len--;
	return strncmp(path, top, len) == 0 && (path[len] == '/' || path[len] == '\0');
}

const char *pause_set_find(const struct pause_set *set, const char *path)
{
	for (size_t i = 0; i < set->n; i++)
		if (is_within(path, set->paths[i]))
			return set->paths[i];
	return NULL;
}

size_t pause_set_remove(struct pause_set *set, const char *path)
{
	size_t kept = 0, n = set->n;

	for (size_t i = 0; i < n; i++) {
		if (is_within(set->paths[i], path))
			free(set->paths[i]);
		else
			set->paths[kept++] = set->paths[i];
	}
	if (set->paths)
		set->paths[kept] = NULL;
	set->n = kept;
	return n - kept;
}

int pause_set_add(struct pause_set *set, const char *path)
{
	char **paths, *copy;

	if (pause_set_find(set, path))
		return 0;
	copy = strdup(path);
	paths = copy ? reallocarray(set->paths, set->n + 2, sizeof(*paths)) : NULL;
	if (!paths) {
		free(copy);
		return -ENOMEM;
	}
	set->paths = paths;
	pause_set_remove(set, path);
	paths[set->n++] = copy;
	paths[set->n] = NULL;
	return 0;
}
