/* SPDX-License-Identifier: MIT */
/*
 * Owns everything and runs the loop. One tick: scan the tree, read it, plan, hand the plan to the
 * executor. Nothing else leads from the kernel to the kernel. Files are read and writes are done beside
 * the loop; writes are measured as they end, and what came of them is in the next snapshot.
 */
#include "manager.h"
#include "arith.h"
#include "clock.h"
#include "executor.h"
#include "feature.h"
#include "file.h"
#include "hierarchy.h"
#include "log.h"
#include "loop_lag.h"
#include "macro.h"
#include "messages.h"
#include "notify.h"
#include "protector.h"
#include "report.h"
#include "signals.h"
#include "stop.h"
#include "summary.h"
#include "suspend.h"
#include "swap_writes.h"
#include "ticker.h"
#include "watchdog.h"

#include <errno.h>
#include <signal.h>
#include <string.h>
#include <systemd/sd-event.h>

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
	struct ticker *ticker;
	struct stop stop;
	struct loop_lag *lag;
	struct suspend *suspend; /* NULL: no live host, or --once */
	struct watchdog watchdog;
	struct report_pace pace;
	struct summary summary;
	struct swap_writes swap_writes;
};

static bool is_dry_run(const struct manager *manager)
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

static void refresh_features(void *userdata)
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

/* --- one tick: refresh_features(), and after the pass on_planned() */

static void tell(struct manager *manager, bool last)
{
	size_t n;
	struct memcg *const *memcgs = hierarchy_memcgs(manager->hierarchy, &n);

	report_classes(&manager->pace.classes, manager->config, memcgs, n);
	report_status(&manager->pace, &manager->features, is_dry_run(manager), memcgs, n,
		      executor_totals(manager->executor));
	summary_tell(&manager->summary, manager->hierarchy, executor_totals(manager->executor),
		     manager->options.root, ticker_spent_usec(manager->ticker),
		     loop_lag_seen(manager->lag), last);
}

/* --- the end */

