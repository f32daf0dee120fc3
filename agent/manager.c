/* SPDX-License-Identifier: MIT */
/*
 * Owns everything and runs the loop.
 *
 * One tick: scan the tree, sample it, plan, hand the plan to the executor. Nothing else leads from
 * the kernel to the kernel. Writes run beside the loop and are measured as they end; what came of
 * them is in the next snapshot.
 *
 * The tick costs CPU time, which is measured; when ticks take more than CpuBudget of one core the
 * interval grows until they no longer do.
 */
#include "manager.h"
#include "arith.h"
#include "clock.h"
#include "cpu_budget.h"
#include "executor.h"
#include "feature.h"
#include "file.h"
#include "hierarchy.h"
#include "log.h"
#include "macro.h"
#include "messages.h"
#include "notify.h"
#include "pass.h"
#include "report.h"
#include "summary.h"

#include <errno.h>
#include <signal.h>
#include <string.h>
#include <systemd/sd-event.h>

/* Ticks may be this late, so that wake-ups coalesce; those asked for soon, by a tenth. */
#define TICK_ACCURACY_USEC UINT64_C(100000)

/* How long a stop waits for the writes under way: reclaim looks at a cancel between two batches. */
#define STOP_USEC (5 * USEC_PER_SEC)

struct manager {
	struct manager_options options;
	struct config *config;
	sd_event *event;
	sd_event_source *tick;
	sd_event_source *stop;
	struct lru_gen lru_gen;
	struct hierarchy *hierarchy; /* NULL: nothing to look at on this host */
	struct feature_host host;
	struct features features;
	struct ring *ring; /* NULL: io_uring is refused, or a dry run of a fixture tree */
	struct executor *executor;
	struct pass pass;

	struct cpu_budget budget;
	uint64_t interval_usec; /* as configured, or as the CPU budget allows */
	struct report_pace pace;
	struct summary summary;
	unsigned n_ticks;
};

static bool is_dry_run(const struct manager *manager)
{
	return manager->options.dry_run || manager->config->dry_run;
}

static void refresh_features(struct manager *manager)
{
	struct features former = manager->features;
	size_t n;
	struct memcg *const *memcgs;

	/* debugfs may be mounted later than we start. */
	if (manager->lru_gen.read_fd < 0 || manager->lru_gen.write_fd < 0) {
		lru_gen_close(&manager->lru_gen);
		lru_gen_open(&manager->lru_gen, manager->options.root);
	}
	manager->host.fg_seen = fg_behaviour_judge(&manager->pass.behaviour);
	manager->host.reclaim_lies = executor_reclaim_lies(manager->executor);
	if (!features_refresh(&manager->features, &manager->host))
		return;
	report_changes(&former, &manager->features);
	if (former.probes[FEATURE_MGLRU].present == manager->features.probes[FEATURE_MGLRU].present)
		return;
	/* Another LRU misreads what the former one left behind: wait until it has settled. */
	memcgs = hierarchy_memcgs(manager->hierarchy, &n);
	for (size_t i = 0; i < n; i++)
		memcgs[i]->state.last_usec = 0;
}

/* --- one tick */

static int tick(struct manager *manager, uint64_t now_usec, uint64_t *ret_next_usec)
{
	uint64_t begun_usec = clock_usec(CLOCK_THREAD_CPUTIME_ID);
	uint64_t wait_usec;
	struct memcg *const *memcgs;
	struct plan plan;
	size_t n;
	int r;

	refresh_features(manager);
	r = pass_look(&manager->pass, manager->config, now_usec, manager->interval_usec, &plan);
	if (r < 0)
		return r;
	memcgs = hierarchy_memcgs(manager->hierarchy, &n);
	executor_start(manager->executor, &plan, memcgs);
	manager->n_ticks++;

	wait_usec = cpu_budget_spend(&manager->budget, clock_usec(CLOCK_MONOTONIC),
				     clock_usec(CLOCK_THREAD_CPUTIME_ID) - begun_usec,
				     manager->config->cpu_budget_ppm);
	manager->interval_usec = max_u64(manager->config->interval_usec, wait_usec);
	*ret_next_usec = max_u64(plan.next_usec, wait_usec);
	return 0;
}

