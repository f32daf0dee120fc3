/* SPDX-License-Identifier: MIT */
/*
 * Quotas of the whole. Each memcg has its own rate (saver.c), and a small one a larger share of
 * itself; a thousand of them together would swap out more than zram compresses or the host
 * forgives. So below every ancestor, and on the host, no more than 2 % of its memory a second goes
 * in idle sweeps, or what one memcg alone may lose. What is taken ahead of a limit does not count here: it must keep up with what
 * comes in, and has its own rate (split.c).
 */
#include "quota.h"
#include "arith.h"

#define QUOTA_PPM_PER_SEC   20000
#define QUOTA_BYTES_PER_SEC (UINT64_C(8) << 20)

static uint64_t quota_bytes(uint64_t held_bytes, uint64_t dt_usec)
{
	uint64_t bytes_per_sec =
		max_u64(mul_div(held_bytes, QUOTA_PPM_PER_SEC, PPM), QUOTA_BYTES_PER_SEC);

	return mul_div(bytes_per_sec, dt_usec, USEC_PER_SEC);
}

uint64_t quota_room_bytes(const struct snapshot *snapshot, size_t index, uint64_t dt_usec,
			  const uint64_t *planned_bytes)
{
	uint64_t room_bytes = UINT64_MAX;

	/* As in saver.c: one that was read long ago, since its counters are dear, has saved up nothing
	 * for all the others below its ancestors. */
	dt_usec = min_u64(dt_usec, saturating_mul(2, snapshot->interval_usec));
	for (int64_t i = snapshot->memcgs[index].parent; i >= 0; i = snapshot->memcgs[i].parent) {
		const struct memcg_sample *memcg = &snapshot->memcgs[i];
		uint64_t held_bytes = memcg->current_bytes;

		/* The root has no usage of its own to read. */
		if (memcg->parent < 0 && !is_number(held_bytes))
			held_bytes = snapshot->system.ram_bytes;
		if (!is_number(held_bytes))
			return 0;
		room_bytes = min_u64(room_bytes, saturating_sub(quota_bytes(held_bytes, dt_usec),
								planned_bytes[i]));
	}
	return room_bytes;
}
