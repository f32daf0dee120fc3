/* SPDX-License-Identifier: MIT */
/*
 * What may be asked of a running agent from outside, and by whom it is carried out.
 */
#ifndef FGRECLAIM_CONTROL_H
#define FGRECLAIM_CONTROL_H

#include "status.h"

/* All that is given must stay. Each is called from the event loop. */
struct control {
	/* *ret: to be freed with status_done(). */
	void (*status)(struct status *ret, void *userdata);

	/* As pause_begin() and pause_end(): their errors, and *ret_path as text. */
	int (*pause)(const char *cgroup, char **ret_path, void *userdata);
	int (*resume)(const char *cgroup, char **ret_path, void *userdata);

	/* Loads the configuration anew. -EINVAL: it is refused, the former one stays, and ret_why says
	 * where and why. */
	int (*reload)(char *ret_why, size_t size, void *userdata);

	void *userdata;
};

#endif