static void tell(struct manager *manager, bool last)
{
	size_t n;
	struct memcg *const *memcgs = hierarchy_memcgs(manager->hierarchy, &n);

	report_classes(&manager->pace.classes, manager->config, memcgs, n);
	report_status(&manager->pace, &manager->features, is_dry_run(manager), memcgs, n,
		      executor_totals(manager->executor));
	summary_tell(&manager->summary, manager->hierarchy, executor_totals(manager->executor),
		     manager->options.root, manager->budget.spent_usec, last);
}

/* --- events */

/* Ends the loop once the writes under way have ended, or STOP_USEC later. */
static int on_stop_time(sd_event_source *source _unused_, uint64_t usec _unused_, void *userdata)
{
	struct manager *manager = userdata;

	log_warning("a write under way does not end; leaving it to the kernel");
	return sd_event_exit(manager->event, 0);
}

static int on_stopped(sd_event_source *source _unused_, void *userdata)
{
	struct manager *manager = userdata;

	return executor_is_idle(manager->executor) ? sd_event_exit(manager->event, 0) : 0;
}

static int begin_stop(struct manager *manager)
{
	int r;

	if (manager->stop)
		return 0;
	notify_stopping();
	sd_event_source_set_enabled(manager->tick, SD_EVENT_OFF);
	if (!manager->executor || executor_is_idle(manager->executor))
		return sd_event_exit(manager->event, 0);
	executor_stop(manager->executor);
	r = sd_event_add_time_relative(manager->event, &manager->stop, CLOCK_MONOTONIC, STOP_USEC,
				       TICK_ACCURACY_USEC, on_stop_time, manager);
	if (r < 0)
		return sd_event_exit(manager->event, r);
	sd_event_source_set_description(manager->stop, "stop");
	return sd_event_add_post(manager->event, NULL, on_stopped, manager);
}

static int on_signal(sd_event_source *source _unused_, const struct signalfd_siginfo *info _unused_,
		     void *userdata)
{
	return begin_stop(userdata);
}

static int on_reload(sd_event_source *source _unused_, const struct signalfd_siginfo *info _unused_,
		     void *userdata)
{
	struct manager *manager = userdata;
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
		hierarchy_classify(manager->hierarchy, config);
		manager->pace.classes = (struct report_classes){0};
		manager->host.fast_path = config->fast_path;
		features_probe(&manager->features, &manager->host);
		log_event(LOG_NOTICE, MESSAGE_CONFIG, "configuration loaded");
	}
	notify_ready();
	return 0;
}

static int on_tick(sd_event_source *source, uint64_t usec _unused_, void *userdata)
{
	struct manager *manager = userdata;
	uint64_t next_usec = manager->config->interval_usec;
	int r;

	r = tick(manager, clock_usec(CLOCK_BOOTTIME), &next_usec);
	if (r < 0)
		return r;
	if (manager->n_ticks == 1) {
		notify_ready();
		log_event(LOG_NOTICE, MESSAGE_STARTED, "watching%s",
			  is_dry_run(manager) ? "; dry run: nothing is reclaimed"
					      : " and reclaiming");
	}
	tell(manager, false);
	r = sd_event_source_set_time_accuracy(source,
					      min_u64(next_usec / 10 + 1, TICK_ACCURACY_USEC));
	if (r >= 0)
		r = sd_event_source_set_time_relative(source, next_usec);
	return r < 0 ? r : sd_event_source_set_enabled(source, SD_EVENT_ONESHOT);
}

/* --- life */

struct manager *manager_free(struct manager *manager)
{
	if (!manager)
		return NULL;
	sd_event_source_disable_unref(manager->stop);
	sd_event_source_disable_unref(manager->tick);
	executor_free(manager->executor);
	ring_close(manager->ring);
	hierarchy_close(manager->hierarchy);
	pass_done(&manager->pass);
	lru_gen_close(&manager->lru_gen);
	sd_event_unref(manager->event);
	config_free(manager->config);
	free(manager);
	return NULL;
}

DEFINE_CLEANUP(struct manager *, manager_free)

