/* SPDX-License-Identifier: MIT */
/*
 * Sources: mm/memcontrol.c memory_reclaim(), mm/vmscan.c lru_gen_seq_write() of Linux 6.1, 6.12 and
 * 6.16.
 *
 *	EAGAIN	memory.reclaim: 16 tries without progress, however much was freed before; from 7.x
 *		also a memcg that is being removed
 *	EINTR	a signal or io_uring's cancel, looked at between two batches
 *	ENODEV	the cgroup has been removed
 *	EINVAL	lru_gen: no such memcg, node or generation any more; one of the two youngest
 *	ERANGE	lru_gen "+", to 6.13: as many generations as fit exist, and no force
 *	EEXIST	lru_gen "+", from 6.14: another walk has made this generation meanwhile
 */
#include "write_result.h"
#include "arith.h"
#include "macro.h"

#include <errno.h>

static const char *const names[_WRITE_RESULT_MAX] = {
	[WRITE_FREED] = "done",
	[WRITE_PARTIAL] = "partly done",
	[WRITE_NOTHING] = "nothing to be had",
	[WRITE_LIED] = "said to be done, nothing freed",
	[WRITE_UNMEASURED] = "done, not measured",
	[WRITE_RACED] = "overtaken",
	[WRITE_INTERRUPTED] = "interrupted",
	[WRITE_NOT_BEGUN] = "not begun",
	[WRITE_GONE] = "gone",
	[WRITE_REFUSED] = "refused",
};

/*
 * Our own share of a counter's growth. From 6.15 on memory.reclaim has a counter for itself, and
 * before it is in direct, with what the memcg's tasks reclaim at their limit. lru_gen's eviction is
 * in direct up to 6.19 and proactive after that. What kswapd and khugepaged took is never ours.
 * Without the parts there is only the sum, all.
 */
static uint64_t our_pages(enum action_kind action, const struct reclaim_parts *before,
			  const struct reclaim_parts *after)
{
	uint64_t proactive = counter_delta(after->proactive, before->proactive);
	uint64_t direct = counter_delta(after->direct, before->direct);

	if (is_number(proactive) && (action == ACTION_RECLAIM || proactive > 0))
		return proactive;
	if (is_number(direct))
		return direct;
	return counter_delta(after->all, before->all);
}

static uint64_t growth(uint64_t after, uint64_t before)
{
	return is_number(after) && is_number(before) ? saturating_sub(after, before) : 0;
}

/* What an eviction has stored in swap: a page that has a place there still is not stored anew. */
static uint64_t stored_bytes(const struct memcg_usage *before, const struct memcg_usage *after,
			     uint64_t stolen_pages, uint64_t page_bytes)
{
	uint64_t bytes = UINT64_MAX;

	if (is_number(before->swap_bytes) && is_number(after->swap_bytes))
		bytes = saturating_sub(after->swap_bytes, before->swap_bytes);
	if (is_number(stolen_pages))
		bytes = min_u64(bytes, saturating_mul(stolen_pages, page_bytes));
	return bytes == UINT64_MAX ? 0 : bytes;
}

void write_measure(enum action_kind action, const struct memcg_usage *before,
		   const struct memcg_usage *after, uint64_t asked_bytes, struct write_effect *ret)
{
	uint64_t page_bytes = (uint64_t)sysconf(_SC_PAGESIZE);
	uint64_t stolen_pages = our_pages(action, &before->pgsteal, &after->pgsteal);
	uint64_t scanned_pages = our_pages(action, &before->pgscan, &after->pgscan);
	uint64_t fallen_bytes = growth(before->current_bytes, after->current_bytes);
	uint64_t swapped_bytes =
		action == ACTION_EVICT ? growth(after->swap_bytes, before->swap_bytes) : 0;

	*ret = (struct write_effect){0};
	/* An aging moves pages and frees none. */
	if (action == ACTION_AGE)
		return;
	ret->known = is_number(stolen_pages) ||
		     (is_number(before->current_bytes) && is_number(after->current_bytes));
	ret->stolen_pages = number_or(stolen_pages, 0);
	ret->scanned_pages = number_or(scanned_pages, 0);
	if (action == ACTION_EVICT) {
		ret->stored_bytes = stored_bytes(before, after, stolen_pages, page_bytes);
		ret->cost_bytes = growth(after->zswap_bytes, before->zswap_bytes);
	}
	/* The counters may lag by a batch, or not have been read: then the memcg's size tells, and its
	 * swap. But a memcg also gives memory up by itself: beyond what was asked for, that is it. */
	ret->freed_bytes = max_u64(saturating_mul(ret->stolen_pages, page_bytes),
				   min_u64(max_u64(fallen_bytes, swapped_bytes), asked_bytes));
}

static enum write_result judge_success(enum action_kind action, uint64_t asked_bytes,
				       const struct write_effect *effect)
{
	if (action == ACTION_AGE)
		return WRITE_FREED;
	if (!effect->known)
		return WRITE_UNMEASURED;
	if (effect->freed_bytes >= asked_bytes)
		return WRITE_FREED;
	if (effect->freed_bytes > 0)
		return WRITE_PARTIAL;
	return action == ACTION_RECLAIM && asked_bytes >= WRITE_LIE_LEAST_BYTES ? WRITE_LIED
										: WRITE_NOTHING;
}

enum write_result write_judge(enum action_kind action, int result, uint64_t asked_bytes,
			      const struct write_effect *effect)
{
	if (result >= 0)
		return judge_success(action, asked_bytes, effect);
	if (memcg_is_gone_errno(result))
		return WRITE_GONE;
	if (result == -ECANCELED)
		return WRITE_NOT_BEGUN;
	if (result == -EINTR)
		return WRITE_INTERRUPTED;
	if (action != ACTION_RECLAIM &&
	    (result == -EINVAL || result == -ERANGE || result == -EEXIST))
		return WRITE_RACED;
	if (effect->freed_bytes > 0)
		return WRITE_PARTIAL;
	if (result != -EAGAIN)
		return WRITE_REFUSED;
	return effect->known ? WRITE_NOTHING : WRITE_UNMEASURED;
}

bool write_failed(int result, enum write_result judged)
{
	return judged == WRITE_REFUSED || (judged == WRITE_NOTHING && result < 0);
}

const char *write_result_to_string(enum write_result judged)
{
	return names[judged];
}
