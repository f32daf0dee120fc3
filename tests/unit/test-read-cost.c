/* SPDX-License-Identifier: MIT */
/*
 * Dear memcgs pay with their own interval, never with that of others.
 */
#include "read_cost.h"
#include "arith.h"
#include "macro.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>
#include <cmocka.h>

#define MSEC     UINT64_C(1000)
#define INTERVAL (5 * USEC_PER_SEC)
#define N        200

static void test_enough_for_all(void **state _unused_)
{
	const uint64_t costs[] = {MSEC, 2 * MSEC, 3 * MSEC, 0};

	assert_true(read_cost_share(costs, 4, 6 * MSEC) == READ_COST_ANY);
	assert_true(read_cost_share(costs, 0, 0) == READ_COST_ANY);
	assert_int_equal(read_cost_interval(3 * MSEC, READ_COST_ANY, INTERVAL), 0);
}

/* What the cheap ones leave is for the others. */
static void test_one_dear_among_many(void **state _unused_)
{
	uint64_t costs[N], share_usec;

	for (size_t i = 0; i < N; i++)
		costs[i] = 60;
	costs[7] = 8 * USEC_PER_SEC;
	share_usec = read_cost_share(costs, N, 25 * MSEC);
	assert_int_equal(share_usec, 25 * MSEC - (N - 1) * 60);
	assert_int_equal(read_cost_interval(60, share_usec, INTERVAL), 0);
	/* 8 s in 2 989 s is 13 ms in 5 s. */
	assert_int_equal(read_cost_interval(costs[7], share_usec, INTERVAL) / USEC_PER_SEC, 3062);
}

static void test_shares_are_equal(void **state _unused_)
{
	const uint64_t costs[] = {9 * MSEC, MSEC, 20 * MSEC, 5 * MSEC};

	assert_int_equal(read_cost_share(costs, 4, 24 * MSEC), 9 * MSEC);
	assert_int_equal(read_cost_share(costs, 4, 20 * MSEC), 7 * MSEC);
	assert_int_equal(read_cost_share(costs, 4, 10 * MSEC), 3 * MSEC);
}

/* Too many ordinary ones are no reason to skip any: the interval of all grows. */
static void test_ordinary_ones_are_never_dear(void **state _unused_)
{
	uint64_t costs[N], share_usec;

	for (size_t i = 0; i < N; i++)
		costs[i] = READ_COST_CHEAP_USEC;
	share_usec = read_cost_share(costs, N, 0);
	assert_int_equal(share_usec, READ_COST_CHEAP_USEC);
	assert_int_equal(read_cost_interval(READ_COST_CHEAP_USEC, share_usec, INTERVAL), 0);
}

static uint64_t random_below(uint64_t *seed, uint64_t n)
{
	*seed = *seed * UINT64_C(6364136223846793005) + 1442695040888963407;
	return (*seed >> 33) % n;
}

/* Whatever the costs: read as often as they may be, all together cost the budget at most, and the
 * whole of it where somebody has to be read rarer. */
static void test_the_sum_is_the_budget(void **state _unused_)
{
	uint64_t costs[N], seed = 1;

	for (unsigned round = 0; round < 1000; round++) {
		size_t n = 1 + random_below(&seed, N);
		uint64_t budget_usec = n * READ_COST_CHEAP_USEC + random_below(&seed, 200 * MSEC);
		uint64_t share_usec, sum_usec = 0;

		for (size_t i = 0; i < n; i++)
			costs[i] = random_below(&seed, UINT64_C(1) << random_below(&seed, 24));
		share_usec = read_cost_share(costs, n, budget_usec);
		for (size_t i = 0; i < n; i++) {
			uint64_t apart_usec = read_cost_interval(costs[i], share_usec, INTERVAL);

			assert_true(apart_usec == 0 || apart_usec >= INTERVAL);
			sum_usec += apart_usec ? mul_div(costs[i], INTERVAL, apart_usec) : costs[i];
		}
		if (share_usec == READ_COST_ANY)
			assert_in_range(sum_usec, 0, budget_usec);
		else
			assert_in_range(sum_usec, budget_usec - n - 1, budget_usec + n);
	}
}

/* Twice in a row is dear; once is whatever else the machine did. */
static void test_booking(void **state _unused_)
{
	struct read_cost cost = {0};

	read_cost_book(&cost, 8 * USEC_PER_SEC, 10);
	assert_int_equal(cost.cpu_usec, 0);
	read_cost_book(&cost, 9 * USEC_PER_SEC, 20);
	assert_int_equal(cost.cpu_usec, 8 * USEC_PER_SEC);
	assert_int_equal(cost.read_usec, 20);
	/* Its dying descendants have gone. */
	read_cost_book(&cost, 60, 30);
	assert_int_equal(cost.cpu_usec, 60);
	read_cost_book(&cost, 20 * MSEC, 40);
	assert_int_equal(cost.cpu_usec, 60);
	read_cost_book(&cost, 70, 50);
	assert_int_equal(cost.cpu_usec, 70);
	assert_int_equal(cost.last_usec, 70);
}

static void test_absurd(void **state _unused_)
{
	const uint64_t costs[] = {UINT64_MAX, UINT64_MAX - 1, UINT64_MAX};

	assert_int_equal(read_cost_share(costs, 3, 0), READ_COST_CHEAP_USEC);
	assert_true(read_cost_share(costs, 3, UINT64_MAX) >= UINT64_MAX / 3 - 1);
	assert_true(read_cost_interval(UINT64_MAX, 1, UINT64_MAX) == UINT64_MAX);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_enough_for_all),
		cmocka_unit_test(test_one_dear_among_many),
		cmocka_unit_test(test_shares_are_equal),
		cmocka_unit_test(test_ordinary_ones_are_never_dear),
		cmocka_unit_test(test_the_sum_is_the_budget),
		cmocka_unit_test(test_booking),
		cmocka_unit_test(test_absurd),
	};

	return cmocka_run_group_tests_name("read-cost", tests, NULL, NULL);
}
