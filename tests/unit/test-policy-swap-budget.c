/* SPDX-License-Identifier: MIT */
/*
 * What was written to swap in a day: in any 24 hours, over clocks that jump.
 */
#include "swap_budget.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#define HOUR UINT64_C(3600000000)
#define NOW  (500000 * HOUR)

/* Each hour writes its number; whatever was written in any 24 hours is in the sum. */
static void test_any_24_hours(void **arg)
{
	struct swap_budget budget = {0};

	(void)arg;
	for (uint64_t hour = 1; hour <= 100; hour++) {
		uint64_t wanted = 0;

		swap_budget_book(&budget, NOW + hour * HOUR, hour);
		for (uint64_t h = hour > 24 ? hour - 24 : 1; h <= hour; h++)
			wanted += h;
		assert_int_equal(swap_budget_written_bytes(&budget, NOW + hour * HOUR), wanted);
	}
}

static void test_forgets_after_a_day(void **arg)
{
	struct swap_budget budget = {0};

	(void)arg;
	swap_budget_book(&budget, NOW + HOUR - 1, 7);
	assert_int_equal(swap_budget_written_bytes(&budget, NOW + HOUR - 1 + 24 * HOUR), 7);
	assert_int_equal(swap_budget_written_bytes(&budget, NOW + 25 * HOUR), 0);
	swap_budget_book(&budget, NOW + 25 * HOUR, 5);
	assert_int_equal(swap_budget_written_bytes(&budget, UINT64_MAX), 0);
}

/* A clock that is set back forgets nothing, however far, and does not keep it for longer. */
static void test_clock_set_back(void **arg)
{
	struct swap_budget budget = {0};

	(void)arg;
	swap_budget_book(&budget, NOW, 7);
	swap_budget_book(&budget, NOW + HOUR, 1);
	assert_int_equal(swap_budget_written_bytes(&budget, 0), 8);
	assert_int_equal(swap_budget_written_bytes(&budget, 23 * HOUR), 8);
	assert_int_equal(swap_budget_written_bytes(&budget, 24 * HOUR), 1);
	assert_int_equal(swap_budget_written_bytes(&budget, 25 * HOUR), 0);
}

static void test_sums_saturate(void **arg)
{
	struct swap_budget budget = {0};

	(void)arg;
	swap_budget_book(&budget, NOW, UINT64_MAX);
	swap_budget_book(&budget, NOW, 5);
	swap_budget_book(&budget, NOW + HOUR, 5);
	assert_int_equal(swap_budget_written_bytes(&budget, NOW + HOUR), UINT64_MAX);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_any_24_hours),
		cmocka_unit_test(test_forgets_after_a_day),
		cmocka_unit_test(test_clock_set_back),
		cmocka_unit_test(test_sums_saturate),
	};

	return cmocka_run_group_tests_name("policy-swap-budget", tests, NULL, NULL);
}
