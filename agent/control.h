/* SPDX-License-Identifier: MIT */
/*
 * What may be asked of a running agent from outside, and by whom it is carried out.
 */
#ifndef FGRECLAIM_CONTROL_H
#define FGRECLAIM_CONTROL_H

#include "ledger.h"
#include "status.h"

/* Cgroups are told page by page, so that no call keeps the loop long, however many there are. */
#define CONTROL_PAGE 128

/* A row as ledger.h has it, and gone when this returns. Errors end the page. */
typedef int (*control_tell_t)(const struct ledger_row *row, void *whom);

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

	/* Tells the CONTROL_PAGE cgroups of the smallest ids above *id, and sets it to the last of them, or
	 * to 0: those were all. With span_usec their accounts as they grew in that time, of those of a
	 * class without children; with 0 without. */
	int (*cgroups)(uint64_t *id, uint64_t span_usec, control_tell_t tell, void *whom,
		       void *userdata);

	/* Tells one, with its explanation. Errors: as of cgroup_find(). */
	int (*explain)(const char *cgroup, control_tell_t tell, void *whom, void *userdata);

	void (*totals)(uint64_t span_usec, struct ledger_totals *ret, void *userdata);

	/* Bit I: no cgroup belongs to the class of index I of *ret_config, which stays for now. */
	uint64_t (*waiting)(const struct config **ret_config, void *userdata);

	void *userdata;
};

#endif
