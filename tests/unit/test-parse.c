/* SPDX-License-Identifier: MIT */
/*
 * Configuration values: what is taken, what is refused and with which error, and that a refused
 * value leaves the result alone. Random numbers are written and read back (SEED=n repeats a run).
 */
#include "parse.h"
#include "macro.h"

#include <errno.h>
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>
#include <time.h>
#include <cmocka.h>

#define UNTOUCHED 0x5eed

struct parse_case {
	const char *text;
	int result;
	uint64_t value;
};

static int share_ppm(const char *s, uint64_t *ret)
{
	return parse_share_ppm(s, 1000000, ret);
}

static void check(int (*parse)(const char *, uint64_t *), const struct parse_case *cases, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		const struct parse_case *c = &cases[i];
		uint64_t want = c->result < 0 ? UNTOUCHED : c->value, value = UNTOUCHED;
		int r = parse(c->text, &value);

		if (r != c->result || value != want)
			fail_msg("\"%s\" gives %d, %" PRIu64, c->text, r, value);
	}
}

/* What no number parser takes. */
static void check_refused(int (*parse)(const char *, uint64_t *), const char *unit)
{
	static const char *const numbers[] = {
		"",    " ",   "-1",       "+1", " 5", "5 ",   "0x10", "1e3", "1,5", "1_000", "five",
		"\t5", "5\n", "\xd9\xa5", "1.", ".5", "1.5.", "--1",  "nan", "inf", "1.-5",  "1. 5",
	};
	static const char *const junk[] = {"x", " ", "%", "0", "/", "\n", "K"};
	char text[64];
	uint64_t value = UNTOUCHED;

	for (size_t i = 0; i < ARRAY_SIZE(numbers); i++) {
		snprintf(text, sizeof(text), "%s%s", numbers[i], unit);
		if (parse(text, &value) != -EINVAL || value != UNTOUCHED)
			fail_msg("\"%s\" gives %" PRIu64, text, value);
	}
	for (size_t i = 0; i < ARRAY_SIZE(junk) && *unit; i++) {
		snprintf(text, sizeof(text), "1%s%s", unit, junk[i]);
		if (parse(text, &value) != -EINVAL || value != UNTOUCHED)
			fail_msg("\"%s\" gives %" PRIu64, text, value);
	}
}

#define CHECK_CASES(parse, ...)                                \
	check(parse, (const struct parse_case[]){__VA_ARGS__}, \
	      ARRAY_SIZE(((const struct parse_case[]){__VA_ARGS__})))

static void test_bool(void **state _unused_)
{
	static const char *const words[] = {"yes", "no", "true", "FALSE", "On", "oFF", "1", "0"};
	static const char *const junk[] = {"",   "y",   "yess", "ye", "2",
					   "00", " on", "on ",  "o",  "tru\xc5"};
	bool value;

	for (size_t i = 0; i < ARRAY_SIZE(words); i++) {
		value = i % 2 == 1;
		assert_int_equal(parse_bool(words[i], &value), 0);
		assert_int_equal(value, i % 2 == 0);
	}
	for (size_t i = 0; i < 2 * ARRAY_SIZE(junk); i++) {
		value = i % 2;
		assert_int_equal(parse_bool(junk[i / 2], &value), -EINVAL);
		assert_int_equal(value, i % 2);
	}
}

static void test_u64(void **state _unused_)
{
	CHECK_CASES(parse_u64, {"0", 0, 0}, {"42", 0, 42}, {"007", 0, 7},
		    {"18446744073709551615", 0, UINT64_MAX}, {"18446744073709551616", -ERANGE, 0},
		    {"00000000000000000000000000001", 0, 1},
		    {"99999999999999999999999999999", -ERANGE, 0},
		    {"99999999999999999999999999999x", -EINVAL, 0}, {"1K", -EINVAL, 0},
		    {"1.5", -EINVAL, 0}, {"infinity", -EINVAL, 0});
	check_refused(parse_u64, "");
}

static void test_bytes(void **state _unused_)
{
	CHECK_CASES(parse_bytes, {"0", 0, 0}, {"4096", 0, 4096}, {"1K", 0, 1024},
		    {"3M", 0, 3145728}, {"1G", 0, 1073741824}, {"2T", 0, 2199023255552},
		    {"1.5G", 0, 1610612736}, {"0.25K", 0, 256}, {"1.0K", 0, 1024},
		    /* Rounded down: 322122547.2, 1023.99... */
		    {"0.3G", 0, 322122547}, {"0.999999999999999999K", 0, 1023}, {"0.0001K", 0, 0},
		    {"1.5000000000000000000000000000K", 0, 1536},
		    {"1.0000000000000000001K", -ERANGE, 0}, {"18446744073709551615", 0, UINT64_MAX},
		    {"18446744073709551616", -ERANGE, 0}, {"16777215T", 0, 16777215ULL << 40},
		    {"16777216T", -ERANGE, 0}, {"16777215.999999999999T", 0, UINT64_MAX - 1},
		    {"99999999999999999999T", -ERANGE, 0}, {"99999999999999999999k", -EINVAL, 0},
		    {"1.5", -EINVAL, 0}, {"1k", -EINVAL, 0}, {"1m", -EINVAL, 0},
		    {"1KB", -EINVAL, 0}, {"1KiB", -EINVAL, 0}, {"1 K", -EINVAL, 0},
		    {"K", -EINVAL, 0}, {"1P", -EINVAL, 0}, {"1GK", -EINVAL, 0},
		    {"infinity", -EINVAL, 0});
	check_refused(parse_bytes, "");
	check_refused(parse_bytes, "G");
}

