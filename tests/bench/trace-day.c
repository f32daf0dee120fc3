/* SPDX-License-Identifier: MIT */
/*
 * trace-day [CGROUPS [TICKS]]: writes a trace of a made-up day to standard output, 200 cgroups and 17280
 * ticks unless told otherwise, as the agent would: the policy plans each tick, and its plans come true.
 * On standard error: bytes a tick. A third of the cgroups is idle, a third reads files, and a third uses
 * anon, a generation of it each ten minutes.
 */
#include "../../agent/config.h"

#include "planner.h"
#include "trace.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TICK_USEC  UINT64_C(5000000)
#define PAGE_BYTES 4096
#define GENS       4
#define AGE_TICKS  120

static uint64_t state_of_dice = 1;

static uint64_t dice(uint64_t below)
{
	state_of_dice = state_of_dice * UINT64_C(6364136223846793005) + 1442695040888963407U;
	return (state_of_dice >> 33) % below;
}

struct day {
	struct config *config;
	struct snapshot snapshot;
	struct memcg_sample *memcgs;
	struct lruvec_sample *lruvecs;
	struct memcg_state *states;
	uint64_t *planned;
	struct plan plan;
	struct trace_frame frame;
	struct trace_text text;
	uint64_t bytes;
};

static char *name(size_t memcg, void *userdata)
{
	char *text;

	(void)userdata;
	if (memcg == 0)
		return strdup("\"/\"");
	return asprintf(&text, "\"/system.slice/unit-%zu.service\"", memcg) < 0 ? NULL : text;
}

static void begin(struct day *day, size_t n)
{
	day->snapshot = (struct snapshot){
		.now_usec = 1000 * TICK_USEC,
		.interval_usec = TICK_USEC,
		.page_bytes = PAGE_BYTES,
		.system = {.capability = CAPABILITY_GENERATIONS,
			   .reclaim_swappiness = true,
			   .swap_is_zram = true,
			   .swap_total_bytes = UINT64_C(64) << 30,
			   .swap_free_bytes = UINT64_C(64) << 30,
			   .ram_bytes = UINT64_C(256) << 30,
			   .available_bytes = UINT64_C(128) << 30},
		.memcgs = day->memcgs,
		.n_memcgs = n,
		.lruvecs = day->lruvecs,
		.n_lruvecs = n,
	};
	for (size_t i = 0; i < n; i++) {
		struct lruvec_sample *lruvec = &day->lruvecs[i];

		day->memcgs[i] = (struct memcg_sample){
			.id = 100 + i,
			.parent = i == 0 ? -1 : 0,
			.class_index = i == 0 ? -1 : 0,
			.leaf = i > 0,
			.populated = true,
			.listed = true,
			.high_bytes = SAMPLE_INFINITY,
			.max_bytes = SAMPLE_INFINITY,
			.swap_max_bytes = SAMPLE_INFINITY,
			.first_lruvec = (uint32_t)i,
			.n_lruvecs = 1,
		};
		lruvec->n_gens = GENS;
		for (uint64_t g = 0; g < GENS; g++)
			lruvec->gens[g] = (struct gen_sample){
				.seq = g,
				.age_msec = (GENS - g) * 60000,
				.pages = {2000 + dice(8000), 1000 + dice(2000)},
			};
	}
}

static void add_up(struct memcg_sample *memcg, const struct lruvec_sample *lruvec)
{
	memcg->current_bytes = 0;
	for (int type = 0; type < _LRU_TYPE_MAX; type++) {
		memcg->lru_bytes[type] = 0;
		for (uint32_t g = 0; g < lruvec->n_gens; g++)
			memcg->lru_bytes[type] += lruvec->gens[g].pages[type] * PAGE_BYTES;
		memcg->active_bytes[type] = memcg->lru_bytes[type] / 2;
		memcg->current_bytes += memcg->lru_bytes[type];
	}
}

static void age(struct lruvec_sample *lruvec)
{
	lruvec->gens[1].pages[LRU_FILE] += lruvec->gens[0].pages[LRU_FILE];
	lruvec->gens[1].pages[LRU_ANON] += lruvec->gens[0].pages[LRU_ANON];
	memmove(&lruvec->gens[0], &lruvec->gens[1], (GENS - 1) * sizeof(lruvec->gens[0]));
	lruvec->gens[GENS - 1] = (struct gen_sample){
		.seq = lruvec->gens[GENS - 2].seq + 1,
		.pages = {500 + dice(500), dice(500)},
	};
}

