/* SPDX-License-Identifier: MIT */
/*
 * Owns everything and runs the loop: scan, sample, plan, act, once in a tick.
 */
#ifndef FGRECLAIM_MANAGER_H
#define FGRECLAIM_MANAGER_H

#include "config.h"
#include "recorder.h"

#include <stdbool.h>

struct manager;

struct manager_options {
	const char *root;                /* "" for the host */
	const char *config_path;         /* NULL: the standard places */
	bool dry_run;                    /* whatever the configuration says */
	struct recorder_settings record; /* path NULL: no */
	bool once;                       /* look twice, act once, print a table, leave */
};

/* Takes over config on success and on failure. Errors: -ENOMEM and others of setting up. */
int manager_new(const struct manager_options *options, struct config *config, struct manager **ret);
struct manager *manager_free(struct manager *manager);

/* Runs until SIGTERM or SIGINT, or until --once is done. 0 or -errno. */
int manager_run(struct manager *manager);

#endif
