/* SPDX-License-Identifier: MIT */
/*
 * lru_gen and lru_gen_full to records, one for each memcg and node. A line is told by where it
 * starts: "memcg ", " node ", or by its indentation, since all numbers are right-aligned:
 *
 *	memcg    86 /system.slice/a.service
 *	 node     0
 *	          1     948187          0          0x             generation: indented by 1..10
 *	                     0          0r          0e ...        tier: 12..21
 *	                                0           0  ...        page-table walk: 23..32
 *
 * A number ends with a mark: a letter, or the fill, which is 'x' or, in older kernels, a blank; the
 * one at the end of a line may have been stripped. After a line that fits no rule, nothing of that
 * node block is read any more; the next one counts again, if its memcg is beyond doubt. Source:
 * mm/vmscan.c lru_gen_seq_show(), lru_gen_seq_show_full().
 */
#include "kparse_line.h"
#include "macro.h"

/* cgroup_path() gets a buffer of PATH_MAX and cuts off what does not fit. */
#define LISTED_PATH_MAX 4094

#define NODE_UNKNOWN UINT32_MAX

/* Fewer are never listed (MIN_NR_GENS). */
#define GENS_MIN 2

struct parser {
	struct lru_gen_record *record;
	kparse_lru_gen_emit_t emit;
	void *userdata;
	ssize_t n_records;
	bool any;                 /* a line that only a listing has was seen */
	bool memcg_known;         /* the memcg in record is that of the next node block */
	bool node_expected;       /* the memcg line was the last one */
	int64_t node;             /* the last one of this memcg, -1: none yet */
	bool in_block;            /* record is being filled */
	uint32_t n_tiers;         /* of the generation being filled */
	uint32_t n_columns;       /* of its page-table walk line, 0: not seen */
	uint32_t n_columns_first; /* the same of the first generation, which the others must match */
};

/* The first flaw is the one to report. */
static void set_flaw(struct parser *p, enum kparse_flaw flaw)
{
	if (p->record->flaw == KPARSE_OK)
		p->record->flaw = flaw;
}

/*
 * The lines of a node block
 */

static bool gen_is_youngest(const struct lru_gen_record *r, uint32_t gen)
{
	return r->tiers[gen][0].kind[LRU_ANON] == TIER_AVERAGE;
}

/* What only the end of a generation's lines can tell. The youngest one alone has the averages, so
 * that a full listing that lacks whole generations at its end is found out, too. */
static void close_gen(struct parser *p, bool is_last, bool at_end)
{
	struct lru_gen_record *r = p->record;
	uint32_t gen = r->lruvec.n_gens - 1;

	if (r->lruvec.n_gens == 0 || r->flaw != KPARSE_OK)
		return;
	if (gen == 0) {
		r->n_tiers = p->n_tiers;
		p->n_columns_first = p->n_columns;
	}
	if (p->n_tiers != r->n_tiers || p->n_columns != p->n_columns_first ||
	    (r->n_tiers > 0 && gen_is_youngest(r, gen) != is_last))
		set_flaw(p, at_end ? KPARSE_TORN : KPARSE_BAD_SEQUENCE);
	if (at_end && r->lruvec.n_gens < GENS_MIN)
		set_flaw(p, KPARSE_TORN);
}

static bool gen_follows(const struct gen_sample *g, const struct gen_sample *older)
{
	for (int type = 0; type < _LRU_TYPE_MAX; type++) {
		/* What is evicted is older than all that is not. */
		if (g->pages[type] == SAMPLE_UNKNOWN && older->pages[type] != SAMPLE_UNKNOWN)
			return false;
	}
	return g->seq == older->seq + 1;
}

/* The next generation of the block, its columns understood. */
static enum kparse_flaw add_gen(struct parser *p, const struct gen_sample *g)
{
	struct lru_gen_record *r = p->record;
	uint32_t n = r->lruvec.n_gens;

	if (n == LRUVEC_GENS_MAX)
		return KPARSE_TOO_MANY;
	if (n > 0 && !gen_follows(g, &r->lruvec.gens[n - 1]))
		return KPARSE_BAD_SEQUENCE;
	r->lruvec.gens[n] = *g;
	r->lruvec.n_gens++;
	/* Nothing is read of tiers beyond n_tiers, nor of the walk beyond its letters. */
	r->walk[n].n = 0;
	p->n_tiers = 0;
	p->n_columns = 0;
	return KPARSE_OK;
}

static enum kparse_flaw parse_gen(struct parser *p, struct text line)
{
	struct gen_sample g;
	enum kparse_flaw flaw;

	close_gen(p, false, false);
	if (p->record->flaw != KPARSE_OK)
		return p->record->flaw;
	flaw = line_read_gen(line, &g);
	return flaw == KPARSE_OK ? add_gen(p, &g) : flaw;
}

/* Not after the walk line, nor before any generation. */
static bool tier_is_due(const struct parser *p)
{
	return p->record->lruvec.n_gens > 0 && p->n_columns == 0;
}

static enum kparse_flaw add_tier(struct parser *p, uint64_t number, const struct tier_sample *tier)
{
	struct tier_sample *first = p->record->tiers[p->record->lruvec.n_gens - 1];

	if (number != p->n_tiers)
		return KPARSE_BAD_SEQUENCE;
	if (p->n_tiers == LRU_GEN_TIERS_MAX)
		return KPARSE_TOO_MANY;
	first[p->n_tiers++] = *tier;
	/* The kinds depend on the generation only, and averages stand for both types or for none.
	 * */
	if (memcmp(tier->kind, first->kind, sizeof(tier->kind)) != 0 ||
	    (tier->kind[LRU_ANON] == TIER_AVERAGE) != (tier->kind[LRU_FILE] == TIER_AVERAGE))
		return KPARSE_BAD_LINE;
	return KPARSE_OK;
}

