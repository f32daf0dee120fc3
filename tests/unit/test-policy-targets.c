/* SPDX-License-Identifier: MIT */
/*
 * Targets of two loops under one limit of 1 000 MiB, both at it, of which neither fits.
 */
#include "policy-world.h"
#include "arith.h"

#include <setjmp.h>
#include <stdarg.h>
#include <cmocka.h>

static struct policy_world w;
static size_t root, slice, a, b;

static void begin(void)
{
	world_init(&w);
	root = world_add(&w, -1, 0, 0);
	slice = world_add(&w, (int)root, 0, 0);
	a = world_add(&w, (int)slice, 0, MIB(490));
	b = world_add(&w, (int)slice, 0, MIB(490));
	w.memcgs[slice].max_bytes = MIB(1000);
	world_tick(&w);
}

/* What was refaulted, up to so much in all, in equal parts. */
static void grow(uint64_t until_bytes)
{
	uint64_t bytes = saturating_sub(until_bytes, w.memcgs[slice].current_bytes) / 2;

	world_read_file(&w, a, bytes);
	world_read_file(&w, b, bytes);
}

/* For so long, each second: so many pages leave and come back. Both grow into what is free, and
 * what is planned is done. */
static void churn(unsigned seconds, uint64_t pages_a, uint64_t pages_b)
{
	for (unsigned i = 0; i < seconds / 5; i++) {
		world_steal(&w, a, 5 * pages_a);
		world_scan(&w, a, 5 * pages_a);
		world_refault(&w, a, LRU_FILE, 5 * pages_a);
		world_steal(&w, b, 5 * pages_b);
		world_scan(&w, b, 5 * pages_b);
		world_refault(&w, b, LRU_FILE, 5 * pages_b);
		grow(MIB(1000));
		world_tick(&w);
		world_read_file(&w, a, -world_bytes(&w, a));
		world_read_file(&w, b, -world_bytes(&w, b));
	}
}

static uint64_t target_mib(size_t i)
{
	return w.states[i].target_bytes >> 20;
}

/* As they stand, and together the limit less 2 %. */
static void test_begins_where_they_stand(void **arg)
{
	(void)arg;
	begin();
	world_ticks(&w, 2);
	assert_in_range(target_mib(a), 489, 490);
	assert_int_equal(w.states[a].target_bytes, w.states[b].target_bytes);
}

/* Another sibling in the place of any of many: they begin again. */
static void test_each_of_many_counts(void **arg)
{
	(void)arg;
	begin();
	for (int i = 0; i < 34; i++)
		world_add(&w, (int)slice, 0, MIB(10));
	w.memcgs[slice].max_bytes = w.memcgs[slice].current_bytes;
	world_ticks(&w, 3);
	for (size_t i = a; i < w.snapshot.n_memcgs; i++) {
		uint64_t print = w.states[slice].sharing.fingerprint;

		w.memcgs[i].id += 1000;
		world_ticks(&w, 3);
		assert_int_not_equal(w.states[slice].sharing.fingerprint, print);
	}
}

static void test_no_limit_no_targets(void **arg)
{
	(void)arg;
	begin();
	w.memcgs[slice].max_bytes = SAMPLE_INFINITY;
	churn(600, 100, 10);
	assert_int_equal(target_mib(a), 0);
	w.memcgs[slice].max_bytes = MIB(4000);
	churn(600, 100, 10);
	assert_int_equal(target_mib(a), 0);
	assert_null(world_decision(&w, b));
}

/* Ten times the returns of the same memory: up to three steps of 2 % each 20 s. */
static void test_moves_to_where_it_saves_more(void **arg)
{
	(void)arg;
	begin();
	world_ticks(&w, 2);
	churn(120, 100, 10);
	assert_in_range(target_mib(a), 490 + 6 * 20, 490 + 6 * 60);
	assert_in_range(target_mib(a) + target_mib(b), 978, 980);
}

static void test_equal_ones_are_left_alone(void **arg)
{
	(void)arg;
	begin();
	world_ticks(&w, 2);
	churn(600, 100, 80);
	assert_in_range(target_mib(a), 489, 490);
	assert_null(world_decision(&w, a));
	assert_null(world_decision(&w, b));
}

