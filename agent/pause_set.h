/* SPDX-License-Identifier: MIT */
/*
 * Which cgroups somebody wants to be left alone for now: by path, with all below it. "/" is the whole
 * host.
 */
#ifndef FGRECLAIM_PAUSE_SET_H
#define FGRECLAIM_PAUSE_SET_H

#include <stddef.h>

/* All zeros: nothing is paused. */
struct pause_set {
	char **paths; /* none is below another; a NULL follows them. NULL: none was ever added */
	size_t n;
};

void pause_set_done(struct pause_set *set);

/* The path of the set that this one is or is below, or NULL. */
const char *pause_set_find(const struct pause_set *set, const char *path);

/* Adds a path, unless pause_set_find() finds it: it then holds for those below it too, which are taken
 * out. path is copied. Errors: -ENOMEM, and then the set is as it was. */
int pause_set_add(struct pause_set *set, const char *path);

/* Takes out a path and those below it; returns how many that were. */
size_t pause_set_remove(struct pause_set *set, const char *path);

#endif
