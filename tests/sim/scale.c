/* SPDX-License-Identifier: MIT */
/*
 * sim-scale [CGROUPS [TICKS]]: many cgroups for a simulated week, to see what the policy costs per cgroup and
 * how much it remembers of each.
 *
 * No pages here: a leaf is a few numbers (anon used and unused by generation, file and how fast it
 * comes in), parents are sums, every second parent has a limit. Services idle at night, some leave
 * and others come in their place, under another id. Every plan is carried out.
 *
 * Prints what it measured; fails only for what does not depend on the machine: too many bytes of
 * state per cgroup, or a policy that did nothing at all. Linear is shown on half as many: with a
 * tenth, it is the processor's caches that hold all of it and make the difference.
 */
#include "arith.h"
#include "planner.h"
#include "rng.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#define GENS         4
#define LEAVES       100 /* of a parent */
#define TICK_USEC    (60 * USEC_PER_SEC)
#define DAY_TICKS    1440u
#define WEEK_TICKS   (7 * DAY_TICKS)
#define PAGE_BYTES   4096u
#define PARENT_LIMIT (UINT64_C(6) << 30)
#define REFAULT_PPM  20000 /* of evicted cold pages that come back, a minute */
#define CHURN_PPM    10    /* of the leaves that leave in a tick */

/* Ten thousand cgroups are to be remembered in twenty megabytes. */
#define STATE_BYTES_MAX 2304

struct leaf {
	uint64_t used_pages[GENS], cold_pages[GENS]; /* anon by generation, oldest first */
	uint64_t born_usec[GENS];
	uint64_t max_seq;
	uint64_t evicted_pages, file_pages, inflow_pages;
};

struct world {
	size_t n;
	struct rng rng;
	uint64_t next_id;
	struct leaf *leaves; /* by memcg index; parents' are unused */
	struct memcg_sample *samples;
	struct lruvec_sample *lruvecs;
	struct memcg_state *states;
	uint64_t *planned_bytes;
	struct decision *decisions;
	struct policy_params params;
	struct snapshot snapshot;
	uint64_t evicted_pages, refaulted_pages, n_decisions, agings;
};

static void *allocate(size_t n, size_t size)
{
	void *p = calloc(n, size);

	if (!p)
		abort();
	return p;
}

/* Sums over all ancestors are kept by differences. */
static void charge(struct world *w, size_t i, enum lru_type type, int64_t pages)
{
	for (int64_t m = (int64_t)i; m >= 0; m = w->samples[m].parent) {
		w->samples[m].current_bytes += (uint64_t)(pages * PAGE_BYTES);
		w->samples[m].lru_bytes[type] += (uint64_t)(pages * PAGE_BYTES);
	}
}

static void count(struct world *w, size_t i, uint64_t refaults, uint64_t steals)
{
	for (int64_t m = (int64_t)i; m >= 0; m = w->samples[m].parent) {
		w->samples[m].refault_pages[LRU_ANON] += refaults;
		w->samples[m].pgsteal_pages += steals;
		w->samples[m].pgscan_pages += steals;
	}
}

static void empty(struct world *w, size_t i)
{
	charge(w, i, LRU_ANON, -(int64_t)(w->samples[i].lru_bytes[LRU_ANON] / PAGE_BYTES));
	charge(w, i, LRU_FILE, -(int64_t)(w->samples[i].lru_bytes[LRU_FILE] / PAGE_BYTES));
}

static void begin(struct world *w, size_t i)
{
	struct leaf *leaf = &w->leaves[i];
	uint64_t pages = 4096 + rng_below(&w->rng, 32768);

	w->samples[i] = (struct memcg_sample){
		.id = w->next_id++,
		.parent = (int32_t)(i - (i - 1) % (LEAVES + 1)),
		.leaf = true,
		.populated = true,
		.listed = true,
		.first_lruvec = (uint32_t)i,
		.n_lruvecs = 1,
		.swap_max_bytes = SAMPLE_INFINITY,
		.high_bytes = SAMPLE_INFINITY,
		.max_bytes = SAMPLE_INFINITY,
	};
	*leaf = (struct leaf){
		.max_seq = GENS - 1,
		.inflow_pages = rng_below(&w->rng, 4) ? 0 : rng_below(&w->rng, 20000),
	};
	leaf->used_pages[GENS - 1] = pages / 3;
	leaf->cold_pages[GENS - 1] = pages - pages / 3;
	for (size_t g = 0; g < GENS; g++)
		leaf->born_usec[g] = w->snapshot.now_usec;
	charge(w, i, LRU_ANON, (int64_t)pages);
}

