/* SPDX-License-Identifier: MIT */
#include "limit.h"
#include "arith.h"

bool limit_look(const struct snapshot *snapshot, const struct memcg_state *states, size_t index,
		const struct limit_want *want, struct limit *ret)
{
	const struct memcg_sample *sample = &snapshot->memcgs[index];
	const struct memcg_state *state = &states[index];

	*ret = (struct limit){
		.memcg = index,
		.limit_bytes = limit_bytes_of(sample),
		.growth_bps = state->growth_bps,
	};
	if (!is_number(ret->limit_bytes) || !is_number(sample->current_bytes) || !state->primed ||
	    sample->skipped)
		return false;
	ret->free_bytes = saturating_sub(ret->limit_bytes, sample->current_bytes);
	ret->headroom_bytes =
		min_u64(max_u64(mul_div(state->growth_bps, want->span_usec, USEC_PER_SEC),
				mul_div(ret->limit_bytes, want->least_ppm, PPM)),
			mul_div(ret->limit_bytes, want->most_ppm, PPM));
	return true;
}

uint64_t limit_need_bytes(const struct limit *limit, uint64_t planned_bytes)
{
	return saturating_sub(limit->headroom_bytes,
			      saturating_add(limit->free_bytes, planned_bytes));
}

void limit_hasten(const struct limit *limit, struct plan *plan)
{
	uint64_t left_usec;

	if (limit->growth_bps == 0)
		return;
	left_usec = mul_div(limit->free_bytes, USEC_PER_SEC, limit->growth_bps);
	plan->next_usec = min_u64(plan->next_usec, max_u64(left_usec / 2, LIMIT_NEXT_LEAST_USEC));
}
