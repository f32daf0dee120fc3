/* SPDX-License-Identifier: MIT */
/*
 * Whether anon may go to swap at all: the host's and the administrator's side.
 *
 * With zswap it depends on the memcg where it goes. The kernel asks each of it and its ancestors:
 * memory.zswap.max is a limit of what they hold there, 0 of them is none at all, and what one of them
 * or the pool of the host refuses goes to the device, or an older page of it does in its place. With
 * memory.zswap.writeback of 0 in one of them nothing goes to a device, not even to zram, and what
 * zswap refuses stays. Room is told in compressed bytes; a page takes no more than its size.
 *
 * Sources: mm/memcontrol.c obj_cgroup_may_zswap(), mem_cgroup_zswap_writeback_enabled(), mm/zswap.c
 * zswap_store() and mm/page_io.c swap_writepage() of Linux 6.12.
 */
#include "swap_room.h"
#include "arith.h"

/* Swap is kept free for those who need it at once. */
#define SWAP_RESERVE_DIVISOR 5

/* What a limit of a memcg leaves below it: without end where there is none, nothing where that is not
 * known. */
static uint64_t left_bytes(const struct memcg_sample *memcg, uint64_t max_bytes,
			   uint64_t current_bytes)
{
	/* The root has no such limit. */
	if (max_bytes == SAMPLE_INFINITY || (max_bytes == SAMPLE_UNKNOWN && memcg->parent < 0))
		return UINT64_MAX;
	if (!is_number(max_bytes) || !is_number(current_bytes))
		return 0;
	return saturating_sub(max_bytes, current_bytes);
}

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

		room_bytes = min_u64(room_bytes, left_bytes(memcg, memcg->swap_max_bytes,
							    memcg->swap_current_bytes));
	}
	return room_bytes;
}

/* What zswap takes of a memcg beside the plan; *ret_only: nothing may go past it. */
static uint64_t zswap_room_bytes(const struct snapshot *snapshot, size_t index,
				 const struct plan *plan, bool *ret_only)
{
	uint64_t room_bytes = snapshot->system.zswap_room_bytes;

	*ret_only = false;
	for (int64_t i = (int64_t)index; i >= 0; i = snapshot->memcgs[i].parent) {
		const struct memcg_sample *memcg = &snapshot->memcgs[i];

		*ret_only = *ret_only || memcg->zswap_only;
		room_bytes = min_u64(room_bytes, left_bytes(memcg, memcg->zswap_max_bytes,
							    memcg->zswap_current_bytes));
	}
	return saturating_sub(room_bytes, plan->swap_bytes);
}

enum swap_way swap_way(const struct snapshot *snapshot, size_t index, const struct plan *plan,
		       uint64_t least_bytes, uint64_t *ret_room_bytes)
{
	const struct system_sample *system = &snapshot->system;
	bool zswap_only = false;
	uint64_t room_bytes = UINT64_MAX;

	if (system->zswap)
		room_bytes = zswap_room_bytes(snapshot, index, plan, &zswap_only);
	*ret_room_bytes = room_bytes;
	if (system->zswap ? room_bytes >= least_bytes : system->swap_is_zram)
		return SWAP_MEMORY;
	*ret_room_bytes = system->swap_is_zram && !zswap_only ? UINT64_MAX : 0;
	if (zswap_only)
		return SWAP_NOWHERE;
	return system->swap_is_zram ? SWAP_MEMORY : SWAP_DISK;
}

uint64_t swap_write_room_bytes(const struct policy_params *params, const struct snapshot *snapshot,
			       size_t index, const struct plan *plan)
{
	const struct system_sample *system = &snapshot->system;
	uint64_t room_bytes;

	if (params->anon == ANON_NO)
		return 0;
	if (swap_way(snapshot, index, plan, params->write_max_bytes, &room_bytes) != SWAP_DISK)
		return room_bytes;
	if (params->anon == ANON_AUTO || system->swap_rotates)
		return 0;
	if (params->swap_write_bytes == UINT64_MAX)
		return UINT64_MAX;
	return saturating_sub(params->swap_write_bytes,
			      saturating_add(system->swap_written_bytes, plan->disk_bytes));
}

/* The same of a disk, with a verdict. */
static bool disk_refuses(const struct memcg_view *view, const struct plan *plan)
{
	const struct system_sample *system = &view->snapshot->system;

	if (view->params->anon == ANON_AUTO) {
		view_say(view, REASON_SWAP_DEVICE, 0, 0);
		return true;
	}
	if (system->swap_rotates) {
		view_say(view, REASON_SWAP_ROTATES, 0, 0);
		return true;
	}
	if (swap_write_room_bytes(view->params, view->snapshot, view->index, plan) <
	    view->snapshot->page_bytes) {
		view_say(view, REASON_SWAP_BUDGET,
			 saturating_add(system->swap_written_bytes, plan->disk_bytes),
			 view->params->swap_write_bytes);
		return true;
	}
	return false;
}

bool swap_refuses_anon(const struct memcg_view *view, const struct plan *plan)
{
	const struct system_sample *system = &view->snapshot->system;
	uint64_t room_bytes = swap_room_bytes(view, plan);
	enum swap_way way;

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
	way = swap_way(view->snapshot, view->index, plan, view->params->write_max_bytes,
		       &room_bytes);
	if (way == SWAP_NOWHERE) {
		view_say(view, REASON_ZSWAP_FULL, room_bytes, view->params->write_max_bytes);
		return true;
	}
	return way == SWAP_DISK && disk_refuses(view, plan);
}

bool swap_is_possible(const struct snapshot *snapshot, size_t index)
{
	if (snapshot->system.swap_total_bytes == 0)
		return false;
	for (int64_t i = (int64_t)index; i >= 0; i = snapshot->memcgs[i].parent)
		if (snapshot->memcgs[i].swap_max_bytes == 0)
			return false;
	return true;
}
