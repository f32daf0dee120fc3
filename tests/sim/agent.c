/* SPDX-License-Identifier: MIT */
#include "agent.h"
#include "arith.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

void agent_init(struct agent *agent, uint64_t interval_usec)
{
	memset(agent, 0, sizeof(*agent));
	params_init(&agent->params);
	for (size_t m = 0; m < MEMCGS_MAX; m++)
		agent->classes[m] = -1;
	agent->interval_usec = interval_usec;
}

static int write_command(struct host *host, const struct decision *decision, uint64_t step_bytes)
{
	size_t m = decision->memcg;

	switch (decision->action) {
	case ACTION_RECLAIM:
		return reclaim_write(host, m, step_bytes, decision->swappiness);
	case ACTION_AGE:
		return host->kernel->age(host, m, decision->seq, decision->swappiness,
					 decision->force);
	case ACTION_EVICT:
		return host->kernel->evict(host, m, decision->seq, decision->swappiness,
					   step_bytes / host_page_bytes(host));
	default:
		return -EINVAL;
	}
}

/* is_failure() of the executor: a generation that moved on since the listing is no failure. */
static bool is_failure(const struct decision *decision, int result, uint64_t freed_bytes)
{
	bool raced = decision->action != ACTION_RECLAIM &&
		     (result == -EINVAL || result == -ERANGE || result == -EEXIST);

	return result < 0 && freed_bytes == 0 && !raced;
}

/* action_type() of the executor. */
static bool takes_anon(const struct decision *decision)
{
	return decision->action == ACTION_EVICT && decision->swappiness != SWAPPINESS_FILE_ONLY;
}

/* One write, measured and booked. True if the action goes on. */
static bool carry_out_step(struct agent *agent, struct host *host, const struct decision *decision,
			   uint64_t *remaining_bytes)
{
	struct outcome *outcome = &agent->outcomes[decision->memcg];
	const struct memcg *memcg = &host->memcgs[decision->memcg];
	struct memcg_stat before = memcg->stat;
	uint64_t scanned = host->pages_scanned, walked = host->entries_walked;
	uint64_t usage_pages = memcg->usage_pages;
	uint64_t step_bytes = min_u64(*remaining_bytes, agent->params.write_max_bytes);
	int result = write_command(host, decision, step_bytes);
	uint64_t stolen = memcg->stat.pgsteal_pages - before.pgsteal_pages;
	bool aging = decision->action == ACTION_AGE;
	uint64_t freed_bytes =
		aging ? 0
		      : max_u64(stolen, saturating_sub(usage_pages, memcg->usage_pages)) *
				host_page_bytes(host);
	uint64_t usec = ((host->pages_scanned - scanned) * host->cost.scan_nsec +
			 (host->entries_walked - walked) * host->cost.walk_nsec) *
			host->grain / 1000;
	bool failed = is_failure(decision, result, freed_bytes);

	outcome->writes++;
	outcome->failures += failed;
	outcome->agings += aging && result >= 0;
	outcome->refused_agings += aging && result == -ERANGE;
	outcome->write_usec += usec;
	outcome->scanned_pages += (memcg->stat.pgscan_pages - before.pgscan_pages) * host->grain;
	outcome->stolen_pages[takes_anon(decision) ? LRU_ANON : LRU_FILE] += stolen * host->grain;
	if (!aging) {
		outcome->asked_bytes += step_bytes;
		outcome->freed_bytes += freed_bytes;
	}
	agent->writes++;
	agent->failures += failed;
	agent->agings += aging && result >= 0;
	agent->work_usec += usec;
	for (size_t type = 0; type < _LRU_TYPE_MAX; type++)
		agent->evicted_pages[type] +=
			(memcg->stat.stolen_pages[type] - before.stolen_pages[type]) * host->grain;
	*remaining_bytes -= step_bytes;
	return result >= 0 && freed_bytes > 0 && *remaining_bytes > 0;
}

void agent_tick(struct agent *agent, struct host *host)
{
	struct snapshot *snapshot = &agent->view.snapshot;

	if (host->now_usec < agent->next_usec)
		return;
	view_look(&agent->view, host, agent->classes, agent->states, agent->interval_usec);
	for (size_t m = 0; m < host->n_memcgs; m++)
		agent->view.memcgs[m].outcome = agent->outcomes[m];
	memset(agent->outcomes, 0, sizeof(agent->outcomes));
	agent->plan.decisions = agent->decisions;
	agent->plan.capacity = min_u64(policy_plan_capacity(snapshot),
				       sizeof(agent->decisions) / sizeof(agent->decisions[0]));
	policy_plan(&agent->params, snapshot, agent->states, agent->planned_bytes, &agent->plan);
	trace_look(&agent->trace, host, snapshot, agent->states);
	for (size_t d = 0; d < agent->plan.n_decisions; d++) {
		const struct decision *decision = &agent->plan.decisions[d];
		uint64_t remaining_bytes = decision->bytes;

		while (carry_out_step(agent, host, decision, &remaining_bytes))
			;
	}
	agent->ticks++;
	agent->next_usec = host->now_usec + min_u64(agent->plan.next_usec, agent->interval_usec);
}
