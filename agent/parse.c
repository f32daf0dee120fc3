/* SPDX-License-Identifier: MIT */
/*
 * Configuration values to numbers, see parse.h. Strict on purpose: a value that can be read in two
 * ways is refused, and fractions are worked out in integers, so that what the log shows is what the
 * administrator wrote. No locale, no floating point.
 */
#include "parse.h"
#include "macro.h"

#include <errno.h>
#include <string.h>

/* 10^18 is the largest power of ten that can be doubled in 64 bits. */
#define FRACTION_DIGITS_MAX 18

/* 1 % is 10^4 ppm: four decimals of a percentage are whole ppm. */
#define PPM_PER_CENT 10000

struct decimal {
	uint64_t whole;
	uint64_t fraction; /* of scale */
	uint64_t scale;    /* 10^digits; 1: no fraction was given */
};

static int lower(int c)
{
	return c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c;
}

static bool equals_nocase(const char *s, const char *word)
{
	while (*s && lower(*s) == *word) {
		s++;
		word++;
	}
	return *s == *word;
}

int parse_bool(const char *s, bool *ret)
{
	static const char *const words[][2] = {
		{"no", "yes"},
		{"false", "true"},
		{"off", "on"},
		{"0", "1"},
	};

	for (size_t i = 0; i < ARRAY_SIZE(words); i++) {
		for (int value = 0; value < 2; value++) {
			if (equals_nocase(s, words[i][value])) {
				*ret = value;
				return 0;
			}
		}
	}
	return -EINVAL;
}

/* Takes a run of digits off *s; all of them, even when the number does not fit. */
static int take_digits(const char **s, uint64_t *ret)
{
	const char *p = *s;
	uint64_t value = 0;
	bool fits = true;

	if (*p < '0' || *p > '9')
		return -EINVAL;
	for (; *p >= '0' && *p <= '9'; p++) {
		fits = fits && !__builtin_mul_overflow(value, 10, &value) &&
		       !__builtin_add_overflow(value, (uint64_t)(*p - '0'), &value);
	}
	*s = p;
	if (!fits)
		return -ERANGE;
	*ret = value;
	return 0;
}

/* Digits, or digits '.' digits. A form error is told before a range error: rest is *s. */
static int take_decimal(const char **s, struct decimal *ret)
{
	struct decimal d = {.scale = 1};
	int r = take_digits(s, &d.whole), digits = 0;

	if (r == -EINVAL)
		return r;
	if (**s == '.') {
		const char *p = *s + 1;

		for (; *p >= '0' && *p <= '9'; p++, digits++) {
			/* Zeros at the end say nothing, but are counted all the same. */
			if (digits < FRACTION_DIGITS_MAX) {
				d.fraction = d.fraction * 10 + (uint64_t)(*p - '0');
				d.scale *= 10;
			} else if (*p != '0') {
				r = -ERANGE;
			}
		}
		if (digits == 0)
			return -EINVAL;
		*s = p;
	}
	*ret = d;
	return r;
}

int parse_u64(const char *s, uint64_t *ret)
{
	uint64_t value = 0;
	int r = take_digits(&s, &value);

	if (r == -EINVAL || *s)
		return -EINVAL;
	if (r == 0)
		*ret = value;
	return r;
}

/* whole.fraction times 2^shift, rounded down. */
static int shift_decimal(const struct decimal *d, unsigned int shift, uint64_t *ret)
{
	uint64_t value = d->whole, fraction = d->fraction;

	for (; shift > 0; shift--) {
		if (value > UINT64_MAX / 2)
			return -ERANGE;
		value *= 2;
		fraction *= 2;
		if (fraction >= d->scale) {
			fraction -= d->scale;
			value++;
		}
	}
	*ret = value;
	return 0;
}

