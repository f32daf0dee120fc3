/* SPDX-License-Identifier: MIT */
/*
 * The fast way to read the lines of a listing that look as the kernel mostly prints them: every
 * column of just its least width, whole lines, no damage. Anything else is refused and the text
 * left where it is, for the general reader (kparse_line.h), which is the authority: what is taken
 * here, it takes as the same.
 *
 * A column is a blank and ten places, its number right-aligned in them. The right eight are read as
 * one word, of which the leftmost place is the lowest byte; two such words are worked on at a time,
 * as one vector (vectors are GNU C and become what the machine has, or plain integers):
 *
 *	x = word ^ "        "     a blank becomes 0, a digit 0x10..0x19
 *	s = x | -x                all bits from the lowest one on that is set in x
 *	d = x ^ (s & 0x1010...)   blanks 0, digits 0..9
 *
 * If there are only blanks and then digits, s has the bit 0x10 of every digit and of no blank. If
 * there is anything else, a byte of d is 10 or more: the leftmost byte that is not blank and all
 * right of it have 0x10 flipped, and only a digit comes out below 10, a blank as 0x10. (A leftmost
 * byte whose lowest bit is above 0x10 is not flipped, and as much too large.) The rightmost byte
 * is flipped in any case, since a number has a digit. So the number is one if and only if no byte of
 * d is above 9.
 *
 * Then digits are put together by two, the pairs by two, and those by two, each with a
 * multiplication or two: (a + b * 2^k) * (n * 2^k + 1) has a * n + b from bit k on.
 */
#ifndef FGRECLAIM_KPARSE_COLUMNS_H
#define FGRECLAIM_KPARSE_COLUMNS_H

#include "kparse_line.h"
#include "macro.h"

#include <endian.h>
#ifdef __SSE2__
#include <emmintrin.h>
#endif

#define EACH_BYTE(byte) (UINT64_C(0x0101010101010101) * (byte))
#define EACH_SHORT(x)   (UINT64_C(0x0001000100010001) * (x))
#define BLANKS          EACH_BYTE(' ')

/* A blank and ten places; with the mark. */
#define PLAIN_LEN  11
#define MARKED_LEN 12

#define GEN_LEN     (2 * PLAIN_LEN + _LRU_TYPE_MAX * MARKED_LEN + 1)
#define TIER_INDENT 22 /* with the number */
#define TIER_LEN    (TIER_INDENT + 3 * _LRU_TYPE_MAX * MARKED_LEN + 1)
#define WALK_INDENT 22
#define NODE_LEN    12
#define MEMCG_LEN   12 /* without the path */

typedef uint64_t words_t __attribute__((vector_size(16)));
typedef uint8_t bytes_t __attribute__((vector_size(16)));
typedef uint16_t shorts_t __attribute__((vector_size(16)));

static _always_inline_ words_t columns_both(uint64_t word)
{
	return (words_t){word, word};
}

/* Eight bytes of text, the first one lowest. */
static _always_inline_ uint64_t columns_load(const char *p)
{
	uint64_t word;

	memcpy(&word, p, sizeof(word));
	return le64toh(word);
}

/* Eight digits in each word, the first one lowest, to the number they are. */
static _always_inline_ words_t columns_join(words_t d)
{
#ifdef __SSE2__
	/* The same in fewer steps: sums of two products. */
	__m128i even = (__m128i)(d & columns_both(EACH_SHORT(0xff)));
	__m128i odd = (__m128i)((shorts_t)d >> 8);
	__m128i below_10000 =
		_mm_madd_epi16(even, (__m128i)columns_both(UINT64_C(0x000a03e8000a03e8))) +
		_mm_madd_epi16(odd, (__m128i)columns_both(UINT64_C(0x0001006400010064)));

	return (words_t)_mm_mul_epu32(below_10000, _mm_set1_epi64x(10000)) +
	       ((words_t)below_10000 >> 32);
#else
	shorts_t below_100 = (shorts_t)d * (10 * 0x100 + 1) >> 8;
	words_t below_10000 =
		(words_t)(below_100 * (shorts_t)columns_both(UINT64_C(0x0001006400010064)));

	below_10000 =
		(below_10000 + (below_10000 >> 16)) & columns_both(UINT64_C(0x0000ffff0000ffff));
	return (below_10000 & columns_both(UINT32_MAX)) * 10000 + (below_10000 >> 32);
#endif
}

