/* SPDX-License-Identifier: MIT */
/*
 * Frequency-guided promotion told by behaviour: a memcg of 400 MiB, 100 MiB in each generation.
 */
#include "fg_behaviour.h"
#include "arith.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>
#include <cmocka.h>

#define MIB   (UINT64_C(1) << 20)
#define PAGES (100 * MIB / 4096)

struct world {
	struct memcg_sample memcg;
	struct lruvec_sample lruvec;
	struct snapshot snapshot;
	struct fg_behaviour behaviour;
};

static void init(struct world *w, uint64_t active_anon_bytes, uint64_t active_file_bytes)
{
	*w = (struct world){
		.memcg =
			{
				.listed = true,
				.leaf = true,
				.n_lruvecs = 1,
				.lru_bytes = {250 * MIB, 150 * MIB},
				.active_bytes = {active_anon_bytes, active_file_bytes},
			},
		.lruvec =
			{
				.n_gens = 4,
				.gens =
					{
						{.pages = {PAGES / 2, PAGES / 2}},
						{.pages = {PAGES, SAMPLE_UNKNOWN}},
						{.pages = {0, PAGES}},
						{.pages = {PAGES, 0}},
					},
			},
	};
	w->snapshot = (struct snapshot){
		.page_bytes = 4096,
		.memcgs = &w->memcg,
		.n_memcgs = 1,
		.lruvecs = &w->lruvec,
		.n_lruvecs = 1,
	};
}

static enum fg_verdict judge(struct world *w, int looks)
{
	for (int i = 0; i < looks; i++)
		fg_behaviour_look(&w->behaviour, &w->snapshot);
	return fg_behaviour_judge(&w->behaviour);
}

/* The generations become one older, and nothing is in the new one; active follows that, or does not. */
static void age(struct world *w, bool active_follows)
{
	struct gen_sample *gens = w->lruvec.gens;
	uint64_t anon = number_or(gens[2].pages[LRU_ANON], 0);
	uint64_t file = number_or(gens[2].pages[LRU_FILE], 0);

	for (int type = 0; type < _LRU_TYPE_MAX; type++) {
		gens[0].pages[type] =
			number_or(gens[0].pages[type], 0) + number_or(gens[1].pages[type], 0);
		gens[1].pages[type] = number_or(gens[2].pages[type], 0);
		gens[2].pages[type] = gens[3].pages[type];
		gens[3].pages[type] = 0;
	}
	for (int g = 0; g < 4; g++)
		gens[g].seq++;
	if (active_follows) {
		w->memcg.active_bytes[LRU_ANON] -= anon * 4096;
		w->memcg.active_bytes[LRU_FILE] -= file * 4096;
	}
	fg_behaviour_look(&w->behaviour, &w->snapshot);
}

/* All of it is in use, and then nothing any more. */
static void init_young(struct world *w)
{
	init(w, 200 * MIB, 200 * MIB);
	memset(w->lruvec.gens, 0, sizeof(w->lruvec.gens));
	w->lruvec.gens[2].pages[LRU_FILE] = 2 * PAGES;
	w->lruvec.gens[3].pages[LRU_ANON] = 2 * PAGES;
	w->memcg.lru_bytes[LRU_ANON] = w->memcg.lru_bytes[LRU_FILE] = 200 * MIB;
}

static void test_stock(void **state)
{
	struct world w;

	(void)state;
	init_young(&w);
	assert_int_equal(judge(&w, 1), FG_UNDECIDED);
	age(&w, true);
	assert_int_equal(fg_behaviour_judge(&w.behaviour), FG_UNDECIDED);
	age(&w, true);
	assert_int_equal(fg_behaviour_judge(&w.behaviour), FG_NO);
	assert_int_equal(judge(&w, 100), FG_NO);
}

