/* SPDX-License-Identifier: MIT */
/*
 * Residence time: how long a page stays before it is evicted,
 *	T_res = (anon + file pages on the LRU lists) / e
 * with e the average of pgsteal per second. It is half a second in a small machine on a fast disk
 * and minutes in a large one, and everything that happens at a limit takes so many of it: hence all
 * time constants there are in T_res (gclk.c).
 *
 * A memcg is limit-bound while reclaim for a limit's sake turns its memory over within
 * RESIDENCE_BOUND and a limit of its own or of an ancestor presses: the nearest to be hit counts,
 * whoever's it is. It has to last a minute before the law changes, and so has its end, so that a
 * burst changes nothing. memory.events counts what happens below as well (cgroup-v2.rst), hence a
 * rising "max" or "high" says that this limit was hit only if the usage is near it too.
 *
 * The file that we take to keep headroom is taken in the limit's stead, and counts as its reclaim.
 * The cold anon that SAVER takes does not: it would make an idle memcg look limit-bound.
 */
#include "residence.h"
#include "arith.h"
#include "limit.h"

/* Long enough for the batches of a slow reclaim, short against the minute that decides. */
#define STEAL_TAU_USEC (60 * USEC_PER_SEC)

/* A limit presses from 97 % on: the kernel reclaims in batches, so that usage stays a little below;
 * or when it was hit, and then 75 % is near: kernels before 7.0 take far more than they need. */
#define PRESS_PPM     970000
#define PRESS_HIT_PPM 750000

/* ... and for so long after: with large batches it is hit again only then. */
#define PRESS_MEMORY_USEC (60 * USEC_PER_SEC)

/* So long a hit says that the limit presses whatever we do: against that, the look or two that it
 * takes to be hit again are few. */
#define HIT_MEMORY_USEC (10 * USEC_PER_MIN)

/* A burst passes within a minute. */
#define SETTLE_USEC (60 * USEC_PER_SEC)

static uint64_t turnover_usec(uint64_t pages, uint64_t mpps)
{
	return mpps == 0 ? SAMPLE_INFINITY : mul_div(pages, 1000 * USEC_PER_SEC, mpps);
}

static bool rises(uint64_t now, uint64_t before)
{
	uint64_t grown = counter_delta(now, before);

	return is_number(grown) && grown > 0;
}

static bool is_above(const struct memcg_sample *sample, uint64_t ppm)
{
	uint64_t limit_bytes = limit_bytes_of(sample);

	return is_number(limit_bytes) && is_number(sample->current_bytes) &&
	       sample->current_bytes > mul_div(limit_bytes, ppm, PPM);
}

static bool is_hit(const struct memcg_state *state, const struct memcg_sample *sample)
{
	return (rises(sample->events_max, state->last.events_max) ||
		rises(sample->events_high, state->last.events_high)) &&
	       is_above(sample, PRESS_HIT_PPM);
}

void residence_step(struct memcg_state *state, const struct memcg_sample *sample,
		    const struct snapshot *snapshot)
{
	struct residence_state *residence = &state->residence;
	uint64_t stolen = counter_delta(sample->pgsteal_pages, state->last.pgsteal_pages);
	uint64_t idle = saturating_add(sample->outcome.stolen_pages[LRU_ANON],
				       state->gclk.taken_for == REASON_UNUSED_FILE
					       ? sample->outcome.stolen_pages[LRU_FILE]
					       : 0);
	uint64_t tau_usec = min_u64(STEAL_TAU_USEC, residence->known_usec);
	uint64_t pages;

	if (is_hit(state, sample))
		residence->hit_usec = residence->pressed_usec = snapshot->now_usec;
	else if (is_above(sample, PRESS_PPM))
		residence->pressed_usec = snapshot->now_usec;
	if (is_number(stolen)) {
		residence->steal_mpps =
			ewma(residence->steal_mpps, rate_mpps(stolen, state->dt_usec),
			     state->dt_usec, tau_usec);
		residence->limit_mpps =
			ewma(residence->limit_mpps,
			     rate_mpps(saturating_sub(stolen, idle), state->dt_usec),
			     state->dt_usec, tau_usec);
		residence->known_usec = saturating_add(residence->known_usec, state->dt_usec);
	}
	residence->usec = residence->limit_usec = SAMPLE_UNKNOWN;
	if (!is_number(sample->lru_bytes[LRU_ANON]) || !is_number(sample->lru_bytes[LRU_FILE]) ||
	    residence->known_usec == 0)
		return;
	pages = saturating_add(sample->lru_bytes[LRU_ANON], sample->lru_bytes[LRU_FILE]) /
		snapshot->page_bytes;
	residence->usec = turnover_usec(pages, residence->steal_mpps);
	residence->limit_usec = turnover_usec(pages, residence->limit_mpps);
}

static enum residence_mode mode_of(const struct snapshot *snapshot,
				   const struct memcg_state *states, size_t i)
{
	uint64_t now_usec = snapshot->now_usec;

	if (states[i].residence.limit_usec >= RESIDENCE_BOUND_USEC)
		return RESIDENCE_FREE;
	for (int64_t at = (int64_t)i; at >= 0; at = snapshot->memcgs[at].parent) {
		uint64_t pressed_usec = states[at].residence.pressed_usec;

		if (pressed_usec == 0 || now_usec - pressed_usec >= PRESS_MEMORY_USEC)
			continue;
		return (size_t)at == i || states[at].n_leaves <= 1 ? RESIDENCE_BOUND
								   : RESIDENCE_SHARED;
	}
	return RESIDENCE_FREE;
}

void residence_decide(const struct snapshot *snapshot, struct memcg_state *states, size_t i)
{
	struct residence_state *residence = &states[i].residence;
	enum residence_mode mode;

	/* What cannot be told changes nothing. */
	if (residence->limit_usec == SAMPLE_UNKNOWN)
		return;
	mode = mode_of(snapshot, states, i);
	if (mode == residence->mode) {
		residence->changing = false;
		return;
	}
	if (!residence->changing || residence->next_mode != mode) {
		residence->changing = true;
		residence->next_mode = mode;
		residence->since_usec = snapshot->now_usec;
	}
	if (snapshot->now_usec - residence->since_usec < SETTLE_USEC)
		return;
	residence->mode = mode;
	residence->changing = false;
}

bool residence_is_watched(const struct memcg_state *state)
{
	const struct residence_state *residence = &state->residence;

	return residence->mode != RESIDENCE_FREE || residence->changing;
}

bool residence_was_hit(const struct memcg_state *state, uint64_t now_usec)
{
	uint64_t hit_usec = state->residence.hit_usec;

	return hit_usec > 0 && now_usec - hit_usec < HIT_MEMORY_USEC;
}

uint64_t residence_unit_usec(const struct memcg_state *state)
{
	return max_u64(state->residence.usec, RESIDENCE_LOOKS * RESIDENCE_LOOK_LEAST_USEC);
}
