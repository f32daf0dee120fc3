/* SPDX-License-Identifier: MIT */
/*
 * Composes the laws: renew each memcg's history, let SAVER look for cold anon in each leaf, then let
 * SPLIT keep headroom under each limit, innermost first, with what SAVER takes already counted.
 */
#include "planner.h"
#include "arith.h"
#include "backoff.h"
#include "pressure.h"
#include "protection.h"
#include "refault.h"
#include "saver.h"
#include "split.h"
#include "workingset.h"

#include <string.h>

/* A gap this many ticks long is a suspend, a stopped agent or a jump of the clock. */
#define GAP_TICKS 12

/* After such a gap nothing is taken for this long: ages and averages mean little at first. */
#define QUIET_USEC (60 * USEC_PER_SEC)

/* Below this a memcg is not worth anybody's attention. */
#define SMALL_BYTES (UINT64_C(4) << 20)

size_t policy_plan_capacity(const struct snapshot *snapshot)
{
	/* SPLIT takes from a memcg at most once, SAVER from each lruvec at most once. */
	return snapshot->n_memcgs + snapshot->n_lruvecs;
}

/* False if an index or a count points nowhere: no snapshot of ours, and not to be followed. */
static bool is_sound(const struct snapshot *snapshot)
{
	if (snapshot->page_bytes == 0)
		return false;
	for (size_t i = 0; i < snapshot->n_memcgs; i++) {
		const struct memcg_sample *memcg = &snapshot->memcgs[i];

		if (memcg->parent >= (int64_t)i || memcg->first_lruvec > snapshot->n_lruvecs ||
		    memcg->n_lruvecs > snapshot->n_lruvecs - memcg->first_lruvec)
			return false;
	}
	for (size_t v = 0; v < snapshot->n_lruvecs; v++)
		if (snapshot->lruvecs[v].n_gens > LRUVEC_GENS_MAX)
			return false;
	return true;
}

static void remember(struct memcg_state *state, const struct memcg_sample *sample,
		     const struct snapshot *snapshot)
{
	state->last = (struct memcg_counters){
		.refault_pages = {sample->refault_pages[LRU_ANON], sample->refault_pages[LRU_FILE]},
		.pgscan_pages = sample->pgscan_pages,
		.pgsteal_pages = sample->pgsteal_pages,
		.events_max = sample->events_max,
		.events_oom_kill = sample->events_oom_kill,
		.psi_memory_some_usec = sample->psi_memory.some_usec,
		.psi_io_some_usec = sample->psi_io.some_usec,
		.file_pages = is_number(sample->lru_bytes[LRU_FILE])
				      ? sample->lru_bytes[LRU_FILE] / snapshot->page_bytes
				      : SAMPLE_UNKNOWN,
		.current_bytes = sample->current_bytes,
		.swap_current_bytes = sample->swap_current_bytes,
	};
	state->last_usec = snapshot->now_usec;
	if (is_number(sample->current_bytes))
		state->peak_bytes = max_u64(state->peak_bytes, sample->current_bytes);
}

/* True if a running total went backwards: the cgroup was made anew, or the kernel reset it. */
static bool was_reset(const struct memcg_state *state, const struct memcg_sample *sample)
{
	const struct memcg_counters *last = &state->last;

	return sample->pgscan_pages < last->pgscan_pages ||
	       sample->pgsteal_pages < last->pgsteal_pages ||
	       sample->refault_pages[LRU_FILE] < last->refault_pages[LRU_FILE] ||
	       sample->refault_pages[LRU_ANON] < last->refault_pages[LRU_ANON];
}

/* Forgets all rates but not the size, the habits, the pace and the holds of a memcg, and keeps still
 * a while. */
static void rebase(struct memcg_state *state, const struct memcg_sample *sample,
		   const struct snapshot *snapshot)
{
	uint64_t now_usec = snapshot->now_usec;
	uint64_t held_usec =
		saturating_sub(state->hold_until_usec, max_u64(now_usec, state->last_usec));
	uint64_t until_usec = saturating_add(now_usec, max_u64(held_usec, QUIET_USEC));

	*state = (struct memcg_state){
		.id = sample->id,
		.primed = true,
		.peak_bytes = state->peak_bytes,
		.age_interval_usec = state->age_interval_usec,
		.baseline_memory_ppm = state->baseline_memory_ppm,
		.baseline_io_ppm = state->baseline_io_ppm,
		.backoffs = state->backoffs,
		.hold_until_usec = until_usec,
		.widened_for = until_usec, /* this is no harm */
		.hold = held_usec > QUIET_USEC ? state->hold
					       : (struct verdict){.reason = REASON_FIRST_LOOK},
	};
	remember(state, sample, snapshot);
}

static bool has_class(const struct policy_params *params, const struct memcg_sample *sample)
{
	return sample->class_index >= 0 && (size_t)sample->class_index < params->n_classes;
}

