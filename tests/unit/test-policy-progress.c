/* SPDX-License-Identifier: MIT */
/*
 * What refaults cost per progress made: the sums, the windows, and what is unknown.
 */
#include "policy-world.h"
#include "progress.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>
#include <cmocka.h>

#define UNIT SECONDS(20)

static struct memcg_state state;
static struct memcg_sample sample;
static struct snapshot snapshot;

static void begin(void)
{
	memset(&state, 0, sizeof(state));
	memset(&sample, 0, sizeof(sample));
	snapshot = (struct snapshot){.now_usec = SECONDS(1000), .system.swap_is_zram = true};
}

/* A second in which so many refaults were met with so much CPU time. */
static void pass(uint64_t anon, uint64_t file, uint64_t cpu_usec)
{
	state.last.refault_pages[LRU_ANON] = sample.refault_pages[LRU_ANON];
	state.last.refault_pages[LRU_FILE] = sample.refault_pages[LRU_FILE];
	state.last.cpu_usec = sample.cpu_usec;
	state.dt_usec = SECONDS(1);
	snapshot.now_usec += SECONDS(1);
	sample.refault_pages[LRU_ANON] += anon;
	sample.refault_pages[LRU_FILE] += file;
	sample.cpu_usec += cpu_usec;
	progress_step(&state, &sample, &snapshot, UNIT);
}

static void pass_for(unsigned seconds, uint64_t anon, uint64_t file, uint64_t cpu_usec)
{
	while (seconds-- > 0)
		pass(anon, file, cpu_usec);
}

static uint64_t cost(uint64_t from_sec, uint64_t to_sec)
{
	return progress_cost_ppm(&state, snapshot.now_usec, SECONDS(from_sec), SECONDS(to_sec));
}

static void test_costs(void **arg)
{
	(void)arg;
	begin();
	pass_for(30, 0, 100, 500000);
	assert_int_equal(cost(20, 0), 100 * 200 * 2);
	assert_in_range(progress_cost_usec(&state, snapshot.now_usec, UNIT), 20 * 20000,
			24 * 20000);
	begin();
	pass_for(30, 100, 0, 500000);
	assert_int_equal(cost(20, 0), 100 * 30 * 2);
	begin();
	snapshot.system.swap_is_zram = false;
	pass_for(30, 100, 0, 500000);
	assert_int_equal(cost(20, 0), 100 * 200 * 2);
}

/* 8 us of each page evicted are no progress, but half of all is at least. */
static void test_misses_are_no_progress(void **arg)
{
	static const struct {
		uint64_t evicted, progress_usec;
	} cases[] = {{0, 500000}, {10000, 420000}, {31250, 250000}, {100000, 250000}};

	(void)arg;
	for (size_t c = 0; c < sizeof(cases) / sizeof(cases[0]); c++) {
		begin();
		for (int i = 0; i < 30; i++) {
			state.last.pgsteal_pages = sample.pgsteal_pages;
			sample.pgsteal_pages += cases[c].evicted;
			pass(0, 1000, 500000);
		}
		assert_int_equal(cost(20, 0), UINT64_C(200000) * 1000000 / cases[c].progress_usec);
	}
}

/* What is evicted, at the price of a page that comes back from a disk. */
static void test_turnover(void **arg)
{
	(void)arg;
	begin();
	for (int i = 0; i < 60; i++) {
		state.last.pgsteal_pages = sample.pgsteal_pages;
		sample.pgsteal_pages += i < 30 ? 1000 : 50;
		pass(0, 10, 500000);
	}
	assert_in_range(progress_turnover_ppm(&state, snapshot.now_usec, SECONDS(20)), 50 * 200 * 2,
			50 * 200 * 2 + 20);
	assert_true(progress_turnover_ppm(&state, snapshot.now_usec, SECONDS(50)) > 400 * 200 * 2);
	assert_true(progress_turnover_ppm(&state, snapshot.now_usec, SECONDS(70)) ==
		    SAMPLE_UNKNOWN);
	/* As unknown as refaults are: such an interval does not count. */
	sample.pgsteal_pages = SAMPLE_UNKNOWN;
	pass_for(20, 0, 1000, 500000);
	assert_in_range(cost(20, 0), 10 * 200 * 2, 10 * 200 * 2 + 4);
}

/* Twice as fast with twice the misses is the same. */
static void test_progress_is_cpu_time(void **arg)
{
	(void)arg;
	begin();
	pass_for(30, 0, 100, 300000);
	pass_for(30, 0, 200, 600000);
	assert_int_equal(cost(50, 30), cost(20, 0));
}

