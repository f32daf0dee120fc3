/* SPDX-License-Identifier: MIT */
/*
 * Runs one scenario on one kernel: host, workloads, agent, and the measured part of it.
 */
#include "agent.h"
#include "arith.h"
#include "scenario.h"

#include <math.h>
#include <string.h>

/* The working set that refaults are held against (policy.md 5.2). */
#define WORKING_SET_SEC 120

/* In the order of kernel_name(). */
static const struct kernel *const kernels[SIM_KERNELS] = {
	&kernel_lru, &kernel_clru,  &kernel_m612, &kernel_m614,
	&kernel_fg,  &kernel_fg612, &kernel_fgrd,
};

struct run {
	const struct scenario *scenario;
	struct host host;
	struct agent agent;
	bool with_agent;
	struct workload workloads[WORKLOADS_MAX];
	/* At the beginning of the measured part. */
	struct host begun;
	struct agent agent_begun;
	/* Sums over it. */
	uint64_t usage_sum_pages, n_samples;
	uint64_t minute_refaults, peak;
};

static uint64_t pages_of(const struct scenario *s, double memories)
{
	return memories > 0 ? (uint64_t)(memories * s->memory_pages) : SAMPLE_INFINITY;
}

static void set_up_host(struct run *run, int kernel, uint64_t seed)
{
	const struct scenario *s = run->scenario;
	struct host *host = &run->host;

	scenario_start_workloads(s, seed, run->workloads);
	host->kernel = kernels[kernel];
	host->grain = s->grain;
	host->cost = s->cost;
	host->swappiness = 60;
	host->swap_total_pages = (uint64_t)(s->swap * s->memory_pages);
	host_add_memcg(host, -1, "/");
	for (size_t c = 0; c < s->n_cgroups; c++) {
		const struct cgroup_line *line = &s->cgroups[c];
		size_t m =
			host_add_memcg(host, line->parent < 0 ? 0 : line->parent + 1, line->name);

		host->memcgs[m].max_pages = pages_of(s, line->max);
		host->memcgs[m].min_pages = line->min > 0 ? pages_of(s, line->min) : 0;
		host->memcgs[m].low_pages = line->low > 0 ? pages_of(s, line->low) : 0;
		run->agent.classes[m] = line->class_index;
		for (size_t w = 0; w < s->n_workloads; w++) {
			const struct workload_params *params = &s->workloads[w].params;

			if (s->workloads[w].cgroup != c)
				continue;
			run->workloads[w].memcg = m;
			run->workloads[w].first_page = host_add_pages(
				host, m, params->type, params->mapped, params->n_pages);
		}
	}
	host_start(host);
}

static uint64_t root_refaults(const struct host *host)
{
	return host->memcgs[0].stat.refault_pages[LRU_ANON] +
	       host->memcgs[0].stat.refault_pages[LRU_FILE];
}

static void begin(struct run *run)
{
	run->begun = run->host;
	run->agent_begun = run->agent;
	run->minute_refaults = root_refaults(&run->host);
	for (size_t w = 0; w < run->scenario->n_workloads; w++)
		workload_reset_result(&run->workloads[w]);
}

static void sample(struct run *run, uint64_t step)
{
	const struct host *host = &run->host;

	if (step % (USEC_PER_SEC / STEP_USEC) == 0) {
		run->usage_sum_pages += host->memcgs[0].usage_pages;
		run->n_samples++;
	}
	if (step % (USEC_PER_MIN / STEP_USEC) == 0) {
		run->peak = max_u64(run->peak, root_refaults(host) - run->minute_refaults);
		run->minute_refaults = root_refaults(host);
	}
}

/* Pages used at least once in so many seconds, on average: those of the populations. */
static double working_set_pages(const struct run *run)
{
	double sum = 0;

	for (size_t w = 0; w < run->scenario->n_workloads; w++) {
		const struct workload_params *p = &run->scenario->workloads[w].params;

		for (uint32_t i = (uint32_t)(p->never * p->n_pages);
		     p->kind == WORKLOAD_POPULATION && i < p->n_pages; i++) {
			double share = (i - p->never * p->n_pages) / ((1 - p->never) * p->n_pages);

			sum += 1 - exp(-WORKING_SET_SEC * p->slowest *
				       pow(p->fastest / p->slowest, share));
		}
	}
	return sum;
}

/* Refault wait of the leaves, each times its class's weight. */
static double weighted_cost_usec(const struct run *run)
{
	double sum = 0;

	for (size_t m = 1; m < run->host.n_memcgs; m++) {
		const struct memcg *memcg = &run->host.memcgs[m];
		uint32_t weight =
			run->scenario
				->classes[run->agent.classes[m] < 0 ? 0 : run->agent.classes[m]]
				.weight;

		if (memcg->leaf)
			sum += (double)(memcg->stat.refault_usec -
					run->begun.memcgs[m].stat.refault_usec) *
			       weight / 100;
	}
	return sum;
}

static double share_of(double part, double whole)
{
	return whole > 0 ? part / whole : 0;
}

static double accesses_of(const struct run *run)
{
	double sum = 0;

	for (size_t w = 0; w < run->scenario->n_workloads; w++)
		sum += (double)run->workloads[w].result.accesses;
	return sum;
}

