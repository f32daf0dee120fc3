/* SPDX-License-Identifier: MIT */
/*
 * Quotas of the whole. Each memcg has its own rate (saver.c), and a small one a larger share of
 * itself; a thousand of them together would swap out more than zram compresses or the host
 * forgives. So below every ancestor, of every class, and on the host, no more than 2 % of its memory
 * a second goes in idle sweeps, or what one memcg alone may lose. What is taken ahead of a limit does not count here: it must keep up with what
 * comes in, and has its own rate (split.c).
 */
#include "quota.h"
#include "arith.h"
#include "view.h"
#include "protection.h"

#include <string.h>

#define QUOTA_PPM_PER_SEC   20000
#define QUOTA_BYTES_PER_SEC (UINT64_C(8) << 20)

static uint64_t quota_bytes(uint64_t held_bytes, uint64_t dt_usec)
{
	uint64_t bytes_per_sec =
		max_u64(mul_div(held_bytes, QUOTA_PPM_PER_SEC, PPM), QUOTA_BYTES_PER_SEC);

	return mul_div(bytes_per_sec, dt_usec, USEC_PER_SEC);
}

static bool has_place(int32_t class)
{
	return class >= 0 && class < CLASSES_MAX;
}

void quota_init(struct quota *ret, const struct snapshot *snapshot, uint64_t *planned_bytes)
{
	memset(ret, 0, sizeof(*ret));
	ret->planned_bytes = planned_bytes;
	for (size_t i = 0; i < snapshot->n_memcgs; i++) {
		const struct memcg_sample *memcg = &snapshot->memcgs[i];
		uint64_t *held_bytes;

		planned_bytes[i] = 0;
		if (!memcg->leaf || !has_place(memcg->class_index))
			continue;
		held_bytes = &ret->classes[memcg->class_index].held_bytes;
		*held_bytes = saturating_add(*held_bytes, number_or(memcg->current_bytes, 0));
	}
}

void quota_book(const struct snapshot *snapshot, size_t index, uint64_t bytes, struct quota *quota)
{
	int32_t class = snapshot->memcgs[index].class_index;

	protection_book(snapshot, index, bytes, quota->planned_bytes);
	if (has_place(class))
		quota->classes[class].planned_bytes =
			saturating_add(quota->classes[class].planned_bytes, bytes);
}

uint64_t quota_room_bytes(const struct snapshot *snapshot, size_t index, uint64_t dt_usec,
			  const struct quota *quota)
{
	int32_t class = snapshot->memcgs[index].class_index;
	uint64_t room_bytes = UINT64_MAX;

	dt_usec = view_span_usec(snapshot, dt_usec);
	if (has_place(class))
		room_bytes = saturating_sub(quota_bytes(quota->classes[class].held_bytes, dt_usec),
					    quota->classes[class].planned_bytes);
	for (int64_t i = snapshot->memcgs[index].parent; i >= 0; i = snapshot->memcgs[i].parent) {
		const struct memcg_sample *memcg = &snapshot->memcgs[i];
		uint64_t held_bytes = memcg->current_bytes;

		/* The root has no usage of its own to read. */
		if (memcg->parent < 0 && !is_number(held_bytes))
			held_bytes = snapshot->system.ram_bytes;
		if (!is_number(held_bytes))
			return 0;
		room_bytes = min_u64(room_bytes, saturating_sub(quota_bytes(held_bytes, dt_usec),
								quota->planned_bytes[i]));
	}
	return room_bytes;
}

uint32_t quota_in_flight(uint32_t concurrency, uint32_t n_classes)
{
	return n_classes <= 1 ? concurrency : (concurrency - 1) / n_classes + 1;
}
