/* SPDX-License-Identifier: MIT */
/*
 * Frequency-guided promotion told by behaviour: a memcg of 400 MiB, 100 MiB in each generation.
 */
#include "fg_behaviour.h"

#include <setjmp.h>
#include <stdarg.h>
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
				.n_lruvecs = 1,
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

static void test_stock(void **state)
{
	struct world w;

	(void)state;
	init(&w, 100 * MIB, 100 * MIB);
	assert_int_equal(judge(&w, 4), FG_UNDECIDED);
	assert_int_equal(judge(&w, 1), FG_NO);
	init(&w, 110 * MIB, 80 * MIB); /* some batches apart */
	assert_int_equal(judge(&w, 5), FG_NO);
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
	/* Looks that do not agree decide nothing, ever. */
	w.memcg.active_bytes[LRU_ANON] = 100 * MIB;
	w.memcg.active_bytes[LRU_FILE] = 100 * MIB;
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
	w.lruvec.n_gens = 2; /* all in the two youngest */
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
		cmocka_unit_test(test_frequency_guided),
		cmocka_unit_test(test_no_evidence),
	};

	return cmocka_run_group_tests_name("fg-behaviour", tests, NULL, NULL);
}
