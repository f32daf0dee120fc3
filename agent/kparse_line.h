/* SPDX-License-Identifier: MIT */
/*
 * One line of a node block of lru_gen or lru_gen_full: what stands in its columns. What must hold
 * between lines is kparse_lru_gen.c's.
 */
#ifndef FGRECLAIM_KPARSE_LINE_H
#define FGRECLAIM_KPARSE_LINE_H

#include "kparse.h"
#include "kparse_text.h"

/*
 * The readers: line is a whole one without its newline, its columns as wide as they like. On a flaw
 * *ret and the others are undefined.
 */
enum kparse_flaw line_read_gen(struct text line, struct gen_sample *ret);
enum kparse_flaw line_read_tier(struct text line, uint64_t *ret_number, struct tier_sample *ret);
/* *ret_n_columns counts those with a mere fill, too. */
enum kparse_flaw line_read_walk(struct text line, struct walk_sample *ret, uint32_t *ret_n_columns);

/*
 * What a column means, by the mark behind its number; shared with kparse_columns.h.
 */

static inline enum kparse_flaw gen_set_pages(struct gen_sample *gen, int type, uint64_t value,
					     char mark)
{
	gen->pages[type] = value;
	if (mark == ' ')
		return KPARSE_OK;
	gen->pages[type] = SAMPLE_UNKNOWN;
	return mark == 'x' ? KPARSE_OK : KPARSE_BAD_LINE;
}

/* The marks of one type in a tier line, as one number to compare. */
#define TIER_MARKS(a, b, c) ((uint32_t)(a) << 16 | (uint32_t)(b) << 8 | (uint32_t)(c))

static inline enum kparse_flaw tier_set(struct tier_sample *tier, int type, const uint64_t value[3],
					const char mark[3])
{
	uint32_t marks =
		TIER_MARKS((unsigned char)mark[0], (unsigned char)mark[1], (unsigned char)mark[2]);

	tier->refaulted[type] = value[0];
	tier->evicted[type] = value[1];
	tier->protected[type] = value[2];
	if (marks == TIER_MARKS('r', 'e', 'p')) {
		tier->kind[type] = TIER_CURRENT;
		return KPARSE_OK;
	}
	if (value[2] != 0)
		return KPARSE_BAD_LINE;
	if (marks == TIER_MARKS('R', 'T', 'x') || marks == TIER_MARKS('R', 'T', ' ')) {
		tier->kind[type] = TIER_AVERAGE;
		tier->protected[type] = SAMPLE_UNKNOWN;
		return KPARSE_OK;
	}
	tier->kind[type] = TIER_NONE;
	if (marks != TIER_MARKS('x', 'x', 'x') && marks != TIER_MARKS(' ', ' ', ' '))
		return KPARSE_BAD_LINE;
	return value[0] == 0 && value[1] == 0 ? KPARSE_OK : KPARSE_BAD_LINE;
}

/* One more column of a walk line; *walk begins with no letters, and those in it are as printed
 * until the line is closed. */
static inline enum kparse_flaw walk_add(struct walk_sample *walk, uint64_t value, char mark)
{
	if (mark == ' ' || mark == 'x')
		return value == 0 ? KPARSE_OK : KPARSE_BAD_LINE;
	walk->value[walk->n] = value;
	walk->letter[walk->n++] = mark;
	return KPARSE_OK;
}

/* All columns are filled or none is, and the letters are of one case. */
static inline enum kparse_flaw walk_close(struct walk_sample *walk, uint32_t n_columns)
{
	uint32_t n_upper = 0;

	for (uint32_t i = 0; i < walk->n; i++) {
		n_upper += walk->letter[i] <= 'Z';
		walk->letter[i] &= (char)~('a' - 'A');
	}
	if ((walk->n != 0 && walk->n != n_columns) || (n_upper != 0 && n_upper != walk->n))
		return KPARSE_BAD_LINE;
	return KPARSE_OK;
}

#endif
