/* SPDX-License-Identifier: MIT */
/*
 * What our reclaim is worth: see savings.h.
 */
#include "savings.h"
#include "arith.h"

void savings_book(struct memcg *memcg, enum lru_type type, uint64_t freed_bytes,
		  uint64_t cost_bytes)
{
	struct memcg_freed *freed = &memcg->freed;

	freed->held_bytes[type] = saturating_add(freed->held_bytes[type], freed_bytes);
	if (type != LRU_ANON)
		return;
	if (is_number(cost_bytes))
		freed->cost_bytes = saturating_add(freed->cost_bytes, cost_bytes);
	else
		freed->unpriced_bytes = saturating_add(freed->unpriced_bytes, freed_bytes);
}

/* Of what is no longer held swap holds no copy, either. */
static void shrink_cost(struct savings *savings, struct memcg_freed *freed, uint64_t former_bytes)
{
	uint64_t held_bytes = freed->held_bytes[LRU_ANON];

	if (held_bytes < former_bytes) {
		freed->cost_bytes = mul_div(freed->cost_bytes, held_bytes, former_bytes);
		freed->unpriced_bytes = mul_div(freed->unpriced_bytes, held_bytes, former_bytes);
	}
	savings->cost_bytes = saturating_add(savings->cost_bytes, freed->cost_bytes);
	savings->unpriced_bytes = saturating_add(savings->unpriced_bytes, freed->unpriced_bytes);
}

static void look_at(struct savings *savings, struct memcg *memcg, enum lru_type type,
		    uint64_t page_bytes)
{
	uint64_t *held_bytes = &memcg->freed.held_bytes[type];
	uint64_t *seen_pages = &memcg->freed.refault_pages[type], former_bytes = *held_bytes;
	uint64_t pages = memcg->state.last.refault_pages[type];
	uint64_t came_pages = counter_delta(pages, *seen_pages);
	uint64_t returned_bytes =
		min_u64(saturating_mul(number_or(came_pages, 0), page_bytes), *held_bytes);

	/* An interval without a counter is made up for by the next one. */
	if (is_number(pages))
		*seen_pages = pages;
	*held_bytes -= returned_bytes;
	savings->returned_bytes = saturating_add(savings->returned_bytes, returned_bytes);
	account_add(&memcg->account, ACCOUNT_RETURNED_BYTES, returned_bytes);
	if (type == LRU_ANON && is_number(memcg->state.last.swap_current_bytes))
		*held_bytes = min_u64(*held_bytes, memcg->state.last.swap_current_bytes);
	savings->held_bytes[type] = saturating_add(savings->held_bytes[type], *held_bytes);
	if (type == LRU_ANON)
		shrink_cost(savings, &memcg->freed, former_bytes);
}

void savings_look(struct savings *savings, struct memcg *const *memcgs, size_t n,
		  uint64_t page_bytes)
{
	savings->cost_bytes = savings->unpriced_bytes = 0;
	for (enum lru_type type = 0; type < _LRU_TYPE_MAX; type++) {
		savings->held_bytes[type] = 0;
		for (size_t i = 0; i < n; i++)
			look_at(savings, memcgs[i], type, page_bytes);
	}
}

uint64_t savings_cost_bytes(const struct savings *savings, const struct swap_memory *swap)
{
	uint64_t unpriced_bytes = savings->unpriced_bytes, cost_bytes = savings->cost_bytes;

	if (savings->held_bytes[LRU_ANON] == 0 || swap->swapped_bytes == 0)
		return 0;
	if (unpriced_bytes > 0 && !is_number(swap->held_bytes))
		return SAMPLE_UNKNOWN;
	if (unpriced_bytes > 0)
		cost_bytes = saturating_add(
			cost_bytes, mul_div(unpriced_bytes, swap->held_bytes, swap->swapped_bytes));
	return is_number(swap->held_bytes) ? min_u64(cost_bytes, swap->held_bytes) : cost_bytes;
}

uint64_t savings_net_bytes(const struct savings *savings, const struct swap_memory *swap)
{
	uint64_t held_bytes =
		saturating_add(savings->held_bytes[LRU_ANON], savings->held_bytes[LRU_FILE]);
	uint64_t cost_bytes = savings_cost_bytes(savings, swap);

	return is_number(cost_bytes) ? saturating_sub(held_bytes, cost_bytes) : SAMPLE_UNKNOWN;
}
