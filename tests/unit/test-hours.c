/* SPDX-License-Identifier: MIT */
/*
 * Hours=: what is understood, which minutes are within, and a wall clock that jumps.
 */
#include "hours.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#define ARRAY_SIZE(a) (sizeof(a) / sizeof((a)[0]))

static struct hours parse(const char *text)
{
	struct hours hours;

	if (hours_parse(text, &hours) < 0)
		fail_msg("\"%s\" is not understood", text);
	return hours;
}

/* day: Monday is 0. */
static bool is_open(const char *text, int day, int hour, int minute)
{
	struct hours hours = parse(text);
	struct tm shown = {.tm_wday = (day + 1) % 7, .tm_hour = hour, .tm_min = minute};

	return hours_contain(&hours, &shown);
}

static void test_minutes(void **state)
{
	(void)state;
	assert_true(is_open("", 3, 12, 0));
	assert_false(is_open("08:00-17:30", 0, 7, 59));
	assert_true(is_open("08:00-17:30", 0, 8, 0));
	assert_true(is_open("08:00-17:30", 6, 17, 29));
	assert_false(is_open("08:00-17:30", 6, 17, 30));
	assert_true(is_open("00:00-24:00", 2, 0, 0));
	assert_true(is_open("00:00-24:00", 2, 23, 59));
	assert_true(is_open("01:00-02:00, 04:00-05:00", 2, 4, 30));
	assert_false(is_open("01:00-02:00, 04:00-05:00", 2, 3, 30));
}

/* A window over midnight is of the day on which it begins. */
static void test_days(void **state)
{
	(void)state;
	assert_false(is_open("Mon..Fri 22:00-06:00", 0, 5, 59)); /* Sunday's night */
	assert_true(is_open("Mon..Fri 22:00-06:00", 0, 22, 0));
	assert_true(is_open("Mon..Fri 22:00-06:00", 5, 5, 59)); /* Friday's night */
	assert_false(is_open("Mon..Fri 22:00-06:00", 5, 6, 0));
	assert_false(is_open("Mon..Fri 22:00-06:00", 5, 22, 0));
	assert_true(is_open("Sun 22:00-00:00", 6, 23, 59));
	assert_false(is_open("Sun 22:00-00:00", 0, 0, 0));
	assert_true(is_open("Sat..Mon 10:00-11:00", 6, 10, 0));
	assert_true(is_open("Sat..Mon 10:00-11:00", 0, 10, 0));
	assert_false(is_open("Sat..Mon 10:00-11:00", 1, 10, 0));
}

/* Every minute of a week, against a count of them from the text by hand. */
static void test_whole_week(void **state)
{
	struct hours hours = parse("Mon..Fri 22:00-06:00, Sat..Sun 00:00-24:00");
	unsigned n = 0;

	(void)state;
	for (int minute = 0; minute < 7 * 24 * 60; minute++) {
		struct tm shown = {
			.tm_wday = minute / (24 * 60),
			.tm_hour = minute / 60 % 24,
			.tm_min = minute % 60,
		};

		n += hours_contain(&hours, &shown);
	}
	/* Five evenings of two hours, four mornings of six, two whole days. */
	assert_int_equal(n, (5 * 2 + 4 * 6 + 2 * 24) * 60);
}

static void test_refused(void **state)
{
	static const char *const bad[] = {
		" ",
		"8:00-17:00",
		"08:00",
		"08:00-",
		"08-17",
		"08:00-08:00",
		"24:00-01:00",
		"08:60-09:00",
		"08:00-24:01",
		"08:00-25:00",
		"08:00-17:00,",
		"08:00-17:00 09:00-10:00",
		"mon 08:00-17:00",
		"Mon08:00-17:00",
		"Mon..08:00-17:00",
		"Mon..Fry 08:00-17:00",
		"-8:00-17:00",
		"always",
		"01:00-02:00,01:00-02:00,01:00-02:00,01:00-02:00,01:00-02:00,01:00-02:00,"
		"01:00-02:00,01:00-02:00,01:00-02:00",
	};
	struct hours hours = {.n = 77};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(bad); i++) {
		if (hours_parse(bad[i], &hours) != -EINVAL)
			fail_msg("\"%s\" is understood", bad[i]);
		assert_int_equal(hours.n, 77);
	}
}

static void test_print(void **state)
{
	static const char *const texts[] = {
		"",
		"22:00-06:00",
		"Sun 00:00-24:00",
		"Fri..Mon 01:05-23:59, Wed 12:00-00:00",
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(texts); i++) {
		struct hours hours = parse(texts[i]);
		char *text = NULL;
		size_t len;
		FILE *f = open_memstream(&text, &len);

		assert_non_null(f);
		hours_print(&hours, f);
		fclose(f);
		assert_string_equal(text, texts[i]);
		free(text);
	}
}

static bool is_open_at(const struct hours *hours, time_t when)
{
	struct tm shown;

	assert_non_null(localtime_r(&when, &shown));
	return hours_contain(hours, &shown);
}

/* Central Europe, whose rules are written out: not every host has the files of time zones. */
static void test_summer_time(void **state)
{
	const time_t forward = 1774746000; /* 2026-03-29 01:00 UTC: from 02:00 to 03:00 */
	const time_t back = 1792890000;    /* 2026-10-25 01:00 UTC: from 03:00 to 02:00 */
	struct hours left_out = parse("02:00-03:00"), night = parse("Sat 23:00-04:00");

	(void)state;
	setenv("TZ", "CET-1CEST,M3.5.0,M10.5.0/3", 1);
	tzset();
	/* The hour that is left out is in no window, and the next one is not taken for it. */
	for (time_t t = -3600; t < 3600; t += 60)
		assert_false(is_open_at(&left_out, forward + t));
	/* The hour that comes twice is open twice. */
	for (time_t t = -3600; t < 3600; t += 60)
		assert_true(is_open_at(&left_out, back + t));
	assert_false(is_open_at(&left_out, back - 3601));
	assert_false(is_open_at(&left_out, back + 3600));
	/* A night is an hour shorter, or longer; it begins and ends by what the clock shows. */
	assert_false(is_open_at(&night, forward - 3 * 3600 - 1));
	assert_true(is_open_at(&night, forward - 3 * 3600));
	assert_true(is_open_at(&night, forward + 3599));
	assert_false(is_open_at(&night, forward + 3600));
	assert_true(is_open_at(&night, back + 2 * 3600 - 1));
	assert_false(is_open_at(&night, back + 2 * 3600));
}

/* Nothing is remembered: what was shown before has no say. */
static void test_jumps(void **state)
{
	struct hours hours = parse("22:00-06:00");
	const time_t day = 24 * 3600, noon = 20000 * day + day / 2;

	(void)state;
	setenv("TZ", "UTC0", 1);
	tzset();
	assert_false(is_open_at(&hours, noon));
	assert_true(is_open_at(&hours, noon + day / 2));
	assert_false(is_open_at(&hours, noon));
	assert_true(is_open_at(&hours, 0)); /* a clock that has never been set */
	assert_false(is_open_at(&hours, noon + 4000 * day));
	/* The zone is set while we run. */
	setenv("TZ", "XXX-11", 1);
	tzset();
	assert_true(is_open_at(&hours, noon));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_minutes),    cmocka_unit_test(test_days),
		cmocka_unit_test(test_whole_week), cmocka_unit_test(test_refused),
		cmocka_unit_test(test_print),      cmocka_unit_test(test_summer_time),
		cmocka_unit_test(test_jumps),
	};

	return cmocka_run_group_tests_name("hours", tests, NULL, NULL);
}
