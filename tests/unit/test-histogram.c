/* SPDX-License-Identifier: MIT */
#include "histogram.h"
#include "macro.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

static void test_nothing(void **state _unused_)
{
	const struct histogram histogram = {0};

	assert_int_equal(histogram_quantile_usec(&histogram, 990000), 0);
	assert_int_equal(histogram_quantile_usec(&histogram, 0), 0);
}

/* One in a hundred may take longer, and no more. */
static void test_percentile(void **state _unused_)
{
	struct histogram histogram = {0};

	for (unsigned i = 0; i < 99; i++)
		histogram_enter(&histogram, 2500);
	histogram_enter(&histogram, 49999);
	assert_int_equal(histogram_quantile_usec(&histogram, 990000), 3000);
	histogram_enter(&histogram, 49999);
	assert_int_equal(histogram_quantile_usec(&histogram, 990000), 49999);
	assert_int_equal(histogram_quantile_usec(&histogram, 500000), 3000);
	assert_int_equal(histogram_quantile_usec(&histogram, 1000000), 49999);
	assert_int_equal(histogram.most_usec, 49999);
	assert_int_equal(histogram.n, 101);
}

/* The last step is kept apart from what is beyond it. */
static void test_last_step(void **state _unused_)
{
	const uint64_t end_usec = HISTOGRAM_STEPS * HISTOGRAM_STEP_USEC;
	struct histogram histogram = {0};

	for (unsigned i = 0; i < 3; i++)
		histogram_enter(&histogram, end_usec - 1);
	histogram_enter(&histogram, UINT64_MAX);
	assert_int_equal(histogram_quantile_usec(&histogram, 750000), end_usec);
	assert_int_equal(histogram_quantile_usec(&histogram, 760000), UINT64_MAX);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_nothing),
		cmocka_unit_test(test_percentile),
		cmocka_unit_test(test_last_step),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
