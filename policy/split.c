/* SPDX-License-Identifier: MIT */
/*
 * SPLIT: who pays under a shared limit. When a cgroup reaches memory.high or memory.max the kernel
 * reclaims from all its children alike, from the hot database as readily as from the stream beside
 * it (measured: 84 812 refaults of the database; with reclaim from the stream alone: none). Here
 * the memory is taken before the limit is reached, and from the child for which there is evidence
 * that it can spare it:
 *
 *  - It fills the limit: it brings in new file pages, and not less than the average of its siblings.
 *    Until something was evicted from it, no more is taken than what it newly brought in, so that
 *    it keeps its size; what then comes back or does not is the evidence for the next round.
 *  - It is quiet, such as a backup that has ended, and next to none of the file pages that were
 *    evicted from it a while ago came back. Recent evictions prove nothing here: pages of a hot set
 *    take as long to come back as they take to be used again (measured: a database was taken from
 *    on the strength of pages that had left six seconds before).
 *
 * A child whose evicted pages do come back, one in ten, is left alone either way. For one that
 * fills the limit that share counts and not the rate of refaults: a fast stream re-reads a few
 * directories a second, and holding it for that let the limit be hit (measured). No child is taken
 * from on suspicion: without evidence the kernel's own reclaim is as good.
 *
 * Where that does not give enough, everybody's pages come back, and it is decided by how much: from
 * a sibling that holds more than its target (targets.c) and saves less by it than another would. As
 * long as the limit is hit now and then it takes from it anyway, from whatever tier; otherwise this,
 * too, stops where tiers say so. (Stopped at all times, weights no longer count where all siblings
 * are in use: simulated, cost of the siblings of siblings4 269 instead of 232 on 6.12.)
 *
 * A child of which file leaves that was used more than once, and comes back, is left alone whatever
 * the rest says (tier.c). Only if nobody else gives even half of the headroom, and it is what fills
 * the limit, the rest of that half is taken from it: the limit would be hit at the next look, and
 * take from its siblings, too. (Measured: 85 pages of a stream's directories came back, it was held,
 * and the limit took 746 to 2 985 pages from the database beside it.)
 *
 * A cgroup alone under its limit has nobody to share it with: headroom.c.
 *
 * Only file is taken: swap is SAVER's business. Stalls on memory do not hold this law back, since
 * under a limit they are the limit's doing and headroom is the remedy.
 */
#include "split.h"
#include "arith.h"
#include "file_reclaim.h"
#include "headroom.h"
#include "limit.h"
#include "protection.h"
#include "refault.h"
#include "residence.h"
#include "siblings.h"
#include "targets.h"
#include "tier.h"

/* Headroom: what comes in during two ticks, so that one may come late, within 2 and 20 % of the
 * limit. */
#define HEADROOM_TICKS     2
#define HEADROOM_LEAST_PPM 20000
#define HEADROOM_MOST_PPM  200000

/* One page in ten: above that the memory is in use. Tier 0 of a stream measured 3 %, tiers 1 and 2
 * of a database beside it 100 %. */
#define RETURN_LIMIT_PPM 100000

/* A child fills the limit if it brings in half of the average of those that bring in anything, ...
 * */
#define FILLER_DIVISOR 2

/* ... which is a page a second at least. */
#define FILLER_LEAST_MPPS 1000

/* 2 % of the limit a second, or what newly comes in and a quarter more: a child that fills faster
 * than that may also be emptied faster. */
#define RATE_PPM_PER_SEC 20000
#define INFLOW_RATE_PPM  1250000

/* Of a quiet child, what was evicted a while ago and did not come back vouches for twice as much
 * and no more: a hot set is not emptied in one tick for a few cold pages at its end. */
#define PROVEN_FACTOR 2

struct split {
	const struct policy_params *params;
	const struct snapshot *snapshot;
	struct memcg_state *states;
	struct limit limit;
	uint64_t filler_mpps; /* new pages from which a child fills the limit */
	size_t n_children;
	size_t last_child;
};

/* What it brings in, as far as it still does: a database that has read its tables in a moment ago
 * fills nothing (measured: 600 pages of it were taken for those of a stream). */
static uint64_t filling_mpps(const struct memcg_state *state)
{
	return min_u64(state->inflow_mpps, state->inflow_now_mpps);
}

/* True if it is one of those that bring the limit nearer. */
static bool fills(const struct split *split, size_t i)
{
	return filling_mpps(&split->states[i]) >= split->filler_mpps;
}

/* What it brought in since the last look, or does on average. A stream that begins fills a limit in
 * seconds, while its average still rises (measured: the limit was hit for six). */
static uint64_t new_bytes(const struct split *split, const struct memcg_state *state)
{
	uint64_t mpps = max_u64(state->inflow_mpps, state->inflow_now_mpps);

	return mul_div(saturating_mul(mpps, split->snapshot->page_bytes),
		       view_span_usec(split->snapshot, state->dt_usec), 1000 * USEC_PER_SEC);
}

