/* SPDX-License-Identifier: MIT */
#ifndef FGRECLAIM_POLICY_QUOTA_H
#define FGRECLAIM_POLICY_QUOTA_H

#include "params.h"
#include "state.h"

/* What a plan takes so far. */
struct quota {
	uint64_t *planned_bytes; /* one entry a memcg: from it, descendants included */
	struct {
		uint64_t held_bytes;    /* by the leaves of a class */
		uint64_t planned_bytes; /* that SAVER takes of these */
	} classes[CLASSES_MAX];
};

/* Nothing planned yet; planned_bytes is set to 0. */
void quota_init(struct quota *ret, const struct snapshot *snapshot, uint64_t *planned_bytes);

/* Bytes that SAVER may still take from snapshot->memcgs[index] in dt_usec so that what is taken
 * below each of its ancestors, from its class, and on the host as a whole, stays within 2 % of it a
 * second, or 8 MiB. 0 where an ancestor's size is not known. */
uint64_t quota_room_bytes(const struct snapshot *snapshot, size_t index, uint64_t dt_usec,
			  const struct quota *quota);

/* Writes that one class may have under way while n_classes have some to do: an even share of all,
 * rounded up. */
uint32_t quota_in_flight(uint32_t concurrency, uint32_t n_classes);

/* Enters a plan to take bytes from a memcg. */
void quota_book(const struct snapshot *snapshot, size_t index, uint64_t bytes, struct quota *quota);

#endif
