/* SPDX-License-Identifier: MIT */
/*
 * All that the manager owns. For manager.c, which runs it, manager_setup.c, which makes it, and
 * manager_control.c, through which others ask it.
 */
#ifndef FGRECLAIM_MANAGER_PARTS_H
#define FGRECLAIM_MANAGER_PARTS_H

#include "bus.h"
#include "executor.h"
#include "feature.h"
#include "hierarchy.h"
#include "loop_lag.h"
#include "manager.h"
#include "metrics.h"
#include "pause.h"
#include "protector.h"
#include "report.h"
#include "stop.h"
#include "summary.h"
#include "suspend.h"
#include "swap_writes.h"
#include "ticker.h"
#include "watchdog.h"

#include <signal.h>
#include <systemd/sd-event.h>

/* manager_ledger.c: what is told of a time in the past. */
struct manager_books {
	struct account_clock clock;
	struct account_past past;          /* of the whole host, */
	uint64_t cpu_usec[ACCOUNT_POINTS]; /* and what the process had cost */
	struct account dry;                /* of the whole host, of dry runs */
	uint64_t stall_usec;               /* of all memcgs of a class */
};

struct manager {
	struct manager_options options;
	struct config *config;
	sd_event *event;
	struct lru_gen lru_gen;
	struct hierarchy *hierarchy; /* NULL: nothing to look at on this host */
	struct feature_host host;
	struct features features;
	struct ring *ring; /* NULL: the one that Ring= names is refused */
	struct executor *executor;
	struct protector *protector;
	struct pass pass;
	struct recorder *recorder; /* NULL: without --record */
	struct ticker *ticker;
	struct stop stop;
	struct loop_lag *lag;
	struct suspend *suspend; /* NULL: no live host, or --once */
	struct pause pause;
	struct control control;
	struct bus *bus; /* on which control is offered; NULL: --once, or the end has begun */
	struct watchdog watchdog;
	struct report_pace pace;
	struct summary summary;
	struct manager_books books;
	struct metrics metrics;
	int metrics_error; /* that Textfile= gave last, and that was said */
	struct swap_writes swap_writes;
};

/* manager.c: whatever says so, the command line or the configuration. */
bool manager_is_dry_run(const struct manager *manager);

/* Tells what there is to tell. at_end: all of it. */
void manager_tell(struct manager *manager, bool at_end);

/* As control.reload. */
int manager_reload(struct manager *manager, char *ret_why, size_t size);

/* manager_control.c. Errors: as of bus_new(). */
int manager_add_control(struct manager *manager);

/* manager_ledger.c: adds what is told of cgroups to manager->control. */
void manager_add_ledger(struct manager *manager);

/* Keeps what that takes; after each plan. */
void manager_keep_accounts(struct manager *manager, const struct plan *plan);

/* Event handlers of manager.c; userdata is the manager. */
int manager_on_signal(sd_event_source *source, const struct signalfd_siginfo *info, void *userdata);
void manager_on_begin(void *userdata);
void manager_on_planned(const struct plan *plan, void *userdata);

#endif
