/* SPDX-License-Identifier: MIT */
#ifndef FGRECLAIM_POLICY_QUOTA_H
#define FGRECLAIM_POLICY_QUOTA_H

#include "state.h"

/* Bytes that SAVER may still take from snapshot->memcgs[index] in dt_usec so that what is taken
 * below each of its ancestors, and on the host as a whole, stays within 2 % of it a second, or 8 MiB.
 * planned_bytes, one entry a memcg, is what this plan takes from each already, descendants
 * included. 0 where an ancestor's size is not known. */
uint64_t quota_room_bytes(const struct snapshot *snapshot, size_t index, uint64_t dt_usec,
			  const uint64_t *planned_bytes);

#endif
