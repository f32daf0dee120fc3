/* SPDX-License-Identifier: MIT */
/*
 * Protection, enforced here since the kernel does not: memory.reclaim ignores the written cgroup's
 * own min and low, and lru_gen's eviction ignores all of them (mm/vmscan.c: run_eviction).
 *
 * Effective protection comes down the tree as in the kernel (mm/page_counter.c:
 * page_counter_calculate_protection; Documentation/admin-guide/cgroup-v2.rst): a memcg claims the
 * part of its setting that it uses; children that together claim more than their parent has share
 * that in proportion to their claims; and with memory_recursiveprot what nobody claims goes to what
 * is used beyond the claims, in proportion. Below the root a setting is effective as it is.
 *
 * Two rules are stricter than the kernel's: a memcg's own min and low count whole where its parent
 * grants less, and no plan takes an ancestor below its own, whoever the protected bytes belong to.
 *
 * The class's floor is one of memory that can be reclaimed. What cannot is none of it: unevictable
 * pages, the kernel's own memory, and anon for which swap has no room. (oomd counted that in, and
 * where there was much of it the floor was met and all the rest was taken: oomd#141.)
 */
#include "protection.h"
#include "arith.h"
#include "swap_room.h"

/* The part of a setting that is used; SAMPLE_INFINITY, "max", is all. An unknown one claims nothing:
 * its memcg is not taken from anyway. */
static uint64_t claim_bytes(const struct memcg_sample *sample, uint64_t setting_bytes)
{
	uint64_t used_bytes = number_or(sample->current_bytes, 0);

	return setting_bytes == SAMPLE_UNKNOWN ? 0 : min_u64(setting_bytes, used_bytes);
}

/* It has neither usage nor settings of its own, and those of its children are effective as they are. In
 * a cgroup namespace the topmost memcg is one like any other. */
static bool is_root(const struct memcg_sample *sample)
{
	return sample->parent < 0 && !is_number(sample->current_bytes);
}

struct claims {
	uint64_t own_bytes;
	uint64_t siblings_bytes; /* all children's of the parent, its own among them */
	uint64_t parent_bytes;   /* effective protection of the parent */
};

static uint64_t effective_bytes(const struct claims *claims, uint64_t used_bytes,
				uint64_t parent_used_bytes, bool recursive)
{
	uint64_t unclaimed_bytes, beyond_bytes, all_beyond_bytes;

	if (claims->siblings_bytes > claims->parent_bytes)
		return in_proportion(claims->own_bytes, claims->parent_bytes,
				     claims->siblings_bytes);
	if (!recursive)
		return claims->own_bytes;
	unclaimed_bytes = claims->parent_bytes - claims->siblings_bytes;
	beyond_bytes = used_bytes - claims->own_bytes;
	/* Read one after the other, children can seem to use more than their parent. */
	all_beyond_bytes =
		max_u64(saturating_sub(parent_used_bytes, claims->siblings_bytes), beyond_bytes);
	return claims->own_bytes + in_proportion(unclaimed_bytes, beyond_bytes, all_beyond_bytes);
}

static void come_down(const struct snapshot *snapshot, struct memcg_state *states, size_t i)
{
	const struct memcg_sample *sample = &snapshot->memcgs[i];
	const struct memcg_sample *parent =
		sample->parent < 0 ? NULL : &snapshot->memcgs[sample->parent];
	uint64_t used_bytes = number_or(sample->current_bytes, 0);
	struct protection *own = &states[i].protection;
	const struct protection *from;
	struct claims min = {.own_bytes = claim_bytes(sample, sample->min_bytes)};
	struct claims low = {.own_bytes = claim_bytes(sample, sample->low_bytes)};

	own->min_bytes = min.own_bytes;
	own->low_bytes = low.own_bytes;
	if (!parent || is_root(parent))
		return;
	from = &states[sample->parent].protection;
	min.siblings_bytes = from->children_min_bytes;
	min.parent_bytes = from->min_bytes;
	low.siblings_bytes = from->children_low_bytes;
	low.parent_bytes = from->low_bytes;
	own->min_bytes = effective_bytes(&min, used_bytes, number_or(parent->current_bytes, 0),
					 snapshot->system.recursive_protection);
	own->low_bytes = effective_bytes(&low, used_bytes, number_or(parent->current_bytes, 0),
					 snapshot->system.recursive_protection);
}

/* How much could be swapped out of a memcg, by the host's free swap, by swap.max, and by zswap where
 * nothing may go past it. */
static uint64_t swap_bytes(const struct snapshot *snapshot, size_t index)
{
	static const struct plan nothing;
	uint64_t room_bytes = number_or(snapshot->system.swap_free_bytes, 0), zswap_bytes;

	if (swap_way(snapshot, index, &nothing, snapshot->page_bytes, &zswap_bytes) == SWAP_NOWHERE)
		return 0;

	for (int64_t i = (int64_t)index; i >= 0; i = snapshot->memcgs[i].parent) {
		const struct memcg_sample *memcg = &snapshot->memcgs[i];

		if (is_number(memcg->swap_max_bytes))
			room_bytes = min_u64(
				room_bytes,
				saturating_sub(memcg->swap_max_bytes,
					       number_or(memcg->swap_current_bytes, UINT64_MAX)));
	}
	return room_bytes;
}

