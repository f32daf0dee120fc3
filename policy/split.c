/* SPDX-License-Identifier: MIT */
/*
 * SPLIT: who pays under a shared limit. When a cgroup reaches memory.high or memory.max the kernel
 * reclaims from all its children alike, from the hot database as readily as from the stream beside
 * it (measured: 84 812 refaults of the database; with reclaim from the stream alone: none). Here
 * the memory is taken before the limit is reached, and from the child for which there is evidence
 * that it can spare it:
 *
 *  - It fills the limit: it brings in new file pages, and not less than its brothers do on average.
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
 * A cgroup alone under its limit is left to the kernel, which evicts the same pages in the same
 * order.
 *
 * Only file is taken: swap is SAVER's business. Stalls on memory do not hold this law back, since
 * under a limit they are the limit's doing and headroom is the remedy.
 */
#include "split.h"
#include "arith.h"
#include "backoff.h"
#include "protection.h"
#include "refault.h"

/* Headroom: what comes in during two ticks, within 2 and 20 % of the limit. */
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

/* A request below this is not worth the walk. */
#define WORTH_BYTES (UINT64_C(256) << 10)

/* Never looks again sooner than this, however close the limit. */
#define NEXT_LEAST_USEC (500 * 1000)

struct limit {
	const struct policy_params *params;
	const struct snapshot *snapshot;
	struct memcg_state *states;
	size_t parent;
	uint64_t limit_bytes;
	uint64_t headroom_bytes;
	uint64_t free_bytes;
	uint64_t filler_mpps; /* new pages from which a child fills the limit */
	size_t n_children;
	size_t last_child;
};

static bool is_below(const struct snapshot *snapshot, size_t index, size_t ancestor)
{
	for (int64_t i = snapshot->memcgs[index].parent; i >= (int64_t)ancestor;
	     i = snapshot->memcgs[i].parent)
		if ((size_t)i == ancestor)
			return true;
	return false;
}

static bool counts(const struct limit *limit, size_t i)
{
	const struct memcg_sample *sample = &limit->snapshot->memcgs[i];

	return sample->leaf && sample->populated && limit->states[i].primed &&
	       limit->states[i].verdict.reason != REASON_UNKNOWN &&
	       limit->states[i].verdict.reason != REASON_FIRST_LOOK &&
	       is_below(limit->snapshot, i, limit->parent);
}

/* Pages per thousand seconds to bytes within the span. */
static uint64_t mpps_to_bytes(const struct snapshot *snapshot, uint64_t mpps, uint64_t span_usec)
{
	return mul_div(saturating_mul(mpps, snapshot->page_bytes), span_usec, 1000 * USEC_PER_SEC);
}

/* True if it is one of those that bring the limit nearer. */
static bool fills(const struct limit *limit, size_t i)
{
	return limit->states[i].inflow_mpps >= limit->filler_mpps;
}

static uint64_t refuse(struct memcg_state *state, enum reason reason, uint64_t measured,
		       uint64_t limit)
{
	state->verdict = (struct verdict){
		.reason = reason,
		.measured = measured,
		.limit = limit,
	};
	return 0;
}

/* How much may be taken from a child on the evidence there is, and what of it is expected to come
 * back; 0 and a verdict where there is none. */
static uint64_t evidence_bytes(const struct limit *limit, size_t i, uint64_t *ret_return_ppm)
{
	struct memcg_state *state = &limit->states[i];
	uint64_t return_ppm = refault_return_ppm(state);
	uint64_t dt_usec =
		min_u64(state->dt_usec, saturating_mul(2, limit->snapshot->interval_usec));
	uint64_t new_bytes = mpps_to_bytes(limit->snapshot, state->inflow_mpps, dt_usec);
	uint64_t rate_bytes = max_u64(
		mul_div(mul_div(limit->limit_bytes, RATE_PPM_PER_SEC, PPM), dt_usec, USEC_PER_SEC),
		mul_div(new_bytes, INFLOW_RATE_PPM, PPM));

	if (return_ppm != SAMPLE_UNKNOWN && return_ppm > RETURN_LIMIT_PPM)
		return refuse(state, REASON_RETURNS, return_ppm, RETURN_LIMIT_PPM);
	if (fills(limit, i)) {
		*ret_return_ppm = return_ppm == SAMPLE_UNKNOWN ? RETURN_LIMIT_PPM : return_ppm;
		return return_ppm == SAMPLE_UNKNOWN ? min_u64(rate_bytes, new_bytes) : rate_bytes;
	}
	return_ppm = refault_settled_return_ppm(state);
	if (return_ppm == SAMPLE_UNKNOWN)
		return refuse(state, REASON_NO_EVIDENCE, state->inflow_mpps, limit->filler_mpps);
	if (return_ppm > RETURN_LIMIT_PPM)
		return refuse(state, REASON_RETURNS, return_ppm, RETURN_LIMIT_PPM);
	*ret_return_ppm = return_ppm;
	return min_u64(rate_bytes, saturating_mul(saturating_mul(state->settled_file_pages,
								 limit->snapshot->page_bytes),
						  PROVEN_FACTOR));
}

