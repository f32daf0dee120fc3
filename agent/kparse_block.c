/* SPDX-License-Identifier: MIT */
#include "kparse_block.h"
#include "kparse_columns.h"
#include "kparse_line.h"
#include "macro.h"

/* Fewer are never listed (MIN_NR_GENS). */
#define GENS_MIN 2

static bool gen_is_youngest(const struct lru_gen_record *r, uint32_t gen)
{
	return r->tiers[gen][0].kind[LRU_ANON] == TIER_AVERAGE;
}

/* What only the end of a generation's lines can tell. The youngest one alone has the averages, so
 * that a full listing that lacks whole generations at its end is found out, too. */
static inline void close_gen(struct block *b, bool is_last, bool at_end)
{
	struct lru_gen_record *r = b->record;
	uint32_t gen = r->lruvec.n_gens - 1;

	if (r->lruvec.n_gens == 0 || r->flaw != KPARSE_OK)
		return;
	if (gen == 0) {
		r->n_tiers = b->n_tiers;
		b->n_columns_first = b->n_columns;
	}
	if (b->n_tiers != r->n_tiers || b->n_columns != b->n_columns_first ||
	    (r->n_tiers > 0 && gen_is_youngest(r, gen) != is_last))
		block_set_flaw(b, at_end ? KPARSE_TORN : KPARSE_BAD_SEQUENCE);
	if (at_end && r->lruvec.n_gens < GENS_MIN)
		block_set_flaw(b, KPARSE_TORN);
}

void block_close(struct block *b, bool at_end)
{
	close_gen(b, true, at_end);
	if (b->record->lruvec.n_gens == 0)
		block_set_flaw(b, at_end ? KPARSE_TORN : KPARSE_NO_GENERATIONS);
}

static inline bool gen_follows(const struct gen_sample *g, const struct gen_sample *older)
{
	if (g->seq != older->seq + 1)
		return false;
	for (int type = 0; type < _LRU_TYPE_MAX; type++) {
		/* What is evicted is older than all that is not. */
		if (g->pages[type] == SAMPLE_UNKNOWN && older->pages[type] != SAMPLE_UNKNOWN)
			return false;
	}
	return true;
}

/* Makes what stands behind the last generation the next one. */
static inline enum kparse_flaw add_gen(struct block *b)
{
	struct lru_gen_record *r = b->record;
	uint32_t n = r->lruvec.n_gens;

	if (n > 0 && !gen_follows(&r->lruvec.gens[n], &r->lruvec.gens[n - 1]))
		return KPARSE_BAD_SEQUENCE;
	r->lruvec.n_gens++;
	/* Nothing is read of tiers beyond n_tiers, nor of the walk beyond its letters. */
	r->walk[n].n = 0;
	b->n_tiers = 0;
	b->n_columns = 0;
	return KPARSE_OK;
}

static enum kparse_flaw parse_gen(struct block *b, struct text line)
{
	struct lru_gen_record *r = b->record;
	struct gen_sample g;
	enum kparse_flaw flaw;

	close_gen(b, false, false);
	if (r->flaw != KPARSE_OK)
		return r->flaw;
	flaw = line_read_gen(line, &g);
	if (flaw != KPARSE_OK)
		return flaw;
	if (r->lruvec.n_gens == LRUVEC_GENS_MAX)
		return KPARSE_TOO_MANY;
	r->lruvec.gens[r->lruvec.n_gens] = g;
	return add_gen(b);
}

/* Not after the walk line, nor before any generation. */
static bool tier_is_due(const struct block *b)
{
	return b->record->lruvec.n_gens > 0 && b->n_columns == 0;
}

/* Makes what stands behind the last tier the next one. */
static inline enum kparse_flaw add_tier(struct block *b)
{
	const struct tier_sample *first = b->record->tiers[b->record->lruvec.n_gens - 1];
	const struct tier_sample *tier = first + b->n_tiers;

	b->n_tiers++;
	/* The kinds depend on the generation only; averages stand for both types or for none. */
	if (memcmp(tier->kind, first->kind, sizeof(tier->kind)) != 0 ||
	    (tier->kind[LRU_ANON] == TIER_AVERAGE) != (tier->kind[LRU_FILE] == TIER_AVERAGE))
		return KPARSE_BAD_LINE;
	return KPARSE_OK;
}

