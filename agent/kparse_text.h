/* SPDX-License-Identifier: MIT */
/*
 * Reading within a piece of text, shared by the kparse files: every step checks the end first, so
 * nothing outside of the piece is ever touched. Blanks are ' ' only, unless a function says else.
 */
#ifndef FGRECLAIM_KPARSE_TEXT_H
#define FGRECLAIM_KPARSE_TEXT_H

#include "sample.h"

#include <errno.h>
#include <string.h>

/* What is left to read: [p, end). */
struct text {
	const char *p;
	const char *end;
};

static inline struct text text_of(const char *p, size_t len)
{
	/* No arithmetic on a null pointer. */
	return len == 0 ? (struct text){"", ""} : (struct text){p, p + len};
}

static inline size_t text_left(const struct text *t)
{
	return (size_t)(t->end - t->p);
}

/* The next byte, or -1 at the end. */
static inline int text_peek(const struct text *t)
{
	return t->p < t->end ? (unsigned char)*t->p : -1;
}

static inline bool text_take(struct text *t, const char *prefix)
{
	size_t len = strlen(prefix);

	if (text_left(t) < len || memcmp(t->p, prefix, len) != 0)
		return false;
	t->p += len;
	return true;
}

static inline bool text_equals(const struct text *t, const char *s)
{
	size_t len = strlen(s);

	return text_left(t) == len && memcmp(t->p, s, len) == 0;
}

/* The next line without its newline; *ret_whole: it had one. False at the end of the text. */
static inline bool text_take_line(struct text *t, struct text *ret, bool *ret_whole)
{
	const char *newline;

	if (t->p == t->end)
		return false;
	newline = memchr(t->p, '\n', text_left(t));
	*ret_whole = newline != NULL;
	*ret = (struct text){t->p, newline ? newline : t->end};
	t->p = newline ? newline + 1 : t->end;
	return true;
}

/* The only line of a text; false when it is torn or followed by more. */
static inline bool text_only_line(const char *text, size_t len, struct text *ret)
{
	struct text t = text_of(text, len);
	bool whole;

	return text_take_line(&t, ret, &whole) && whole && t.p == t.end;
}

static inline size_t text_skip_blanks(struct text *t)
{
	const char *start = t->p;

	/* Columns are padded with runs of them: eight at a time. */
	while (text_left(t) >= 8 && memcmp(t->p, "        ", 8) == 0)
		t->p += 8;
	while (t->p < t->end && *t->p == ' ')
		t->p++;
	return (size_t)(t->p - start);
}

/* The bytes up to the next blank or tab; false when there are none. */
static inline bool text_take_word(struct text *t, struct text *ret)
{
	const char *start;

	while (t->p < t->end && (*t->p == ' ' || *t->p == '\t'))
		t->p++;
	start = t->p;
	while (t->p < t->end && *t->p != ' ' && *t->p != '\t')
		t->p++;
	*ret = (struct text){start, t->p};
	return t->p != start;
}

static inline bool is_digit(int c)
{
	return c >= '0' && c <= '9';
}

static inline bool is_letter(int c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

/* So many digits are below 2^63 whatever they are. */
#define DIGITS_SAFE 18

/*
 * A run of digits. -EINVAL: none; -ERANGE: beyond what a value may be, which ends below the two
 * marks SAMPLE_INFINITY and SAMPLE_UNKNOWN.
 */
static inline int text_take_number(struct text *t, uint64_t *ret)
{
	const char *safe_end = text_left(t) > DIGITS_SAFE ? t->p + DIGITS_SAFE : t->end;
	uint64_t value = 0;
	bool fits = true;

	if (!is_digit(text_peek(t)))
		return -EINVAL;
	for (; t->p < safe_end && is_digit((unsigned char)*t->p); t->p++)
		value = value * 10 + (uint64_t)(*t->p - '0');
	for (; is_digit(text_peek(t)); t->p++) {
		unsigned int digit = (unsigned int)(*t->p - '0');

		fits = fits && value <= (SAMPLE_INFINITY - 1 - digit) / 10;
		value = fits ? value * 10 + digit : 0;
	}
	if (!fits)
		return -ERANGE;
	*ret = value;
	return 0;
}

/* The whole of the piece is one number. */
static inline int text_to_number(struct text t, uint64_t *ret)
{
	uint64_t value;
	int r = text_take_number(&t, &value);

	if (r < 0)
		return r;
	if (t.p != t.end)
		return -EINVAL;
	*ret = value;
	return 0;
}

#endif
