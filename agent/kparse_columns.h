/* SPDX-License-Identifier: MIT */
/*
 * The fast way to read the lines of a listing that look as the kernel mostly prints them: every
 * column of just its least width, whole lines, no damage. Anything else is refused and the text
 * left where it is, for the general reader (kparse_line.h), which is the authority: what is taken
 * here, it would take as the same.
 *
 * A column is a blank and ten places, its number right-aligned in them, eight of which are read as
 * one word. With the word's lowest byte the leftmost place:
 *
 *	x = word ^ "        "          a blank becomes 0, a digit 0x10..0x19
 *	x | -x                         all bits from the lowest one set on, that is, 0x10 of the
 *	                               leftmost digit and of all places right of it
 *	d = x ^ (that & 0x10...)       blanks 0, digits 0..9
 *
 * Only blanks and then digits come out as bytes below 10: left of the leftmost byte that is not
 * blank there is nothing but blanks, and from there on 0x10 is flipped, so that what lacks it gets
 * it, a blank too. (Where the lowest bit of that leftmost byte is above 0x10, the byte stays above
 * 0x10 itself.) The rightmost place is flipped in any case, so that a number without digits is no
 * number. d + 0x76 has its highest bit set from 10 on, where d itself has not. A carry into the
 * next byte takes a byte that has been found bad already.
 *
 * Then pairs of digits become numbers below 100, pairs of these below 10 000, and pairs of these
 * below 100 000 000, each pair by one multiplication: (a + b * 2^k) * (n * 2^k + 1) has a * n + b
 * from bit k on, and that never reaches the next pair.
 */
#ifndef FGRECLAIM_KPARSE_COLUMNS_H
#define FGRECLAIM_KPARSE_COLUMNS_H

#include "kparse_line.h"

#include <endian.h>

#define EACH_BYTE(byte) (UINT64_C(0x0101010101010101) * (byte))
#define HIGHEST_BITS    EACH_BYTE(0x80)

/* A blank and ten places; with the mark. */
#define PLAIN_LEN  11
#define MARKED_LEN 12

#define GEN_LEN     (2 * PLAIN_LEN + _LRU_TYPE_MAX * MARKED_LEN + 1)
#define TIER_INDENT 11
#define TIER_LEN    (TIER_INDENT + PLAIN_LEN + 3 * _LRU_TYPE_MAX * MARKED_LEN + 1)
#define WALK_INDENT 22
#define HEADER_LEN  12

/* Eight bytes of text, the first one lowest. */
static inline uint64_t columns_load(const char *p)
{
	uint64_t word;

	memcpy(&word, p, sizeof(word));
	return le64toh(word);
}

/* Of eight places. *bad gets one of the HIGHEST_BITS if they are not blanks and then digits. */
static inline uint64_t columns_number(uint64_t word, uint64_t *bad)
{
	uint64_t x = word ^ EACH_BYTE(' ');
	uint64_t from_digit = x | (0 - x) | UINT64_C(1) << 60;
	uint64_t d = x ^ (from_digit & EACH_BYTE(0x10));

	*bad |= d | (d + EACH_BYTE(0x76));
	d = (d * (10 * 0x100 + 1) >> 8) & UINT64_C(0x00ff00ff00ff00ff);
	d = (d * (100 * 0x10000 + 1) >> 16) & UINT64_C(0x0000ffff0000ffff);
	return d * (10000 * UINT64_C(0x100000000) + 1) >> 32;
}

/* Of nine or ten digits. */
static inline uint64_t columns_wide(const char *p, uint64_t *bad)
{
	uint64_t left = columns_load(p) << 40 | EACH_BYTE(' ') >> 24;
	uint64_t right = columns_load(p + 3);
	uint64_t hundred_millions = columns_number(left, bad);

	/* A digit in place of the blank, and blanks where digits must be. */
	*bad |= hundred_millions > 99 ? HIGHEST_BITS : 0;
	*bad |= ~right << 3;
	return hundred_millions * 100000000 + columns_number(right, bad);
}