static enum kparse_flaw parse_tier(struct parser *p, struct text line)
{
	struct tier_sample tier;
	enum kparse_flaw flaw;
	uint64_t number;

	if (!tier_is_due(p))
		return KPARSE_BAD_LINE;
	flaw = line_read_tier(line, &number, &tier);
	return flaw == KPARSE_OK ? add_tier(p, number, &tier) : flaw;
}

static bool walk_is_due(const struct parser *p)
{
	return tier_is_due(p) && p->n_tiers > 0;
}

static enum kparse_flaw parse_walk(struct parser *p, struct text line)
{
	struct walk_sample *walk;

	if (!walk_is_due(p))
		return KPARSE_BAD_LINE;
	walk = &p->record->walk[p->record->lruvec.n_gens - 1];
	return line_read_walk(line, walk, &p->n_columns);
}

static enum kparse_flaw parse_body_line(struct parser *p, struct text line)
{
	struct text rest = line;
	size_t indent = text_skip_blanks(&rest);

	if (indent >= 1 && indent <= 10)
		return parse_gen(p, line);
	if (indent >= 12 && indent <= 21)
		return parse_tier(p, line);
	if (indent >= 23 && indent <= 32)
		return parse_walk(p, line);
	return KPARSE_BAD_LINE;
}

/*
 * The listing
 */

static void close_block(struct parser *p, bool at_end)
{
	struct lru_gen_record *r = p->record;

	if (!p->in_block)
		return;
	close_gen(p, true, at_end);
	if (r->lruvec.n_gens == 0)
		set_flaw(p, at_end ? KPARSE_TORN : KPARSE_NO_GENERATIONS);
	p->in_block = false;
	p->n_records++;
	p->emit(r, p->userdata);
}

/* line: behind "memcg ". */
static void open_memcg(struct parser *p, struct text line)
{
	struct lru_gen_record *r = p->record;

	p->any = true;
	p->node = -1;
	p->node_expected = true;
	text_skip_blanks(&line);
	p->memcg_known = text_take_number(&line, &r->memcg_id) == 0 &&
			 (text_take(&line, " ") || line.p == line.end) &&
			 (text_peek(&line) == '/' || line.p == line.end) &&
			 !memchr(line.p, '\0', text_left(&line));
	r->path = line.p;
	r->path_len = text_left(&line);
	/* Cut off by the kernel it could name another memcg, so it is unknown. */
	if (r->path_len > LISTED_PATH_MAX)
		r->path_len = 0;
}

/* line: behind " node ". */
static void open_block(struct parser *p, struct text line)
{
	struct lru_gen_record *r = p->record;
	uint64_t node;

	p->any = true;
	p->in_block = true;
	p->n_tiers = 0;
	p->n_columns = 0;
	memset(&r->lruvec, 0, sizeof(r->lruvec));
	r->lruvec.node = NODE_UNKNOWN;
	r->flaw = KPARSE_OK;
	r->n_tiers = 0;
	text_skip_blanks(&line);
	if (text_to_number(line, &node) < 0 || node >= NODE_UNKNOWN) {
		set_flaw(p, KPARSE_BAD_NUMBER);
	} else {
		r->lruvec.node = (uint32_t)node;
		/* Nodes ascend; where they do not, a memcg line has been lost between. */
		p->memcg_known = p->memcg_known && (int64_t)node > p->node;
		p->node = (int64_t)node;
	}
	r->first_node = p->memcg_known && p->node_expected;
	p->node_expected = false;
	if (!p->memcg_known) {
		r->flaw = KPARSE_NO_MEMCG;
		r->memcg_id = 0;
		r->path = "";
		r->path_len = 0;
	}
}

static void parse_line(struct parser *p, struct text line)
{
	int c = text_peek(&line);

	if (text_take(&line, "memcg ")) {
		close_block(p, false);
		open_memcg(p, line);
	} else if (text_take(&line, " node ")) {
		close_block(p, false);
		open_block(p, line);
	} else {
		if (p->in_block && p->record->flaw == KPARSE_OK)
			set_flaw(p, parse_body_line(p, line));
		/* It may have been a memcg line, or have hidden one. */
		if (!p->in_block || c != ' ')
			p->memcg_known = false;
	}
}

/* The last line, which lacks its newline and therefore perhaps more. */
static void parse_torn_line(struct parser *p, struct text line)
{
	if (text_take(&line, "memcg ")) {
		close_block(p, false);
		p->any = true;
	} else if (text_take(&line, " node ")) {
		close_block(p, false);
		open_block(p, text_of("", 0));
		if (p->record->flaw != KPARSE_NO_MEMCG)
			p->record->flaw = KPARSE_TORN;
	} else if (p->in_block) {
		set_flaw(p, KPARSE_TORN);
	}
}

ssize_t kparse_lru_gen(const char *text, size_t len, struct lru_gen_record *record,
		       kparse_lru_gen_emit_t emit, void *userdata)
{
	struct parser p = {.record = record, .emit = emit, .userdata = userdata, .node = -1};
	struct text t = text_of(text, len), line;
	bool whole;

	while (text_take_line(&t, &line, &whole)) {
		if (whole)
			parse_line(&p, line);
		else
			parse_torn_line(&p, line);
	}
	close_block(&p, true);
	return p.any || len == 0 ? p.n_records : -EINVAL;
}