static void test_unknown_cpu_time_is_wall_time(void **arg)
{
	(void)arg;
	begin();
	sample.cpu_usec = SAMPLE_UNKNOWN;
	state.last.cpu_usec = SAMPLE_UNKNOWN;
	for (int i = 0; i < 30; i++) {
		sample.cpu_usec = SAMPLE_UNKNOWN;
		pass(0, 100, 0);
	}
	assert_int_equal(cost(20, 0), 100 * 200);
	/* The two are never mixed. */
	sample.cpu_usec = 0;
	pass(0, 100, 500000);
	pass(0, 100, 500000);
	assert_true(cost(20, 0) == SAMPLE_UNKNOWN);
	pass_for(21, 0, 100, 500000);
	assert_int_equal(cost(20, 0), 100 * 200 * 2);
}

static void test_windows(void **arg)
{
	(void)arg;
	begin();
	pass_for(60, 0, 300, 1000000);
	pass_for(60, 0, 100, 1000000);
	assert_int_equal(cost(20, 0), 100 * 200);
	assert_int_equal(cost(55, 0), 100 * 200);
	assert_int_equal(cost(100, 60), 300 * 200);
	assert_in_range(cost(80, 0), 140 * 200, 160 * 200);
}

/* Six units and no more: four times as many points would reach further, four times fewer less. */
static void test_reach(void **arg)
{
	(void)arg;
	begin();
	pass_for(500, 0, 100, 1000000);
	assert_int_equal(cost(120, 0), 100 * 200);
	assert_true(cost(140, 0) == SAMPLE_UNKNOWN);
	assert_int_equal(state.progress.n_points, PROGRESS_POINTS);
	progress_forget(&state);
	assert_true(cost(1, 0) == SAMPLE_UNKNOWN);
}

static void test_windows_are_at_most_a_fifth_too_long(void **arg)
{
	(void)arg;
	begin();
	pass_for(100, 0, 100, 1000000);
	for (int i = 0; i < 8; i++) {
		pass(0, 100, 1000000);
		assert_in_range(progress_cost_usec(&state, snapshot.now_usec, UNIT), 20 * 20000,
				24 * 20000);
	}
}

static void test_what_is_unknown(void **arg)
{
	(void)arg;
	begin();
	assert_true(cost(0, 0) == SAMPLE_UNKNOWN);
	pass_for(30, 0, 100, 0);
	assert_true(cost(20, 0) == SAMPLE_UNKNOWN); /* nothing went on */
	assert_true(cost(40, 0) == SAMPLE_UNKNOWN); /* too long ago */
	assert_int_equal(progress_cost_usec(&state, snapshot.now_usec, SECONDS(40)), 0);
	begin();
	pass_for(30, 0, 100, 1000000);
	/* A look without counters counts neither way. */
	sample.refault_pages[LRU_FILE] = SAMPLE_UNKNOWN;
	state.last.refault_pages[LRU_FILE] = 3000;
	state.dt_usec = SECONDS(1);
	snapshot.now_usec += SECONDS(1);
	sample.cpu_usec += 1000000;
	progress_step(&state, &sample, &snapshot, UNIT);
	sample.refault_pages[LRU_FILE] = 3000;
	pass_for(30, 0, 100, 1000000);
	assert_int_equal(cost(40, 0), 100 * 200);
}

static void test_absurd_numbers(void **arg)
{
	(void)arg;
	begin();
	for (int i = 0; i < 8; i++) {
		pass(UINT64_MAX / 4, UINT64_MAX / 4, UINT64_MAX / 4);
		sample.refault_pages[LRU_ANON] = sample.refault_pages[LRU_FILE] = 0;
		sample.cpu_usec = 0;
	}
	assert_true(state.progress.total.cost_usec == UINT64_MAX);
	assert_true(cost(1, 0) <= SAMPLE_UNKNOWN);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_costs),
		cmocka_unit_test(test_misses_are_no_progress),
		cmocka_unit_test(test_turnover),
		cmocka_unit_test(test_progress_is_cpu_time),
		cmocka_unit_test(test_unknown_cpu_time_is_wall_time),
		cmocka_unit_test(test_windows),
		cmocka_unit_test(test_reach),
		cmocka_unit_test(test_windows_are_at_most_a_fifth_too_long),
		cmocka_unit_test(test_what_is_unknown),
		cmocka_unit_test(test_absurd_numbers),
	};

	return cmocka_run_group_tests_name("policy-progress", tests, NULL, NULL);
}
