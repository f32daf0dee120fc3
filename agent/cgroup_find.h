/* SPDX-License-Identifier: MIT */
/*
 * Which cgroup somebody means who has written a path, or the end of one that begins with a name:
 * "mongod.service". Slashes at the end do not count; "" is the top, and so the whole host.
 */
#ifndef FGRECLAIM_CGROUP_FIND_H
#define FGRECLAIM_CGROUP_FIND_H

#include "memcg.h"

struct cgroup_find {
	const char *text;
	size_t len;       /* without slashes at the end */
	const char *path; /* that was found; NULL: none */
	bool twice;       /* another one is called so too */
};

/* cgroup has to stay. */
struct cgroup_find cgroup_find_begin(const char *cgroup);

/* Takes a path into account, which has to stay. */
void cgroup_find_offer(struct cgroup_find *find, const char *path);

/* Looks among memcgs. Errors: -ENOENT: nobody is called so; -ENOTUNIQ: more than one is. */
int cgroup_find(const char *cgroup, struct memcg *const *memcgs, size_t n, struct memcg **ret);

#endif
