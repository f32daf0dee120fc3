/* SPDX-License-Identifier: MIT */
/*
 * Protect=auto: memory.low follows the measured working set, so that a limit's reclaim, which takes
 * from all children alike, takes from those that hold what nobody uses (measured: 84 812 refaults of
 * a hot child beside a stream; with memory.low above what it holds: none).
 *
 * The working set is
 *  - anon: what agings have seen in use (workingset.c), all of it where nothing was aged;
 *  - file: what is held, but for what was brought in within the last minutes and has not proved yet
 *    that it is ever used again. Generations say nothing here: pages read through descriptors do not
 *    move by it. Where a quarter of what was evicted comes back, or of what comes in was here before,
 *    all that is held has proved it;
 *  - what else is charged, since memory.low is held against all of it;
 *  - and what came back since the last look without its having grown by that: had it held so much
 *    more, nothing would have; or, where that proves it, all that was evicted of late and is not back
 *    yet, up to what it held then: a set that has grown comes back only as fast as the disk is, page
 *    by page and for those of others of its own (measured: five looks for four fifths of the growth).
 *
 * A sixteenth goes on top: the kernel spares a memcg up to memory.low and no further, and reclaims
 * from one that holds a page more as from any other (mm/vmscan.c: shrink_node_memcgs).
 *
 * Up at once, down slowly and only after a while without need: a working set that seems to shrink may
 * be one that sleeps.
 */
#include "protect.h"
#include "arith.h"
#include "consider.h"
#include "limit.h"
#include "refault.h"

/* New file fades out of what is unproven with this: two thirds of it in a minute. */
#define PROOF_TAU_USEC (60 * USEC_PER_SEC)

/* A stream's pages come back by 3 % (measured), a hot set's all. */
#define PROOF_RETURN_PPM 250000

/* Fewer returns are chance; the kernel's own model of tiers starts to count here (MIN_LRU_BATCH). */
#define RETURN_LEAST_PAGES 64

#define MARGIN_DIVISOR 16

#define DOWN_AFTER_USEC (60 * USEC_PER_SEC)
#define DOWN_TAU_USEC   (600 * USEC_PER_SEC)

/* Smaller changes are not worth a write: a thirty-second of what it is, or 1 MiB. */
#define CHANGE_DIVISOR     32
#define CHANGE_LEAST_BYTES (UINT64_C(1) << 20)

/* All protections under one limit leave this part of it to whoever needs memory now. */
#define FREE_DIVISOR 8

/* --- what is measured */

/* What says that a working set is larger than what is held. Refaults of all pages, since those of
 * higher tiers (tier.h) are among them and are read too seldom to be followed within two looks. */
struct evidence {
	uint64_t returned_pages;      /* since the last look; SAMPLE_UNKNOWN: not known */
	uint64_t returned_file_pages; /* of them */
	uint64_t new_bytes;           /* of file, likewise */
	uint64_t return_ppm; /* of the file pages evicted of late; SAMPLE_UNKNOWN: too few */
};

static struct evidence evidence_of(const struct memcg_state *state,
				   const struct memcg_sample *sample, uint32_t page_bytes)
{
	const uint64_t *former = state->last.refault_pages, *now = sample->refault_pages;
	uint64_t file_pages = counter_delta(now[LRU_FILE], former[LRU_FILE]);

	return (struct evidence){
		.returned_pages =
			saturating_add(counter_delta(now[LRU_ANON], former[LRU_ANON]), file_pages),
		.returned_file_pages = file_pages,
		.new_bytes = mul_div(saturating_mul(state->inflow_now_mpps, page_bytes),
				     state->dt_usec, 1000 * USEC_PER_SEC),
		.return_ppm = refault_return_ppm(state),
	};
}

/* Whether file comes back that is worth to be held. */
static bool returns(const struct evidence *evidence, uint32_t page_bytes)
{
	uint64_t file_pages = evidence->returned_file_pages;

	if (is_number(evidence->return_ppm) && evidence->return_ppm >= PROOF_RETURN_PPM)
		return true;
	return is_number(file_pages) && file_pages >= RETURN_LEAST_PAGES &&
	       mul_div(file_pages, PPM,
		       saturating_add(file_pages, evidence->new_bytes / page_bytes)) >=
		       PROOF_RETURN_PPM;
}

/* What came back, or is still out and to come back, and is not held in spite of it. */
static uint64_t returned_bytes(const struct memcg_state *state, const struct memcg_sample *sample,
			       const struct evidence *evidence, uint32_t page_bytes)
{
	uint64_t held_bytes = sample->current_bytes, bytes, out_bytes;

	if (!is_number(evidence->returned_pages) || evidence->returned_pages < RETURN_LEAST_PAGES)
		return 0;
	bytes = saturating_sub(saturating_mul(evidence->returned_pages, page_bytes),
			       saturating_sub(held_bytes, number_or(state->last.current_bytes, 0)));
	if (!returns(evidence, page_bytes))
		return bytes;
	out_bytes = saturating_mul(
		saturating_sub(state->evicted_file_pages, state->returned_file_pages), page_bytes);
	return max_u64(bytes, min_u64(out_bytes, state->protect.peak_bytes - held_bytes));
}