/* worst, with what d adds to it: tells in the end whether all bytes were below 10. */
static _always_inline_ words_t columns_worse(words_t worst, words_t d)
{
#ifdef __SSE2__
	return (words_t)_mm_max_epu8((__m128i)worst, (__m128i)d);
#else
	return worst | (words_t)((bytes_t)d > 9);
#endif
}

static _always_inline_ bool columns_are_good(words_t worst)
{
#ifdef __SSE2__
	return _mm_movemask_epi8(_mm_adds_epu8((__m128i)worst, _mm_set1_epi8(0x80 - 10))) == 0;
#else
	return (worst[0] | worst[1]) == 0;
#endif
}

/* The numbers in two words; *worst tells whether they are any. */
static _always_inline_ words_t columns_numbers(words_t word, words_t *worst)
{
	words_t x = word ^ columns_both(BLANKS);
	words_t from_digit = x | -x | columns_both(UINT64_C(1) << 60);
	words_t d = x ^ (from_digit & columns_both(EACH_BYTE(0x10)));

	*worst = columns_worse(*worst, d);
	return columns_join(d);
}

/* What the left two of a column's ten places add. */
static _always_inline_ uint64_t columns_wide(const char *p, words_t *worst)
{
	if (memcmp(p, "   ", 3) == 0)
		return 0;
	/* With a digit here, there must be digits in all places to the right. */
	if (p[0] != ' ' || (p[1] != ' ' && !is_digit(p[1])) || !is_digit(p[2]) || !is_digit(p[3]))
		*worst = ~columns_both(0);
	return (uint64_t)((p[1] & 0xf) * 10 + (p[2] & 0xf)) * 100000000;
}

/* The numbers of two columns. */
static _always_inline_ words_t columns_read(const char *p, const char *q, words_t *worst)
{
	words_t n = columns_numbers((words_t){columns_load(p + 3), columns_load(q + 3)}, worst);

	if (__builtin_expect(memcmp(p, "    ", 4) != 0 || memcmp(q, "    ", 4) != 0, 0))
		n += (words_t){columns_wide(p, worst), columns_wide(q, worst)};
	return n;
}

/*
 * Each takes a line off the text, or returns false: then *t is as it was, *ret undefined.
 */

static _always_inline_ bool columns_take_gen(struct text *t, struct gen_sample *ret)
{
	const char *p = t->p, *anon = p + 2 * PLAIN_LEN, *file = anon + MARKED_LEN;
	words_t worst = {0}, plain, pages;

	if (text_left(t) < GEN_LEN || p[GEN_LEN - 1] != '\n')
		return false;
	plain = columns_read(p, p + PLAIN_LEN, &worst);
	pages = columns_read(anon, file, &worst);
	ret->seq = plain[0];
	ret->age_msec = plain[1];
	if (!columns_are_good(worst) ||
	    gen_set_pages(ret, LRU_ANON, pages[LRU_ANON], anon[PLAIN_LEN]) != KPARSE_OK ||
	    gen_set_pages(ret, LRU_FILE, pages[LRU_FILE], file[PLAIN_LEN]) != KPARSE_OK)
		return false;
	t->p += GEN_LEN;
	return true;
}

static _always_inline_ bool columns_are_blank(const char *p, size_t n)
{
	return columns_load(p) == BLANKS && columns_load(p + 8) == BLANKS &&
	       columns_load(p + n - 8) == BLANKS;
}