/* Brings the history up to the snapshot. False when there is no history to judge by yet. */
static bool renew(struct memcg_state *state, const struct policy_params *params,
		  const struct memcg_sample *sample, const struct snapshot *snapshot)
{
	if (!state->primed || state->id != sample->id) {
		memset(state, 0, sizeof(*state));
		state->id = sample->id;
		state->primed = true;
		remember(state, sample, snapshot);
		return false;
	}
	if (snapshot->now_usec <= state->last_usec || was_reset(state, sample) ||
	    snapshot->now_usec - state->last_usec >
		    saturating_mul(snapshot->interval_usec, GAP_TICKS)) {
		rebase(state, sample, snapshot);
		return false;
	}
	state->dt_usec = snapshot->now_usec - state->last_usec;
	refault_step(state, sample, snapshot->now_usec, snapshot->page_bytes);
	pressure_step(state, sample);
	if (has_class(params, sample))
		backoff_step(state, &params->classes[sample->class_index], sample, snapshot);
	remember(state, sample, snapshot);
	return true;
}

/* Why a memcg is not looked at by any law; REASON_NONE if it is. */
static enum reason not_considered(const struct policy_params *params,
				  const struct memcg_sample *sample,
				  const struct snapshot *snapshot)
{
	if (sample->omitted)
		return REASON_OMITTED;
	if (!has_class(params, sample))
		return REASON_NO_CLASS;
	if (params->classes[sample->class_index].reclaim == RECLAIM_NONE)
		return REASON_CLASS_NONE;
	if (!sample->leaf)
		return REASON_INNER;
	if (snapshot->system.capability < CAPABILITY_RECLAIM)
		return REASON_OBSERVE;
	if (!sample->populated)
		return REASON_UNPOPULATED;
	if (sample->frozen)
		return REASON_FROZEN;
	if (sample->busy)
		return REASON_BUSY;
	if (!is_number(sample->current_bytes) || !is_number(sample->pgsteal_pages) ||
	    !is_number(sample->pgscan_pages) || !is_number(sample->refault_pages[LRU_ANON]) ||
	    !is_number(sample->refault_pages[LRU_FILE]) || sample->min_bytes == SAMPLE_UNKNOWN ||
	    sample->low_bytes == SAMPLE_UNKNOWN)
		return REASON_UNKNOWN;
	if (sample->current_bytes < SMALL_BYTES)
		return REASON_SMALL;
	return REASON_NONE;
}

static void measure(struct memcg_state *state, const struct memcg_sample *sample,
		    const struct snapshot *snapshot)
{
	uint64_t cold_pages, young_pages;

	if (!sample->listed)
		return;
	workingset_measure(&snapshot->lruvecs[sample->first_lruvec], sample->n_lruvecs, &cold_pages,
			   &young_pages);
	state->cold_bytes = saturating_mul(cold_pages, snapshot->page_bytes);
	state->working_set_bytes = saturating_mul(young_pages, snapshot->page_bytes);
}

static void plan_memcg(const struct policy_params *params, const struct snapshot *snapshot,
		       size_t i, struct memcg_state *state, uint64_t *planned_bytes,
		       struct plan *plan)
{
	const struct memcg_sample *sample = &snapshot->memcgs[i];
	struct memcg_view view = {
		.params = params,
		.snapshot = snapshot,
		.sample = sample,
		.state = state,
		.index = i,
	};
	enum reason reason = not_considered(params, sample, snapshot);

	state->verdict = (struct verdict){.reason = reason};
	if (reason == REASON_SMALL) {
		state->verdict.measured = sample->current_bytes;
		state->verdict.limit = SMALL_BYTES;
	}
	if (reason != REASON_NONE)
		return;
	view.class = &params->classes[sample->class_index];
	view.floor_bytes = protection_floor_bytes(view.class, sample, state);
	view.room_bytes = protection_room_bytes(snapshot, i, view.floor_bytes, planned_bytes);
	protection_book(snapshot, i, saver_plan(&view, plan), planned_bytes);
}

void policy_plan(const struct policy_params *params, const struct snapshot *snapshot,
		 struct memcg_state *states, uint64_t *planned_bytes, struct plan *plan)
{
	plan->n_decisions = 0;
	plan->swap_bytes = 0;
	plan->next_usec = snapshot->interval_usec;
	for (size_t i = 0; i < snapshot->n_memcgs; i++)
		planned_bytes[i] = 0;
	if (!is_sound(snapshot)) {
		for (size_t i = 0; i < snapshot->n_memcgs; i++)
			states[i].verdict = (struct verdict){.reason = REASON_UNKNOWN};
		return;
	}
	for (size_t i = 0; i < snapshot->n_memcgs; i++) {
		bool known = renew(&states[i], params, &snapshot->memcgs[i], snapshot);

		measure(&states[i], &snapshot->memcgs[i], snapshot);
		if (known)
			plan_memcg(params, snapshot, i, &states[i], planned_bytes, plan);
		else
			states[i].verdict = (struct verdict){.reason = REASON_FIRST_LOOK};
	}
	if (snapshot->system.capability < CAPABILITY_RECLAIM)
		return;
	for (size_t i = snapshot->n_memcgs; i-- > 0;)
		split_plan(params, snapshot, i, states, planned_bytes, plan);
}
