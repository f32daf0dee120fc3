/* SPDX-License-Identifier: MIT */
/*
 * The builder of snapshots. Sums over the tree are kept by hand, as the kernel does.
 */
#include "policy-world.h"
#include "arith.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>
#include <cmocka.h>

void world_init(struct policy_world *w)
{
	memset(w, 0, sizeof(*w));
	params_init(&w->params);
	class_params_init(&w->params.classes[0], "default");
	w->params.n_classes = 1;
	w->capacity = WORLD_MEMCGS_MAX + WORLD_LRUVECS_MAX;
	w->snapshot = (struct snapshot){
		.now_usec = SECONDS(100000),
		.interval_usec = TICK_USEC,
		.page_bytes = PAGE_BYTES,
		.system =
			{
				.capability = CAPABILITY_GENERATIONS,
				.reclaim_swappiness = true,
				.swap_is_zram = true,
				.swap_total_bytes = MIB(4096),
				.swap_free_bytes = MIB(4096),
				.ram_bytes = MIB(8192),
				.available_bytes = MIB(4096),
			},
		.memcgs = w->memcgs,
		.lruvecs = w->lruvecs,
		.tiers = w->tiers[0],
		.n_tiers = sizeof(w->tiers) / sizeof(w->tiers[0][0]),
	};
}

static void add_bytes(struct policy_world *w, int i, uint64_t anon_bytes, uint64_t file_bytes)
{
	for (; i >= 0; i = w->memcgs[i].parent) {
		w->memcgs[i].lru_bytes[LRU_ANON] += anon_bytes;
		w->memcgs[i].lru_bytes[LRU_FILE] += file_bytes;
		if (is_number(w->memcgs[i].current_bytes))
			w->memcgs[i].current_bytes += anon_bytes + file_bytes;
	}
}

size_t world_add(struct policy_world *w, int parent, uint64_t anon_bytes, uint64_t file_bytes)
{
	size_t i = w->snapshot.n_memcgs++;

	assert_true(i < WORLD_MEMCGS_MAX);
	if (parent >= 0)
		w->memcgs[parent].leaf = false;
	w->memcgs[i] = (struct memcg_sample){
		.id = 1000 + i,
		.parent = parent,
		.seen_usec = SECONDS(3600),
		.leaf = true,
		.populated = true,
		.swap_max_bytes = SAMPLE_INFINITY,
		.zswap_max_bytes = SAMPLE_INFINITY,
		.high_bytes = SAMPLE_INFINITY,
		.max_bytes = SAMPLE_INFINITY,
		.first_tiers = (uint32_t)(i * WORLD_NODES_MAX),
	};
	add_bytes(w, (int)i, anon_bytes, file_bytes);
	return i;
}

struct lruvec_sample *world_list(struct policy_world *w, size_t i, const uint64_t *anon_mib)
{
	struct memcg_sample *memcg = &w->memcgs[i];
	struct lruvec_sample *lruvec = &w->lruvecs[w->snapshot.n_lruvecs];

	assert_true(w->snapshot.n_lruvecs < WORLD_LRUVECS_MAX);
	if (!memcg->listed)
		memcg->first_lruvec = (uint32_t)w->snapshot.n_lruvecs;
	w->snapshot.n_lruvecs++;
	memcg->listed = true;
	*lruvec = (struct lruvec_sample){.node = memcg->n_lruvecs++, .n_gens = 4};
	for (uint32_t g = 0; g < lruvec->n_gens; g++)
		lruvec->gens[g] = (struct gen_sample){
			.seq = 10 + g,
			.age_msec = (4 - g) * 20000,
			.pages = {PAGES(anon_mib[g]), 0},
		};
	return lruvec;
}

struct lruvec_tiers *world_tiers(struct policy_world *w, size_t i)
{
	struct lruvec_tiers *tiers = &w->tiers[i][w->memcgs[i].n_tiers];

	assert_true(w->memcgs[i].n_tiers++ < WORLD_NODES_MAX);
	*tiers = (struct lruvec_tiers){.seq = 10, .n_tiers = 4};
	return tiers;
}

void world_refault(struct policy_world *w, size_t i, enum lru_type type, uint64_t pages)
{
	for (int at = (int)i; at >= 0; at = w->memcgs[at].parent)
		w->memcgs[at].refault_pages[type] += pages;
}

void world_scan(struct policy_world *w, size_t i, uint64_t pages)
{
	for (int at = (int)i; at >= 0; at = w->memcgs[at].parent)
		w->memcgs[at].pgscan_pages += pages;
}

void world_steal(struct policy_world *w, size_t i, uint64_t pages)
{
	for (int at = (int)i; at >= 0; at = w->memcgs[at].parent)
		w->memcgs[at].pgsteal_pages += pages;
}

void world_touch_anon(struct policy_world *w, size_t i, uint64_t bytes)
{
	add_bytes(w, (int)i, bytes, 0);
}

void world_read_file(struct policy_world *w, size_t i, uint64_t bytes)
{
	add_bytes(w, (int)i, 0, bytes);
}

void world_take_file(struct policy_world *w, size_t i, uint64_t bytes)
{
	add_bytes(w, (int)i, 0, -bytes);
	world_scan(w, i, bytes / PAGE_BYTES);
	world_steal(w, i, bytes / PAGE_BYTES);
}

const char *world_try_plan(struct policy_world *w)
{
	w->plan = (struct plan){.decisions = w->decisions, .capacity = w->capacity};
	policy_plan(&w->params, &w->snapshot, w->states, w->planned_bytes, &w->plan);
	return policy_violation(&w->params, &w->snapshot, w->states, &w->plan);
}

void world_fail(const char *why)
{
	fail_msg("%s", why);
}

void world_tick(struct policy_world *w)
{
	const char *why;

	w->snapshot.now_usec += w->snapshot.interval_usec;
	why = world_try_plan(w);
	if (why)
		world_fail(why);
}

void world_ticks(struct policy_world *w, unsigned n)
{
	while (n-- > 0)
		world_tick(w);
}

void world_full_pace(struct policy_world *w, size_t i)
{
	w->memcgs[i].outcome.stolen_pages[LRU_ANON] = 100;
	w->memcgs[i].outcome.scanned_pages = 100;
	world_ticks(w, 6);
	w->memcgs[i].outcome = (struct outcome){0};
}

const struct decision *world_decision(const struct policy_world *w, size_t i)
{
	for (size_t d = 0; d < w->plan.n_decisions; d++)
		if (w->decisions[d].memcg == i)
			return &w->decisions[d];
	return NULL;
}

uint64_t world_bytes(const struct policy_world *w, size_t i)
{
	uint64_t bytes = 0;

	for (size_t d = 0; d < w->plan.n_decisions; d++)
		if (w->decisions[d].memcg == i)
			bytes += w->decisions[d].bytes;
	return bytes;
}