static void begin_parent(struct world *w, size_t i)
{
	w->samples[i] = (struct memcg_sample){
		.id = w->next_id++,
		.parent = i == 0 ? -1 : 0,
		.populated = true,
		.class_index = -1,
		.swap_max_bytes = SAMPLE_INFINITY,
		.high_bytes = SAMPLE_INFINITY,
		.max_bytes = i / (LEAVES + 1) % 2 ? PARENT_LIMIT : SAMPLE_INFINITY,
	};
}

static bool is_leaf(size_t i)
{
	return i > 0 && (i - 1) % (LEAVES + 1) != 0;
}

static void set_up(struct world *w, size_t n)
{
	*w = (struct world){.n = n, .rng = {1}, .next_id = 1};
	w->leaves = allocate(n, sizeof(*w->leaves));
	w->samples = allocate(n, sizeof(*w->samples));
	w->lruvecs = allocate(n, sizeof(*w->lruvecs));
	w->states = allocate(n, sizeof(*w->states));
	w->planned_bytes = allocate(n, sizeof(*w->planned_bytes));
	params_init(&w->params);
	class_params_init(&w->params.classes[w->params.n_classes++], "all");
	w->snapshot = (struct snapshot){
		.now_usec = USEC_PER_MIN,
		.interval_usec = TICK_USEC,
		.page_bytes = PAGE_BYTES,
		.system =
			{
				.capability = CAPABILITY_TIERS,
				.reclaim_swappiness = true,
				.swap_is_zram = true,
				.swap_total_bytes = UINT64_C(1) << 50,
				.swap_free_bytes = UINT64_C(1) << 50,
			},
		.memcgs = w->samples,
		.n_memcgs = n,
		.lruvecs = w->lruvecs,
		.n_lruvecs = n,
	};
	for (size_t i = 0; i < n; i++) {
		if (is_leaf(i))
			begin(w, i);
		else
			begin_parent(w, i);
	}
	w->decisions = allocate(policy_plan_capacity(&w->snapshot), sizeof(*w->decisions));
}

static void done(struct world *w)
{
	free(w->leaves);
	free(w->samples);
	free(w->lruvecs);
	free(w->states);
	free(w->planned_bytes);
	free(w->decisions);
}

/* A minute of its life: files come in and go under a limit, cold pages come back now and then. */
static void live(struct world *w, size_t i, bool night)
{
	struct leaf *leaf = &w->leaves[i];
	const struct memcg_sample *parent = &w->samples[w->samples[i].parent];
	uint64_t back =
		mul_div(leaf->evicted_pages, night ? REFAULT_PPM / 10 : REFAULT_PPM, PPM) / 100;
	uint64_t in = night ? leaf->inflow_pages / 10 : leaf->inflow_pages;
	uint64_t most = UINT64_C(1) << 18, out = 0;

	leaf->evicted_pages -= back;
	leaf->cold_pages[GENS - 1] += back;
	w->refaulted_pages += back;
	leaf->file_pages += in;
	if (leaf->file_pages > most || parent->current_bytes > parent->max_bytes)
		out = min_u64(leaf->file_pages, 2 * in);
	leaf->file_pages -= out;
	charge(w, i, LRU_ANON, (int64_t)back);
	charge(w, i, LRU_FILE, (int64_t)in - (int64_t)out);
	count(w, i, back, out);
	w->samples[i].seen_usec += TICK_USEC;
}

static void list(struct world *w, size_t i)
{
	const struct leaf *leaf = &w->leaves[i];
	struct lruvec_sample *lruvec = &w->lruvecs[i];

	lruvec->n_gens = GENS;
	for (uint32_t g = 0; g < GENS; g++)
		lruvec->gens[g] = (struct gen_sample){
			.seq = leaf->max_seq - (GENS - 1) + g,
			.age_msec = (w->snapshot.now_usec - leaf->born_usec[g]) / 1000,
			.pages = {leaf->used_pages[g] + leaf->cold_pages[g],
				  g == GENS - 1 ? leaf->file_pages : 0},
		};
}

/* What is used goes to the youngest generation, what is not one step towards the oldest. */
static void age(struct world *w, size_t i)
{
	struct leaf *leaf = &w->leaves[i];

	leaf->cold_pages[0] += leaf->cold_pages[1];
	for (size_t g = 1; g < GENS - 1; g++)
		leaf->cold_pages[g] = leaf->cold_pages[g + 1];
	leaf->cold_pages[GENS - 1] = 0;
	for (size_t g = 0; g < GENS - 1; g++) {
		leaf->used_pages[GENS - 1] += leaf->used_pages[g];
		leaf->used_pages[g] = 0;
		leaf->born_usec[g] = leaf->born_usec[g + 1];
	}
	leaf->born_usec[GENS - 1] = w->snapshot.now_usec;
	leaf->max_seq++;
	w->agings++;
}

