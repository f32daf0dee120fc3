/* SPDX-License-Identifier: MIT */
/*
 * Any string as a configuration value. An error is one of two and leaves the result alone; what is
 * taken starts and ends with what belongs there and is the same for all parsers that share a form.
 */
#include "parse.h"
#include "macro.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

#define REQUIRE(condition)        \
	do {                      \
		if (!(condition)) \
			abort();  \
	} while (0)

#define UNTOUCHED 0x5a5a5a5a5a5a5a5a

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static int share_ppm(const char *s, uint64_t *ret)
{
	return parse_share_ppm(s, UINT64_MAX, ret);
}

static int run(int (*parse)(const char *, uint64_t *), const char *s, uint64_t *ret)
{
	int r;

	*ret = UNTOUCHED;
	r = parse(s, ret);
	REQUIRE(r == 0 || ((r == -EINVAL || r == -ERANGE) && *ret == UNTOUCHED));
	/* Nothing but a digit starts a value, but for infinity per day. */
	REQUIRE(r != 0 || (*s >= '0' && *s <= '9') || strcmp(s, "infinity") == 0);
	return r;
}

static void check_number(const char *s)
{
	char again[32];
	uint64_t number, bytes;

	if (run(parse_u64, s, &number) < 0)
		return;
	REQUIRE(parse_bytes(s, &bytes) == 0 && bytes == number);
	snprintf(again, sizeof(again), "%" PRIu64, number);
	REQUIRE(parse_u64(again, &bytes) == 0 && bytes == number);
}

/* The same with a suffix more. */
static void check_pair(const char *s, const char *suffix, int (*shorter)(const char *, uint64_t *),
		       int (*longer)(const char *, uint64_t *))
{
	size_t len = strlen(s);
	_cleanup_free_ char *text = malloc(len + strlen(suffix) + 1);
	uint64_t a, b;
	int r;

	REQUIRE(text);
	memcpy(text, s, len);
	strcpy(text + len, suffix);
	r = run(shorter, s, &a);
	/* The largest number is infinity per day, which no number means. */
	if (r == 0 && a == UINT64_MAX && longer == parse_bytes_per_day)
		return;
	REQUIRE(run(longer, text, &b) == r && a == b);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	_cleanup_free_ char *s = malloc(size + 1);
	uint64_t value;
	bool yes;
	int r;

	REQUIRE(s);
	if (size > 0)
		memcpy(s, data, size);
	s[size] = '\0';
	r = parse_bool(s, &yes);
	REQUIRE(r == -EINVAL || (r == 0 && (yes == 0 || yes == 1) && strlen(s) <= 5));
	check_number(s);
	run(parse_usec, s, &value);
	run(parse_bytes_per_day, s, &value);
	run(parse_share_per_min_ppm, s, &value);
	check_pair(s, "/day", parse_bytes, parse_bytes_per_day);
	check_pair(s, "/min", share_ppm, parse_share_per_min_ppm);
	return 0;
}
