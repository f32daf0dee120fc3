/* SPDX-License-Identifier: MIT */
/*
 * Targets: how much of a shared limit each sibling should hold.
 *
 * Where all siblings want more and what is taken from any of them comes back, memory belongs where
 * it saves the most waiting: it is moved from the lowest marginal utility (utility.c) to the
 * highest, as long as the two differ by more than a factor of KAPPA. Victims chosen tick by tick
 * without targets swing (simulated: one child between half and nine tenths of the limit); targets
 * that move by 2 % of the limit every 20 s do not.
 *
 * Three rules keep it harmless:
 *  - A sibling that grew by a tenth without waiting less gets its utility halved: a loop that will
 *    not fit however much it is given.
 *  - What all siblings together wait, times their weights, is compared from one period to the next:
 *    if it rose, the targets of the better period come back, and nothing moves for a while that
 *    doubles each time.
 *  - No target is below 1 % of the limit.
 */
#include "targets.h"
#include "arith.h"
#include "refault.h"
#include "siblings.h"
#include "utility.h"

#define MOVE_USEC (20 * USEC_PER_SEC)
#define MOVE_PPM  20000 /* of the limit, times log2 of the ratio of utilities up to ... */
#define MOVE_MOST 3

/* Differences within a factor of two are noise (swings below 1.5 in simulation). */
#define KAPPA 2

/* A sibling is in want of memory from 95 % of its target on, and does not use it below 90 %. */
#define WANT_PPM   950000
#define UNUSED_PPM 900000

#define LEAST_PPM 10000

/* Growth after which a sibling is judged, and the share of the proportional gain that it has to
 * show. */
#define GROWTH_PPM     100000
#define GAIN_LEAST_PPM 300000
#define PENALTY_MOST   4

/* The guard: periods long enough to hold several moves and several times the residence of a page,
 * and up to 2 % more waiting is noise. */
#define GUARD_USEC      (180 * USEC_PER_SEC)
#define GUARD_WORSE_PPM 1020000
#define BLOCK_USEC      (300 * USEC_PER_SEC)
#define BLOCK_MOST_USEC (120 * USEC_PER_MIN)
#define UNBOUND_USEC    (300 * USEC_PER_SEC)

struct targets {
	const struct policy_params *params;
	const struct snapshot *snapshot;
	struct memcg_state *states;
	const struct limit *limit;
	struct sharing *sharing; /* the limited memcg's memory of it */
};

static uint64_t share_bytes(const struct targets *t, uint64_t ppm)
{
	return mul_div(t->limit->limit_bytes, ppm, PPM);
}

/* A leaf has one target: that of the innermost limit it shares. */
static bool counts(const struct targets *t, size_t i)
{
	const struct memcg_sample *memcgs = t->snapshot->memcgs;

	if (!is_number(memcgs[i].current_bytes))
		return false;
	for (int64_t at = memcgs[i].parent; at > (int64_t)t->limit->memcg; at = memcgs[at].parent)
		if (is_number(limit_bytes_of(&memcgs[at])))
			return false;
	return true;
}

static const struct class_params *class_of(const struct targets *t, size_t i)
{
	int32_t class = t->snapshot->memcgs[i].class_index;

	return class >= 0 && (size_t) class < t->params->n_classes ? &t->params->classes[class]
								   : NULL;
}

/* Differs as soon as a sibling comes or goes. */
static uint64_t fingerprint(const struct targets *t)
{
	uint64_t print = 0;

	FOREACH_SIBLING (i, t->states, t->limit->memcg)
		if (counts(t, i))
			print = print * 31 + t->snapshot->memcgs[i].id;
	return print;
}

/* From where they stand: what each holds, less its part of the headroom. */
static void begin(const struct targets *t, uint64_t now_usec)
{
	uint64_t sum_bytes = 0;

	FOREACH_SIBLING (i, t->states, t->limit->memcg)
		if (counts(t, i))
			sum_bytes = saturating_add(sum_bytes, t->snapshot->memcgs[i].current_bytes);
	FOREACH_SIBLING (i, t->states, t->limit->memcg) {
		struct memcg_state *state = &t->states[i];

		if (!counts(t, i))
			continue;
		state->target_bytes = max_u64(
			mul_div(t->snapshot->memcgs[i].current_bytes,
				saturating_sub(t->limit->limit_bytes, t->limit->headroom_bytes),
				max_u64(sum_bytes, 1)),
			share_bytes(t, LEAST_PPM));
		state->safe_target_bytes = state->target_bytes;
		state->grown_from_bytes = 0;
		state->penalty = 0;
		state->gives = false;
	}
	*t->sharing = (struct sharing){
		.fingerprint = fingerprint(t),
		.bound_usec = now_usec,
		.moved_usec = now_usec,
		.judged_usec = now_usec,
	};
}

