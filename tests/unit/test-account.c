/* SPDX-License-Identifier: MIT */
/*
 * Totals and their growth since a time in the past; CPU time shared out among writes.
 */
#include "account.h"
#include "arith.h"
#include "macro.h"
#include "write_cpu.h"

#include <setjmp.h>
#include <stdarg.h>
#include <cmocka.h>

#define HOUR ACCOUNT_GAP_USEC

static uint64_t freed(const struct account_past *past, const struct account *now, size_t point)
{
	return account_since(past, now, point).values[ACCOUNT_FREED_BYTES];
}

static void test_points(void **state _unused_)
{
	struct account_clock clock = {.start_usec = 5 * HOUR};
	uint64_t ago_usec;

	assert_false(account_clock_tick(&clock, 6 * HOUR - 1));
	assert_int_equal(account_clock_find(&clock, 6 * HOUR - 1, 1, &ago_usec),
			 ACCOUNT_SINCE_START);
	assert_int_equal(ago_usec, HOUR - 1);
	assert_true(account_clock_tick(&clock, 6 * HOUR));
	assert_false(account_clock_tick(&clock, 6 * HOUR + 1));
	assert_true(account_clock_tick(&clock, 8 * HOUR)); /* late, as after a suspend */
	assert_int_equal(account_clock_find(&clock, 8 * HOUR + 9, 9, &ago_usec), 1);
	assert_int_equal(ago_usec, 9);
	assert_int_equal(account_clock_find(&clock, 8 * HOUR + 9, 10, &ago_usec), 0);
	assert_int_equal(ago_usec, 2 * HOUR + 9);
	assert_int_equal(account_clock_find(&clock, 8 * HOUR, 2 * HOUR + 1, &ago_usec),
			 ACCOUNT_SINCE_START);
	assert_int_equal(ago_usec, 3 * HOUR);
}

/* Each hour one byte more: so many hours back that is so many bytes, over the end of the ring. */
static void test_growth(void **state _unused_)
{
	struct account_clock clock = {.start_usec = 0};
	struct account_past past = {0};
	struct account now = {0};
	uint64_t ago_usec;

	for (uint64_t hour = 1; hour <= 3 * ACCOUNT_POINTS; hour++) {
		uint64_t most = min_u64(hour, ACCOUNT_POINTS);

		account_add(&now, ACCOUNT_FREED_BYTES, 1);
		assert_true(account_clock_tick(&clock, hour * HOUR));
		account_keep(&past, &clock, &now);
		for (uint64_t back = 1; back < most; back++) {
			size_t point =
				account_clock_find(&clock, hour * HOUR, back * HOUR, &ago_usec);

			assert_int_equal(ago_usec, back * HOUR);
			assert_int_equal(freed(&past, &now, point), back);
		}
		assert_int_equal(freed(&past, &now, ACCOUNT_SINCE_START), hour);
	}
	account_past_done(&past);
}

/* Nothing to tell needs no room, and what comes later was nothing before. */
static void test_late(void **state _unused_)
{
	struct account_clock clock = {.start_usec = 0};
	struct account_past past = {0};
	struct account now = {0};
	uint64_t ago_usec;

	assert_true(account_clock_tick(&clock, HOUR));
	account_keep(&past, &clock, &now);
	assert_null(past.points);
	account_add(&now, ACCOUNT_FREED_BYTES, 7);
	assert_true(account_clock_tick(&clock, 2 * HOUR));
	account_keep(&past, &clock, &now);
	assert_non_null(past.points);
	account_add(&now, ACCOUNT_FREED_BYTES, 2);
	assert_int_equal(freed(&past, &now, account_clock_find(&clock, 2 * HOUR, 1, &ago_usec)), 9);
	assert_int_equal(freed(&past, &now, account_clock_find(&clock, 2 * HOUR, 0, &ago_usec)), 2);
	account_past_done(&past);
	assert_null(past.points);
}

static void test_sums_saturate(void **state _unused_)
{
	struct account now = {0}, former = {0};

	account_add(&now, ACCOUNT_FREED_BYTES, UINT64_MAX - 1);
	account_add(&now, ACCOUNT_FREED_BYTES, 5);
	assert_int_equal(now.values[ACCOUNT_FREED_BYTES], UINT64_MAX);
	account_add(&former, ACCOUNT_WRITES, 3);
	assert_int_equal(account_growth(&now, &former).values[ACCOUNT_WRITES], 0);
	assert_false(account_is_empty(&former));
}

/* One alone has all that is spent while it runs; two share; none has what is spent between them. */
static void test_write_cpu(void **state _unused_)
{
	struct write_cpu cpu = {0};
	uint64_t one, two;

	one = write_cpu_begin(&cpu, 1000);
	assert_int_equal(write_cpu_end(&cpu, one, 1300), 300);
	one = write_cpu_begin(&cpu, 5000);
	two = write_cpu_begin(&cpu, 5100);
	assert_int_equal(write_cpu_end(&cpu, one, 5300), 100 + 200 / 2);
	assert_int_equal(write_cpu_end(&cpu, two, 5340), 200 / 2 + 40);
	/* A clock that stands still. */
	one = write_cpu_begin(&cpu, 5340);
	assert_int_equal(write_cpu_end(&cpu, one, 5339), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_points),    cmocka_unit_test(test_growth),
		cmocka_unit_test(test_late),      cmocka_unit_test(test_sums_saturate),
		cmocka_unit_test(test_write_cpu),
	};

	return cmocka_run_group_tests_name("account", tests, NULL, NULL);
}