static uint64_t allowance_bytes(const struct limit *limit, size_t i, uint64_t *ret_return_ppm)
{
	const struct memcg_sample *sample = &limit->snapshot->memcgs[i];
	uint64_t unclean_bytes = saturating_add(number_or(sample->file_dirty_bytes, 0),
						number_or(sample->file_writeback_bytes, 0));
	uint64_t clean_bytes =
		saturating_sub(number_or(sample->lru_bytes[LRU_FILE], 0), unclean_bytes);

	return min_u64(evidence_bytes(limit, i, ret_return_ppm), clean_bytes);
}

/* True if nothing may be taken from a child whatever the evidence; its verdict then says why. */
static bool child_refused(const struct limit *limit, size_t i, uint32_t *ret_swappiness)
{
	const struct memcg_sample *sample = &limit->snapshot->memcgs[i];
	const struct system_sample *system = &limit->snapshot->system;
	struct memcg_state *state = &limit->states[i];
	const struct class_params *class;
	struct verdict held;

	if (sample->class_index < 0 || (size_t)sample->class_index >= limit->params->n_classes ||
	    sample->omitted || sample->busy || sample->frozen)
		return true;
	class = &limit->params->classes[sample->class_index];
	if (class->reclaim != RECLAIM_FILE && class->reclaim != RECLAIM_ALL)
		return true;
	if (backoff_holds(state, limit->snapshot->now_usec, &held) &&
	    held.reason != REASON_HOLD_PRESSURE &&
	    (held.reason != REASON_HOLD_REFAULT || !fills(limit, i))) {
		state->verdict = held;
		return true;
	}
	*ret_swappiness = SWAPPINESS_FILE_ONLY;
	if (!system->reclaim_swappiness) {
		/* Without swappiness= the kernel may swap; only where that is allowed, or cannot
		 * be. */
		*ret_swappiness = SWAPPINESS_DEFAULT;
		if (system->swap_total_bytes != 0 && sample->swap_max_bytes != 0 &&
		    (class->reclaim == RECLAIM_FILE || limit->params->anon == ANON_NO ||
		     (limit->params->anon == ANON_AUTO && !system->swap_is_memory))) {
			state->verdict = (struct verdict){.reason = REASON_SWAPPINESS};
			return true;
		}
	}
	return false;
}

struct victim {
	bool found;
	size_t index;
	uint64_t return_ppm;
	uint64_t bytes;
	uint32_t swappiness;
};

static bool is_better(const struct limit *limit, const struct victim *a, const struct victim *b)
{
	const struct snapshot *snapshot = limit->snapshot;
	uint64_t cost_a, cost_b;

	if (!b->found)
		return true;
	cost_a = (a->return_ppm + 1) *
		 limit->params->classes[snapshot->memcgs[a->index].class_index].weight;
	cost_b = (b->return_ppm + 1) *
		 limit->params->classes[snapshot->memcgs[b->index].class_index].weight;
	if (cost_a != cost_b)
		return cost_a < cost_b;
	return limit->states[a->index].inflow_mpps > limit->states[b->index].inflow_mpps;
}

/* The child that can best spare memory, not taken from by this plan yet. */
static struct victim find_victim(const struct limit *limit, const uint64_t *planned_bytes)
{
	struct victim best = {.found = false};

	for (size_t i = limit->parent + 1; i < limit->snapshot->n_memcgs; i++) {
		const struct memcg_sample *sample = &limit->snapshot->memcgs[i];
		struct victim victim = {.found = true, .index = i};
		uint64_t floor_bytes;

		if (!counts(limit, i) || limit->states[i].verdict.action != ACTION_NONE ||
		    child_refused(limit, i, &victim.swappiness))
			continue;
		victim.bytes = allowance_bytes(limit, i, &victim.return_ppm);
		if (victim.bytes == 0)
			continue;
		floor_bytes = protection_floor_bytes(&limit->params->classes[sample->class_index],
						     sample, &limit->states[i]);
		victim.bytes =
			min_u64(victim.bytes, protection_room_bytes(limit->snapshot, i, floor_bytes,
								    planned_bytes));
		if (victim.bytes < WORTH_BYTES) {
			limit->states[i].verdict = (struct verdict){
				.reason = REASON_FLOOR,
				.measured = sample->current_bytes,
				.limit = floor_bytes,
			};
			continue;
		}
		if (is_better(limit, &victim, &best))
			best = victim;
	}
	return best;
}