/* Bytes followed by rest, and nothing else. */
static int parse_bytes_before(const char *s, const char *rest, uint64_t *ret)
{
	static const char units[] = "KMGT";
	struct decimal d = {.scale = 1};
	const char *unit;
	unsigned int shift = 0;
	int r = take_decimal(&s, &d);

	if (r == -EINVAL)
		return r;
	unit = *s ? strchr(units, *s) : NULL;
	if (unit) {
		shift = 10 * (unsigned int)(unit - units + 1);
		s++;
	}
	/* There is no part of a byte. */
	if (strcmp(s, rest) != 0 || (!unit && d.scale > 1))
		return -EINVAL;
	return r < 0 ? r : shift_decimal(&d, shift, ret);
}

int parse_bytes(const char *s, uint64_t *ret)
{
	return parse_bytes_before(s, "", ret);
}

int parse_bytes_per_day(const char *s, uint64_t *ret)
{
	uint64_t value;
	int r;

	if (strcmp(s, "infinity") == 0) {
		*ret = UINT64_MAX;
		return 0;
	}
	r = parse_bytes_before(s, "/day", &value);
	if (r < 0)
		return r;
	if (value == UINT64_MAX)
		return -ERANGE;
	*ret = value;
	return 0;
}

/* The microseconds of the unit at *s, taken off; 0: no such unit. */
static uint64_t take_time_unit(const char **s)
{
	static const struct {
		const char *name;
		uint64_t usec;
	} units[] = {
		{"us", 1},         {"ms", 1000},         {"s", 1000000},
		{"min", 60000000}, {"h", 3600000000ULL}, {"d", 86400000000ULL},
	};
	size_t len = strspn(*s, "abcdefghijklmnopqrstuvwxyz");

	for (size_t i = 0; i < ARRAY_SIZE(units); i++) {
		if (strlen(units[i].name) == len && memcmp(*s, units[i].name, len) == 0) {
			*s += len;
			return units[i].usec;
		}
	}
	return 0;
}

int parse_usec(const char *s, uint64_t *ret)
{
	uint64_t sum = 0;
	bool fits = true;

	if (parse_u64(s, &sum) == 0 && sum == 0) {
		*ret = 0;
		return 0;
	}
	sum = 0;
	do {
		uint64_t value = 0, unit;
		int r = take_digits(&s, &value);

		if (r == -EINVAL)
			return r;
		unit = take_time_unit(&s);
		if (unit == 0)
			return -EINVAL;
		fits = fits && r == 0 && !__builtin_mul_overflow(value, unit, &value) &&
		       !__builtin_add_overflow(sum, value, &sum);
		/* Blanks only between two terms: at the end, the next round finds no digit. */
		s += strspn(s, " ");
	} while (*s || s[-1] == ' ');
	if (!fits)
		return -ERANGE;
	*ret = sum;
	return 0;
}

/* A percentage followed by rest, and nothing else. */
static int parse_ppm_before(const char *s, const char *rest, uint64_t *ret)
{
	struct decimal d = {.scale = 1};
	uint64_t value, unit = PPM_PER_CENT;
	int r = take_decimal(&s, &d);

	if (r == -EINVAL || strcmp(s, rest) != 0)
		return -EINVAL;
	if (r < 0)
		return r;
	/* To four decimals: more must be zeros. */
	while (d.scale > PPM_PER_CENT) {
		if (d.fraction % 10 != 0)
			return -ERANGE;
		d.fraction /= 10;
		d.scale /= 10;
	}
	if (__builtin_mul_overflow(d.whole, unit, &value) ||
	    __builtin_add_overflow(value, d.fraction * (unit / d.scale), &value))
		return -ERANGE;
	*ret = value;
	return 0;
}

int parse_share_ppm(const char *s, uint64_t max_ppm, uint64_t *ret)
{
	uint64_t value;
	int r = parse_ppm_before(s, "%", &value);

	if (r < 0)
		return r;
	if (value > max_ppm)
		return -ERANGE;
	*ret = value;
	return 0;
}

int parse_share_per_min_ppm(const char *s, uint64_t *ret)
{
	return parse_ppm_before(s, "%/min", ret);
}
