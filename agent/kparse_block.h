/* SPDX-License-Identifier: MIT */
/*
 * One node block of a listing: its lines to a record, and what must hold between them. The first
 * flaw found is the record's, and after it no further line should be given.
 */
#ifndef FGRECLAIM_KPARSE_BLOCK_H
#define FGRECLAIM_KPARSE_BLOCK_H

#include "kparse.h"
#include "kparse_text.h"

struct block {
	struct lru_gen_record *record;
	uint32_t n_tiers;         /* of the generation being filled */
	uint32_t n_columns;       /* of its page-table walk line, 0: not seen */
	uint32_t n_columns_first; /* the same of the first generation, which the others must match */
};

static inline void block_set_flaw(struct block *b, enum kparse_flaw flaw)
{
	if (b->record->flaw == KPARSE_OK)
		b->record->flaw = flaw;
}

/* Begins a new record: no generations, no flaw. */
static inline void block_open(struct block *b)
{
	b->n_tiers = 0;
	b->n_columns = 0;
	b->n_columns_first = 0;
	b->record->lruvec.n_gens = 0;
	b->record->n_tiers = 0;
	b->record->flaw = KPARSE_OK;
}

/* Takes as many lines off the text as look as they mostly do; none, too, and not those after a
 * flaw. What is left is for block_parse_line(), which would have done the same with them. */
void block_take(struct block *b, struct text *t);
void block_parse_line(struct block *b, struct text line);

/* at_end: of the text, where lines may be missing. */
void block_close(struct block *b, bool at_end);

#endif