/* Of a column at p. */
static inline uint64_t columns_read(const char *p, uint64_t *bad)
{
	uint32_t left;

	memcpy(&left, p, sizeof(left));
	if (__builtin_expect((le32toh(left) & 0xffffff) != 0x202020, 0))
		return columns_wide(p, bad);
	return columns_number(columns_load(p + 3), bad);
}

static inline bool columns_are_good(uint64_t bad)
{
	return (bad & HIGHEST_BITS) == 0;
}

/* The kinds of lines in a node block, by their first digit at the latest: the rightmost place of
 * their first column. line: WALK_INDENT + PLAIN_LEN bytes at least. */
enum columns_kind {
	COLUMNS_GEN,
	COLUMNS_TIER,
	COLUMNS_WALK,
};

static inline enum columns_kind columns_kind(const char *line)
{
	if (line[PLAIN_LEN - 1] != ' ')
		return COLUMNS_GEN;
	return line[TIER_INDENT + PLAIN_LEN - 1] != ' ' ? COLUMNS_TIER : COLUMNS_WALK;
}

/*
 * Each takes a line off the text, or returns false: then *t is as it was, *ret undefined.
 */

static inline bool columns_take_gen(struct text *t, struct gen_sample *ret)
{
	const char *p = t->p;
	uint64_t bad = 0;

	if (text_left(t) < GEN_LEN || p[GEN_LEN - 1] != '\n')
		return false;
	ret->seq = columns_read(p, &bad);
	ret->age_msec = columns_read(p + PLAIN_LEN, &bad);
	p += 2 * PLAIN_LEN;
	for (int type = 0; type < _LRU_TYPE_MAX; type++, p += MARKED_LEN) {
		uint64_t pages = columns_read(p, &bad);

		if (gen_set_pages(ret, type, pages, p[PLAIN_LEN]) != KPARSE_OK)
			return false;
	}
	if (!columns_are_good(bad))
		return false;
	t->p += GEN_LEN;
	return true;
}

static inline bool columns_take_tier(struct text *t, uint64_t *ret_number, struct tier_sample *ret)
{
	const char *p = t->p;
	uint64_t bad = 0;

	if (text_left(t) < TIER_LEN || p[TIER_LEN - 1] != '\n' ||
	    columns_load(p) != EACH_BYTE(' ') || columns_load(p + TIER_INDENT - 8) != EACH_BYTE(' '))
		return false;
	*ret_number = columns_read(p + TIER_INDENT, &bad);
	p += TIER_INDENT + PLAIN_LEN;
	for (int type = 0; type < _LRU_TYPE_MAX; type++) {
		uint64_t value[3];
		char mark[3];

		for (int i = 0; i < 3; i++, p += MARKED_LEN) {
			value[i] = columns_read(p, &bad);
			mark[i] = p[PLAIN_LEN];
		}
		if (tier_set(ret, type, value, mark) != KPARSE_OK)
			return false;
	}
	if (!columns_are_good(bad))
		return false;
	t->p += TIER_LEN;
	return true;
}

static inline bool columns_take_walk(struct text *t, struct walk_sample *ret,
				     uint32_t *ret_n_columns)
{
	const char *p = t->p;
	uint64_t bad = 0;
	uint32_t n = 0;

	if (text_left(t) < WALK_INDENT || columns_load(p) != EACH_BYTE(' ') ||
	    columns_load(p + 8) != EACH_BYTE(' ') ||
	    columns_load(p + WALK_INDENT - 8) != EACH_BYTE(' '))
		return false;
	ret->n = 0;
	for (p += WALK_INDENT; t->end - p > MARKED_LEN && n < LRU_GEN_WALK_MAX; p += MARKED_LEN) {
		uint64_t value = columns_read(p, &bad);

		n++;
		if (walk_add(ret, value, p[PLAIN_LEN]) != KPARSE_OK || !is_mark)
			return false;
		if (p[MARKED_LEN] == '\n')
			break;
	}
	return true;
}

#endif