/* What is above its target is taken where it is worth less. */
static void test_takes_above_the_target(void **arg)
{
	(void)arg;
	begin();
	world_ticks(&w, 2);
	churn(30, 100, 10);
	world_read_file(&w, a, MIB(10));
	churn(5, 100, 10);
	assert_non_null(world_decision(&w, b));
	assert_int_equal(world_decision(&w, b)->reason, REASON_TARGET);
	assert_null(world_decision(&w, a));
	assert_int_equal(w.states[b].verdict.limit, w.states[b].target_bytes);
	/* 2 % of the limit, which is free already but for 10 MiB */
	assert_in_range(world_bytes(&w, b), MIB(9), MIB(20));
}

static void test_weight_makes_the_difference(void **arg)
{
	(void)arg;
	begin();
	w.params.classes[1] = w.params.classes[0];
	w.params.classes[1].weight = 400;
	w.params.n_classes = 2;
	w.memcgs[b].class_index = 1;
	world_ticks(&w, 2);
	churn(120, 100, 80);
	assert_true(target_mib(b) > 500);
}

static void test_never_below_a_hundredth(void **arg)
{
	(void)arg;
	begin();
	world_ticks(&w, 2);
	churn(3600, 9000, 10);
	assert_int_equal(target_mib(b), 10);
	assert_in_range(w.memcgs[b].current_bytes, MIB(125), MIB(127)); /* a quarter is its floor */
}

/* Who may not be taken from keeps its target. */
static void test_class_none_gives_nothing(void **arg)
{
	(void)arg;
	begin();
	w.params.classes[1] = w.params.classes[0];
	w.params.classes[1].reclaim = RECLAIM_NONE;
	w.params.n_classes = 2;
	w.memcgs[b].class_index = 1;
	world_ticks(&w, 2);
	churn(300, 100, 10);
	assert_in_range(target_mib(b), 489, 490);
}

/* All wait more than in the period before: back to its targets, and no move for 300 s. */
static void test_guard(void **arg)
{
	uint64_t safe_bytes, worse_bytes;

	(void)arg;
	begin();
	world_ticks(&w, 2);
	churn(600, 100, 80);
	safe_bytes = w.states[a].target_bytes;
	churn(100, 200, 40);
	worse_bytes = w.states[a].target_bytes;
	assert_true(worse_bytes > safe_bytes);
	churn(85, 300, 40);
	assert_int_equal(w.states[a].target_bytes, safe_bytes);
	churn(200, 300, 40);
	assert_int_equal(w.states[a].target_bytes, safe_bytes);
	churn(70, 9000, 40);
	assert_true(w.states[a].target_bytes > safe_bytes);
}

/* Growth that spares it nothing: after each tenth its utility counts half, down to a sixteenth. */
static void test_growth_without_gain(void **arg)
{
	(void)arg;
	begin();
	world_ticks(&w, 2);
	churn(120, 100, 10);
	assert_in_range(w.states[a].penalty, 2, 4);
}

static void test_a_new_sibling_starts_it_over(void **arg)
{
	(void)arg;
	begin();
	world_ticks(&w, 2);
	churn(30, 100, 10);
	assert_int_equal(target_mib(a), 550);
	world_add(&w, (int)slice, 0, MIB(8));
	world_ticks(&w, 2);
	assert_in_range(w.states[a].target_bytes, w.memcgs[a].current_bytes * 95 / 100,
			w.memcgs[a].current_bytes);
}

/* A limit further up has no say in it. */
static void test_innermost_limit(void **arg)
{
	(void)arg;
	begin();
	w.memcgs[root].max_bytes = MIB(1010);
	world_add(&w, (int)root, 0, MIB(5));
	world_ticks(&w, 4);
	churn(120, 100, 10);
	assert_in_range(target_mib(a), 490 + 6 * 20, 490 + 6 * 60);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_begins_where_they_stand),
		cmocka_unit_test(test_each_of_many_counts),
		cmocka_unit_test(test_no_limit_no_targets),
		cmocka_unit_test(test_moves_to_where_it_saves_more),
		cmocka_unit_test(test_equal_ones_are_left_alone),
		cmocka_unit_test(test_takes_above_the_target),
		cmocka_unit_test(test_weight_makes_the_difference),
		cmocka_unit_test(test_never_below_a_hundredth),
		cmocka_unit_test(test_class_none_gives_nothing),
		cmocka_unit_test(test_guard),
		cmocka_unit_test(test_growth_without_gain),
		cmocka_unit_test(test_a_new_sibling_starts_it_over),
		cmocka_unit_test(test_innermost_limit),
	};

	return cmocka_run_group_tests_name("policy-targets", tests, NULL, NULL);
}
