/* SPDX-License-Identifier: MIT */
#ifndef FGRECLAIM_POLICY_PROTECTION_H
#define FGRECLAIM_POLICY_PROTECTION_H

#include "params.h"
#include "state.h"

/* Bytes that a memcg may not be taken below: its class's floor, its own memory.min and memory.low.
 * */
uint64_t protection_floor_bytes(const struct class_params *class, const struct memcg_sample *sample,
				const struct memcg_state *state);

/* Bytes that may be taken from snapshot->memcgs[index] at most: down to its own floor, and in every
 * ancestor down to that one's min and low. planned_bytes, one entry a memcg, is what this plan
 * takes from each already, descendants included. */
uint64_t protection_room_bytes(const struct snapshot *snapshot, size_t index, uint64_t floor_bytes,
			       const uint64_t *planned_bytes);

/* Enters a plan to take bytes from a memcg into planned_bytes of itself and all its ancestors. */
void protection_book(const struct snapshot *snapshot, size_t index, uint64_t bytes,
		     uint64_t *planned_bytes);

#endif