static enum kparse_flaw parse_tier(struct block *b, struct text line)
{
	struct tier_sample tier;
	enum kparse_flaw flaw;
	uint64_t number;

	if (!tier_is_due(b))
		return KPARSE_BAD_LINE;
	flaw = line_read_tier(line, &number, &tier);
	if (flaw != KPARSE_OK)
		return flaw;
	if (number != b->n_tiers)
		return KPARSE_BAD_SEQUENCE;
	if (b->n_tiers == LRU_GEN_TIERS_MAX)
		return KPARSE_TOO_MANY;
	b->record->tiers[b->record->lruvec.n_gens - 1][b->n_tiers] = tier;
	return add_tier(b);
}

static bool walk_is_due(const struct block *b)
{
	return tier_is_due(b) && b->n_tiers > 0;
}

static enum kparse_flaw parse_walk(struct block *b, struct text line)
{
	struct walk_sample *walk;

	if (!walk_is_due(b))
		return KPARSE_BAD_LINE;
	walk = &b->record->walk[b->record->lruvec.n_gens - 1];
	return line_read_walk(line, walk, &b->n_columns);
}

void block_parse_line(struct block *b, struct text line)
{
	struct text rest = line;
	size_t indent = text_skip_blanks(&rest);
	enum kparse_flaw flaw = KPARSE_BAD_LINE;

	if (indent >= 1 && indent <= 10)
		flaw = parse_gen(b, line);
	else if (indent >= 12 && indent <= 21)
		flaw = parse_tier(b, line);
	else if (indent >= 23 && indent <= 32)
		flaw = parse_walk(b, line);
	block_set_flaw(b, flaw);
}

/*
 * The fast way: each takes a line that looks as it mostly does, or leaves it. Two functions out of
 * line, since the one for plain lru_gen needs few registers and is done before it would have saved
 * those of the other.
 */

/* The first generation; in plain lru_gen all of them, which follow one another, none to be closed
 * but the last. */
static _noinline_ void take_first_gens(struct block *b, struct text *t)
{
	struct lru_gen_record *r = b->record;
	struct gen_sample *g = r->lruvec.gens;
	uint32_t n = 0;

	while (n < LRUVEC_GENS_MAX && columns_take_gen(t, g)) {
		if (n > 0 && !gen_follows(g, g - 1)) {
			r->flaw = KPARSE_BAD_SEQUENCE;
			break;
		}
		r->walk[n++].n = 0;
		g++;
	}
	r->lruvec.n_gens = n;
}

static bool take_gen(struct block *b, struct text *t)
{
	struct lru_gen_record *r = b->record;
	uint32_t n = r->lruvec.n_gens;

	if (n == LRUVEC_GENS_MAX || !columns_take_gen(t, &r->lruvec.gens[n]))
		return false;
	close_gen(b, false, false);
	if (r->flaw == KPARSE_OK)
		r->flaw = add_gen(b);
	return true;
}

static bool take_tier(struct block *b, struct text *t)
{
	struct lru_gen_record *r = b->record;

	if (!tier_is_due(b) || b->n_tiers == LRU_GEN_TIERS_MAX ||
	    !columns_take_tier(t, b->n_tiers, &r->tiers[r->lruvec.n_gens - 1][b->n_tiers]))
		return false;
	r->flaw = add_tier(b);
	return true;
}

static bool take_walk(struct block *b, struct text *t)
{
	struct lru_gen_record *r = b->record;

	return walk_is_due(b) &&
	       columns_take_walk(t, &r->walk[r->lruvec.n_gens - 1], &b->n_columns);
}

static _noinline_ void take_lines(struct block *b, struct text *t)
{
	while (b->record->flaw == KPARSE_OK)
		if (!take_gen(b, t) && !take_tier(b, t) && !take_walk(b, t))
			return;
}

void block_take(struct block *b, struct text *t)
{
	struct lru_gen_record *r = b->record;

	if (r->lruvec.n_gens == 0 && r->flaw == KPARSE_OK)
		take_first_gens(b, t);
	if (text_left(t) > 1 && t->p[1] == ' ')
		take_lines(b, t);
}
