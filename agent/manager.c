/* SPDX-License-Identifier: MIT */
/*
 * Owns everything and runs the loop. One tick: scan the tree, read it, plan, hand the plan to the
 * executor. Nothing else leads from the kernel to the kernel. Files are read and writes are done beside
 * the loop; writes are measured as they end, and what came of them is in the next snapshot.
 */
#include "manager_parts.h"
#include "arith.h"
#include "clock.h"
#include "log.h"
#include "macro.h"
#include "messages.h"
#include "notify.h"

#include <errno.h>
#include <string.h>

bool manager_is_dry_run(const struct manager *manager)
{
	return manager->options.dry_run || manager->config->dry_run;
}

static void follow_swap(struct manager *manager, bool at_end)
{
	manager->pass.swap_written_bytes = swap_writes_follow(
		&manager->swap_writes, executor_totals(manager->executor)->disk_bytes);
	swap_writes_save(&manager->swap_writes, at_end);
	executor_follow_swap(manager->executor, manager->options.root,
			     &manager->host.files.swap.summary);
}

void manager_on_begin(void *userdata)
{
	struct manager *manager = userdata;
	struct features former = manager->features;

	loop_lag_watch(manager->lag);
	watchdog_note(&manager->watchdog,
		      executor_is_stalled(manager->executor, clock_usec(CLOCK_MONOTONIC)));
	follow_swap(manager, false);
	/* A write that was handed over may still need the descriptor. */
	if (executor_is_idle(manager->executor))
		lru_gen_refresh(&manager->lru_gen, manager->options.root);
	manager->host.fg_seen = fg_behaviour_judge(&manager->pass.behaviour);
	manager->host.reclaim_lies = executor_reclaim_lies(manager->executor);
	if (!features_refresh(&manager->features, &manager->host))
		return;
	report_changes(&former, &manager->features);
	if (former.probes[FEATURE_MGLRU].present == manager->features.probes[FEATURE_MGLRU].present)
		return;
	/* Another LRU misreads what the former one left behind: wait until it has settled. */
	pass_rebase(&manager->pass);
}

/* --- one tick: manager_on_begin(), and after the pass manager_on_planned() */

void manager_tell(struct manager *manager, bool at_end)
{
	size_t n;
	struct memcg *const *memcgs = hierarchy_memcgs(manager->hierarchy, &n);

	report_classes(&manager->pace.classes, manager->config, memcgs, n);
	report_status(&manager->pace, &manager->features, manager_is_dry_run(manager), memcgs, n,
		      executor_totals(manager->executor));
	summary_tell(&manager->summary, manager->hierarchy, executor_totals(manager->executor),
		     manager->options.root, ticker_spent_usec(manager->ticker),
		     loop_lag_seen(manager->lag), at_end);
}

/* An error is said when it is a new one. */
static void tell_metrics(struct manager *manager)
{
	struct metrics_host host = {
		.capability = manager->features.capability,
		.dry_run = manager_is_dry_run(manager),
		.executor = executor_totals(manager->executor),
		.look_time_usec = clock_usec(CLOCK_REALTIME),
		.top_memcgs = manager->config->top_memcgs,
	};
	int r;

	if (!manager->config->textfile[0])
		return;
	host.memcgs = hierarchy_memcgs(manager->hierarchy, &host.n_memcgs);
	own_cost_measure(&host.cost);
	r = metrics_file_write(manager->config->textfile, &manager->metrics, &host);
	if (r < 0 && r != manager->metrics_error)
		log_warning("%s: %s", manager->config->textfile, strerror(-r));
	manager->metrics_error = r;
}

/* --- the end */

static int begin_stop(struct manager *manager)
{
	if (stop_is_begun(&manager->stop))
		return 0;
	notify_stopping();
	/* Whoever sleeps or is paused does not go on by now. */
	manager->suspend = suspend_free(manager->suspend);
	manager->bus = bus_free(manager->bus);
	return stop_begin(&manager->stop);
}

/* --- events */

/* --once: two looks, since rates need two; then the writes. */
static void on_planned_once(struct manager *manager, const struct plan *plan)
{
	size_t n;
	struct memcg *const *memcgs = hierarchy_memcgs(manager->hierarchy, &n);
	int r;

	if (ticker_n_passes(manager->ticker) < 2)
		return;
	executor_start(manager->executor, plan, memcgs);
	r = stop_when_idle(&manager->stop);
	if (r < 0)
		sd_event_exit(manager->event, r);
}

void manager_on_planned(const struct plan *plan, void *userdata)
{
	struct manager *manager = userdata;
	size_t n;

	if (manager->options.once) {
		on_planned_once(manager, plan);
		return;
	}
	executor_start(manager->executor, plan, hierarchy_memcgs(manager->hierarchy, &n));
	protector_apply(manager->protector, manager_is_dry_run(manager));
	if (ticker_n_passes(manager->ticker) == 1) {
		notify_ready();
		log_event(LOG_NOTICE, MESSAGE_STARTED, "watching%s",
			  manager_is_dry_run(manager) ? "; dry run: nothing is reclaimed"
						      : " and reclaiming");
	}
	manager_keep_accounts(manager, plan);
	manager_tell(manager, false);
	tell_metrics(manager);
}

int manager_reload(struct manager *manager, char *ret_why, size_t size)
{
	struct config_error error;
	struct config *config;
	int r;

	notify_reloading();
	r = config_load(manager->options.root, manager->options.config_path, &config, &error);
	if (r < 0) {
		log_event(LOG_WARNING, MESSAGE_CONFIG, "%s; the former configuration stays",
			  error.text);
		snprintf(ret_why, size, "%s", error.text);
	} else {
		config_free(manager->config);
		manager->config = config;
		executor_configure(manager->executor, config, manager_is_dry_run(manager));
		ticker_configure(manager->ticker, config);
		hierarchy_classify(manager->hierarchy, config);
		recorder_configure(manager->recorder, config);
		metrics_configure(&manager->metrics, config);
		manager->pace.classes = (struct report_classes){0};
		manager->host.fast_path = config->fast_path;
		features_probe(&manager->features, &manager->host);
		log_event(LOG_NOTICE, MESSAGE_CONFIG, "configuration loaded");
	}
	notify_ready();
	return r < 0 ? -EINVAL : 0;
}

int manager_on_signal(sd_event_source *source _unused_, const struct signalfd_siginfo *info,
		      void *userdata)
{
	if (info->ssi_signo != SIGHUP)
		return begin_stop(userdata);
	manager_reload(userdata, NULL, 0);
	return 0;
}

int manager_run(struct manager *manager)
{
	struct memcg *const *memcgs;
	size_t n;
	int r;

	report_features(&manager->features);
	if (!manager->hierarchy) {
		/* Nothing to look at, and no fault of anybody's: say so and leave. */
		notify_ready();
		notify_status("observe: %s", manager->features.probes[FEATURE_CGROUP].evidence);
		return 0;
	}
	if (!manager->options.once)
		watchdog_begin(&manager->watchdog, manager->event);
	r = sd_event_loop(manager->event);
	if (manager->options.once && (r < 0 || stop_is_begun(&manager->stop)))
		return r;
	manager_tell(manager, true);
	follow_swap(manager, true);
	if (manager->options.once) {
		memcgs = hierarchy_memcgs(manager->hierarchy, &n);
		report_table(&manager->features, manager->config, manager_is_dry_run(manager),
			     memcgs, n);
		return 0;
	}
	log_event(LOG_NOTICE, MESSAGE_STOPPED, "stopped");
	return r;
}
