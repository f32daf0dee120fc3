/* SPDX-License-Identifier: MIT */
/*
 * What the manager tells of cgroups: see control.h.
 */
#include "arith.h"
#include "cgroup_find.h"
#include "class_wait.h"
#include "clock.h"
#include "dry_run.h"
#include "manager_parts.h"

static int tell_cgroups(uint64_t *id, uint64_t span_usec, control_tell_t tell, void *whom,
			void *userdata)
{
	const struct manager *manager = userdata;
	uint64_t now_usec = clock_usec(CLOCK_BOOTTIME), ago_usec;
	size_t point = account_clock_find(&manager->books.clock, now_usec, span_usec, &ago_usec);
	struct ledger_row row;
	size_t n;
	struct memcg *const *memcgs = hierarchy_after(manager->hierarchy, *id, &n);
	int r = 0;

	for (size_t i = 0; i < min_u64(n, CONTROL_PAGE) && r >= 0; i++) {
		*id = memcgs[i]->id;
		if (span_usec > 0 && (!memcgs[i]->leaf || memcgs[i]->class_index < 0))
			continue;
		ledger_fill(memcgs[i], manager->config, now_usec, &row);
		if (span_usec > 0)
			ledger_fill_account(memcgs[i], point, &row);
		r = tell(&row, whom);
	}
	if (n <= CONTROL_PAGE)
		*id = 0;
	return r;
}

static int tell_one(const char *cgroup, control_tell_t tell, void *whom, void *userdata)
{
	const struct manager *manager = userdata;
	struct ledger_row row;
	struct memcg *memcg;
	size_t n;
	struct memcg *const *memcgs = hierarchy_memcgs(manager->hierarchy, &n);
	int r = cgroup_find(cgroup, memcgs, n, &memcg);

	if (r < 0)
		return r;
	ledger_fill(memcg, manager->config, clock_usec(CLOCK_BOOTTIME), &row);
	ledger_explain(&row);
	return tell(&row, whom);
}

/* The host's own account, also of what has gone. */
static struct account total_account(const struct manager *manager)
{
	const struct executor_totals *totals = executor_totals(manager->executor);
	struct account account = {0};

	account.values[ACCOUNT_WRITES] = totals->writes;
	account.values[ACCOUNT_FAILURES] = totals->failures;
	account.values[ACCOUNT_AGINGS] = totals->agings;
	account.values[ACCOUNT_ASKED_BYTES] = totals->asked_bytes;
	account.values[ACCOUNT_FREED_BYTES] = totals->freed_bytes;
	account.values[ACCOUNT_RETURNED_BYTES] = manager->summary.savings.returned_bytes;
	account.values[ACCOUNT_WRITE_USEC] = totals->took_usec;
	account.values[ACCOUNT_CPU_USEC] = totals->cpu_usec;
	account.values[ACCOUNT_STALL_USEC] = manager->books.stall_usec;
	for (size_t i = ACCOUNT_DRY_FREED_BYTES; i < _ACCOUNT_MAX; i++)
		account.values[i] = manager->books.dry.values[i];
	return account;
}

static void tell_totals(uint64_t span_usec, struct ledger_totals *ret, void *userdata)
{
	const struct manager *manager = userdata;
	const struct savings *savings = &manager->summary.savings;
	uint64_t now_usec = clock_usec(CLOCK_BOOTTIME), ago_usec;
	size_t point = account_clock_find(&manager->books.clock, now_usec, span_usec, &ago_usec), n;
	struct account now = total_account(manager), growth;
	struct memcg *const *memcgs = hierarchy_memcgs(manager->hierarchy, &n);
	struct swap_memory swap;
	struct own_cost cost;

	growth = account_since(&manager->books.past, &now, point);
	own_cost_measure(&cost);
	swap_measure(manager->options.root, &swap);
	*ret = (struct ledger_totals){
		.span_msec = ago_usec / 1000,
		.dry_run = manager_is_dry_run(manager),
		.memcgs = report_count(memcgs, n).of_a_class,
		.cpu_usec = point == ACCOUNT_SINCE_START
				    ? cost.cpu_usec
				    : saturating_sub(cost.cpu_usec, manager->books.cpu_usec[point]),
		.rss_bytes = cost.rss_bytes,
		.out_bytes = saturating_add(savings->held_bytes[LRU_ANON],
					    savings->held_bytes[LRU_FILE]),
		.swap_cost_bytes = savings_cost_bytes(savings, &swap),
		.net_bytes = savings_net_bytes(savings, &swap),
	};
	for (size_t i = 0; i < _ACCOUNT_MAX; i++)
		ret->account[i] = growth.values[i];
}

static uint64_t find_waiting(const struct config **ret_config, void *userdata)
{
	const struct manager *manager = userdata;
	size_t n;
	struct memcg *const *memcgs = hierarchy_memcgs(manager->hierarchy, &n);

	*ret_config = manager->config;
	return class_wait_find(manager->config, memcgs, n);
}

void manager_keep_accounts(struct manager *manager, const struct plan *plan)
{
	size_t n, made = manager->books.clock.n;
	struct memcg *const *memcgs = hierarchy_memcgs(manager->hierarchy, &n);
	struct account now;
	struct own_cost cost;

	if (manager_is_dry_run(manager))
		dry_run_book(&manager->pass.snapshot, plan, memcgs, &manager->books.dry);
	else
		dry_run_end(memcgs, n);
	manager->books.stall_usec = saturating_add(
		manager->books.stall_usec,
		ledger_look(&manager->books.clock, memcgs, n, clock_usec(CLOCK_BOOTTIME)));
	if (manager->books.clock.n == made)
		return;
	now = total_account(manager);
	own_cost_measure(&cost);
	account_keep(&manager->books.past, &manager->books.clock, &now);
	manager->books.cpu_usec[(manager->books.clock.n - 1) % ACCOUNT_POINTS] = cost.cpu_usec;
}

void manager_add_ledger(struct manager *manager)
{
	manager->books.clock.start_usec = clock_usec(CLOCK_BOOTTIME);
	manager->control.cgroups = tell_cgroups;
	manager->control.explain = tell_one;
	manager->control.totals = tell_totals;
	manager->control.waiting = find_waiting;
}
