/* SPDX-License-Identifier: MIT */
/*
 * What a write to memory.reclaim or lru_gen came to. Its return value says little: success may have
 * freed nothing, EAGAIN and EINTR much. So it is judged by the memcg's own numbers from before and
 * after.
 */
#ifndef FGRECLAIM_WRITE_RESULT_H
#define FGRECLAIM_WRITE_RESULT_H

#include "memcg.h"
#include "plan.h"

enum write_result {
	WRITE_FREED,       /* as much as was asked for, or more; an aging: done */
	WRITE_PARTIAL,     /* less */
	WRITE_NOTHING,     /* nothing, and that is admitted, or too little was asked for to tell */
	WRITE_LIED,        /* memory.reclaim: success, and nothing freed */
	WRITE_UNMEASURED,  /* success or EAGAIN, and no numbers to hold it against */
	WRITE_RACED,       /* the generations had moved on since they were listed */
	WRITE_INTERRUPTED, /* by its deadline or a stop; may have freed some */
	WRITE_NOT_BEGUN,   /* likewise, before any thread had taken it up */
	WRITE_GONE,        /* the memcg */
	WRITE_REFUSED,     /* all else: the kernel will not have it */
	_WRITE_RESULT_MAX,
};

/* What one write did to its memcg. Lower bounds: all that cannot be told from others' doing is
 * theirs. */
struct write_effect {
	bool known; /* false: there are no numbers, and the rest is 0 */
	uint64_t freed_bytes;
	uint64_t stolen_pages; /* our share of the growth of pgsteal */
	uint64_t scanned_pages;
	uint64_t stored_bytes; /* ACTION_EVICT: in swap, uncompressed */
	uint64_t cost_bytes; /* what of it zram and zswap hold in memory; SAMPLE_UNKNOWN: not known */
};

/* A request for less may drown in the lag of memory.stat, and is not a lie. */
#define WRITE_LIE_LEAST_BYTES (UINT64_C(1) << 20)

/* The effect of a write that asked for so many bytes, from the numbers before and after it. Of its cost
 * only the memcg's zswap is in it. */
void write_measure(enum action_kind action, const struct memcg_usage *before,
		   const struct memcg_usage *after, uint64_t asked_bytes, struct write_effect *ret);

/* result: bytes written or -errno. */
enum write_result write_judge(enum action_kind action, int result, uint64_t asked_bytes,
			      const struct write_effect *effect);

/* It counts against the memcg: refused, or no progress at all although tried for long. */
bool write_failed(int result, enum write_result judged);

/* Never NULL. */
const char *write_result_to_string(enum write_result judged);

#endif