static void take(const struct limit *limit, const struct victim *victim, uint64_t bytes,
		 uint64_t *planned_bytes, struct plan *plan)
{
	plan->decisions[plan->n_decisions++] = (struct decision){
		.memcg = victim->index,
		.action = ACTION_RECLAIM,
		.reason = REASON_HEADROOM,
		.swappiness = victim->swappiness,
		.bytes = bytes,
	};
	limit->states[victim->index].verdict = (struct verdict){
		.action = ACTION_RECLAIM,
		.reason = REASON_HEADROOM,
		.measured = limit->free_bytes,
		.limit = limit->headroom_bytes,
		.bytes = bytes,
	};
	protection_book(limit->snapshot, victim->index, bytes, planned_bytes);
}

/* When the limit would be reached at the present growth, look again at half of that time. */
static void hasten(const struct limit *limit, struct plan *plan)
{
	uint64_t growth_bps = limit->states[limit->parent].growth_bps;
	uint64_t left_usec;

	if (growth_bps == 0)
		return;
	left_usec = mul_div(limit->free_bytes, USEC_PER_SEC, growth_bps);
	plan->next_usec = min_u64(plan->next_usec, max_u64(left_usec / 2, NEXT_LEAST_USEC));
}

static bool limit_init(struct limit *limit)
{
	const struct snapshot *snapshot = limit->snapshot;
	const struct memcg_sample *sample = &snapshot->memcgs[limit->parent];
	const struct memcg_state *state = &limit->states[limit->parent];

	limit->limit_bytes = min_u64(number_or(sample->max_bytes, UINT64_MAX),
				     number_or(sample->high_bytes, UINT64_MAX));
	if (limit->limit_bytes == UINT64_MAX || !is_number(sample->current_bytes) || !state->primed)
		return false;
	limit->free_bytes = saturating_sub(limit->limit_bytes, sample->current_bytes);
	limit->headroom_bytes =
		min_u64(max_u64(mul_div(state->growth_bps,
					saturating_mul(HEADROOM_TICKS, snapshot->interval_usec),
					USEC_PER_SEC),
				mul_div(limit->limit_bytes, HEADROOM_LEAST_PPM, PPM)),
			mul_div(limit->limit_bytes, HEADROOM_MOST_PPM, PPM));
	return true;
}

static void count_children(struct limit *limit)
{
	uint64_t inflow_mpps = 0, n_fillers = 0;

	for (size_t i = limit->parent + 1; i < limit->snapshot->n_memcgs; i++) {
		if (!counts(limit, i))
			continue;
		limit->n_children++;
		limit->last_child = i;
		if (limit->states[i].inflow_mpps < FILLER_LEAST_MPPS)
			continue;
		inflow_mpps = saturating_add(inflow_mpps, limit->states[i].inflow_mpps);
		n_fillers++;
	}
	limit->filler_mpps = FILLER_LEAST_MPPS;
	if (n_fillers)
		limit->filler_mpps =
			max_u64(inflow_mpps / n_fillers / FILLER_DIVISOR, FILLER_LEAST_MPPS);
}

void split_plan(const struct policy_params *params, const struct snapshot *snapshot, size_t parent,
		struct memcg_state *states, uint64_t *planned_bytes, struct plan *plan)
{
	struct limit limit = {
		.params = params,
		.snapshot = snapshot,
		.states = states,
		.parent = parent,
	};
	uint32_t swappiness;
	uint64_t need_bytes;

	if (snapshot->memcgs[parent].leaf || !limit_init(&limit))
		return;
	hasten(&limit, plan);
	need_bytes = saturating_sub(limit.headroom_bytes,
				    saturating_add(limit.free_bytes, planned_bytes[parent]));
	if (need_bytes == 0)
		return;
	count_children(&limit);
	if (limit.n_children == 1) {
		if (states[limit.last_child].verdict.action == ACTION_NONE &&
		    !child_refused(&limit, limit.last_child, &swappiness))
			refuse(&states[limit.last_child], REASON_ALONE, 0, 0);
		return;
	}
	while (need_bytes >= WORTH_BYTES && plan->n_decisions < plan->capacity) {
		struct victim victim = find_victim(&limit, planned_bytes);
		uint64_t bytes = min_u64(victim.bytes, need_bytes);

		if (!victim.found)
			break;
		take(&limit, &victim, bytes, planned_bytes, plan);
		need_bytes -= bytes;
	}
}