static void forget(const struct targets *t)
{
	FOREACH_SIBLING (i, t->states, t->limit->memcg)
		if (counts(t, i))
			t->states[i].gives = false;
	*t->sharing = (struct sharing){0};
}

/* --- the guard */

static void count_waits(const struct targets *t)
{
	struct refault_cost cost = refault_cost(&t->snapshot->system);

	FOREACH_SIBLING (i, t->states, t->limit->memcg) {
		const struct memcg_state *state = &t->states[i];
		const struct class_params *class = class_of(t, i);
		uint64_t wait;

		if (!counts(t, i))
			continue;
		wait = refault_wait(&cost, state->refault_mpps);
		wait = saturating_mul(wait, class ? class->weight : WEIGHT_DEFAULT);
		t->sharing->wait = saturating_add(t->sharing->wait,
						  mul_div(wait, state->dt_usec, USEC_PER_SEC));
	}
}

static void keep_targets(const struct targets *t, bool restore)
{
	FOREACH_SIBLING (i, t->states, t->limit->memcg) {
		struct memcg_state *state = &t->states[i];

		if (!counts(t, i))
			continue;
		if (restore)
			state->target_bytes = state->safe_target_bytes;
		else
			state->safe_target_bytes = state->target_bytes;
		state->grown_from_bytes = 0;
	}
}

/* Compares the period that ends with the one before. */
static void judge(const struct targets *t, uint64_t now_usec)
{
	struct sharing *sharing = t->sharing;
	uint64_t wait =
		mul_div(sharing->wait, GUARD_USEC, max_u64(now_usec - sharing->judged_usec, 1));
	bool worse = sharing->moves > 0 && sharing->judged_before &&
		     wait > mul_div(sharing->former_wait, GUARD_WORSE_PPM, PPM);

	keep_targets(t, worse);
	if (worse) {
		sharing->block_usec =
			min_u64(max_u64(2 * sharing->block_usec, BLOCK_USEC), BLOCK_MOST_USEC);
		sharing->blocked_until_usec = saturating_add(now_usec, sharing->block_usec);
	} else if (sharing->moves > 0) {
		sharing->block_usec = 0;
	}
	/* What came of targets that are taken back is no measure for what follows. */
	sharing->judged_before = !worse;
	sharing->former_wait = wait;
	sharing->judged_usec = now_usec;
	sharing->wait = 0;
	sharing->moves = 0;
}

/* --- moves */

/* A sibling that was given more is to show it: rho should have fallen in proportion. */
static void judge_growth(struct memcg_state *state)
{
	uint64_t rho = refault_all_mpps(state);
	uint64_t grown_bytes = saturating_sub(state->target_bytes, state->grown_from_bytes);
	uint64_t grown_ppm, gain_ppm;

	if (state->grown_from_bytes == 0 || state->target_bytes < state->grown_from_bytes) {
		state->grown_from_bytes = state->target_bytes;
		state->grown_from_mpps = rho;
		return;
	}
	grown_ppm = mul_div(grown_bytes, PPM, state->grown_from_bytes);
	if (grown_ppm < GROWTH_PPM)
		return;
	gain_ppm = mul_div(saturating_sub(state->grown_from_mpps, rho), PPM,
			   max_u64(state->grown_from_mpps, 1));
	if (gain_ppm < mul_div(grown_ppm, GAIN_LEAST_PPM, PPM))
		state->penalty += state->penalty < PENALTY_MOST;
	else
		state->penalty -= state->penalty > 0;
	state->grown_from_bytes = state->target_bytes;
	state->grown_from_mpps = rho;
}