static void test_usec(void **state _unused_)
{
	CHECK_CASES(parse_usec, {"0", 0, 0}, {"1us", 0, 1}, {"1ms", 0, 1000}, {"1s", 0, 1000000},
		    {"1min", 0, 60000000}, {"1h", 0, 3600000000}, {"1d", 0, 86400000000},
		    {"1min 30s", 0, 90000000}, {"1min30s", 0, 90000000}, {"1s  1s", 0, 2000000},
		    {"0s", 0, 0}, {"2d 3h 4min 5s 6ms 7us", 0, 183845006007},
		    {"18446744073709551615us", 0, UINT64_MAX},
		    {"18446744073709551615us 1us", -ERANGE, 0}, {"213503983d", -ERANGE, 0},
		    {"99999999999999999999us", -ERANGE, 0},
		    {"99999999999999999999us 1", -EINVAL, 0}, {"1", -EINVAL, 0},
		    {"1s 5", -EINVAL, 0}, {"1s,2s", -EINVAL, 0}, {"1m", -EINVAL, 0},
		    {"1S", -EINVAL, 0}, {"1sec", -EINVAL, 0}, {"1 s", -EINVAL, 0},
		    {"1.5s", -EINVAL, 0}, {"s", -EINVAL, 0}, {"infinity", -EINVAL, 0});
	check_refused(parse_usec, "");
	check_refused(parse_usec, "s");
}

static void test_share(void **state _unused_)
{
	uint64_t value = UNTOUCHED;

	CHECK_CASES(share_ppm, {"1%", 0, 10000}, {"0.5%", 0, 5000}, {"0.05%", 0, 500}, {"0%", 0, 0},
		    {"0.0001%", 0, 1}, {"12.3456%", 0, 123456}, {"100%", 0, 1000000},
		    {"100.0000%", 0, 1000000}, {"1.500000000000000000000000%", 0, 15000},
		    {"0.00001%", -ERANGE, 0}, {"0.12345%", -ERANGE, 0},
		    {"0.1234000000000000000000001%", -ERANGE, 0}, {"100.0001%", -ERANGE, 0},
		    {"1844674407370956%", -ERANGE, 0}, {"99999999999999999999%", -ERANGE, 0},
		    {"0.5", -EINVAL, 0}, {"1 %", -EINVAL, 0}, {"%", -EINVAL, 0},
		    {"1%/min", -EINVAL, 0}, {"99999999999999999999", -EINVAL, 0});
	check_refused(share_ppm, "%");
	assert_int_equal(parse_share_ppm("2%", 19999, &value), -ERANGE);
	assert_int_equal(parse_share_ppm("2%", 20000, &value), 0);
	assert_int_equal(value, 20000);
	assert_int_equal(parse_share_ppm("250%", 3000000, &value), 0);
	assert_int_equal(value, 2500000);

	CHECK_CASES(parse_share_per_min_ppm, {"0.5%/min", 0, 5000}, {"0%/min", 0, 0},
		    {"0.00001%/min", -ERANGE, 0}, {"1%", -EINVAL, 0}, {"1/min", -EINVAL, 0},
		    {"1%/s", -EINVAL, 0}, {"1% /min", -EINVAL, 0}, {"1%/minute", -EINVAL, 0});
	check_refused(parse_share_per_min_ppm, "%/min");
}

static void test_bytes_per_day(void **state _unused_)
{
	CHECK_CASES(parse_bytes_per_day, {"20G/day", 0, 21474836480}, {"1.5K/day", 0, 1536},
		    {"0/day", 0, 0}, {"infinity", 0, UINT64_MAX},
		    /* A number is never taken for no limit. */
		    {"18446744073709551615/day", -ERANGE, 0}, {"16777216T/day", -ERANGE, 0},
		    {"infinity/day", -EINVAL, 0}, {"Infinity", -EINVAL, 0}, {"20G", -EINVAL, 0},
		    {"20G/d", -EINVAL, 0}, {"20G /day", -EINVAL, 0}, {"1.5/day", -EINVAL, 0});
	check_refused(parse_bytes_per_day, "G/day");
}

static void test_random(void **state _unused_)
{
	const char *s = getenv("SEED");
	unsigned int seed = s ? (unsigned int)strtoul(s, NULL, 10) : (unsigned int)time(NULL);
	char text[64];

	srandom(seed);
	for (int i = 0; i < 20000; i++) {
		uint64_t n = ((uint64_t)random() << 33 ^ (uint64_t)random() << 11) >> random() % 64;
		uint64_t hundredths = n % 10000000, value = UNTOUCHED;
		unsigned int unit = (unsigned int)random() % 4;

		snprintf(text, sizeof(text), "%" PRIu64, n);
		if (parse_u64(text, &value) != 0 || value != n)
			fail_msg("%s, SEED=%u", text, seed);
		snprintf(text, sizeof(text), "%" PRIu64 ".%02" PRIu64 "%c", hundredths / 100,
			 hundredths % 100, "KMGT"[unit]);
		if (parse_bytes(text, &value) != 0 ||
		    value != (uint64_t)((unsigned __int128)hundredths * (1024ULL << 10 * unit) /
					100))
			fail_msg("%s, SEED=%u", text, seed);
		snprintf(text, sizeof(text), "%" PRIu64 ".%04" PRIu64 "%%", hundredths / 10000,
			 hundredths % 10000);
		if (parse_share_ppm(text, UINT64_MAX, &value) != 0 || value != hundredths)
			fail_msg("%s, SEED=%u", text, seed);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_bool),   cmocka_unit_test(test_u64),
		cmocka_unit_test(test_bytes),  cmocka_unit_test(test_usec),
		cmocka_unit_test(test_share),  cmocka_unit_test(test_bytes_per_day),
		cmocka_unit_test(test_random),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
