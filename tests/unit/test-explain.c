/* SPDX-License-Identifier: MIT */
/*
 * Verdicts as sentences: every reason has one, with its numbers in it, in any buffer.
 */
#include "explain.h"
#include "arith.h"
#include "macro.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>
#include <cmocka.h>

#define GUARD 'X'

static const char *bytes(uint64_t value)
{
	static char buf[BYTES_TEXT_MAX];

	return explain_bytes(value, buf, sizeof(buf));
}

static const char *sentence(enum reason reason, uint64_t measured, uint64_t limit)
{
	struct verdict verdict = {.reason = reason, .measured = measured, .limit = limit};
	static char buf[256];

	explain_verdict(&verdict, buf, sizeof(buf));
	return buf;
}

static void test_bytes(void **state _unused_)
{
	static const struct {
		uint64_t value;
		const char *text;
	} cases[] = {
		{0, "0B"},
		{1, "1B"},
		{1023, "1023B"},
		{1024, "1.0K"},
		{1025, "1.0K"},
		{1126, "1.0K"},
		{1127, "1.1K"},
		{2047, "1.9K"},
		{102399, "99.9K"},
		{102400, "100K"},
		{(1 << 20) - 1, "1023K"},
		{1 << 20, "1.0M"},
		{101187584, "96.5M"},
		{UINT64_C(1) << 30, "1.0G"},
		{UINT64_C(1) << 40, "1.0T"},
		{UINT64_C(1) << 50, "1.0P"},
		{UINT64_C(1) << 60, "1024P"},
		{UINT64_MAX - 2, "16383P"},
		{SAMPLE_INFINITY, "max"},
		{SAMPLE_UNKNOWN, "-"},
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++)
		assert_string_equal(bytes(cases[i].value), cases[i].text);
}

static void test_bytes_in_small_buffers(void **state _unused_)
{
	static const uint64_t values[] = {
		0, 1023, 101187584, SAMPLE_UNKNOWN, SAMPLE_INFINITY, UINT64_MAX - 2};
	char buf[BYTES_TEXT_MAX + 1];

	for (size_t i = 0; i < ARRAY_SIZE(values); i++)
		for (size_t size = 1; size <= BYTES_TEXT_MAX; size++) {
			memset(buf, GUARD, sizeof(buf));
			explain_bytes(values[i], buf, size);
			assert_true(memchr(buf, '\0', size) != NULL);
			assert_int_equal(buf[size], GUARD);
		}
}

static void test_every_reason_has_words(void **state _unused_)
{
	static const uint64_t numbers[] = {0, 1, 123456789, SAMPLE_INFINITY, SAMPLE_UNKNOWN};

	for (enum reason r = 0; r < _REASON_MAX; r++)
		for (size_t i = 0; i < ARRAY_SIZE(numbers); i++) {
			const char *text =
				sentence(r, numbers[i], numbers[ARRAY_SIZE(numbers) - 1 - i]);
			size_t len = strlen(text);

			assert_true(len > 0 && len < 160); /* the buffers of those who print it */
			assert_null(strstr(text, "{}"));
			assert_null(strchr(text, '{'));
			assert_true(text[len - 1] != '.' && text[len - 1] != ' ');
			/* What is not known is never shown as a number. */
			assert_null(strstr(text, "1844674407"));
		}
}

static void test_reasons_differ(void **state _unused_)
{
	char former[256];

	for (enum reason r = 0; r < _REASON_MAX; r++) {
		strcpy(former, sentence(r, 1, 2));
		for (enum reason other = r + 1; other < _REASON_MAX; other++)
			assert_string_not_equal(sentence(other, 1, 2), former);
	}
}

static void test_invalid_reasons(void **state _unused_)
{
	assert_string_equal(sentence(_REASON_MAX, 1, 2), sentence(REASON_NONE, 1, 2));
	assert_string_equal(sentence((enum reason) - 1, 1, 2), sentence(REASON_NONE, 1, 2));
	assert_string_equal(sentence((enum reason)100000, 1, 2), sentence(REASON_NONE, 1, 2));
}

static void test_numbers(void **state _unused_)
{
	static const struct {
		enum reason reason;
		uint64_t measured, limit;
		const char *one, *two;
	} cases[] = {
		{REASON_YOUNG, 2 * USEC_PER_SEC, 300 * USEC_PER_SEC, " 2 s ", " 300 s"},
		{REASON_SLOW, 25 * USEC_PER_SEC, 20 * USEC_PER_SEC, " 25 s ", " 20 s)"},
		{REASON_NOT_READ, 3 * USEC_PER_SEC, 1600 * USEC_PER_SEC, " 3 s ", " 1600 s)"},
		{REASON_AGE_DEAR, 25 * USEC_PER_SEC, 800 * USEC_PER_SEC, " 25 s ", " 800 s)"},
		{REASON_SMALL, 101187584, 1 << 20, " 96.5M ", " 1.0M)"},
		{REASON_HOLD_REFAULT, 1250, 80000, " 1.2 pages/s ", "limit 80.0 pages/s)"},
		{REASON_HOLD_PRESSURE, 1234, 1000, " 0.12 % ", "limit 0.10 %)"},
		{REASON_HOLD_PRESSURE, 1000000, 50, " 100.00 % ", "limit 0.00 %)"},
		{REASON_HOLD_OOM, 3, 0, " 3 OOM", "held"},
		{REASON_HOLD_FAILED, 17, 0, " 17 writes", "held"},
		{REASON_HOLD_NO_YIELD, 0, 16 << 20, "freed 0B ", "of 16.0M"},
		{REASON_OLDEST_HOLDS_FILE, 99, 12, " 99 pages ", " 12 pages)"},
		{REASON_RETURNS, 250000, 999999, " 25.00 % ", " 99.99 %)"},
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		const char *text = sentence(cases[i].reason, cases[i].measured, cases[i].limit);
		const char *one = strstr(text, cases[i].one);

		if (!one || !strstr(text, cases[i].two) ||
		    (cases[i].limit && strstr(text, cases[i].two) < one))
			fail_msg("\"%s\" lacks \"%s\" or \"%s\"", text, cases[i].one, cases[i].two);
	}
}

/* A sentence cut to n bytes is the start of the whole one. */
static void test_small_buffers(void **state _unused_)
{
	char whole[256], buf[257];

	for (enum reason r = 0; r < _REASON_MAX; r++) {
		struct verdict verdict = {
			.reason = r, .measured = UINT64_MAX - 2, .limit = SAMPLE_UNKNOWN};

		explain_verdict(&verdict, whole, sizeof(whole));
		for (size_t size = 0; size < sizeof(whole); size++) {
			size_t wanted = strlen(whole) < size ? strlen(whole) : size - 1;

			memset(buf, GUARD, sizeof(buf));
			explain_verdict(&verdict, buf, size);
			assert_int_equal(buf[size], GUARD);
			if (size == 0)
				continue;
			assert_int_equal(strlen(buf), wanted);
			assert_memory_equal(buf, whole, wanted);
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_bytes),
		cmocka_unit_test(test_bytes_in_small_buffers),
		cmocka_unit_test(test_every_reason_has_words),
		cmocka_unit_test(test_reasons_differ),
		cmocka_unit_test(test_invalid_reasons),
		cmocka_unit_test(test_numbers),
		cmocka_unit_test(test_small_buffers),
	};

	return cmocka_run_group_tests_name("explain", tests, NULL, NULL);
}
