/* SPDX-License-Identifier: MIT */
/*
 * The CPU budget: bursts on credit, and never more than the share in the long run.
 */
#include "cpu_budget.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#define SEC         UINT64_C(1000000)
#define ONE_PERCENT 10000

static void test_within_the_share(void **state)
{
	struct cpu_budget budget;

	(void)state;
	cpu_budget_init(&budget, SEC);
	for (uint64_t i = 1; i < 1000; i++)
		assert_int_equal(cpu_budget_spend(&budget, SEC + i * 5 * SEC, 50000, ONE_PERCENT),
				 0);
}

/* Who spends 200 ms at 1 % waits 20 s. */
static void test_overspent_waits(void **state)
{
	struct cpu_budget budget;

	(void)state;
	cpu_budget_init(&budget, SEC);
	assert_int_equal(cpu_budget_spend(&budget, SEC, 200000, ONE_PERCENT), 20 * SEC);
	assert_int_equal(cpu_budget_spend(&budget, 11 * SEC, 0, ONE_PERCENT), 10 * SEC);
	assert_int_equal(cpu_budget_spend(&budget, 21 * SEC, 0, ONE_PERCENT), 0);
}

/* A quiet hour pays for a minute's share at once, 600 ms, and not for more. */
static void test_saved_for_a_burst(void **state)
{
	struct cpu_budget budget;
	uint64_t now_usec = 3600 * SEC;

	(void)state;
	cpu_budget_init(&budget, 0);
	for (int i = 0; i < 30; i++)
		assert_int_equal(cpu_budget_spend(&budget, now_usec, 20000, ONE_PERCENT), 0);
	assert_int_equal(cpu_budget_spend(&budget, now_usec, 20000, ONE_PERCENT), 2 * SEC);
}

static void test_long_run(void **state)
{
	struct cpu_budget budget;
	uint64_t now_usec = 0, spent_usec = 0;

	(void)state;
	cpu_budget_init(&budget, 0);
	for (int i = 0; i < 10000; i++) {
		uint64_t wait_usec = cpu_budget_spend(&budget, now_usec, 30000, ONE_PERCENT);

		spent_usec += 30000;
		now_usec += wait_usec > SEC / 2 ? wait_usec : SEC / 2;
	}
	assert_in_range(spent_usec * 100, now_usec * 99 / 100, now_usec + 60 * SEC);
}

/* Neither a clock that goes backwards nor an absurd cost breaks it for good. */
static void test_absurd(void **state)
{
	struct cpu_budget budget;

	(void)state;
	cpu_budget_init(&budget, 100 * SEC);
	assert_int_equal(cpu_budget_spend(&budget, 50 * SEC, 0, ONE_PERCENT), 0);
	assert_int_equal(cpu_budget_spend(&budget, 50 * SEC, UINT64_MAX, ONE_PERCENT), 6000 * SEC);
	assert_int_equal(cpu_budget_spend(&budget, UINT64_MAX, 0, ONE_PERCENT), 5940 * SEC);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_within_the_share),
		cmocka_unit_test(test_overspent_waits),
		cmocka_unit_test(test_saved_for_a_burst),
		cmocka_unit_test(test_long_run),
		cmocka_unit_test(test_absurd),
	};

	return cmocka_run_group_tests_name("cpu-budget", tests, NULL, NULL);
}
