/* SPDX-License-Identifier: MIT */
/*
 * Kernels take more than they are asked for: Linux 6.1 hands the whole rest of a request to each
 * walk (108 MiB too much of 1 GiB were reported), and MGLRU goes on with the batch of up to 4096
 * pages that it is at. That is an amount, more than a share of the request, so an average of it is
 * taken off what is asked for.
 */
#include "write_size.h"
#include "arith.h"

/* Of what the memcg holds, but not so little that a small one needs many writes. */
#define SHARE_DIVISOR     16
#define SHARE_LEAST_BYTES (UINT64_C(1) << 20)

/* 32 pages of 4 KiB, the least that a walk takes (SWAP_CLUSTER_MAX). */
#define ASK_LEAST_BYTES (UINT64_C(128) << 10)

/* How much of the average the newest write makes. */
#define EXCESS_DIVISOR 4

/* A memcg that was too slow is tried with twice as much after each write that was done in time, and
 * is slow no longer at the largest WriteMax= there is. */
#define SLOW_FACTOR     2
#define SLOW_MOST_BYTES (UINT64_C(64) << 20)

uint64_t write_size(const struct write_limits *limits)
{
	uint64_t bytes = min_u64(limits->wanted_bytes, limits->most_bytes);
	uint64_t room_bytes = UINT64_MAX;

	if (is_number(limits->current_bytes)) {
		room_bytes = saturating_sub(limits->current_bytes, limits->keep_bytes);
		bytes = min_u64(bytes,
				max_u64(limits->current_bytes / SHARE_DIVISOR, SHARE_LEAST_BYTES));
	}
	if (limits->slow_bytes > 0)
		bytes = min_u64(bytes, max_u64(limits->slow_bytes, ASK_LEAST_BYTES));
	bytes = min_u64(bytes, room_bytes);
	/* Whatever is asked for, so much more goes: then rather leave it than go below what is kept. */
	if (room_bytes <= limits->excess_bytes)
		return 0;
	return max_u64(saturating_sub(bytes, limits->excess_bytes),
		       min_u64(bytes, ASK_LEAST_BYTES));
}

uint64_t write_size_slow(uint64_t slow_bytes, uint64_t asked_bytes, enum write_result judged)
{
	if (judged == WRITE_INTERRUPTED || judged == WRITE_PARTIAL)
		return max_u64(asked_bytes / SLOW_FACTOR, ASK_LEAST_BYTES);
	if (judged != WRITE_FREED || slow_bytes == 0)
		return slow_bytes;
	slow_bytes = saturating_mul(slow_bytes, SLOW_FACTOR);
	return slow_bytes >= SLOW_MOST_BYTES ? 0 : slow_bytes;
}

uint64_t write_size_excess(uint64_t excess_bytes, uint64_t asked_bytes, uint64_t freed_bytes)
{
	uint64_t newest_bytes = saturating_sub(freed_bytes, asked_bytes);

	return excess_bytes - excess_bytes / EXCESS_DIVISOR + newest_bytes / EXCESS_DIVISOR;
}
