/* SPDX-License-Identifier: MIT */
#include "estimate.h"
#include "arith.h"
#include "refault.h"

static uint64_t all_out_bytes(const struct estimate *estimate)
{
	return saturating_add(estimate->out_bytes[LRU_ANON], estimate->out_bytes[LRU_FILE]);
}

static void come_back(struct estimate *estimate, enum lru_type type, uint64_t bytes)
{
	bytes = min_u64(bytes, estimate->out_bytes[type]);
	estimate->out_bytes[type] -= bytes;
	estimate->returned_bytes = saturating_add(estimate->returned_bytes, bytes);
}

/* The oldest generation that may hold pages of this type; NULL: none does. */
static const struct gen_sample *oldest(const struct lruvec_sample *lruvec, enum lru_type type)
{
	for (uint32_t g = 0; g < lruvec->n_gens; g++)
		if (is_number(lruvec->gens[g].pages[type]))
			return &lruvec->gens[g];
	return NULL;
}

/* Follows pages that were merged into the next generation; true if some were. */
static bool follow(struct estimate *estimate, const struct snapshot *snapshot,
		   const struct memcg_sample *sample, enum lru_type type)
{
	bool moved = false;

	for (uint32_t v = 0; v < sample->n_lruvecs; v++) {
		const struct lruvec_sample *lruvec = &snapshot->lruvecs[sample->first_lruvec + v];
		const struct gen_sample *gen = oldest(lruvec, type);
		uint64_t *seq;

		if (lruvec->node >= ESTIMATE_NODES || !gen)
			continue;
		seq = &estimate->seqs[type][lruvec->node];
		if (*seq == 0 || gen->seq <= *seq)
			continue;
		*seq = gen->seq;
		moved = true;
	}
	return moved;
}

/* What the generations taken from hold now. */
static uint64_t held_bytes(const struct estimate *estimate, const struct snapshot *snapshot,
			   const struct memcg_sample *sample, enum lru_type type)
{
	uint64_t pages = 0;

	for (uint32_t v = 0; v < sample->n_lruvecs; v++) {
		const struct lruvec_sample *lruvec = &snapshot->lruvecs[sample->first_lruvec + v];

		if (lruvec->node >= ESTIMATE_NODES)
			continue;
		for (uint32_t g = 0; g < lruvec->n_gens; g++) {
			const struct gen_sample *gen = &lruvec->gens[g];

			if (estimate->seqs[type][lruvec->node] > 0 &&
			    gen->seq <= estimate->seqs[type][lruvec->node])
				pages = saturating_add(pages, number_or(gen->pages[type], 0));
		}
	}
	return saturating_mul(pages, snapshot->page_bytes);
}

static void look_at(struct estimate *estimate, const struct snapshot *snapshot,
		    const struct memcg_sample *sample, enum lru_type type)
{
	uint64_t former_bytes = estimate->held_bytes[type];
	bool moved = follow(estimate, snapshot, sample, type);
	uint64_t now_bytes = held_bytes(estimate, snapshot, sample, type);

	/* Where they were merged others were already: what was lost cannot be seen this time. */
	if (!moved && former_bytes > 0 && now_bytes < former_bytes)
		come_back(estimate, type,
			  in_proportion(former_bytes - now_bytes,
					min_u64(estimate->out_bytes[type], former_bytes),
					former_bytes));
	estimate->held_bytes[type] = now_bytes;
}

void estimate_look(struct estimate *estimate, const struct snapshot *snapshot,
		   const struct memcg_sample *sample)
{
	for (enum lru_type type = 0; type < _LRU_TYPE_MAX; type++) {
		uint64_t lru_bytes = sample->lru_bytes[type];

		if (sample->listed)
			look_at(estimate, snapshot, sample, type);
		/* More than there is cannot be out. */
		if (is_number(lru_bytes))
			come_back(estimate, type,
				  saturating_sub(estimate->out_bytes[type], lru_bytes));
	}
}

/* --- taking */

/* What a decision finds there. */
static uint64_t there_bytes(struct estimate *estimate, const struct snapshot *snapshot,
			    const struct memcg_sample *sample, const struct decision *decision,
			    enum lru_type type)
{
	uint64_t lru_bytes = number_or(sample->lru_bytes[type], 0);

	if (decision->action == ACTION_RECLAIM)
		return lru_bytes;
	if (decision->node >= ESTIMATE_NODES || !sample->listed)
		return 0;
	estimate->seqs[type][decision->node] =
		max_u64(estimate->seqs[type][decision->node], decision->seq);
	estimate->held_bytes[type] = held_bytes(estimate, snapshot, sample, type);
	return min_u64(estimate->held_bytes[type], lru_bytes);
}

/* File shows no use while it is there: what comes back of it is what came back of other file. */
static void judge_file(struct estimate *estimate, const struct memcg_state *state, uint64_t bytes)
{
	uint64_t return_ppm = refault_settled_return_ppm(state);

	if (!is_number(return_ppm))
		return_ppm = refault_return_ppm(state);
	if (is_number(return_ppm))
		come_back(estimate, LRU_FILE, mul_div(bytes, return_ppm, PPM));
	else
		estimate->unjudged_bytes = saturating_add(estimate->unjudged_bytes, bytes);
}

uint64_t estimate_take(struct estimate *estimate, const struct snapshot *snapshot,
		       const struct memcg_state *state, const struct decision *decision,
		       uint64_t floor_bytes)
{
	const struct memcg_sample *sample = &snapshot->memcgs[decision->memcg];
	enum lru_type type =
		decision->action == ACTION_EVICT && decision->swappiness != SWAPPINESS_FILE_ONLY
			? LRU_ANON
			: LRU_FILE;
	uint64_t bytes, room_bytes, out_bytes = all_out_bytes(estimate);

	if (decision->action != ACTION_EVICT && decision->action != ACTION_RECLAIM)
		return 0;
	bytes = saturating_sub(there_bytes(estimate, snapshot, sample, decision, type),
			       estimate->out_bytes[type]);
	room_bytes = saturating_sub(number_or(sample->current_bytes, 0),
				    saturating_add(out_bytes, floor_bytes));
	bytes = min_u64(min_u64(bytes, room_bytes), decision->bytes);
	estimate->freed_bytes = saturating_add(estimate->freed_bytes, bytes);
	estimate->out_bytes[type] = saturating_add(estimate->out_bytes[type], bytes);
	if (type == LRU_FILE)
		judge_file(estimate, state, bytes);
	return bytes;
}