/* What is charged to a leaf and cannot be reclaimed. */
static uint64_t locked_bytes(const struct snapshot *snapshot, size_t index)
{
	const struct memcg_sample *sample = &snapshot->memcgs[index];
	uint64_t anon_bytes = sample->lru_bytes[LRU_ANON], file_bytes = sample->lru_bytes[LRU_FILE];

	if (!sample->leaf || !is_number(sample->current_bytes) || !is_number(anon_bytes) ||
	    !is_number(file_bytes))
		return 0;
	anon_bytes = min_u64(anon_bytes, swap_bytes(snapshot, index));
	return saturating_sub(sample->current_bytes, saturating_add(anon_bytes, file_bytes));
}

void protection_step(const struct snapshot *snapshot, struct memcg_state *states)
{
	for (size_t i = 0; i < snapshot->n_memcgs; i++)
		states[i].protection = (struct protection){0};
	for (size_t i = 0; i < snapshot->n_memcgs; i++) {
		const struct memcg_sample *sample = &snapshot->memcgs[i];
		struct protection *parent;

		if (sample->parent < 0)
			continue;
		parent = &states[sample->parent].protection;
		parent->children_min_bytes = saturating_add(parent->children_min_bytes,
							    claim_bytes(sample, sample->min_bytes));
		parent->children_low_bytes = saturating_add(parent->children_low_bytes,
							    claim_bytes(sample, sample->low_bytes));
	}
	for (size_t i = 0; i < snapshot->n_memcgs; i++) {
		come_down(snapshot, states, i);
		states[i].protection.locked_bytes = locked_bytes(snapshot, i);
	}
}

uint64_t protection_kernel_bytes(const struct memcg_sample *sample, const struct memcg_state *state)
{
	uint64_t bytes = max_u64(state->protection.min_bytes, state->protection.low_bytes);

	/* SAMPLE_INFINITY, memory.min=max, is larger than any usage: all is protected. */
	if (sample->min_bytes != SAMPLE_UNKNOWN)
		bytes = max_u64(bytes, sample->min_bytes);
	if (sample->low_bytes != SAMPLE_UNKNOWN)
		bytes = max_u64(bytes, sample->low_bytes);
	return bytes;
}

uint64_t protection_floor_bytes(const struct class_params *class, const struct memcg_sample *sample,
				const struct memcg_state *state)
{
	uint64_t locked_bytes = state->protection.locked_bytes;
	uint64_t floor_bytes = class->floor_ppm
				       ? mul_div(saturating_sub(state->peak_bytes, locked_bytes),
						 class->floor_ppm, PPM)
				       : class->floor_bytes;

	/* What Protect=auto wants holds here whether or not the kernel could be told. */
	floor_bytes = max_u64(saturating_add(locked_bytes, floor_bytes), state->protect.low_bytes);
	return max_u64(floor_bytes, protection_kernel_bytes(sample, state));
}

enum floor_layer protection_floor_layer(const struct class_params *class,
					const struct memcg_sample *sample,
					const struct memcg_state *state)
{
	uint64_t bytes = protection_floor_bytes(class, sample, state);

	if (bytes == 0)
		return FLOOR_NONE;
	if (sample->min_bytes == bytes)
		return FLOOR_OWN_MIN;
	if (sample->low_bytes == bytes)
		return FLOOR_OWN_LOW;
	if (state->protection.min_bytes == bytes)
		return FLOOR_GIVEN_MIN;
	if (state->protection.low_bytes == bytes)
		return FLOOR_GIVEN_LOW;
	if (state->protect.low_bytes == bytes)
		return FLOOR_PROTECT;
	return state->protection.locked_bytes == bytes ? FLOOR_LOCKED : FLOOR_CLASS;
}

const char *floor_layer_to_string(enum floor_layer layer)
{
	static const char *const names[_FLOOR_LAYER_MAX] = {
		[FLOOR_NONE] = "nothing",
		[FLOOR_OWN_MIN] = "memory.min",
		[FLOOR_OWN_LOW] = "memory.low",
		[FLOOR_GIVEN_MIN] = "an ancestor's memory.min",
		[FLOOR_GIVEN_LOW] = "an ancestor's memory.low",
		[FLOOR_PROTECT] = "Protect=auto",
		[FLOOR_LOCKED] = "what nobody can reclaim",
		[FLOOR_CLASS] = "Floor=",
	};

	return (size_t)layer < _FLOOR_LAYER_MAX ? names[layer] : "invalid";
}

uint64_t protection_room_bytes(const struct snapshot *snapshot, size_t index, uint64_t floor_bytes,
			       const uint64_t *planned_bytes)
{
	uint64_t room_bytes = UINT64_MAX;

	for (int64_t i = (int64_t)index; i >= 0; i = snapshot->memcgs[i].parent) {
		const struct memcg_sample *memcg = &snapshot->memcgs[i];
		uint64_t keep_bytes = (size_t)i == index ? floor_bytes : 0;

		if (is_root(memcg))
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
