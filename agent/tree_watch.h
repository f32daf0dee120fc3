/* SPDX-License-Identifier: MIT */
/*
 * Which directories of the cgroup tree have changed since the last scan, so that only those are
 * read.
 *
 * An aid, not a truth: where a directory cannot be watched, or events were lost, the caller reads
 * it as if it had changed.
 */
#ifndef FGRECLAIM_TREE_WATCH_H
#define FGRECLAIM_TREE_WATCH_H

#include <stdbool.h>
#include <stddef.h>

struct tree_watch {
	int fd; /* -1: nothing can be watched */
};

void tree_watch_open(struct tree_watch *ret);
void tree_watch_close(struct tree_watch *watch);

/* Watches a directory from now on. Returns its number, or -errno (-ENOSPC: too many watches). */
int tree_watch_add(const struct tree_watch *watch, int dir_fd);
void tree_watch_remove(const struct tree_watch *watch, int number);

/* Calls changed for the number of each directory in which a child came or went, or controllers were
 * switched, since the last call; repeated ones included, and some that are no longer watched.
 * Returns false when events were lost: anything may have changed. */
bool tree_watch_drain(const struct tree_watch *watch, void (*changed)(int number, void *userdata),
		      void *userdata);

#endif
