/* SPDX-License-Identifier: MIT */
/*
 * The summary in the log: see summary.h. At info, since it is neither a change of state nor a
 * single action.
 */
#include "summary.h"
#include "arith.h"
#include "clock.h"
#include "explain.h"
#include "log.h"

#include <inttypes.h>

#define P99_PPM UINT64_C(990000)

#define SUMMARY_USEC (60 * USEC_PER_SEC)

/* So many dying cgroups are a leak, or soon one: katalyst, an agent for Kubernetes, begins to
 * reclaim them there. */
#define DYING_MANY 2000

void summary_init(struct summary *ret)
{
	*ret = (struct summary){0};
	ret->start.now_usec = clock_usec(CLOCK_MONOTONIC);
	own_cost_measure(&ret->start.cost);
	ret->last = ret->start;
}

static void say_done(const struct executor_totals *former, const struct executor_totals *totals)
{
	char freed[BYTES_TEXT_MAX], asked[BYTES_TEXT_MAX], cost[BYTES_TEXT_MAX];
	uint64_t cost_bytes = totals->cost_bytes - former->cost_bytes;

	if (totals->dry_bytes != former->dry_bytes)
		log_event(
			LOG_INFO, NULL, "dry run: would have asked for %s",
			explain_bytes(totals->dry_bytes - former->dry_bytes, asked, sizeof(asked)));
	if (totals->writes == former->writes)
		return;
	log_event(LOG_INFO, NULL,
		  "freed %s of %s asked for, %s%s%" PRIu64 " agings, %" PRIu64 " writes, %" PRIu64
		  " without effect",
		  explain_bytes(totals->freed_bytes - former->freed_bytes, freed, sizeof(freed)),
		  explain_bytes(totals->asked_bytes - former->asked_bytes, asked, sizeof(asked)),
		  cost_bytes > 0 ? explain_bytes(cost_bytes, cost, sizeof(cost)) : "",
		  cost_bytes > 0 ? " of it stay as swap in memory, " : "",
		  totals->agings - former->agings, totals->writes - former->writes,
		  totals->failures - former->failures);
}

/* Always since the start: what was freed in this minute comes back in the next. */
static void say_savings(const struct summary_totals *totals)
{
	uint64_t freed_bytes = totals->executor.freed_bytes;
	uint64_t held_bytes = saturating_add(totals->savings.held_bytes[LRU_ANON],
					     totals->savings.held_bytes[LRU_FILE]);
	uint64_t returned_bytes = totals->savings.returned_bytes;
	uint64_t gone_bytes =
		saturating_sub(freed_bytes, saturating_add(held_bytes, returned_bytes));
	uint64_t cost_bytes = savings_cost_bytes(&totals->savings, &totals->swap);
	uint64_t net_bytes = savings_net_bytes(&totals->savings, &totals->swap);
	const struct log_field fields[] = {
		{.key = "FREED_BYTES", .number = freed_bytes},
		{.key = "RETURNED_BYTES", .number = returned_bytes},
		{.key = "GONE_BYTES", .number = gone_bytes},
		/* Last, since they may be unknown. */
		{.key = "SWAP_COST_BYTES", .number = cost_bytes},
		{.key = "NET_BYTES", .number = net_bytes},
	};
	char net[BYTES_TEXT_MAX], freed[BYTES_TEXT_MAX], returned[BYTES_TEXT_MAX];
	char gone[BYTES_TEXT_MAX], cost[BYTES_TEXT_MAX];

	log_fields(LOG_INFO, NULL, fields, ARRAY_SIZE(fields) - (is_number(net_bytes) ? 0 : 2),
		   "saved at present: %s, of %s freed since the start: %s came back, %s have no "
		   "cgroup or no place in swap any more, %s are what swap takes in memory",
		   explain_bytes(net_bytes, net, sizeof(net)),
		   explain_bytes(freed_bytes, freed, sizeof(freed)),
		   explain_bytes(returned_bytes, returned, sizeof(returned)),
		   explain_bytes(gone_bytes, gone, sizeof(gone)),
		   explain_bytes(cost_bytes, cost, sizeof(cost)));
}