static int add_sources(struct manager *manager)
{
	sigset_t mask;
	int r;

	sigemptyset(&mask);
	sigaddset(&mask, SIGTERM);
	sigaddset(&mask, SIGINT);
	sigaddset(&mask, SIGHUP);
	if (sigprocmask(SIG_BLOCK, &mask, NULL) < 0)
		return -errno;
	r = sd_event_add_signal(manager->event, NULL, SIGTERM, on_signal, manager);
	if (r >= 0)
		r = sd_event_add_signal(manager->event, NULL, SIGINT, on_signal, manager);
	if (r >= 0)
		r = sd_event_add_signal(manager->event, NULL, SIGHUP, on_reload, manager);
	if (r >= 0)
		r = sd_event_add_time_relative(manager->event, &manager->tick, CLOCK_MONOTONIC, 0,
					       TICK_ACCURACY_USEC, on_tick, manager);
	if (r < 0)
		return r;
	sd_event_source_set_description(manager->tick, "tick");
	return sd_event_source_set_exit_on_failure(manager->tick, true);
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
		.ring_error = ring_open(manager->event, &manager->ring),
		.fast_path = manager->config->fast_path,
	};
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
	manager->interval_usec = config->interval_usec;
	cpu_budget_init(&manager->budget, clock_usec(CLOCK_MONOTONIC));
	summary_init(&manager->summary);
	manager->lru_gen = (struct lru_gen){.read_fd = -1, .write_fd = -1};
	file_raise_descriptor_limit();
	r = sd_event_default(&manager->event);
	if (r < 0)
		return r;
	r = add_sources(manager);
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
	*ret = TAKE_PTR(manager);
	return 0;
}

/* Lets time pass. 1: told to stop meanwhile. */
static int wait_in_loop(struct manager *manager, uint64_t usec)
{
	uint64_t end_usec = clock_usec(CLOCK_MONOTONIC) + usec, now_usec;

	while ((now_usec = clock_usec(CLOCK_MONOTONIC)) < end_usec) {
		int r = sd_event_run(manager->event, end_usec - now_usec);

		if (r < 0)
			return r;
		if (sd_event_get_state(manager->event) == SD_EVENT_FINISHED)
			return 1;
	}
	return 0;
}

/* Two looks, since rates need two, then the writes. Nobody waits for a recorded tree to change. */
static int run_once(struct manager *manager)
{
	uint64_t now_usec = clock_usec(CLOCK_BOOTTIME), next_usec;
	struct memcg *const *memcgs;
	struct plan plan;
	size_t n;
	int r;

	r = pass_look(&manager->pass, manager->config, now_usec, manager->interval_usec, &plan);
	if (r < 0)
		return r;
	if (hierarchy_is_live(manager->hierarchy)) {
		r = wait_in_loop(manager, manager->config->interval_usec);
		if (r != 0)
			return r < 0 ? r : 0;
		now_usec = clock_usec(CLOCK_BOOTTIME);
	} else {
		now_usec += manager->config->interval_usec;
	}
	r = tick(manager, now_usec, &next_usec);
	while (r >= 0 && !executor_is_idle(manager->executor))
		r = sd_event_run(manager->event, UINT64_MAX);
	if (r < 0)
		return r;
	tell(manager, true);
	memcgs = hierarchy_memcgs(manager->hierarchy, &n);
	report_table(&manager->features, manager->config, is_dry_run(manager), memcgs, n);
	return 0;
}

int manager_run(struct manager *manager)
{
	int r;

	report_features(&manager->features);
	if (!manager->hierarchy) {
		/* Nothing to look at, and no fault of anybody's: say so and leave. */
		notify_ready();
		notify_status("observe: %s", manager->features.probes[FEATURE_CGROUP].evidence);
		return 0;
	}
	if (manager->options.once) {
		sd_event_source_set_enabled(manager->tick, SD_EVENT_OFF);
		return run_once(manager);
	}
	sd_event_set_watchdog(manager->event, true);
	r = sd_event_loop(manager->event);
	tell(manager, true);
	log_event(LOG_NOTICE, MESSAGE_STOPPED, "stopped");
	return r;
}