static void carry_out(struct world *w, const struct decision *decision)
{
	struct leaf *leaf = &w->leaves[decision->memcg];
	struct outcome *outcome = &w->samples[decision->memcg].outcome;
	bool evict = decision->action == ACTION_EVICT;
	uint64_t pages = decision->bytes / PAGE_BYTES;

	outcome->writes++;
	if (decision->action == ACTION_AGE) {
		outcome->agings++;
		age(w, decision->memcg);
		return;
	}
	pages = min_u64(pages, evict ? leaf->cold_pages[0] : leaf->file_pages);
	if (evict) {
		leaf->cold_pages[0] -= pages;
		leaf->evicted_pages += pages;
	} else {
		leaf->file_pages -= pages;
	}
	w->evicted_pages += pages;
	charge(w, decision->memcg, evict ? LRU_ANON : LRU_FILE, -(int64_t)pages);
	count(w, decision->memcg, 0, pages);
	outcome->asked_bytes += decision->bytes;
	outcome->freed_bytes += pages * PAGE_BYTES;
	outcome->scanned_pages += pages;
	outcome->stolen_pages[evict ? LRU_ANON : LRU_FILE] += pages;
}

/* Processor time of the policy alone, in nanoseconds. */
static uint64_t tick(struct world *w, unsigned t)
{
	struct plan plan = {
		.decisions = w->decisions,
		.capacity = policy_plan_capacity(&w->snapshot),
	};
	bool night = t % DAY_TICKS < DAY_TICKS / 3;
	struct timespec from, to;

	w->snapshot.now_usec += TICK_USEC;
	for (size_t i = 0; i < w->n; i++) {
		if (!is_leaf(i))
			continue;
		if (rng_below(&w->rng, PPM) < CHURN_PPM) {
			empty(w, i);
			begin(w, i);
		}
		live(w, i, night);
		list(w, i);
	}
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &from);
	policy_plan(&w->params, &w->snapshot, w->states, w->planned_bytes, &plan);
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &to);
	for (size_t i = 0; i < w->n; i++)
		w->samples[i].outcome = (struct outcome){0};
	for (size_t d = 0; d < plan.n_decisions; d++)
		carry_out(w, &plan.decisions[d]);
	w->n_decisions += plan.n_decisions;
	return (uint64_t)(to.tv_sec - from.tv_sec) * 1000000000u + (uint64_t)to.tv_nsec -
	       (uint64_t)from.tv_nsec;
}

/* Runs so many ticks; returns nanoseconds of the policy per tick and cgroup. */
static double run(size_t n, unsigned ticks)
{
	struct world w;
	uint64_t nsec = 0, held_pages;
	double per_cgroup;

	set_up(&w, n);
	held_pages = w.samples[0].lru_bytes[LRU_ANON] / PAGE_BYTES;
	for (unsigned t = 0; t < ticks; t++)
		nsec += tick(&w, t);
	per_cgroup = (double)nsec / ticks / (double)n;
	printf("%zu cgroups, %u ticks: %.1f us per tick, %.1f ns per cgroup; %.1f decisions per "
	       "tick, anon held %.0f %%, refaults %.4f %%/min\n",
	       n, ticks, (double)nsec / 1e3 / ticks, per_cgroup, (double)w.n_decisions / ticks,
	       100 * (double)w.samples[0].lru_bytes[LRU_ANON] / PAGE_BYTES / (double)held_pages,
	       100 * (double)w.refaulted_pages / ticks / (double)held_pages);
	if (w.evicted_pages == 0 || w.agings == 0) {
		fprintf(stderr, "nothing was done\n");
		exit(1);
	}
	done(&w);
	return per_cgroup;
}

int main(int argc, char **argv)
{
	size_t n = argc > 1 ? (size_t)strtoul(argv[1], NULL, 10) : 10000;
	unsigned ticks = n >= 10000 ? WEEK_TICKS : DAY_TICKS / 2;
	size_t state_bytes = sizeof(struct memcg_state) + sizeof(uint64_t);
	double half, all;

	if (argc > 2)
		ticks = (unsigned)strtoul(argv[2], NULL, 10);
	if (n < 2 * LEAVES)
		n = 2 * LEAVES;
	half = run(n / 2, ticks);
	all = run(n, ticks);
	printf("twice the cgroups: %.2f times the work for each (1: linear)\n", all / half);
	printf("%zu bytes of state per cgroup, %zu at most\n", state_bytes,
	       (size_t)STATE_BYTES_MAX);
	return state_bytes > STATE_BYTES_MAX;
}