static void happen(struct day *day, size_t i)
{
	struct memcg_sample *memcg = &day->memcgs[i];
	struct lruvec_sample *lruvec = &day->lruvecs[i];

	memcg->seen_usec += TICK_USEC;
	for (uint32_t g = 0; g < lruvec->n_gens; g++)
		lruvec->gens[g].age_msec += TICK_USEC / 1000 - 1 + dice(3);
	if (i % 3 == 1) {
		lruvec->gens[GENS - 1].pages[LRU_FILE] += dice(64);
		memcg->refault_pages[LRU_FILE] += dice(4);
		memcg->psi_io.some_usec += dice(2000);
		memcg->psi_io.full_usec += dice(1000);
	} else if (i % 3 == 2) {
		lruvec->gens[GENS - 1].pages[LRU_ANON] += dice(32);
		memcg->refault_pages[LRU_ANON] += dice(2);
		memcg->psi_memory.some_usec += dice(500);
		if (dice(AGE_TICKS) == 0)
			age(lruvec);
	}
	add_up(memcg, lruvec);
}

/* Each decision does what it says. */
static void obey(struct day *day)
{
	for (size_t i = 0; i < day->snapshot.n_memcgs; i++)
		day->memcgs[i].outcome = (struct outcome){0};
	for (size_t d = 0; d < day->plan.n_decisions; d++) {
		const struct decision *decision = &day->plan.decisions[d];
		struct memcg_sample *memcg = &day->memcgs[decision->memcg];
		struct lruvec_sample *lruvec = &day->lruvecs[decision->memcg];
		enum lru_type type = decision->action == ACTION_EVICT ? LRU_ANON : LRU_FILE;
		uint64_t pages = decision->bytes / PAGE_BYTES;

		memcg->outcome.writes++;
		if (decision->action == ACTION_AGE) {
			memcg->outcome.agings++;
			age(lruvec);
			continue;
		}
		if (pages > lruvec->gens[0].pages[type])
			pages = lruvec->gens[0].pages[type];
		lruvec->gens[0].pages[type] -= pages;
		memcg->outcome.asked_bytes += decision->bytes;
		memcg->outcome.freed_bytes += pages * PAGE_BYTES;
		memcg->outcome.stolen_pages[type] += pages;
		memcg->pgsteal_pages += pages;
		memcg->pgscan_pages += pages;
	}
}

static void write_out(struct day *day)
{
	if (day->text.failed || fwrite(day->text.data, 1, day->text.len, stdout) != day->text.len) {
		perror("trace-day");
		exit(1);
	}
	day->bytes += day->text.len;
	day->text.len = 0;
}

static void tick(struct day *day)
{
	size_t n = day->snapshot.n_memcgs;

	for (size_t i = 0; i < n; i++)
		happen(day, i);
	if (trace_text_snapshot(&day->text, &day->frame, &day->snapshot, day->states, name, NULL) <
	    0)
		exit(1);
	policy_plan(&day->config->policy, &day->snapshot, day->states, day->planned, &day->plan);
	trace_text_plan(&day->text, &day->plan, day->states, n);
	write_out(day);
	obey(day);
	day->snapshot.now_usec += TICK_USEC;
}

int main(int argc, char **argv)
{
	size_t n = argc > 1 ? (size_t)atol(argv[1]) + 1 : 201;
	long ticks = argc > 2 ? atol(argv[2]) : 17280;
	struct features features = {.capability = CAPABILITY_GENERATIONS};
	struct trace_header header = {.recording = 1, .part = 1};
	struct config_error error;
	struct day day = {
		.memcgs = calloc(n, sizeof(*day.memcgs)),
		.lruvecs = calloc(n, sizeof(*day.lruvecs)),
		.states = calloc(n, sizeof(*day.states)),
		.planned = calloc(n, sizeof(*day.planned)),
	};
	char *config;

	if (config_load("", "/dev/null", &day.config, &error) < 0) {
		fprintf(stderr, "trace-day: %s\n", error.text);
		return 1;
	}
	begin(&day, n);
	day.plan.capacity = policy_plan_capacity(&day.snapshot);
	day.plan.decisions = calloc(day.plan.capacity, sizeof(*day.plan.decisions));
	config = trace_config_text(day.config, false);
	trace_put_header(&day.text, &header, config, &features);
	write_out(&day);
	for (long i = 0; i < ticks; i++)
		tick(&day);
	fprintf(stderr, "%ld ticks of %zu cgroups: %" PRIu64 " bytes, %" PRIu64 " a tick\n", ticks,
		n - 1, day.bytes, day.bytes / (uint64_t)ticks);
	return 0;
}
