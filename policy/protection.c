/* SPDX-License-Identifier: MIT */
/*
 * Protection, enforced here since the kernel does not: memory.reclaim ignores the written cgroup's
 * own min and low, and lru_gen's eviction ignores all of them (mm/vmscan.c: run_eviction).
 *
 * The rule down the tree is stricter than the kernel's, and simpler: no plan takes any cgroup,
 * leaf or ancestor, below its own min or low, whoever the protected bytes belong to.
 */
#include "protection.h"
#include "arith.h"

uint64_t protection_floor_bytes(const struct class_params *class, const struct memcg_sample *sample,
				const struct memcg_state *state)
{
	uint64_t floor_bytes = class->floor_ppm ? mul_div(state->peak_bytes, class->floor_ppm, PPM)
						: class->floor_bytes;

	/* SAMPLE_INFINITY, memory.min=max, is larger than any usage: all is protected. */
	if (sample->min_bytes != SAMPLE_UNKNOWN)
		floor_bytes = max_u64(floor_bytes, sample->min_bytes);
	if (sample->low_bytes != SAMPLE_UNKNOWN)
		floor_bytes = max_u64(floor_bytes, sample->low_bytes);
	return floor_bytes;
}

uint64_t protection_room_bytes(const struct snapshot *snapshot, size_t index, uint64_t floor_bytes,
			       const uint64_t *planned_bytes)
{
	uint64_t room_bytes = UINT64_MAX;

	for (int64_t i = (int64_t)index; i >= 0; i = snapshot->memcgs[i].parent) {
		const struct memcg_sample *memcg = &snapshot->memcgs[i];
		uint64_t keep_bytes = (size_t)i == index ? floor_bytes : 0;

		/* The root has neither usage nor protection of its own. */
		if (!is_number(memcg->current_bytes) && memcg->parent < 0)
			continue;
		if (!is_number(memcg->current_bytes) || memcg->min_bytes == SAMPLE_UNKNOWN ||
		    memcg->low_bytes == SAMPLE_UNKNOWN)
			return 0;
		keep_bytes = max_u64(keep_bytes, max_u64(memcg->min_bytes, memcg->low_bytes));
		keep_bytes = saturating_add(keep_bytes, planned_bytes[i]);
		room_bytes = min_u64(room_bytes, saturating_sub(memcg->current_bytes, keep_bytes));
	}
	return room_bytes;
}

void protection_book(const struct snapshot *snapshot, size_t index, uint64_t bytes,
		     uint64_t *planned_bytes)
{
	for (int64_t i = (int64_t)index; i >= 0; i = snapshot->memcgs[i].parent)
		planned_bytes[i] = saturating_add(planned_bytes[i], bytes);
}