static bool may_shrink(const struct targets *t, size_t i)
{
	const struct memcg_sample *sample = &t->snapshot->memcgs[i];
	const struct class_params *class = class_of(t, i);

	return class && !sample->omitted &&
	       (class->reclaim == RECLAIM_FILE || class->reclaim == RECLAIM_ALL);
}

/* Holds less than it might, and not because it is taken from. */
static bool is_unused(const struct targets *t, size_t i)
{
	return !utility_is_known(&t->states[i]) &&
	       t->snapshot->memcgs[i].current_bytes <
		       mul_div(t->states[i].target_bytes, UNUSED_PPM, PPM);
}

/* Its utility as far as a larger or smaller target would change anything. */
static uint64_t worth(const struct targets *t, size_t i)
{
	return is_unused(t, i) ? 0 : t->states[i].utility >> t->states[i].penalty;
}

/* Who would save most, SIZE_MAX: nobody anything. */
static size_t find_neediest(const struct targets *t)
{
	size_t best = SIZE_MAX;

	FOREACH_SIBLING (i, t->states, t->limit->memcg)
		if (counts(t, i) && worth(t, i) > (best == SIZE_MAX ? 0 : worth(t, best)))
			best = i;
	return best;
}

/* Who can spare most for it, SIZE_MAX: none by enough. Marks all that can on the way. Of whom
 * nothing was evicted it is not known what would come back: only what it does not use is moved. */
static size_t find_giver(const struct targets *t, size_t neediest)
{
	size_t best = SIZE_MAX;

	FOREACH_SIBLING (i, t->states, t->limit->memcg) {
		bool spares;

		if (!counts(t, i))
			continue;
		spares = neediest != SIZE_MAX && may_shrink(t, i) &&
			 saturating_mul(worth(t, i), KAPPA) <= worth(t, neediest);
		t->states[i].gives = spares && utility_is_known(&t->states[i]);
		if (spares && t->states[i].target_bytes > share_bytes(t, LEAST_PPM) &&
		    (t->states[i].gives || is_unused(t, i)) &&
		    (best == SIZE_MAX || worth(t, i) < worth(t, best)))
			best = i;
	}
	return best;
}

/* True if it has filled what it was given so far, and so can use more. */
static bool wants(const struct targets *t, size_t i)
{
	return t->snapshot->memcgs[i].current_bytes >=
	       mul_div(t->states[i].target_bytes, WANT_PPM, PPM);
}

static void move(const struct targets *t, size_t from, size_t to)
{
	uint64_t ratio = worth(t, to) / max_u64(worth(t, from), 1), steps = 1, bytes;

	while (steps < MOVE_MOST && (ratio >> (steps + 1)) > 0)
		steps++;
	bytes = min_u64(share_bytes(t, steps * MOVE_PPM),
			t->states[from].target_bytes - share_bytes(t, LEAST_PPM));
	t->states[from].target_bytes -= bytes;
	t->states[to].target_bytes = saturating_add(t->states[to].target_bytes, bytes);
	judge_growth(&t->states[to]);
	t->sharing->moved_usec = t->snapshot->now_usec;
	t->sharing->moves++;
}

void targets_step(const struct policy_params *params, const struct snapshot *snapshot,
		  struct memcg_state *states, const struct limit *limit)
{
	struct targets t = {
		.params = params,
		.snapshot = snapshot,
		.states = states,
		.limit = limit,
		.sharing = &states[limit->memcg].sharing,
	};
	uint64_t now_usec = snapshot->now_usec;
	size_t to, from;

	if (limit_is_near(limit))
		t.sharing->bound_usec = now_usec;
	else if (now_usec - t.sharing->bound_usec > UNBOUND_USEC) {
		forget(&t);
		return;
	}
	if (t.sharing->fingerprint != fingerprint(&t)) {
		begin(&t, now_usec);
		return;
	}
	count_waits(&t);
	if (now_usec - t.sharing->judged_usec >= GUARD_USEC)
		judge(&t, now_usec);
	to = find_neediest(&t);
	from = find_giver(&t, to);
	if (from != SIZE_MAX && wants(&t, to) && now_usec >= t.sharing->blocked_until_usec &&
	    now_usec - t.sharing->moved_usec >= MOVE_USEC)
		move(&t, from, to);
}
