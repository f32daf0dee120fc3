/* SPDX-License-Identifier: MIT */
#ifndef FGRECLAIM_POLICY_PROTECTION_H
#define FGRECLAIM_POLICY_PROTECTION_H

#include "params.h"
#include "state.h"

/* Renews state->protection of all memcgs. To be called once a plan, before anything is taken. */
void protection_step(const struct snapshot *snapshot, struct memcg_state *states);

/* What the kernel protects of a memcg: the larger of effective memory.min and memory.low, in bytes.
 * Its own settings count for it whole, whatever its ancestors grant. */
uint64_t protection_kernel_bytes(const struct memcg_sample *sample,
				 const struct memcg_state *state);

/* Bytes that a memcg may not be taken below: what the kernel protects of it; and its class's floor,
 * on top of what nobody can reclaim. */
uint64_t protection_floor_bytes(const struct class_params *class, const struct memcg_sample *sample,
				const struct memcg_state *state);

/* Which layer sets that floor: the strictest, and of equals the first. */
enum floor_layer {
	FLOOR_NONE,      /* nothing does: all may go */
	FLOOR_OWN_MIN,   /* its own memory.min, whole */
	FLOOR_OWN_LOW,   /* its own memory.low, whole */
	FLOOR_GIVEN_MIN, /* what ancestors' memory.min leaves for it */
	FLOOR_GIVEN_LOW,
	FLOOR_PROTECT, /* Protect=auto */
	FLOOR_LOCKED,  /* nobody can reclaim it; Floor= adds nothing */
	FLOOR_CLASS,   /* Floor=, on top of that */
	_FLOOR_LAYER_MAX,
};
enum floor_layer protection_floor_layer(const struct class_params *class,
					const struct memcg_sample *sample,
					const struct memcg_state *state);

/* A short word, such as "memory.low" or "Floor=". Never NULL. */
const char *floor_layer_to_string(enum floor_layer layer);

/* Bytes that may be taken from snapshot->memcgs[index] at most: down to its own floor, and in every
 * ancestor down to that one's min and low. planned_bytes, one entry a memcg, is what this plan
 * takes from each already, descendants included. */
uint64_t protection_room_bytes(const struct snapshot *snapshot, size_t index, uint64_t floor_bytes,
			       const uint64_t *planned_bytes);

/* Enters a plan to take bytes from a memcg into planned_bytes of itself and all its ancestors. */
void protection_book(const struct snapshot *snapshot, size_t index, uint64_t bytes,
		     uint64_t *planned_bytes);

#endif