static int begin_stop(struct manager *manager)
{
	if (stop_is_begun(&manager->stop))
		return 0;
	notify_stopping();
	/* Whoever sleeps does not go on by now. */
	manager->suspend = suspend_free(manager->suspend);
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

static void on_planned(const struct plan *plan, void *userdata)
{
	struct manager *manager = userdata;
	size_t n;

	if (manager->options.once) {
		on_planned_once(manager, plan);
		return;
	}
	executor_start(manager->executor, plan, hierarchy_memcgs(manager->hierarchy, &n));
	protector_apply(manager->protector, is_dry_run(manager));
	if (ticker_n_passes(manager->ticker) == 1) {
		notify_ready();
		log_event(LOG_NOTICE, MESSAGE_STARTED, "watching%s",
			  is_dry_run(manager) ? "; dry run: nothing is reclaimed"
					      : " and reclaiming");
	}
	tell(manager, false);
}

static void reload(struct manager *manager)
{
	struct config_error error;
	struct config *config;

	notify_reloading();
	if (config_load(manager->options.root, manager->options.config_path, &config, &error) < 0) {
		log_event(LOG_WARNING, MESSAGE_CONFIG, "%s; the former configuration stays",
			  error.text);
	} else {
		config_free(manager->config);
		manager->config = config;
		executor_configure(manager->executor, config, is_dry_run(manager));
		ticker_configure(manager->ticker, config);
		hierarchy_classify(manager->hierarchy, config);
		manager->pace.classes = (struct report_classes){0};
		manager->host.fast_path = config->fast_path;
		features_probe(&manager->features, &manager->host);
		log_event(LOG_NOTICE, MESSAGE_CONFIG, "configuration loaded");
	}
	notify_ready();
}

static int on_signal(sd_event_source *source _unused_, const struct signalfd_siginfo *info,
		     void *userdata)
{
	if (info->ssi_signo != SIGHUP)
		return begin_stop(userdata);
	reload(userdata);
	return 0;
}

/* --- life */

struct manager *manager_free(struct manager *manager)
{
	/* What a thread still uses cannot be freed: see stop.c. */
	if (!manager || (manager->ticker && ticker_is_busy(manager->ticker)))
		return NULL;
	stop_done(&manager->stop);
	loop_lag_free(manager->lag);
	suspend_free(manager->suspend);
	ticker_free(manager->ticker);
	executor_free(manager->executor);
	protector_free(manager->protector);
	ring_close(manager->ring);
	hierarchy_close(manager->hierarchy);
	pass_done(&manager->pass);
	lru_gen_close(&manager->lru_gen);
	feature_files_close(&manager->host.files);
	sd_event_unref(manager->event);
	config_free(manager->config);
	free(manager);
	return NULL;
}

DEFINE_CLEANUP(struct manager *, manager_free)

static int add_ticker(struct manager *manager)
{
	const struct ticker_settings settings = {
		.event = manager->event,
		.pass = &manager->pass,
		.slow_usec = TICKER_SLOW_USEC,
		.hurry = manager->options.once && !hierarchy_is_live(manager->hierarchy),
		.begin = refresh_features,
		.planned = on_planned,
		.userdata = manager,
	};

	return ticker_new(&settings, manager->config, &manager->ticker);
}

static bool is_at_work(void *userdata)
{
	const struct manager *manager = userdata;

	return !stop_is_idle(&manager->stop);
}

static int add_suspend(struct manager *manager)
{
	const struct suspend_settings settings = {
		.event = manager->event,
		.retry_usec = SUSPEND_RETRY_USEC,
		.pass = &manager->pass,
		.ticker = manager->ticker,
		.executor = manager->executor,
	};

	return suspend_new(&settings, &manager->suspend);
}

static int add_protector(struct manager *manager)
{
	const struct protector_settings settings = {
		.root = manager->options.root,
		.hierarchy = manager->hierarchy,
		.event = manager->event,
		.retry_usec = PROTECTOR_RETRY_USEC,
	};
	int r = protector_new(&settings, &manager->protector);

	/* A look beside a daemon that runs is none of its starts. */
	if (r >= 0 && hierarchy_is_live(manager->hierarchy) && !manager->options.once)
		protector_recover(manager->protector);
	return r;
}

/* Looks at what the host can do. All but a lack of memory is a lower step of the ladder. */
static int open_host(struct manager *manager)
{
	const char *root = manager->options.root, *why_not = NULL;
	int r;

	lru_gen_open(&manager->lru_gen, root);
	r = hierarchy_open(root, &manager->hierarchy, &why_not);
	if (r == -ENOMEM)
		return r;
	if (manager->hierarchy) {
		r = hierarchy_scan(manager->hierarchy, manager->config, clock_usec(CLOCK_BOOTTIME));
		if (r < 0)
			return r;
		if (!hierarchy_is_live(manager->hierarchy) && !manager->options.dry_run) {
			manager->options.dry_run = true;
			log_notice("%s is not a live cgroup tree: dry run", root);
		}
	}
	manager->host = (struct feature_host){
		.root = root,
		.hierarchy = manager->hierarchy,
		.why_not = why_not,
		.lru_gen = &manager->lru_gen,
		.ring = manager->config->ring,
		.fast_path = manager->config->fast_path,
	};
	manager->host.ring_error = ring_open(manager->event, manager->config->ring, &manager->ring,
					     &manager->host.uring_error);
	features_probe(&manager->features, &manager->host);
	return 0;
}

int manager_new(const struct manager_options *options, struct config *config, struct manager **ret)
{
	_cleanup_(manager_free_ptr) struct manager *manager = calloc(1, sizeof(*manager));
	int r;

	if (!manager) {
		config_free(config);
		return -ENOMEM;
	}
	manager->options = *options;
	manager->config = config;
	summary_init(&manager->summary);
	/* systemd's, of StateDirectory=: not that of a recorded tree. */
	swap_writes_open(&manager->swap_writes, *options->root ? NULL : getenv("STATE_DIRECTORY"));
	manager->lru_gen = (struct lru_gen){.read_fd = -1, .write_fd = -1};
	file_raise_descriptor_limit();
	r = sd_event_default(&manager->event);
	if (r < 0)
		return r;
	r = signals_add(manager->event, on_signal, manager);
	if (r < 0)
		return r;
	r = open_host(manager);
	if (r < 0)
		return r;
	r = pass_init(&manager->pass, options->root, manager->hierarchy, &manager->lru_gen,
		      &manager->features);
	if (r < 0)
		return r;
	r = executor_new(manager->ring, &manager->lru_gen, &manager->executor);
	if (r < 0)
		return r;
	executor_configure(manager->executor, config, is_dry_run(manager));
	if (manager->hierarchy) {
		r = add_ticker(manager);
		if (r >= 0)
			r = loop_lag_new(manager->event, is_at_work, manager, &manager->lag);
		if (r >= 0)
			r = add_protector(manager);
		if (r >= 0 && hierarchy_is_live(manager->hierarchy) && !options->once)
			r = add_suspend(manager);
		if (r < 0)
			return r;
		manager->stop = (struct stop){
			.event = manager->event,
			.ticker = manager->ticker,
			.executor = manager->executor,
			.protector = manager->protector,
		};
	}
	*ret = TAKE_PTR(manager);
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
	tell(manager, true);
	follow_swap(manager, true);
	if (manager->options.once) {
		memcgs = hierarchy_memcgs(manager->hierarchy, &n);
		report_table(&manager->features, manager->config, is_dry_run(manager), memcgs, n);
		return 0;
	}
	log_event(LOG_NOTICE, MESSAGE_STOPPED, "stopped");
	return r;
}
