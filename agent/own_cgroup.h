/* SPDX-License-Identifier: MIT */
#ifndef FGRECLAIM_OWN_CGROUP_H
#define FGRECLAIM_OWN_CGROUP_H

#include <stdbool.h>
#include <stdint.h>

/* The cgroup that this process is in. */
struct own_cgroup {
	uint64_t id; /* the inode of its directory; 0: not known */
	char *path; /* from the top of our cgroup namespace, see cgroup_namespaces(7); NULL: not known */
};

/* Finds it. What is not known is no error. To be freed with own_cgroup_done(). */
void own_cgroup_find(struct own_cgroup *ret);

/* The same from the text of /proc/self/cgroup; mount: where our namespace's cgroup v2 is mounted, or
 * NULL where it is not. */
void own_cgroup_look(const char *text, const char *mount, struct own_cgroup *ret);

/* Whether it is the one with this id and this path from the top of the hierarchy. By the id, since in
 * a namespace the path says nothing; by the path where the id is not known. */
bool own_cgroup_is(const struct own_cgroup *own, uint64_t id, const char *path);

void own_cgroup_done(struct own_cgroup *own);

#endif
