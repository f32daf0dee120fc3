/* SPDX-License-Identifier: MIT */
#include "limit.h"
#include "arith.h"

/* As much as headroom takes up: at most where a limit is shared (split.c), at least where not
 * (headroom.c). */
#define NEAR_SHARED_DIVISOR 5
#define NEAR_ALONE_DIVISOR  100

/* A shared limit of less than this part of the host's memory is always near: siblings under it are
 * looked at together. One above it, such as that of all containers of a host, is like the host's. */
#define HOST_DIVISOR 2

static uint64_t near_bytes(uint64_t limit_bytes, uint64_t ram_bytes, uint32_t n_leaves)
{
	if (n_leaves <= 1)
		return limit_bytes / NEAR_ALONE_DIVISOR;
	return limit_bytes < ram_bytes / HOST_DIVISOR ? SAMPLE_INFINITY
						      : limit_bytes / NEAR_SHARED_DIVISOR;
}
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
	if (want->at_once)
		ret->growth_bps = max_u64(state->growth_bps, state->growth_now_bps);
	ret->free_bytes = saturating_sub(ret->limit_bytes, sample->current_bytes);
	ret->headroom_bytes =
		min_u64(max_u64(mul_div(ret->growth_bps, want->span_usec, USEC_PER_SEC),
				mul_div(ret->limit_bytes, want->least_ppm, PPM)),
			mul_div(ret->limit_bytes, want->most_ppm, PPM));
	return true;
}

bool limit_needs_headroom(const struct snapshot *snapshot, const struct memcg_state *states,
			  size_t index, uint64_t *ret_free_bytes, uint64_t *ret_near_bytes)
{
	for (int64_t i = (int64_t)index; i >= 0; i = snapshot->memcgs[i].parent) {
		const struct memcg_sample *memcg = &snapshot->memcgs[i];
		uint64_t limit_bytes = limit_bytes_of(memcg);

		if (!is_number(limit_bytes) || !is_number(memcg->current_bytes))
			continue;
		*ret_free_bytes = saturating_sub(limit_bytes, memcg->current_bytes);
		*ret_near_bytes = near_bytes(limit_bytes, number_or(snapshot->system.ram_bytes, 0),
					     states[i].n_leaves);
		if (*ret_free_bytes < *ret_near_bytes)
			return true;
	}
	return false;
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