static _always_inline_ bool columns_take_tier(struct text *t, uint32_t number,
					      struct tier_sample *ret)
{
	static const char nothing[] = "          0x          0x          0x"
				      "          0x          0x          0x";
	const char *p = t->p, *column = p + TIER_INDENT;
	words_t worst = {0};
	uint64_t value[3 * _LRU_TYPE_MAX];
	char mark[3 * _LRU_TYPE_MAX];

	if (text_left(t) < TIER_LEN || p[TIER_LEN - 1] != '\n' ||
	    !columns_are_blank(p, TIER_INDENT - 1) || p[TIER_INDENT - 1] != (char)('0' + number))
		return false;
	/* Most often there is nothing to tell. */
	if (column[PLAIN_LEN] == 'x' && memcmp(column, nothing, sizeof(nothing) - 1) == 0) {
		*ret = (struct tier_sample){.kind = {TIER_NONE, TIER_NONE}};
		t->p += TIER_LEN;
		return true;
	}
	for (int i = 0; i < 3 * _LRU_TYPE_MAX; i += 2, column += 2 * MARKED_LEN) {
		words_t n = columns_read(column, column + MARKED_LEN, &worst);

		value[i] = n[0];
		value[i + 1] = n[1];
		mark[i] = column[PLAIN_LEN];
		mark[i + 1] = column[MARKED_LEN + PLAIN_LEN];
	}
	if (!columns_are_good(worst) || tier_set(ret, LRU_ANON, value, mark) != KPARSE_OK ||
	    tier_set(ret, LRU_FILE, value + 3, mark + 3) != KPARSE_OK)
		return false;
	t->p += TIER_LEN;
	return true;
}

static _always_inline_ bool walk_take(struct walk_sample *walk, uint64_t value, char mark)
{
	return (mark == ' ' || is_letter(mark)) && walk_add(walk, value, mark) == KPARSE_OK;
}

/* An even number of columns, as it is in all kernels so far. */
static _always_inline_ bool columns_take_walk(struct text *t, struct walk_sample *ret,
					      uint32_t *ret_n_columns)
{
	const char *p = t->p;
	words_t worst = {0};

	if (text_left(t) < WALK_INDENT || !columns_are_blank(p, WALK_INDENT))
		return false;
	ret->n = 0;
	p += WALK_INDENT;
	for (uint32_t n = 2; n <= LRU_GEN_WALK_MAX && t->end - p > 2 * MARKED_LEN; n += 2) {
		words_t value = columns_read(p, p + MARKED_LEN, &worst);

		if (!walk_take(ret, value[0], p[PLAIN_LEN]) ||
		    !walk_take(ret, value[1], p[MARKED_LEN + PLAIN_LEN]))
			return false;
		p += 2 * MARKED_LEN;
		if (*p != '\n')
			continue;
		if (!columns_are_good(worst) || walk_close(ret, n) != KPARSE_OK)
			return false;
		*ret_n_columns = n;
		t->p = p + 1;
		return true;
	}
	return false;
}

/* A node line, of nodes 0 to 9. */
static _always_inline_ bool columns_take_node(struct text *t, uint64_t *ret)
{
	const char *p = t->p;

	if (text_left(t) < NODE_LEN || memcmp(p, " node     ", 10) != 0 || !is_digit(p[10]) ||
	    p[NODE_LEN - 1] != '\n')
		return false;
	*ret = (uint64_t)(p[10] - '0');
	t->p += NODE_LEN;
	return true;
}

/* The start of a memcg line, with an id of up to five digits; the path is left. */
static _always_inline_ bool columns_take_memcg(struct text *t, uint64_t *ret)
{
	const char *p = t->p;
	words_t worst = {0};
	uint64_t places;

	if (text_left(t) < MEMCG_LEN || memcmp(p, "memcg ", 6) != 0 || p[MEMCG_LEN - 1] != ' ')
		return false;
	places = (columns_load(p + MEMCG_LEN - 9) >> 24 << 24) | BLANKS >> 40;
	*ret = columns_numbers(columns_both(places), &worst)[0];
	if (!columns_are_good(worst))
		return false;
	t->p += MEMCG_LEN;
	return true;
}

#endif
