/* SPDX-License-Identifier: MIT */
/*
 * Marginal utility, in the steady state in which it can be computed by hand.
 */
#include "policy-world.h"
#include "utility.h"
#include "arith.h"

#include <setjmp.h>
#include <stdarg.h>
#include <cmocka.h>

static struct policy_world w;
static size_t root, db;

static void begin(void)
{
	world_init(&w);
	root = world_add(&w, -1, 0, 0);
	db = world_add(&w, (int)root, 0, MIB(1024));
	world_tick(&w);
}

/* For ten minutes, each second: pages evicted and others read in their place, some come back. */
static void churn(uint64_t evicted, uint64_t returned_file, uint64_t returned_anon)
{
	for (int i = 0; i < 120; i++) {
		world_steal(&w, db, 5 * evicted);
		world_scan(&w, db, 5 * evicted);
		world_refault(&w, db, LRU_FILE, 5 * returned_file);
		world_refault(&w, db, LRU_ANON, 5 * returned_anon);
		world_tick(&w);
	}
}

static void test_stream(void **arg)
{
	(void)arg;
	begin();
	churn(1000, 0, 0);
	assert_int_equal(w.states[db].utility, 0);
}

/* All that leaves comes back: F is what is resident, 1 GiB, and so u is the wait itself: 100
 * refaults a second of 200 usec, in thousandths. */
static void test_loop(void **arg)
{
	(void)arg;
	begin();
	churn(100, 100, 0);
	assert_in_range(w.states[db].utility, 19900000, 20000000);
}

/* Twice the footprint, half of the returns: an eighth. Of 100 evicted 50 stay out each second, which
 * ten minutes make 30 000 less what was forgotten meanwhile. */
static void test_half_of_it(void **arg)
{
	uint64_t footprint;

	(void)arg;
	begin();
	churn(100, 50, 0);
	footprint = PAGES(1024) + w.states[db].outstanding_pages;
	assert_in_range(w.states[db].outstanding_pages, 25000, 26000);
	assert_in_range(w.states[db].utility, 4950000 * PAGES(1024) / footprint,
			5050000 * PAGES(1024) / footprint);
}

/* What goes is averaged over a minute: 38 % of it after half of one. */
static void test_average_of_a_minute(void **arg)
{
	(void)arg;
	begin();
	for (int i = 0; i < 6; i++) {
		world_steal(&w, db, 500);
		world_tick(&w);
	}
	assert_in_range(w.states[db].evict_mpps, 37500, 38500);
}

/* Anon comes back from zram in 30 usec instead of 200, from a disk in as many. */
static void test_cost(void **arg)
{
	(void)arg;
	begin();
	churn(100, 0, 100);
	assert_in_range(w.states[db].utility, 2900000, 3000000);
	begin();
	w.snapshot.system.swap_is_zram = false;
	churn(100, 0, 100);
	assert_in_range(w.states[db].utility, 19900000, 20000000);
}

static void test_weight(void **arg)
{
	(void)arg;
	begin();
	w.params.classes[0].weight = 400;
	churn(100, 100, 0);
	assert_in_range(w.states[db].utility, 79600000, 80000000);
}

/* 128 evictions a minute are needed; without them it fades by 900 s. */
static void test_evidence_fades(void **arg)
{
	uint64_t before;

	(void)arg;
	begin();
	churn(1, 1, 0);
	assert_int_equal(w.states[db].utility, 0);
	churn(100, 100, 0);
	before = w.states[db].utility;
	for (int i = 0; i < 360; i++)
		world_tick(&w);
	assert_in_range(w.states[db].utility, before / 12, before / 4);
}

static void test_unknown_counts_for_nothing(void **arg)
{
	uint64_t before;

	(void)arg;
	begin();
	churn(100, 100, 0);
	before = w.states[db].utility;
	w.memcgs[db].pgsteal_pages = SAMPLE_UNKNOWN;
	w.snapshot.now_usec += TICK_USEC;
	world_try_plan(&w);
	assert_int_equal(w.states[db].utility, before);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_stream),
		cmocka_unit_test(test_loop),
		cmocka_unit_test(test_half_of_it),
		cmocka_unit_test(test_average_of_a_minute),
		cmocka_unit_test(test_cost),
		cmocka_unit_test(test_weight),
		cmocka_unit_test(test_evidence_fades),
		cmocka_unit_test(test_unknown_counts_for_nothing),
	};

	return cmocka_run_group_tests_name("policy-utility", tests, NULL, NULL);
}