static void measure_hits(const struct run *run, struct result *ret)
{
	struct workload_result all = {0};

	for (size_t w = 0; w < run->scenario->n_workloads; w++) {
		const struct workload_result *result = &run->workloads[w].result;

		ret->value[METRIC_HIT_OF + w] =
			share_of((double)result->hits, (double)result->accesses);
		if (!run->scenario->workloads[w].params.measured)
			continue;
		all.hits += result->hits;
		all.accesses += result->accesses;
	}
	ret->value[METRIC_HIT] = share_of((double)all.hits, (double)all.accesses);
}

static void measure(const struct run *run, struct result *ret)
{
	const struct host *host = &run->host, *begun = &run->begun;
	const struct memcg_stat *now = &host->memcgs[0].stat, *before = &begun->memcgs[0].stat;
	double sec = (double)(host->now_usec - begun->now_usec) / 1e6;
	double refaults = (double)(root_refaults(host) - root_refaults(begun));
	double *value = ret->value;

	measure_hits(run, ret);
	value[METRIC_MEMORY] =
		share_of((double)run->usage_sum_pages, (double)run->n_samples * host->n_pages);
	value[METRIC_RETURN] = share_of(100 * refaults * 60 / sec, working_set_pages(run));
	value[METRIC_PEAK] = (double)run->peak * host->grain;
	value[METRIC_COST] = weighted_cost_usec(run) / (sec * 1000);
	value[METRIC_REFAULTS] = refaults * host->grain;
	value[METRIC_REFAULT] = share_of(refaults, accesses_of(run));
	value[METRIC_SCANNED] = share_of((double)(host->pages_scanned - begun->pages_scanned),
					 (double)(now->pgsteal_pages - before->pgsteal_pages));
	for (size_t m = 0; m < host->n_memcgs; m++)
		value[METRIC_AGINGS] += (double)(host->memcgs[m].agings - begun->memcgs[m].agings);
	value[METRIC_PLUS] = (double)(run->agent.agings - run->agent_begun.agings);
	value[METRIC_WRITES] = (double)(run->agent.writes - run->agent_begun.writes);
	for (size_t type = 0; type < _LRU_TYPE_MAX; type++)
		value[METRIC_EVICTED] += (double)(run->agent.evicted_pages[type] -
						  run->agent_begun.evicted_pages[type]);
	value[METRIC_SWAPPED] = share_of((double)host->swap_used_pages, host->n_pages);
	value[METRIC_MEMSTALL] =
		100 * share_of((double)(now->memory_stall_usec - before->memory_stall_usec),
			       (double)(now->refault_usec - before->refault_usec));
	value[METRIC_EVENTS] =
		share_of((double)(host->direct_reclaims - begun->direct_reclaims), sec);
	value[METRIC_WORK] = (double)(run->agent.work_usec - run->agent_begun.work_usec) / sec;
}

/* One command to one leaf. */
static void blind_command(struct run *run, size_t m)
{
	const struct blind *blind = &run->scenario->blind;
	struct host *host = &run->host;
	const struct lru_gen *lrugen = &host->memcgs[m].lrugen;

	if (blind->reclaim_pages)
		reclaim_write(host, m, blind->reclaim_pages * host_page_bytes(host), UINT32_MAX);
	else if (!host->kernel->generations)
		return;
	else if (blind->evict_pages)
		host->kernel->evict(host, m, lrugen->min_seq[LRU_ANON], BLIND_SWAPPINESS,
				    blind->evict_pages);
	else if (!(blind->keep && lrugen->max_seq - lrugen->min_seq[LRU_FILE] + 1 >= GENS) &&
		 host->kernel->age(host, m, lrugen->max_seq, BLIND_SWAPPINESS, blind->force) >= 0)
		run->agent.agings++;
}

/* What policy.md 5.1 compares the law with: commands on the clock, whatever they do. */
static void blind_tick(struct run *run)
{
	if (run->host.now_usec % run->scenario->blind.period_usec >= STEP_USEC)
		return;
	for (size_t m = 1; m < run->host.n_memcgs; m++)
		if (run->host.memcgs[m].leaf)
			blind_command(run, m);
}

void scenario_run(const struct scenario *s, int kernel, bool with_agent, uint64_t seed, bool trace,
		  struct result *ret)
{
	static struct run run;
	uint64_t warmup = (uint64_t)(s->warmup * s->residence_sec * 1e6) / STEP_USEC;
	uint64_t steps = warmup + (uint64_t)(s->length * s->residence_sec * 1e6) / STEP_USEC;

	memset(&run, 0, sizeof(run));
	memset(ret, 0, sizeof(*ret));
	run.scenario = s;
	agent_init(&run.agent, s->tick_usec);
	run.agent.trace.on = trace;
	run.agent.params.n_classes = s->n_classes;
	memcpy(run.agent.params.classes, s->classes, s->n_classes * sizeof(s->classes[0]));
	set_up_host(&run, kernel, seed);
	run.agent.classes[0] = -1;
	for (uint64_t step = 0; step < steps; step++) {
		if (step == warmup)
			begin(&run);
		for (size_t w = 0; w < s->n_workloads; w++)
			workload_run(&run.workloads[w], &run.host, STEP_USEC);
		run.host.now_usec += STEP_USEC;
		if (step >= warmup)
			sample(&run, step);
		if (with_agent && s->blind.period_usec)
			blind_tick(&run);
		else if (with_agent)
			agent_tick(&run.agent, &run.host);
	}
	measure(&run, ret);
	for (size_t w = 0; w < s->n_workloads; w++)
		workload_done(&run.workloads[w]);
	host_free(&run.host);
}
