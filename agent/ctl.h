/* SPDX-License-Identifier: MIT */
/*
 * fgreclaimctl: what its verbs share. A verb prints to standard output and returns the exit code.
 */
#ifndef FGRECLAIM_CTL_H
#define FGRECLAIM_CTL_H

#include "config.h"
#include "feature.h"
#include "macro.h"

#define EXIT_USAGE 2

struct ctl {
	const char *root;     /* "" for the host */
	const char *argument; /* CGROUP, or NULL */
	bool json;
	bool why;           /* list: which line decided the class */
	uint64_t wait_usec; /* list: between the two looks, on a live host; top: between questions */
	bool wait_given;    /* as was asked for, and so by a look of its own */
	uint64_t since_usec; /* report: as far back; UINT64_MAX: to the start of the daemon */
	const char *config_path, *sweep; /* replay */
	const char *output;              /* plot */
};

int ctl_features(const struct ctl *ctl);
int ctl_generations(const struct ctl *ctl);
int ctl_list(const struct ctl *ctl);
int ctl_explain(const struct ctl *ctl);
int ctl_report(const struct ctl *ctl);
int ctl_top(const struct ctl *ctl);
int ctl_replay(const struct ctl *ctl);
int ctl_plot(const struct ctl *ctl);
int ctl_status(const struct ctl *ctl);
int ctl_pause(const struct ctl *ctl);
int ctl_resume(const struct ctl *ctl);
int ctl_reload(const struct ctl *ctl);

/* One line on standard error. Returns EXIT_FAILURE. */
int ctl_fail(const char *format, ...) _printf_(1, 2);
void ctl_note(const char *format, ...) _printf_(1, 2);

/* Any bytes, in a form that no terminal obeys. */
void ctl_print_text(FILE *file, const char *bytes, size_t len);

/* What a look at a host needs. */
struct ctl_host {
	struct hierarchy *hierarchy; /* NULL: none, why_not says why */
	const char *why_not;
	struct lru_gen lru_gen;
	struct features features;
};

/* Opens and scans the cgroup tree. config: for the classes, NULL: none. 0 if there is none; errors
 * of reading it, said already. */
int ctl_host_open_tree(struct ctl_host *ret, const struct ctl *ctl, const struct config *config);

/* Opens the rest, and probes what the host can do, as this configuration has it (NULL: the default
 * one). io_uring cannot be recorded: it counts as there on a recorded tree. look: at the cgroups as
 * well, by which the kernel's behaviour may be told; the tree is scanned again. */
void ctl_host_probe(struct ctl_host *host, const struct ctl *ctl, const struct config *config,
		    bool look);

/* Removed cgroups of the whole tree that are not gone yet; SAMPLE_UNKNOWN without a tree. */
uint64_t ctl_host_dying(const struct hierarchy *hierarchy);

/* A line about them on standard output, if there are any. */
void ctl_print_dying(uint64_t dying);

void ctl_host_close(struct ctl_host *host);

#endif