/* The most that is taken from one child at this look. */
static uint64_t rate_bytes(const struct split *split, const struct memcg_state *state)
{
	return max_u64(mul_div(mul_div(split->limit.limit_bytes, RATE_PPM_PER_SEC, PPM),
			       view_span_usec(split->snapshot, state->dt_usec), USEC_PER_SEC),
		       mul_div(new_bytes(split, state), INFLOW_RATE_PPM, PPM));
}

/* How much may be taken from a child on the evidence there is, and what of it is expected to come
 * back; 0 and a verdict where there is none. */
static uint64_t evidence_bytes(const struct split *split, size_t i, uint64_t *ret_return_ppm)
{
	struct memcg_state *state = &split->states[i];
	uint64_t return_ppm = refault_return_ppm(state);
	uint64_t bytes = rate_bytes(split, state);

	if (return_ppm != SAMPLE_UNKNOWN && return_ppm > RETURN_LIMIT_PPM)
		return verdict_say(state, REASON_RETURNS, return_ppm, RETURN_LIMIT_PPM);
	if (fills(split, i)) {
		*ret_return_ppm = return_ppm == SAMPLE_UNKNOWN ? RETURN_LIMIT_PPM : return_ppm;
		return return_ppm == SAMPLE_UNKNOWN ? min_u64(bytes, new_bytes(split, state))
						    : bytes;
	}
	return_ppm = refault_settled_return_ppm(state);
	if (return_ppm == SAMPLE_UNKNOWN)
		return verdict_say(state, REASON_NO_EVIDENCE, filling_mpps(state),
				   split->filler_mpps);
	if (return_ppm > RETURN_LIMIT_PPM)
		return verdict_say(state, REASON_RETURNS, return_ppm, RETURN_LIMIT_PPM);
	*ret_return_ppm = return_ppm;
	return min_u64(bytes, saturating_mul(saturating_mul(state->settled_file_pages,
							    split->snapshot->page_bytes),
					     PROVEN_FACTOR));
}

static uint64_t allowance_bytes(const struct split *split, size_t i, uint64_t *ret_return_ppm)
{
	return min_u64(evidence_bytes(split, i, ret_return_ppm),
		       file_reclaim_clean_bytes(&split->snapshot->memcgs[i]));
}

struct victim {
	bool found;
	size_t index;
	uint64_t return_ppm;
	uint64_t bytes;
	uint32_t swappiness;
};

static bool is_better(const struct split *split, const struct victim *a, const struct victim *b)
{
	const struct snapshot *snapshot = split->snapshot;
	uint64_t cost_a, cost_b;

	if (!b->found)
		return true;
	cost_a = (a->return_ppm + 1) *
		 split->params->classes[snapshot->memcgs[a->index].class_index].weight;
	cost_b = (b->return_ppm + 1) *
		 split->params->classes[snapshot->memcgs[b->index].class_index].weight;
	if (cost_a != cost_b)
		return cost_a < cost_b;
	return split->states[a->index].inflow_mpps > split->states[b->index].inflow_mpps;
}

/* What protection leaves to be taken from a child; its verdict says so where that is nothing. */
static uint64_t room_bytes(const struct split *split, size_t i, const uint64_t *planned_bytes)
{
	const struct memcg_sample *sample = &split->snapshot->memcgs[i];
	uint64_t floor_bytes = protection_floor_bytes(&split->params->classes[sample->class_index],
						      sample, &split->states[i]);
	uint64_t bytes = protection_room_bytes(split->snapshot, i, floor_bytes, planned_bytes);

	if (bytes < FILE_RECLAIM_WORTH_BYTES)
		verdict_say(&split->states[i], REASON_FLOOR, sample->current_bytes, floor_bytes);
	return bytes;
}

/* The child that can best spare memory, not taken from by this plan yet; of those that fill the limit
 * although tiers say that what leaves is in use, if in_use. */
static struct victim find_spare(const struct split *split, const uint64_t *planned_bytes,
				bool in_use)
{
	struct victim best = {.found = false};

	FOREACH_SIBLING (i, split->states, split->limit.memcg) {
		struct memcg_state *state = &split->states[i];
		struct victim victim = {.found = true, .index = i};

		if (state->verdict.action != ACTION_NONE ||
		    file_reclaim_refused(split->params, split->snapshot, i, !fills(split, i), state,
					 &victim.swappiness) ||
		    (in_use ? !fills(split, i) : tier_refuses(state)))
			continue;
		victim.bytes = allowance_bytes(split, i, &victim.return_ppm);
		if (victim.bytes == 0)
			continue;
		victim.bytes = min_u64(victim.bytes, room_bytes(split, i, planned_bytes));
		if (victim.bytes >= FILE_RECLAIM_WORTH_BYTES && is_better(split, &victim, &best))
			best = victim;
	}
	return best;
}

static struct victim find_victim(const struct split *split, const uint64_t *planned_bytes)
{
	return find_spare(split, planned_bytes, false);
}

static struct victim find_filler_in_use(const struct split *split, const uint64_t *planned_bytes)
{
	return find_spare(split, planned_bytes, true);
}

