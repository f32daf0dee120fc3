/* SPDX-License-Identifier: MIT */
/*
 * Whether anon may go to swap at all: the host's and the administrator's side.
 */
#include "swap_room.h"
#include "arith.h"

/* Swap is kept free for those who need it at once. */
#define SWAP_RESERVE_DIVISOR 5

/* What may still be swapped out: the host's free swap but for the reserve and for what this plan
 * swaps already, and what swap.max leaves in this memcg and each of its ancestors. */
static uint64_t swap_room_bytes(const struct memcg_view *view, const struct plan *plan)
{
	const struct system_sample *system = &view->snapshot->system;
	uint64_t reserve_bytes = number_or(system->swap_total_bytes, 0) / SWAP_RESERVE_DIVISOR;
	uint64_t room_bytes = saturating_sub(number_or(system->swap_free_bytes, 0),
					     saturating_add(reserve_bytes, plan->swap_bytes));

	for (int64_t i = (int64_t)view->index; i >= 0; i = view->snapshot->memcgs[i].parent) {
		const struct memcg_sample *memcg = &view->snapshot->memcgs[i];

		/* The root has no such limit. */
		if (memcg->swap_max_bytes == SAMPLE_INFINITY ||
		    (memcg->swap_max_bytes == SAMPLE_UNKNOWN && memcg->parent < 0))
			continue;
		if (!is_number(memcg->swap_max_bytes) || !is_number(memcg->swap_current_bytes))
			return 0;
		room_bytes = min_u64(room_bytes, saturating_sub(memcg->swap_max_bytes,
								memcg->swap_current_bytes));
	}
	return room_bytes;
}

uint64_t swap_write_room_bytes(const struct policy_params *params,
			       const struct system_sample *system, uint64_t planned_bytes)
{
	if (params->anon == ANON_NO)
		return 0;
	if (system->swap_is_memory)
		return UINT64_MAX;
	if (params->anon == ANON_AUTO || system->swap_rotates)
		return 0;
	if (params->swap_write_bytes == UINT64_MAX)
		return UINT64_MAX;
	return saturating_sub(params->swap_write_bytes,
			      saturating_add(system->swap_written_bytes, planned_bytes));
}

bool swap_refuses_anon(const struct memcg_view *view, const struct plan *plan)
{
	const struct system_sample *system = &view->snapshot->system;
	uint64_t room_bytes = swap_room_bytes(view, plan);

	if (view->params->anon == ANON_NO || view->class->reclaim == RECLAIM_FILE) {
		view_say(view, REASON_ANON_OFF, 0, 0);
		return true;
	}
	if (system->capability < CAPABILITY_GENERATIONS) {
		view_say(view, REASON_NO_GENERATIONS, 0, 0);
		return true;
	}
	if (room_bytes < view->params->write_max_bytes) {
		view_say(view, REASON_NO_SWAP, room_bytes, view->params->write_max_bytes);
		return true;
	}
	if (view->params->anon == ANON_AUTO && !system->swap_is_memory) {
		view_say(view, REASON_SWAP_DEVICE, 0, 0);
		return true;
	}
	if (!system->swap_is_memory && system->swap_rotates) {
		view_say(view, REASON_SWAP_ROTATES, 0, 0);
		return true;
	}
	if (swap_write_room_bytes(view->params, system, plan->swap_bytes) <
	    view->snapshot->page_bytes) {
		view_say(view, REASON_SWAP_BUDGET,
			 saturating_add(system->swap_written_bytes, plan->swap_bytes),
			 view->params->swap_write_bytes);
		return true;
	}
	return false;
}

bool swap_is_possible(const struct memcg_view *view)
{
	if (view->snapshot->system.swap_total_bytes == 0)
		return false;
	for (int64_t i = (int64_t)view->index; i >= 0; i = view->snapshot->memcgs[i].parent)
		if (view->snapshot->memcgs[i].swap_max_bytes == 0)
			return false;
	return true;
}