static uint64_t anon_bytes(const struct memcg_state *state, const struct memcg_sample *sample)
{
	uint64_t held_bytes = number_or(sample->lru_bytes[LRU_ANON], 0);

	return sample->listed && state->working_set_bytes > 0
		       ? min_u64(held_bytes, state->working_set_bytes)
		       : held_bytes;
}

void protect_step(struct memcg_state *state, const struct memcg_sample *sample,
		  const struct snapshot *snapshot)
{
	struct evidence evidence = evidence_of(state, sample, snapshot->page_bytes);
	struct protect_state *protect = &state->protect;
	uint64_t held_bytes = number_or(sample->lru_bytes[LRU_ANON], 0);
	uint64_t file_bytes = number_or(sample->lru_bytes[LRU_FILE], 0);
	uint64_t bytes = sample->current_bytes;

	if (!is_number(bytes))
		return;
	protect->peak_bytes = bytes + fade(saturating_sub(protect->peak_bytes, bytes),
					   state->dt_usec, PROOF_TAU_USEC);
	protect->unproven_bytes = min_u64(
		saturating_add(fade(protect->unproven_bytes, state->dt_usec, PROOF_TAU_USEC),
			       evidence.new_bytes),
		file_bytes);
	if (returns(&evidence, snapshot->page_bytes))
		protect->unproven_bytes = 0;
	held_bytes = saturating_add(held_bytes, file_bytes);
	bytes = saturating_add(anon_bytes(state, sample), file_bytes - protect->unproven_bytes);
	bytes = saturating_add(bytes, saturating_sub(sample->current_bytes, held_bytes));
	protect->returned_bytes = returned_bytes(state, sample, &evidence, snapshot->page_bytes);
	protect->workingset_bytes = saturating_add(bytes, protect->returned_bytes);
}

/* Up at once, down slowly. */
static void follow(struct memcg_state *state, uint64_t now_usec)
{
	struct protect_state *protect = &state->protect;
	uint64_t bytes = saturating_add(protect->workingset_bytes,
					protect->workingset_bytes / MARGIN_DIVISOR);
	uint64_t dt_usec = saturating_sub(now_usec, protect->followed_usec);

	protect->followed_usec = now_usec;
	if (bytes >= protect->wanted_bytes) {
		protect->wanted_bytes = bytes;
		protect->raised_usec = now_usec;
	} else if (now_usec - min_u64(now_usec, protect->raised_usec) >= DOWN_AFTER_USEC) {
		protect->wanted_bytes =
			bytes + fade(protect->wanted_bytes - bytes, dt_usec, DOWN_TAU_USEC);
	}
}

/* --- what may be had */

static bool is_auto(const struct policy_params *params, const struct memcg_sample *sample)
{
	return !sample->omitted && consider_has_class(params, sample) &&
	       params->classes[sample->class_index].protect;
}

/* The ancestor whose limit a memcg shares with others, or the top: then what it shares is RAM. */
static size_t limiting(const struct snapshot *snapshot, size_t i, uint64_t *ret_limit_bytes)
{
	int64_t at = snapshot->memcgs[i].parent;

	while (snapshot->memcgs[at].parent >= 0 &&
	       !is_number(limit_bytes_of(&snapshot->memcgs[at])))
		at = snapshot->memcgs[at].parent;
	*ret_limit_bytes = limit_bytes_of(&snapshot->memcgs[at]);
	if (!is_number(*ret_limit_bytes))
		*ret_limit_bytes = number_or(snapshot->system.ram_bytes, 0);
	return (size_t)at;
}

/* What the memcgs between it and that ancestor grant: reclaim from further up sees their memory.low
 * first. Those whose own is to follow grant what is asked. */
static uint64_t granted_bytes(const struct policy_params *params, const struct snapshot *snapshot,
			      size_t i, size_t top)
{
	uint64_t bytes = SAMPLE_INFINITY;

	for (int64_t at = snapshot->memcgs[i].parent; at != (int64_t)top;
	     at = snapshot->memcgs[at].parent) {
		const struct memcg_sample *between = &snapshot->memcgs[at];

		if (!is_auto(params, between))
			bytes = min_u64(bytes, max_u64(number_or(between->low_bytes, 0),
						       number_or(between->min_bytes, 0)));
	}
	return bytes;
}

/* Lowers what is asked for to most_bytes, and says why. */
static void hold_down(struct protect_state *protect, uint64_t most_bytes, enum reason why)
{
	protect->most_bytes = min_u64(protect->most_bytes, most_bytes);
	if (protect->asked_bytes <= most_bytes)
		return;
	protect->asked_bytes = most_bytes;
	protect->verdict.reason = why;
}