static void count_children(struct split *split)
{
	uint64_t inflow_mpps = 0, n_fillers = 0;

	FOREACH_SIBLING (i, split->states, split->limit.memcg) {
		split->n_children++;
		split->last_child = i;
		if (filling_mpps(&split->states[i]) < FILLER_LEAST_MPPS)
			continue;
		inflow_mpps = saturating_add(inflow_mpps, filling_mpps(&split->states[i]));
		n_fillers++;
	}
	split->filler_mpps = FILLER_LEAST_MPPS;
	if (n_fillers)
		split->filler_mpps =
			max_u64(inflow_mpps / n_fillers / FILLER_DIVISOR, FILLER_LEAST_MPPS);
}

/* The sibling that holds most above its target, in proportion, not taken from by this plan yet. */
static struct victim find_above_target(const struct split *split, const uint64_t *planned_bytes)
{
	struct victim best = {.found = false};
	uint64_t best_ppm = PPM;
	bool was_hit =
		residence_was_hit(&split->states[split->limit.memcg], split->snapshot->now_usec);

	FOREACH_SIBLING (i, split->states, split->limit.memcg) {
		const struct memcg_sample *sample = &split->snapshot->memcgs[i];
		struct memcg_state *state = &split->states[i];
		struct victim victim = {.found = true, .index = i};
		uint64_t above_ppm;

		if (state->verdict.action != ACTION_NONE || !state->gives ||
		    sample->current_bytes <= state->target_bytes)
			continue;
		above_ppm = mul_div(sample->current_bytes, PPM, state->target_bytes);
		if (above_ppm <= best_ppm ||
		    file_reclaim_refused(split->params, split->snapshot, i, false, state,
					 &victim.swappiness) ||
		    (!was_hit && tier_refuses(state)))
			continue;
		victim.bytes = min_u64(sample->current_bytes - state->target_bytes,
				       file_reclaim_clean_bytes(sample));
		victim.bytes = min_u64(victim.bytes, rate_bytes(split, state));
		victim.bytes = min_u64(victim.bytes, room_bytes(split, i, planned_bytes));
		if (victim.bytes < FILE_RECLAIM_WORTH_BYTES)
			continue;
		best = victim;
		best_ppm = above_ppm;
	}
	return best;
}

/* Takes what is needed, from whom find() names, as long as it names somebody. */
static void take(const struct split *split, enum reason reason,
		 struct victim (*find)(const struct split *, const uint64_t *),
		 uint64_t *need_bytes, uint64_t *planned_bytes, struct plan *plan)
{
	while (*need_bytes >= FILE_RECLAIM_WORTH_BYTES && plan->n_decisions < plan->capacity) {
		struct victim victim = find(split, planned_bytes);
		uint64_t bytes = min_u64(victim.bytes, *need_bytes);
		struct verdict why = {
			.reason = reason,
			.measured = split->limit.free_bytes,
			.limit = split->limit.headroom_bytes,
		};

		if (!victim.found)
			return;
		if (reason == REASON_TARGET) {
			why.measured = split->snapshot->memcgs[victim.index].current_bytes;
			why.limit = split->states[victim.index].target_bytes;
		}
		file_reclaim_ask(victim.index, bytes, victim.swappiness, &why,
				 &split->states[victim.index], plan);
		protection_book(split->snapshot, victim.index, bytes, planned_bytes);
		*need_bytes -= bytes;
	}
}

void split_plan(const struct policy_params *params, const struct snapshot *snapshot, size_t parent,
		enum aging_rule aging, struct memcg_state *states, uint64_t *planned_bytes,
		struct plan *plan)
{
	const struct limit_want want = {
		.span_usec = saturating_mul(HEADROOM_TICKS, snapshot->interval_usec),
		.least_ppm = HEADROOM_LEAST_PPM,
		.most_ppm = HEADROOM_MOST_PPM,
		.at_once = true,
	};
	struct split split = {
		.params = params,
		.snapshot = snapshot,
		.states = states,
	};
	uint64_t need_bytes;

	if (!limit_look(snapshot, states, parent, &want, &split.limit))
		return;
	count_children(&split);
	/* Of children that were never looked at nothing is known but that. */
	states[parent].wants_tiers = limit_is_near(&split.limit) &&
				     (split.n_children > 1 || states[parent].dt_usec == 0);
	if (split.n_children < 2) {
		/* One that has only just grown to count has no history to judge it by: the next look
		 * is not to be late (measured: a stream that began was taken from after ten seconds). */
		if (states[parent].n_leaves > split.n_children)
			limit_hasten(&split.limit, plan);
		else if (split.n_children == 1)
			headroom_plan(params, snapshot, parent, split.last_child, aging, states,
				      planned_bytes, plan);
		return;
	}
	targets_step(params, snapshot, states, &split.limit);
	limit_hasten(&split.limit, plan);
	need_bytes = limit_need_bytes(&split.limit, planned_bytes[parent]);
	take(&split, REASON_HEADROOM, find_victim, &need_bytes, planned_bytes, plan);
	take(&split, REASON_TARGET, find_above_target, &need_bytes, planned_bytes, plan);
	need_bytes = saturating_sub(need_bytes, split.limit.headroom_bytes / 2);
	take(&split, REASON_HEADROOM, find_filler_in_use, &need_bytes, planned_bytes, plan);
}
