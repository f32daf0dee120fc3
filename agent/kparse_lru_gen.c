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
#include "kparse.h"
#include "kparse_text.h"
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
 * Columns
 */

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

static enum kparse_flaw parse_gen(struct parser *p, struct text line)
{
	struct lru_gen_record *r = p->record;
	uint32_t n = r->lruvec.n_gens;
	struct gen_sample g;
	enum kparse_flaw flaw;
	char mark;

	close_gen(p, false, false);
	if (r->flaw != KPARSE_OK)
		return r->flaw;
	flaw = take_plain(&line, &g.seq);
	if (flaw == KPARSE_OK)
		flaw = take_plain(&line, &g.age_msec);
	for (int type = 0; type < _LRU_TYPE_MAX && flaw == KPARSE_OK; type++) {
		flaw = take_marked(&line, &g.pages[type], &mark);
		if (flaw == KPARSE_OK && mark != ' ' && mark != 'x')
			flaw = KPARSE_BAD_LINE;
		if (flaw == KPARSE_OK && mark == 'x')
			g.pages[type] = SAMPLE_UNKNOWN;
	}
	if (flaw == KPARSE_OK)
		flaw = check_line_end(&line);
	if (flaw != KPARSE_OK)
		return flaw;
	if (n == LRUVEC_GENS_MAX)
		return KPARSE_TOO_MANY;
	if (n > 0 && !gen_follows(&g, &r->lruvec.gens[n - 1]))
		return KPARSE_BAD_SEQUENCE;
	r->lruvec.gens[n] = g;
	r->lruvec.n_gens++;
	/* Nothing is read of tiers beyond n_tiers, nor of the walk beyond its letters. */
	r->walk[n].n = 0;
	p->n_tiers = 0;
	p->n_columns = 0;
	return KPARSE_OK;
}

/* One type's three columns. */
static enum kparse_flaw take_tier_type(struct text *line, struct tier_sample *tier, int type)
{
	uint64_t value[3];
	char marks[4] = "";

	for (int i = 0; i < 3; i++) {
		enum kparse_flaw flaw = take_marked(line, &value[i], &marks[i]);

		if (flaw != KPARSE_OK)
			return flaw;
	}
	tier->refaulted[type] = value[0];
	tier->evicted[type] = value[1];
	tier->protected[type] = value[2];
	if (strcmp(marks, "rep") == 0) {
		tier->kind[type] = TIER_CURRENT;
		return KPARSE_OK;
	}
	if (value[2] != 0)
		return KPARSE_BAD_LINE;
	if (strcmp(marks, "RTx") == 0 || strcmp(marks, "RT ") == 0) {
		tier->kind[type] = TIER_AVERAGE;
		tier->protected[type] = SAMPLE_UNKNOWN;
		return KPARSE_OK;
	}
	tier->kind[type] = TIER_NONE;
	if (strcmp(marks, "xxx") != 0 && strcmp(marks, "   ") != 0)
		return KPARSE_BAD_LINE;
	return value[0] == 0 && value[1] == 0 ? KPARSE_OK : KPARSE_BAD_LINE;
}

static enum kparse_flaw parse_tier(struct parser *p, struct text line)
{
	struct lru_gen_record *r = p->record;
	struct tier_sample tier, *first;
	enum kparse_flaw flaw;
	uint64_t number;

	/* After the walk line, or before any generation. */
	if (r->lruvec.n_gens == 0 || p->n_columns > 0)
		return KPARSE_BAD_LINE;
	flaw = take_plain(&line, &number);
	for (int type = 0; type < _LRU_TYPE_MAX && flaw == KPARSE_OK; type++)
		flaw = take_tier_type(&line, &tier, type);
	if (flaw == KPARSE_OK)
		flaw = check_line_end(&line);
	if (flaw != KPARSE_OK)
		return flaw;
	if (number != p->n_tiers)
		return KPARSE_BAD_SEQUENCE;
	if (p->n_tiers == LRU_GEN_TIERS_MAX)
		return KPARSE_TOO_MANY;
	first = r->tiers[r->lruvec.n_gens - 1];
	first[p->n_tiers++] = tier;
	/* The kinds depend on the generation only, and averages stand for both types or for none.
	 * */
	if (memcmp(tier.kind, first->kind, sizeof(tier.kind)) != 0 ||
	    (tier.kind[LRU_ANON] == TIER_AVERAGE) != (tier.kind[LRU_FILE] == TIER_AVERAGE))
		return KPARSE_BAD_LINE;
	return KPARSE_OK;
}

static enum kparse_flaw parse_walk(struct parser *p, struct text line)
{
	struct walk_sample walk = {0};
	uint32_t n_upper = 0;

	if (p->record->lruvec.n_gens == 0 || p->n_tiers == 0 || p->n_columns > 0)
		return KPARSE_BAD_LINE;
	do {
		enum kparse_flaw flaw;
		uint64_t value;
		char mark;

		flaw = take_marked(&line, &value, &mark);
		if (flaw != KPARSE_OK)
			return flaw;
		if (p->n_columns == LRU_GEN_WALK_MAX)
			return KPARSE_TOO_MANY;
		p->n_columns++;
		if (mark == ' ' || mark == 'x') {
			if (value != 0)
				return KPARSE_BAD_LINE;
			continue;
		}
		n_upper += mark <= 'Z';
		walk.value[walk.n] = value;
		walk.letter[walk.n++] = mark <= 'Z' ? mark : (char)(mark - 'a' + 'A');
	} while (line.p < line.end);
	/* All filled or none, all of one case. */
	if ((walk.n != 0 && walk.n != p->n_columns) || (n_upper != 0 && n_upper != walk.n))
		return KPARSE_BAD_LINE;
	p->record->walk[p->record->lruvec.n_gens - 1] = walk;
	return KPARSE_OK;
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
