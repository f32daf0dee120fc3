/* SPDX-License-Identifier: MIT */
/*
 * The general reader of a line's columns: a blank or more, a number of any width, and a mark. The
 * mark is a letter, or the fill, which is 'x' or, in older kernels, a blank; the one at the end of
 * a line may have been stripped.
 */
#include "kparse_line.h"

static enum kparse_flaw take_plain(struct text *line, uint64_t *ret)
{
	if (line->p == line->end)
		return KPARSE_TORN;
	if (text_skip_blanks(line) == 0)
		return KPARSE_BAD_LINE;
	if (line->p == line->end)
		return KPARSE_TORN;
	return text_take_number(line, ret) < 0 ? KPARSE_BAD_NUMBER : KPARSE_OK;
}

static enum kparse_flaw take_marked(struct text *line, uint64_t *ret, char *ret_mark)
{
	enum kparse_flaw flaw = take_plain(line, ret);
	int c = text_peek(line);

	if (flaw != KPARSE_OK)
		return flaw;
	*ret_mark = ' ';
	if (c < 0)
		return KPARSE_OK;
	if (c != ' ' && !is_letter(c))
		return KPARSE_BAD_LINE;
	*ret_mark = (char)c;
	line->p++;
	return KPARSE_OK;
}

static enum kparse_flaw check_line_end(struct text *line)
{
	if (line->p == line->end)
		return KPARSE_OK;
	text_skip_blanks(line);
	return is_digit(text_peek(line)) ? KPARSE_TOO_MANY : KPARSE_BAD_LINE;
}

enum kparse_flaw line_read_gen(struct text line, struct gen_sample *ret)
{
	enum kparse_flaw flaw = take_plain(&line, &ret->seq);

	if (flaw == KPARSE_OK)
		flaw = take_plain(&line, &ret->age_msec);
	for (int type = 0; type < _LRU_TYPE_MAX && flaw == KPARSE_OK; type++) {
		uint64_t pages;
		char mark;

		flaw = take_marked(&line, &pages, &mark);
		if (flaw == KPARSE_OK)
			flaw = gen_set_pages(ret, type, pages, mark);
	}
	return flaw == KPARSE_OK ? check_line_end(&line) : flaw;
}

/* One type's three columns. */
static enum kparse_flaw take_tier_type(struct text *line, struct tier_sample *tier, int type)
{
	uint64_t value[3];
	char mark[3];

	for (int i = 0; i < 3; i++) {
		enum kparse_flaw flaw = take_marked(line, &value[i], &mark[i]);

		if (flaw != KPARSE_OK)
			return flaw;
	}
	return tier_set(tier, type, value, mark);
}

enum kparse_flaw line_read_tier(struct text line, uint64_t *ret_number, struct tier_sample *ret)
{
	enum kparse_flaw flaw = take_plain(&line, ret_number);

	for (int type = 0; type < _LRU_TYPE_MAX && flaw == KPARSE_OK; type++)
		flaw = take_tier_type(&line, ret, type);
	return flaw == KPARSE_OK ? check_line_end(&line) : flaw;
}

enum kparse_flaw line_read_walk(struct text line, struct walk_sample *ret, uint32_t *ret_n_columns)
{
	uint32_t n_columns = 0;

	ret->n = 0;
	do {
		enum kparse_flaw flaw;
		uint64_t value;
		char mark;

		flaw = take_marked(&line, &value, &mark);
		if (flaw != KPARSE_OK)
			return flaw;
		if (n_columns++ == LRU_GEN_WALK_MAX)
			return KPARSE_TOO_MANY;
		flaw = walk_add(ret, value, mark);
		if (flaw != KPARSE_OK)
			return flaw;
	} while (line.p < line.end);
	*ret_n_columns = n_columns;
	return walk_close(ret, n_columns);
}