/* What is hot is young and has been used often; what idles is neither. And both may be nothing. */
static void test_alike_by_chance(void **state)
{
	struct world w;

	(void)state;
	init(&w, 100 * MIB, 100 * MIB);
	assert_int_equal(judge(&w, 100), FG_UNDECIDED);
	for (int i = 0; i < 10; i++) {
		w.memcg.id++;
		assert_int_equal(judge(&w, 100), FG_UNDECIDED);
	}
	init(&w, 0, 0);
	w.lruvec.gens[2] = w.lruvec.gens[3] = (struct gen_sample){0};
	w.lruvec.gens[0].pages[LRU_ANON] += PAGES;
	w.lruvec.gens[0].pages[LRU_FILE] += PAGES;
	assert_int_equal(judge(&w, 100), FG_UNDECIDED);
	/* The same, with fewer in the two youngest, but no new generation; or they were evicted. */
	for (int evicted = 0; evicted <= 1; evicted++) {
		init_young(&w);
		w.memcg.id = 7;
		for (int i = 0; i < 10; i++) {
			init_young(&w);
			judge(&w, 1);
			w.lruvec.gens[3].pages[LRU_ANON] = 0;
			w.lruvec.gens[0].pages[LRU_ANON] = evicted ? 0 : 2 * PAGES;
			w.lruvec.gens[3].seq += (uint64_t)evicted;
			w.memcg.lru_bytes[LRU_ANON] = evicted ? 0 : 200 * MIB;
			w.memcg.active_bytes[LRU_ANON] = 0;
			assert_int_equal(judge(&w, 1), FG_UNDECIDED);
			assert_int_equal(w.behaviour.falls, 0);
		}
	}
	/* Another memcg in the same place. */
	init_young(&w);
	judge(&w, 1);
	w.memcg.id += FG_BEHAVIOUR_FOLLOWED;
	age(&w, true);
	w.memcg.id += FG_BEHAVIOUR_FOLLOWED;
	age(&w, true);
	assert_int_equal(w.behaviour.falls, 0);
}

static void test_frequency_guided(void **state)
{
	struct world w;

	(void)state;
	init(&w, 20 * MIB, 10 * MIB);
	assert_int_equal(judge(&w, 4), FG_UNDECIDED);
	assert_int_equal(judge(&w, 1), FG_YES);
	init(&w, 200 * MIB, 150 * MIB);
	assert_int_equal(judge(&w, 5), FG_YES);
	/* What was used often stays so when it grows old. */
	init_young(&w);
	judge(&w, 100);
	for (int i = 0; i < 5; i++) {
		age(&w, false);
		assert_int_equal(w.behaviour.falls, 0);
	}
	assert_int_equal(judge(&w, 5), FG_YES);
	/* So does what was used once, for it never was. */
	init_young(&w);
	w.memcg.active_bytes[LRU_ANON] = w.memcg.active_bytes[LRU_FILE] = 0;
	assert_int_equal(judge(&w, 5), FG_YES);
	/* What does not agree decides nothing, ever. */
	w.memcg.active_bytes[LRU_ANON] = w.memcg.active_bytes[LRU_FILE] = 200 * MIB;
	judge(&w, 1);
	age(&w, true);
	assert_int_equal(w.behaviour.falls, 1);
	assert_int_equal(judge(&w, 100), FG_UNDECIDED);
}

static void test_no_evidence(void **state)
{
	struct world w;

	(void)state;
	init(&w, SAMPLE_UNKNOWN, 0);
	assert_int_equal(judge(&w, 10), FG_UNDECIDED);
	init(&w, 10 * MIB, 10 * MIB);
	w.memcg.listed = false;
	assert_int_equal(judge(&w, 10), FG_UNDECIDED);
	init(&w, 10 * MIB, 10 * MIB);
	w.memcg.leaf = false;
	assert_int_equal(judge(&w, 10), FG_UNDECIDED);
	init(&w, 300 * MIB, 10 * MIB);
	w.memcg.lru_bytes[LRU_ANON] += 100 * MIB; /* of its dying children */
	assert_int_equal(judge(&w, 10), FG_UNDECIDED);
	init(&w, 10 * MIB, 10 * MIB);
	w.memcg.lru_bytes[LRU_FILE] = 0;
	assert_int_equal(judge(&w, 10), FG_UNDECIDED);
	init(&w, 4 * MIB, 4 * MIB);
	for (int g = 0; g < 4; g++)
		w.lruvec.gens[g].pages[LRU_ANON] = w.lruvec.gens[g].pages[LRU_FILE] = 1000;
	assert_int_equal(judge(&w, 10), FG_UNDECIDED);
	init(&w, 130 * MIB, 130 * MIB); /* neither near nor far */
	assert_int_equal(judge(&w, 10), FG_UNDECIDED);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_stock),
		cmocka_unit_test(test_alike_by_chance),
		cmocka_unit_test(test_frequency_guided),
		cmocka_unit_test(test_no_evidence),
	};

	return cmocka_run_group_tests_name("fg-behaviour", tests, NULL, NULL);
}
