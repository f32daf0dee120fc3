/* SPDX-License-Identifier: MIT */
/*
 * Advice for people about what reclaim cannot mend, of a memcg that is full to its limit:
 *
 * - It thrashes: it reads the same pages again and again. The kernel evicts there at each charge and
 *   kills nobody, since each round frees something: it goes on for ever, and only shows as refaults.
 *   What would help is a higher limit, or less to be cached.
 * - It is crowded: the same, but half of the limit and more is memory of its own, as with a database
 *   whose cache was sized by the host and not by the limit, and only the rest is left for its files.
 *   Making that cache smaller would help.
 * - It is cornered: nearly all is memory of its own and none of it can be swapped. When it grows, the
 *   kernel kills.
 *
 * Two thresholds each, so that a memcg near one of them does not get into it and out of it by turns.
 * Refaults are averaged over half a minute (refault.c).
 */
#include "advice.h"
#include "arith.h"
#include "limit.h"
#include "refault.h"
#include "swap_room.h"

#include <string.h>

/* Full: reclaim at a limit takes batches of 32 pages and each processor holds up to 64 charged in
 * advance (MEMCG_CHARGE_BATCH), so that usage stays this close below it, but for small limits. */
#define FULL_PPM     950000
#define NOT_FULL_PPM 900000

/* Refaults in a minute, in parts of what they are a part of. A fifth: forty times what a class puts up
 * with if nothing else is said. */
#define THRASHING_PPM 200000
#define CALM_PPM      50000

/* Memory of its own, in parts of the limit. */
#define CROWDED_PPM      500000
#define CORNERED_PPM     900000
#define NOT_CORNERED_PPM 800000

/* A job that starts may thrash for a while. */
#define THRASHING_USEC (60 * USEC_PER_SEC)

/* Who has been told once an hour knows. */
#define ADVICE_USEC (60 * USEC_PER_MIN)

/* One memcg at one look. */
struct look {
	const struct memcg_state *state;
	const struct memcg_sample *sample;
	const struct snapshot *snapshot;
	uint64_t limit_bytes;
	uint64_t own_bytes; /* anon, shmem and what is locked; 0: not known */
};

static uint64_t own_bytes_of(const struct memcg_sample *sample)
{
	return saturating_add(number_or(sample->lru_bytes[LRU_ANON], 0),
			      number_or(sample->unevictable_bytes, 0));
}

static bool is_full(const struct look *look, uint64_t limit_bytes, bool still)
{
	return look->sample->current_bytes >=
	       mul_div(limit_bytes, still ? NOT_FULL_PPM : FULL_PPM, PPM);
}

/* So much comes back that held_bytes turn over in a few minutes. */
static bool comes_back(const struct look *look, uint64_t refault_mpps, uint64_t held_bytes,
		       bool still)
{
	return refault_mpps >= refault_limit_mpps(still ? CALM_PPM : THRASHING_PPM, held_bytes,
						  look->snapshot->page_bytes);
}

static bool turns_over(const struct look *look, bool still)
{
	return comes_back(look, refault_all_mpps(look->state), look->sample->current_bytes, still);
}

/* The refaults of next to nothing are no evidence. */
static bool files_turn_over(const struct look *look, bool still)
{
	return comes_back(
		look, look->state->refault_mpps[LRU_FILE],
		max_u64(number_or(look->sample->lru_bytes[LRU_FILE], 0), SAMPLE_SMALL_BYTES),
		still);
}

static bool is_crowded(const struct look *look)
{
	return look->own_bytes >= mul_div(look->limit_bytes, CROWDED_PPM, PPM);
}

/* Whether it is in this state, by the thresholds where that begins, or by those where it ends. */
static bool is_in(const struct look *look, enum advice_kind kind, bool still)
{
	const struct memcg_sample *sample = look->sample;

	switch (kind) {
	case ADVICE_THRASHES:
		return !is_crowded(look) && is_full(look, look->limit_bytes, still) &&
		       turns_over(look, still);
	case ADVICE_CROWDED:
		return is_crowded(look) && is_full(look, look->limit_bytes, still) &&
		       (turns_over(look, still) || files_turn_over(look, still));
	case ADVICE_CORNERED:
		/* At memory.high nobody is killed. */
		return is_number(sample->max_bytes) && is_full(look, sample->max_bytes, still) &&
		       look->own_bytes >= mul_div(sample->max_bytes,
						  still ? NOT_CORNERED_PPM : CORNERED_PPM, PPM) &&
		       !swap_is_possible(look->snapshot, (size_t)(sample - look->snapshot->memcgs));
	case ADVICE_NONE:
	case _ADVICE_MAX:
		break;
	}
	return false;
}

/* True if advice of this kind is due. */
static bool judge(struct advice_state *advice, const struct look *look, enum advice_kind kind)
{
	uint64_t now_usec = look->snapshot->now_usec;
	uint64_t *since_usec = &advice->since_usec[kind], told_usec = advice->told_usec[kind];

	if (!is_in(look, kind, *since_usec > 0)) {
		*since_usec = 0;
		return false;
	}
	if (*since_usec == 0)
		*since_usec = now_usec;
	/* What only fades away is not worth it any more. */
	return is_in(look, kind, false) &&
	       (kind == ADVICE_CORNERED || now_usec - *since_usec >= THRASHING_USEC) &&
	       (told_usec == 0 || now_usec - told_usec >= ADVICE_USEC);
}

void advice_step(struct memcg_state *state, const struct memcg_sample *sample,
		 const struct snapshot *snapshot)
{
	struct advice_state *advice = &state->advice;
	struct look look = {
		.state = state,
		.sample = sample,
		.snapshot = snapshot,
		.limit_bytes = limit_bytes_of(sample),
		.own_bytes = own_bytes_of(sample),
	};

	advice->limit_bytes = look.limit_bytes;
	advice->own_bytes = look.own_bytes;
	if (!is_number(look.limit_bytes) || !is_number(sample->current_bytes) ||
	    sample->current_bytes < SAMPLE_SMALL_BYTES) {
		memset(advice->since_usec, 0, sizeof(advice->since_usec));
		return;
	}
	for (enum advice_kind kind = ADVICE_NONE + 1; kind < _ADVICE_MAX; kind++)
		if (judge(advice, &look, kind) && advice->due == ADVICE_NONE) {
			advice->due = kind;
			if (kind == ADVICE_CORNERED)
				advice->limit_bytes = sample->max_bytes;
			advice->told_usec[kind] = snapshot->now_usec;
		}
}

void advice_rebase(struct advice_state *advice, uint64_t now_usec)
{
	struct advice_state former = *advice;

	*advice = (struct advice_state){0};
	for (enum advice_kind kind = 0; kind < _ADVICE_MAX; kind++)
		advice->told_usec[kind] = min_u64(former.told_usec[kind], now_usec);
}
