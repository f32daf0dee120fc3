/* SPDX-License-Identifier: MIT */
/*
 * A cgroup with all below it, or the whole host, is left alone until somebody says otherwise: nothing
 * is reclaimed from it, aged or protected. It is looked at as before.
 *
 * A pause is by path and holds for whatever has that path, also for a service that is started anew. It
 * outlives a reload, and not the daemon.
 */
#ifndef FGRECLAIM_PAUSE_H
#define FGRECLAIM_PAUSE_H

#include "executor.h"
#include "pass.h"

/* What is given must stay; set begins as all zeros. */
struct pause {
	struct pass *pass;
	struct executor *executor;
	void (*changed)(void *userdata); /* another set of memcgs is paused now */
	void *userdata;
	struct pause_set set;
};

void pause_done(struct pause *pause);

/*
 * Both take a path, or the end of one that begins with a name, or "" for the whole host.
 *
 * Begins a pause: what is queued there is dropped, what is under way is cancelled. Where it is paused
 * already nothing happens. *ret_path: what is paused now, the same or further up; a new string of text
 * for people, or NULL for want of memory.
 * Errors: -ENOENT: no such cgroup; -ENOTUNIQ: more than one path ends so; -ENOMEM.
 */
int pause_begin(struct pause *pause, const char *cgroup, char **ret_path);

/*
 * Ends all pauses there and of what is below it. History starts over: nothing is made up for. Where
 * nothing is paused nothing happens. *ret_path: the path in question, as above.
 * Errors: -EBUSY: it is paused from further up, *ret_path is set and says where; and as above.
 */
int pause_end(struct pause *pause, const char *cgroup, char **ret_path);

#endif
