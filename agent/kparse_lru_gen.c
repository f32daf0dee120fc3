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
 * After a line that fits no rule, nothing of that node block is read any more; the next one counts
 * again, if its memcg is beyond doubt. Source: mm/vmscan.c lru_gen_seq_show(),
 * lru_gen_seq_show_full().
 */
#include "kparse_block.h"
#include "kparse_columns.h"
#include "macro.h"

/* cgroup_path() gets a buffer of PATH_MAX and cuts off what does not fit. */
#define LISTED_PATH_MAX 4094

#define NODE_UNKNOWN UINT32_MAX

struct parser {
	struct block block;
	kparse_lru_gen_emit_t emit;
	void *userdata;
	ssize_t n_records;
	bool any;           /* a line that only a listing has was seen */
	bool memcg_known;   /* the memcg in record is that of the next node block */
	bool node_expected; /* the memcg line was the last one */
	int64_t node;       /* the last one of this memcg, -1: none yet */
	bool in_block;      /* record is being filled */
};

static inline void close_block(struct parser *p, bool at_end)
{
	if (!p->in_block)
		return;
	block_close(&p->block, at_end);
	p->in_block = false;
	p->n_records++;
	p->emit(p->block.record, p->userdata);
}

/* path: NULL where the line is not understood. */
static inline void open_memcg(struct parser *p, uint64_t id, const struct text *path)
{
	struct lru_gen_record *r = p->block.record;

	p->any = true;
	p->node = -1;
	p->node_expected = true;
	p->memcg_known = path && !memchr(path->p, '\0', text_left(path));
	if (!p->memcg_known)
		return;
	r->memcg_id = id;
	r->path = path->p;
	r->path_len = text_left(path);
	/* Cut off by the kernel it could name another memcg, so it is unknown. */
	if (r->path_len > LISTED_PATH_MAX)
		r->path_len = 0;
}

/* line: behind "memcg ". */
static void parse_memcg(struct parser *p, struct text line)
{
	uint64_t id = 0;
	bool good;

	text_skip_blanks(&line);
	good = text_take_number(&line, &id) == 0 && (text_take(&line, " ") || line.p == line.end) &&
	       (text_peek(&line) == '/' || line.p == line.end);
	open_memcg(p, id, good ? &line : NULL);
}

/* node: NODE_UNKNOWN or more where it is not understood. */
static inline void open_block(struct parser *p, uint64_t node)
{
	struct lru_gen_record *r = p->block.record;

	p->any = true;
	p->in_block = true;
	block_open(&p->block);
	r->lruvec.node = NODE_UNKNOWN;
	if (node >= NODE_UNKNOWN) {
		block_set_flaw(&p->block, KPARSE_BAD_NUMBER);
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

/* line: behind " node ". */
static void parse_node(struct parser *p, struct text line)
{
	uint64_t node;

	text_skip_blanks(&line);
	open_block(p, text_to_number(line, &node) < 0 ? NODE_UNKNOWN : node);
}

static void parse_line(struct parser *p, struct text line)
{
	int c = text_peek(&line);

	if (text_take(&line, "memcg ")) {
		close_block(p, false);
		parse_memcg(p, line);
	} else if (text_take(&line, " node ")) {
		close_block(p, false);
		parse_node(p, line);
	} else {
		if (p->in_block && p->block.record->flaw == KPARSE_OK)
			block_parse_line(&p->block, line);
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
		open_block(p, NODE_UNKNOWN);
		if (p->block.record->flaw != KPARSE_NO_MEMCG)
			p->block.record->flaw = KPARSE_TORN;
	} else if (p->in_block) {
		block_set_flaw(&p->block, KPARSE_TORN);
	}
}

/*
 * The fast way: each takes a line that looks as it mostly does, or leaves it to parse_line().
 */

static bool take_node(struct parser *p, struct text *t)
{
	uint64_t node;

	if (!columns_take_node(t, &node))
		return false;
	close_block(p, false);
	open_block(p, node);
	return true;
}

static bool take_memcg(struct parser *p, struct text *t)
{
	struct text rest = *t, path;
	uint64_t id;
	bool whole;

	if (!columns_take_memcg(&rest, &id) || text_peek(&rest) != '/' ||
	    !text_take_line(&rest, &path, &whole) || !whole)
		return false;
	close_block(p, false);
	open_memcg(p, id, &path);
	*t = rest;
	return true;
}

ssize_t kparse_lru_gen(const char *text, size_t len, struct lru_gen_record *record,
		       kparse_lru_gen_emit_t emit, void *userdata)
{
	struct parser p = {.block.record = record, .emit = emit, .userdata = userdata, .node = -1};
	struct text t = text_of(text, len), line;
	bool whole;

	for (;;) {
		if (p.in_block)
			block_take(&p.block, &t);
		if (take_node(&p, &t) || take_memcg(&p, &t))
			continue;
		if (!text_take_line(&t, &line, &whole))
			break;
		if (whole)
			parse_line(&p, line);
		else
			parse_torn_line(&p, line);
	}
	close_block(&p, true);
	return p.any || len == 0 ? p.n_records : -EINVAL;
}