static void say_cost(const struct summary_totals *former, const struct summary_totals *totals)
{
	uint64_t wall_usec = saturating_sub(totals->now_usec, former->now_usec);
	uint64_t cpu_usec = saturating_sub(totals->cost.cpu_usec, former->cost.cpu_usec);
	uint64_t looking_usec = saturating_sub(totals->looking_usec, former->looking_usec);
	uint64_t share_ppm = own_cost_share_ppm(cpu_usec, wall_usec);
	const struct log_field fields[] = {
		{.key = "CPU_USEC", .number = cpu_usec},
		{.key = "LOOKING_USEC", .number = looking_usec},
		{.key = "WALL_USEC", .number = wall_usec},
		{.key = "RSS_BYTES", .number = totals->cost.rss_bytes},
	};
	char rss[BYTES_TEXT_MAX];

	log_fields(LOG_INFO, NULL, fields,
		   ARRAY_SIZE(fields) - (is_number(totals->cost.rss_bytes) ? 0 : 1),
		   "own cost: %" PRIu64 " ms of CPU time in %" PRIu64 " s, %" PRIu64 ".%03" PRIu64
		   "%% of one core, %" PRIu64 " ms of it for looking and deciding; memory: %s",
		   cpu_usec / 1000, wall_usec / USEC_PER_SEC, share_ppm / 10000,
		   share_ppm / 10 % 1000, looking_usec / 1000,
		   explain_bytes(totals->cost.rss_bytes, rss, sizeof(rss)));
}

/* Always since the start: the longest of all. */
static void say_waits(const struct summary_totals *totals)
{
	const struct executor_totals *executor = &totals->executor;
	const struct log_field fields[] = {
		{.key = "WRITE_MOST_USEC", .number = executor->took_most_usec},
		{.key = "WRITE_LATE_MOST_USEC", .number = executor->late_most_usec},
		{.key = "LOOP_LAG_P99_USEC", .number = totals->lag_p99_usec},
		{.key = "LOOP_LAG_MOST_USEC", .number = totals->lag_most_usec},
	};

	log_fields(LOG_INFO, NULL, fields, ARRAY_SIZE(fields),
		   "longest write since the start: %" PRIu64 " ms, most after a deadline: %" PRIu64
		   " ms; the loop was late by up to %" PRIu64 " ms, 99 times in 100 by %" PRIu64
		   " ms at most",
		   executor->took_most_usec / 1000, executor->late_most_usec / 1000,
		   totals->lag_most_usec / 1000, totals->lag_p99_usec / 1000);
}

/* Again when they have doubled, or have been few in between. */
static void say_dying(struct summary *summary, uint64_t dying)
{
	if (!is_number(dying) || dying < DYING_MANY) {
		summary->dying_said = 0;
		return;
	}
	if (summary->dying_said > 0 && dying / 2 < summary->dying_said)
		return;
	summary->dying_said = dying;
	log_event(LOG_INFO, NULL,
		  "%" PRIu64 " dying cgroups: removed, but memory or something else of theirs is "
		  "left",
		  dying);
}

void summary_say(struct summary *summary, const struct summary_totals *former,
		 const struct summary_totals *totals, bool at_end)
{
	const struct executor_totals *before = &former->executor, *after = &totals->executor;
	uint64_t appeared = totals->changes.appeared - former->changes.appeared;
	uint64_t vanished = totals->changes.vanished - former->changes.vanished;

	say_done(before, after);
	if (after->freed_bytes > 0 && (at_end || after->writes != before->writes))
		say_savings(totals);
	if (appeared > 0 || vanished > 0)
		log_event(LOG_INFO, NULL, "%" PRIu64 " cgroups appeared, %" PRIu64 " vanished",
			  appeared, vanished);
	if (at_end || after->writes != before->writes || after->dry_bytes != before->dry_bytes)
		say_cost(former, totals);
	if (after->writes > 0 && (at_end || after->writes != before->writes))
		say_waits(totals);
	say_dying(summary, totals->dying);
}

static uint64_t read_dying(const struct hierarchy *hierarchy)
{
	size_t n;
	struct memcg *const *memcgs = hierarchy_memcgs(hierarchy, &n);

	return n > 0 ? memcg_read_dying(memcgs[0]) : SAMPLE_UNKNOWN;
}

void summary_tell(struct summary *summary, struct hierarchy *hierarchy,
		  const struct executor_totals *executor, const char *root, uint64_t looking_usec,
		  const struct histogram *lag, bool at_end)
{
	uint64_t now_usec = clock_usec(CLOCK_MONOTONIC);
	struct memcg *const *memcgs;
	struct summary_totals totals;
	size_t n;

	memcgs = hierarchy_memcgs(hierarchy, &n);
	savings_look(&summary->savings, memcgs, n, (uint64_t)sysconf(_SC_PAGESIZE));
	if (!at_end && now_usec - summary->last.now_usec < SUMMARY_USEC)
		return;
	totals = (struct summary_totals){
		.executor = *executor,
		.changes = hierarchy_changes(hierarchy),
		.savings = summary->savings,
		.looking_usec = looking_usec,
		.lag_p99_usec = histogram_quantile_usec(lag, P99_PPM),
		.lag_most_usec = lag->most_usec,
		.dying = read_dying(hierarchy),
		.now_usec = now_usec,
	};
	swap_measure(root, &totals.swap);
	own_cost_measure(&totals.cost);
	/* At the end: all that there was. */
	summary_say(summary, at_end ? &summary->start : &summary->last, &totals, at_end);
	summary->last = totals;
}
