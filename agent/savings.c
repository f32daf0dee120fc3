/* SPDX-License-Identifier: MIT */
/*
 * What our reclaim is worth: see savings.h.
 */
#include "savings.h"
#include "arith.h"

void savings_book(struct memcg *memcg, enum lru_type type, uint64_t freed_bytes)
{
	memcg->freed.held_bytes[type] = saturating_add(memcg->freed.held_bytes[type], freed_bytes);
}

static void look_at(struct savings *savings, struct memcg *memcg, enum lru_type type,
		    uint64_t page_bytes)
{
	uint64_t *held_bytes = &memcg->freed.held_bytes[type];
	uint64_t *seen_pages = &memcg->freed.refault_pages[type];
	uint64_t pages = memcg->state.last.refault_pages[type];
	uint64_t came_pages = counter_delta(pages, *seen_pages);
	uint64_t returned_bytes =
		min_u64(saturating_mul(number_or(came_pages, 0), page_bytes), *held_bytes);

	/* An interval without a counter is made up for by the next one. */
	if (is_number(pages))
		*seen_pages = pages;
	*held_bytes -= returned_bytes;
	savings->returned_bytes = saturating_add(savings->returned_bytes, returned_bytes);
	if (type == LRU_ANON && is_number(memcg->state.last.swap_current_bytes))
		*held_bytes = min_u64(*held_bytes, memcg->state.last.swap_current_bytes);
	savings->held_bytes[type] = saturating_add(savings->held_bytes[type], *held_bytes);
}

void savings_look(struct savings *savings, struct memcg *const *memcgs, size_t n,
		  uint64_t page_bytes)
{
	for (enum lru_type type = 0; type < _LRU_TYPE_MAX; type++) {
		savings->held_bytes[type] = 0;
		for (size_t i = 0; i < n; i++)
			look_at(savings, memcgs[i], type, page_bytes);
	}
}

uint64_t savings_cost_bytes(const struct savings *savings, const struct swap_memory *swap)
{
	uint64_t anon_bytes = savings->held_bytes[LRU_ANON];

	if (anon_bytes == 0 || swap->swapped_bytes == 0)
		return 0;
	if (!is_number(swap->held_bytes))
		return SAMPLE_UNKNOWN;
	return min_u64(mul_div(anon_bytes, swap->held_bytes, swap->swapped_bytes),
		       swap->held_bytes);
}

uint64_t savings_net_bytes(const struct savings *savings, const struct swap_memory *swap)
{
	uint64_t held_bytes =
		saturating_add(savings->held_bytes[LRU_ANON], savings->held_bytes[LRU_FILE]);
	uint64_t cost_bytes = savings_cost_bytes(savings, swap);

	return is_number(cost_bytes) ? saturating_sub(held_bytes, cost_bytes) : SAMPLE_UNKNOWN;
}