/* The nearest ancestor that asks for those below it, or the one whose limit all share. */
static size_t who_asks_for(const struct policy_params *params, const struct snapshot *snapshot,
			   size_t i, size_t top)
{
	int64_t at = snapshot->memcgs[i].parent;

	while (at != (int64_t)top && !is_auto(params, &snapshot->memcgs[at]))
		at = snapshot->memcgs[at].parent;
	return (size_t)at;
}

/* What each memcg would have, before the sum is looked at. The innermost come first: an inner memcg
 * is to have what those below it have together. */
static void want(const struct policy_params *params, const struct snapshot *snapshot,
		 struct memcg_state *states, size_t i)
{
	const struct memcg_sample *sample = &snapshot->memcgs[i];
	struct memcg_state *state = &states[i];
	struct protect_state *protect = &state->protect;
	uint64_t limit_bytes, *sum_bytes;
	size_t top = limiting(snapshot, i, &limit_bytes);

	if (sample->leaf && protect->workingset_bytes > 0 && sample->populated)
		follow(state, snapshot->now_usec);
	protect->most_bytes = sample->populated ? SAMPLE_INFINITY : 0;
	protect->asked_bytes = min_u64(protect->most_bytes,
				       sample->leaf ? protect->wanted_bytes : protect->sum_bytes);
	protect->verdict = (struct verdict){
		.reason = REASON_PROTECT,
		.measured = sample->leaf ? protect->workingset_bytes : protect->sum_bytes,
	};
	hold_down(protect,
		  mul_div(limit_bytes, params->classes[sample->class_index].protect_max_ppm, PPM),
		  REASON_PROTECT_MAX);
	hold_down(protect, limit_bytes_of(sample), REASON_PROTECT_LIMIT);
	hold_down(protect, granted_bytes(params, snapshot, i, top), REASON_PROTECT_PARENT);
	sum_bytes = &states[who_asks_for(params, snapshot, i, top)].protect.sum_bytes;
	*sum_bytes = saturating_add(*sum_bytes, protect->asked_bytes);
}

/* Its part, where all that share a limit ask for more than there is. */
static void settle(const struct snapshot *snapshot, struct memcg_state *states, size_t i)
{
	struct protect_state *protect = &states[i].protect;
	uint64_t limit_bytes, shared_bytes, change_bytes, bytes;
	size_t top = limiting(snapshot, i, &limit_bytes);
	uint64_t sum_bytes = states[top].protect.sum_bytes;

	shared_bytes = saturating_sub(limit_bytes - limit_bytes / FREE_DIVISOR,
				      states[top].protect.others_bytes);
	if (sum_bytes > shared_bytes)
		hold_down(protect, in_proportion(protect->asked_bytes, shared_bytes, sum_bytes),
			  REASON_PROTECT_SHARE);
	bytes = protect->asked_bytes;
	change_bytes = max_u64(protect->low_bytes / CHANGE_DIVISOR, CHANGE_LEAST_BYTES);
	if (bytes == 0 || protect->low_bytes > protect->most_bytes ||
	    saturating_sub(max_u64(bytes, protect->low_bytes), min_u64(bytes, protect->low_bytes)) >
		    change_bytes)
		protect->low_bytes = bytes;
	protect->verdict.action = protect->low_bytes ? ACTION_PROTECT : ACTION_NONE;
	protect->verdict.limit = protect->verdict.bytes = protect->low_bytes;
}

static void forget(struct protect_state *protect)
{
	protect->low_bytes = protect->wanted_bytes = 0;
	protect->workingset_bytes = protect->unproven_bytes = protect->peak_bytes = 0;
}

void protect_plan(const struct policy_params *params, const struct snapshot *snapshot,
		  struct memcg_state *states)
{
	for (size_t i = 0; i < snapshot->n_memcgs; i++) {
		states[i].protect.sum_bytes = states[i].protect.others_bytes = 0;
		states[i].protect.verdict = (struct verdict){0};
	}
	for (size_t i = snapshot->n_memcgs; i-- > 0;) {
		const struct memcg_sample *sample = &snapshot->memcgs[i];

		if (sample->parent < 0)
			continue;
		if (is_auto(params, sample))
			want(params, snapshot, states, i);
		else
			states[sample->parent].protect.others_bytes =
				saturating_add(states[sample->parent].protect.others_bytes,
					       min_u64(number_or(sample->low_bytes, 0),
						       number_or(sample->current_bytes, 0)));
	}
	for (size_t i = 0; i < snapshot->n_memcgs; i++) {
		if (snapshot->memcgs[i].parent >= 0 && is_auto(params, &snapshot->memcgs[i]))
			settle(snapshot, states, i);
		else
			forget(&states[i].protect);
	}
}
