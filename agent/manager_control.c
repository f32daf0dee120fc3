/* SPDX-License-Identifier: MIT */
/*
 * What is asked of the manager from outside: see control.h.
 */
#include "arith.h"
#include "clock.h"
#include "escape.h"
#include "macro.h"
#include "manager_parts.h"

#include <string.h>

/* How often a system bus that is not there is looked for. */
#define RETRY_USEC (60 * USEC_PER_SEC)

/* --- what it tells */

static char **copy_paths(const struct pause_set *set)
{
	char **paths = calloc(set->n + 1, sizeof(*paths));
	size_t n = 0;

	for (size_t i = 0; paths && i < set->n; i++) {
		paths[n] = escape_text(set->paths[i], strlen(set->paths[i]), true);
		n += paths[n] != NULL;
	}
	return paths;
}

static const char *state_of(const struct manager *manager)
{
	if (pause_set_find(&manager->pause.set, "/"))
		return "paused";
	return ticker_n_passes(manager->ticker) == 0 ? "starting" : "running";
}

static void fill_totals(const struct manager *manager, struct status *ret)
{
	const struct executor_totals *totals = executor_totals(manager->executor);
	const struct savings *savings = &manager->summary.savings;
	struct own_cost cost;

	own_cost_measure(&cost);
	ret->writes = totals->writes;
	ret->failures = totals->failures;
	ret->agings = totals->agings;
	ret->asked_bytes = totals->asked_bytes;
	ret->freed_bytes = totals->freed_bytes;
	ret->returned_bytes = savings->returned_bytes;
	ret->out_bytes =
		saturating_add(savings->held_bytes[LRU_ANON], savings->held_bytes[LRU_FILE]);
	ret->swap_cost_bytes = totals->cost_bytes;
	ret->disk_bytes = totals->disk_bytes;
	ret->dry_run_bytes = totals->dry_bytes;
	ret->cpu_usec = cost.cpu_usec;
	ret->rss_bytes = cost.rss_bytes;
}

static void fill_status(struct status *ret, void *userdata)
{
	const struct manager *manager = userdata;
	size_t n;
	struct memcg *const *memcgs = hierarchy_memcgs(manager->hierarchy, &n);
	struct report_counts counts = report_count(memcgs, n);
	uint64_t looks = ticker_n_passes(manager->ticker);

	*ret = (struct status){
		.version = strdup(PACKAGE_VERSION),
		.state = strdup(state_of(manager)),
		.capability = strdup(capability_to_string(manager->features.capability)),
		.dry_run = manager_is_dry_run(manager),
		.paused = copy_paths(&manager->pause.set),
		.uptime_msec = saturating_sub(clock_usec(CLOCK_MONOTONIC),
					      manager->summary.start.now_usec) /
			       1000,
		.look_age_msec = looks == 0 ? SAMPLE_UNKNOWN
					    : saturating_sub(clock_usec(CLOCK_BOOTTIME),
							     manager->pass.sampler.now_usec) /
						      1000,
		.looks = looks,
		.memcgs = n,
		.class_memcgs = counts.of_a_class,
		.held_memcgs = counts.held,
		.paused_memcgs = counts.paused,
	};
	fill_totals(manager, ret);
}

/* --- what it does */

/* What is no longer to be protected is put back now. */
static void on_paused(void *userdata)
{
	struct manager *manager = userdata;

	protector_apply(manager->protector, manager_is_dry_run(manager));
	manager->pace.status_usec = 0;
	manager_tell(manager, false);
}

static int begin_pause(const char *cgroup, char **ret_path, void *userdata)
{
	struct manager *manager = userdata;

	return pause_begin(&manager->pause, cgroup, ret_path);
}

static int end_pause(const char *cgroup, char **ret_path, void *userdata)
{
	struct manager *manager = userdata;

	return pause_end(&manager->pause, cgroup, ret_path);
}

static int reload(char *ret_why, size_t size, void *userdata)
{
	return manager_reload(userdata, ret_why, size);
}

int manager_add_control(struct manager *manager)
{
	const struct bus_settings bus = {
		.event = manager->event,
		.retry_usec = RETRY_USEC,
		.control = &manager->control,
		.stand_in = !hierarchy_is_live(manager->hierarchy),
	};

	manager->pause = (struct pause){
		.pass = &manager->pass,
		.executor = manager->executor,
		.changed = on_paused,
		.userdata = manager,
	};
	manager->control = (struct control){
		.status = fill_status,
		.pause = begin_pause,
		.resume = end_pause,
		.reload = reload,
		.userdata = manager,
	};
	manager_add_ledger(manager);
	return bus_new(&bus, &manager->bus);
}
