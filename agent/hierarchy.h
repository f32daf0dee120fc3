/* SPDX-License-Identifier: MIT */
/*
 * The cgroup tree: where it is mounted, and which memcgs it holds right now.
 */
#ifndef FGRECLAIM_HIERARCHY_H
#define FGRECLAIM_HIERARCHY_H

#include "config.h"
#include "memcg.h"

struct hierarchy;

/*
 * Finds the cgroup v2 mount with the memory controller: on the host (root is "" or "/") with
 * libcgroup, otherwise ROOT/sys/fs/cgroup.
 *
 * Errors: -ENODEV  no such hierarchy (cgroup v1, or memory bound to v1 on a hybrid host): *ret_why
 * is a static sentence; others of opening it.
 */
int hierarchy_open(const char *root, struct hierarchy **ret, const char **ret_why);
struct hierarchy *hierarchy_close(struct hierarchy *hierarchy);

/* True if this is a kernel's cgroup file system and not a copy of one in a fixture tree. */
bool hierarchy_is_live(const struct hierarchy *hierarchy);

/* Brings the registry up to date: memcgs that appeared are opened and classified, those that have
 * gone are dropped. A cgroup that vanishes during the scan is left out, not an error. */
int hierarchy_scan(struct hierarchy *hierarchy, const struct config *config, uint64_t now_usec);

/* Classifies all memcgs anew, after a change of configuration. */
void hierarchy_classify(struct hierarchy *hierarchy, const struct config *config);

/* The memcgs of the last scan, parents before their children, valid until the next scan. */
struct memcg *const *hierarchy_memcgs(const struct hierarchy *hierarchy, size_t *ret_n);
uint64_t hierarchy_scan_number(const struct hierarchy *hierarchy);

/* Memcgs that came and went since the first scan; one that was renamed, or made anew under its
 * name, did both. Each is logged with its name, at debug. */
struct hierarchy_changes {
	uint64_t appeared;
	uint64_t vanished;
};
struct hierarchy_changes hierarchy_changes(const struct hierarchy *hierarchy);

/* By path, by cgroup id, or NULL. */
struct memcg *hierarchy_find(const struct hierarchy *hierarchy, const char *path, size_t len);
struct memcg *hierarchy_find_id(const struct hierarchy *hierarchy, uint64_t id);

/* Those of an id above this one, by id; valid until the next scan. */
struct memcg *const *hierarchy_after(const struct hierarchy *hierarchy, uint64_t id, size_t *ret_n);

#endif
