/* SPDX-License-Identifier: MIT */
/*
 * Makes all that the manager owns, and frees it.
 */
#include "clock.h"
#include "file.h"
#include "log.h"
#include "macro.h"
#include "manager_parts.h"
#include "signals.h"

#include <errno.h>

struct manager *manager_free(struct manager *manager)
{
	/* What a thread still uses cannot be freed: see stop.c. */
	if (!manager || (manager->ticker && ticker_is_busy(manager->ticker)))
		return NULL;
	stop_done(&manager->stop);
	loop_lag_free(manager->lag);
	suspend_free(manager->suspend);
	bus_free(manager->bus);
	ticker_free(manager->ticker);
	executor_free(manager->executor);
	protector_free(manager->protector);
	ring_close(manager->ring);
	hierarchy_close(manager->hierarchy);
	pass_done(&manager->pass);
	recorder_free(manager->recorder);
	pause_done(&manager->pause);
	account_past_done(&manager->books.past);
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
		.begin = manager_on_begin,
		.planned = manager_on_planned,
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

static int add_recorder(struct manager *manager)
{
	int r;

	if (!manager->options.record.path || !manager->hierarchy)
		return 0;
	r = recorder_new(&manager->options.record, manager->config, &manager->features,
			 &manager->recorder);
	manager->pass.recorder = manager->recorder;
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
	r = signals_add(manager->event, manager_on_signal, manager);
	if (r < 0)
		return r;
	r = open_host(manager);
	if (r < 0)
		return r;
	r = pass_init(&manager->pass, options->root, manager->hierarchy, &manager->lru_gen,
		      &manager->features);
	if (r < 0)
		return r;
	r = add_recorder(manager);
	if (r < 0)
		return r;
	metrics_configure(&manager->metrics, config);
	manager->pass.metrics = &manager->metrics;
	r = executor_new(manager->ring, &manager->lru_gen, &manager->executor);
	if (r < 0)
		return r;
	executor_configure(manager->executor, config, manager_is_dry_run(manager));
	if (manager->hierarchy) {
		r = add_ticker(manager);
		if (r >= 0)
			r = loop_lag_new(manager->event, is_at_work, manager, &manager->lag);
		if (r >= 0)
			r = add_protector(manager);
		if (r >= 0 && hierarchy_is_live(manager->hierarchy) && !options->once)
			r = add_suspend(manager);
		if (r >= 0 && !options->once)
			r = manager_add_control(manager);
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
