/* SPDX-License-Identifier: MIT */
#include "file_evict.h"
#include "arith.h"

/* lru_gen refuses to evict from the two youngest (MIN_NR_GENS). */
#define YOUNG_GENS 2

static const struct gen_sample *oldest_file(const struct lruvec_sample *lruvec, bool pass_anon)
{
	uint32_t g = 0;

	while (g < lruvec->n_gens &&
	       (pass_anon || number_or(lruvec->gens[g].pages[LRU_ANON], 0) == 0) &&
	       number_or(lruvec->gens[g].pages[LRU_FILE], 0) == 0)
		g++;
	if (g + YOUNG_GENS >= lruvec->n_gens || number_or(lruvec->gens[g].pages[LRU_FILE], 0) == 0)
		return NULL;
	return &lruvec->gens[g];
}

uint64_t file_evict_pages(const struct snapshot *snapshot, size_t index, bool pass_anon)
{
	const struct memcg_sample *sample = &snapshot->memcgs[index];
	uint64_t pages = 0;

	for (uint32_t v = 0; v < sample->n_lruvecs; v++) {
		const struct gen_sample *oldest =
			oldest_file(&snapshot->lruvecs[sample->first_lruvec + v], pass_anon);

		pages = saturating_add(pages, oldest ? oldest->pages[LRU_FILE] : 0);
	}
	return pages;
}

uint64_t file_evict_ask(const struct snapshot *snapshot, size_t index, bool pass_anon,
			uint64_t bytes, enum reason reason, struct plan *plan)
{
	const struct memcg_sample *sample = &snapshot->memcgs[index];
	uint64_t all_pages = file_evict_pages(snapshot, index, pass_anon), asked_bytes = 0;

	for (uint32_t v = 0; v < sample->n_lruvecs && plan->n_decisions < plan->capacity; v++) {
		const struct lruvec_sample *lruvec = &snapshot->lruvecs[sample->first_lruvec + v];
		const struct gen_sample *oldest = oldest_file(lruvec, pass_anon);
		uint64_t part_bytes;

		if (!oldest)
			continue;
		part_bytes = min_u64(mul_div(bytes, oldest->pages[LRU_FILE], all_pages),
				     saturating_mul(oldest->pages[LRU_FILE], snapshot->page_bytes));
		if (part_bytes < snapshot->page_bytes)
			continue;
		plan->decisions[plan->n_decisions++] = (struct decision){
			.memcg = index,
			.action = ACTION_EVICT,
			.reason = reason,
			.node = lruvec->node,
			.seq = oldest->seq,
			.swappiness = SWAPPINESS_FILE_ONLY,
			.bytes = part_bytes,
		};
		asked_bytes += part_bytes;
	}
	return asked_bytes;
}
