/* SPDX-License-Identifier: MIT */
#include "file_reclaim.h"
#include "arith.h"
#include "backoff.h"
#include "consider.h"
#include "swap_room.h"

/* Without swappiness= the kernel may swap as well: only where that is allowed, or cannot be. */
static bool may_swap(const struct policy_params *params, const struct class_params *class,
		     const struct snapshot *snapshot, size_t index)
{
	static const struct plan nothing;

	if (snapshot->system.swap_total_bytes == 0 || snapshot->memcgs[index].swap_max_bytes == 0)
		return true;
	return class->reclaim != RECLAIM_FILE &&
	       swap_write_room_bytes(params, snapshot, index, &nothing) > 0;
}

static bool is_held(const struct memcg_state *state, uint64_t now_usec, bool heed_refaults,
		    struct verdict *ret)
{
	return backoff_holds(state, now_usec, ret) && ret->reason != REASON_HOLD_PRESSURE &&
	       (ret->reason != REASON_HOLD_REFAULT || heed_refaults);
}

bool file_reclaim_refused(const struct policy_params *params, const struct snapshot *snapshot,
			  size_t index, bool heed_refaults, struct memcg_state *state,
			  uint32_t *ret_swappiness)
{
	const struct memcg_sample *sample = &snapshot->memcgs[index];
	const struct system_sample *system = &snapshot->system;
	const struct class_params *class;
	struct verdict held;

	if (!consider_has_class(params, sample) || sample->omitted || sample->closed ||
	    sample->busy || sample->frozen || sample->skipped)
		return true;
	class = &params->classes[sample->class_index];
	if (class->reclaim != RECLAIM_FILE && class->reclaim != RECLAIM_ALL)
		return true;
	if (is_held(state, snapshot->now_usec, heed_refaults, &held)) {
		state->verdict = held;
		return true;
	}
	*ret_swappiness = SWAPPINESS_FILE_ONLY;
	if (!system->reclaim_swappiness) {
		*ret_swappiness = SWAPPINESS_DEFAULT;
		if (!may_swap(params, class, snapshot, index)) {
			state->verdict = (struct verdict){.reason = REASON_SWAPPINESS};
			return true;
		}
	}
	return false;
}

uint64_t file_reclaim_clean_bytes(const struct memcg_sample *sample)
{
	uint64_t unclean_bytes = saturating_add(number_or(sample->file_dirty_bytes, 0),
						number_or(sample->file_writeback_bytes, 0));

	return saturating_sub(number_or(sample->lru_bytes[LRU_FILE], 0), unclean_bytes);
}

void file_reclaim_ask(size_t index, uint64_t bytes, uint32_t swappiness, const struct verdict *why,
		      struct memcg_state *state, struct plan *plan)
{
	plan->decisions[plan->n_decisions++] = (struct decision){
		.memcg = index,
		.action = ACTION_RECLAIM,
		.reason = why->reason,
		.swappiness = swappiness,
		.bytes = bytes,
	};
	state->verdict = *why;
	state->verdict.action = ACTION_RECLAIM;
	state->verdict.bytes = bytes;
}
