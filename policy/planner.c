/* SPDX-License-Identifier: MIT */
/*
 * Composes the laws: renew each memcg's history and find out by its residence time whose law it is
 * under. A leaf at its limit has GCLK's, any other SAVER's; then SPLIT keeps headroom under each
 * limit, innermost first, with what SAVER takes already counted.
 */
#include "planner.h"
#include "advice.h"
#include "aging.h"
#include "arith.h"
#include "backoff.h"
#include "consider.h"
#include "credit.h"
#include "gclk.h"
#include "pressure.h"
#include "progress.h"
#include "protect.h"
#include "protection.h"
#include "quota.h"
#include "refault.h"
#include "residence.h"
#include "saver.h"
#include "saver_file.h"
#include "siblings.h"
#include "split.h"
#include "tier.h"
#include "utility.h"
#include "width.h"
#include "workingset.h"

#include <string.h>

/* A gap this many ticks long is a suspend, a stopped agent or a jump of the clock. */
#define GAP_TICKS 12

/* After such a gap nothing is taken for this long: ages and averages mean little at first. */
#define QUIET_USEC (60 * USEC_PER_SEC)

size_t policy_plan_capacity(const struct snapshot *snapshot)
{
	/* SPLIT takes from a memcg at most once; each other law ages or takes from each of its
	 * lruvecs at most once, and only one of them does. */
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
		    memcg->n_lruvecs > snapshot->n_lruvecs - memcg->first_lruvec ||
		    memcg->first_tiers > snapshot->n_tiers ||
		    memcg->n_tiers > snapshot->n_tiers - memcg->first_tiers)
			return false;
	}
	for (size_t v = 0; v < snapshot->n_lruvecs; v++)
		if (snapshot->lruvecs[v].n_gens > LRUVEC_GENS_MAX)
			return false;
	for (size_t v = 0; v < snapshot->n_tiers; v++)
		if (snapshot->tiers[v].n_tiers > LRUVEC_TIERS_MAX)
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
		.events_high = sample->events_high,
		.events_max = sample->events_max,
		.events_oom_kill = sample->events_oom_kill,
		.psi_memory_some_usec = sample->psi_memory.some_usec,
		.psi_io_some_usec = sample->psi_io.some_usec,
		.file_pages = is_number(sample->lru_bytes[LRU_FILE])
				      ? sample->lru_bytes[LRU_FILE] / snapshot->page_bytes
				      : SAMPLE_UNKNOWN,
		.current_bytes = sample->current_bytes,
		.swap_current_bytes = sample->swap_current_bytes,
		.cpu_usec = sample->cpu_usec,
	};
	state->last_usec = state->looked_usec = snapshot->now_usec;
	if (is_number(sample->current_bytes))
		state->peak_bytes = max_u64(state->peak_bytes, sample->current_bytes);
}

static bool went_back(uint64_t now, uint64_t before)
{
	return is_number(now) && is_number(before) && now < before;
}

/* True if a running total went backwards: the cgroup was made anew, or the kernel reset it. */
static bool was_reset(const struct memcg_state *state, const struct memcg_sample *sample)
{
	const struct memcg_counters *last = &state->last;

	return went_back(sample->pgscan_pages, last->pgscan_pages) ||
	       went_back(sample->pgsteal_pages, last->pgsteal_pages) ||
	       went_back(sample->refault_pages[LRU_FILE], last->refault_pages[LRU_FILE]) ||
	       went_back(sample->refault_pages[LRU_ANON], last->refault_pages[LRU_ANON]);
}

/* True if some counter was not read the last time, so that the interval since then is a blank. */
static bool was_unknown(const struct memcg_state *state)
{
	const struct memcg_counters *last = &state->last;

	return !is_number(last->pgscan_pages) || !is_number(last->pgsteal_pages) ||
	       !is_number(last->refault_pages[LRU_FILE]) ||
	       !is_number(last->refault_pages[LRU_ANON]);
}

/* What the clock at a limit has learned of this workload and of this kernel. A time that the clock
 * has not come to yet is now. */
static void keep_habits(struct memcg_state *state, uint64_t now_usec)
{
	struct gclk_state *gclk = &state->gclk;

	gclk_leave(state);
	gclk->flushed_usec = min_u64(gclk->flushed_usec, now_usec);
	gclk->failed_usec = min_u64(gclk->failed_usec, now_usec);
	gclk->churn_failed_usec = min_u64(gclk->churn_failed_usec, now_usec);
	state->aging = (struct aging_state){
		.refused = state->aging.refused,
		.aged_full = state->aging.aged_full,
		.aged_by_itself = state->aging.aged_by_itself,
	};
}

/* Forgets all rates but not the size, the habits, the pace and the holds of a memcg, and keeps
 * still a while. */
static void rebase(struct memcg_state *state, const struct memcg_sample *sample,
		   const struct snapshot *snapshot)
{
	uint64_t now_usec = snapshot->now_usec;
	uint64_t held_usec =
		saturating_sub(state->hold_until_usec, max_u64(now_usec, state->looked_usec));
	uint64_t until_usec = saturating_add(now_usec, max_u64(held_usec, QUIET_USEC));

	advice_rebase(&state->advice, now_usec);
	keep_habits(state, now_usec);
	*state = (struct memcg_state){
		.id = sample->id,
		.primed = true,
		.peak_bytes = state->peak_bytes,
		.age_interval_usec = state->age_interval_usec,
		.hazard_ppb = state->hazard_ppb,
		.baseline_memory_ppm = state->baseline_memory_ppm,
		.baseline_io_ppm = state->baseline_io_ppm,
		.protect = state->protect,
		.aging = state->aging,
		.gclk = state->gclk,
		.backoffs = state->backoffs,
		.advice = state->advice,
		.hold_until_usec = until_usec,
		.widened_for = until_usec, /* this is no harm */
		.hold = held_usec > QUIET_USEC ? state->hold
					       : (struct verdict){.reason = REASON_FIRST_LOOK},
	};
	remember(state, sample, snapshot);
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
	state->advice.due = ADVICE_NONE;
	if (!sample->skipped)
		state->aging.took_usec =
			saturating_add(state->aging.took_usec, sample->outcome.aging_usec);
	if (state->rebase || snapshot->now_usec <= state->looked_usec || was_reset(state, sample) ||
	    snapshot->now_usec - state->looked_usec >
		    saturating_mul(snapshot->interval_usec, GAP_TICKS)) {
		rebase(state, sample, snapshot);
		return false;
	}
	if (sample->skipped) {
		/* The next rates span all the time since last_usec. */
		state->looked_usec = snapshot->now_usec;
		return false;
	}
	state->dt_usec = snapshot->now_usec - state->last_usec;
	residence_step(state, sample, snapshot);
	aging_step(state, sample, snapshot);
	tier_step(state, sample, snapshot);
	if (was_unknown(state)) {
		remember(state, sample, snapshot);
		return false;
	}
	refault_step(state, sample, snapshot->now_usec, snapshot->page_bytes);
	pressure_step(state, sample);
	utility_step(state, sample, snapshot,
		     consider_has_class(params, sample)
			     ? params->classes[sample->class_index].weight
			     : WEIGHT_DEFAULT);
	advice_step(state, sample, snapshot);
	if (consider_has_class(params, sample)) {
		const struct class_params *class = &params->classes[sample->class_index];

		backoff_step(state, class, sample, snapshot);
		width_step(state, class, sample, snapshot);
		credit_step(state, class, sample, snapshot);
		if (class->protect)
			protect_step(state, sample, snapshot);
	}
	if (residence_is_watched(state))
		progress_step(state, sample, snapshot, residence_unit_usec(state));
	remember(state, sample, snapshot);
	return true;
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

/* Who shares a limit: leaves that have processes and hold something. */
static void count_leaves(const struct snapshot *snapshot, struct memcg_state *states)
{
	for (size_t i = 0; i < snapshot->n_memcgs; i++)
		states[i].n_leaves = 0;
	for (size_t i = 0; i < snapshot->n_memcgs; i++) {
		const struct memcg_sample *sample = &snapshot->memcgs[i];

		if (!sample->leaf || !sample->populated ||
		    number_or(sample->current_bytes, UINT64_MAX) < SAMPLE_SMALL_BYTES)
			continue;
		for (int64_t at = (int64_t)i; at >= 0; at = snapshot->memcgs[at].parent)
			states[at].n_leaves++;
	}
}

/* The law of one leaf; returns the bytes that it takes. */
static uint64_t plan_leaf(const struct memcg_view *view, struct plan *plan)
{
	struct memcg_state *state = view->state;
	uint64_t bytes;

	if (residence_is_watched(state))
		gclk_follow(view);
	else if (state->gclk.under_limit)
		gclk_leave(state);
	if (state->residence.mode != RESIDENCE_FREE)
		gclk_plan(view, plan);
	/* Under a shared limit what SAVER has found cold already may go: SPLIT's children do not
	 * wait for each other. But not while a flush is under observation. */
	if (state->residence.mode == RESIDENCE_BOUND || state->verdict.action != ACTION_NONE ||
	    state->gclk.phase != GCLK_WATCH)
		return 0;
	bytes = saver_plan(view, plan);
	if (state->verdict.action == ACTION_NONE && state->residence.mode == RESIDENCE_FREE)
		bytes = saver_file_plan(view, plan);
	return bytes;
}

static void plan_memcg(const struct policy_params *params, const struct snapshot *snapshot,
		       size_t i, struct memcg_state *states, enum aging_rule aging,
		       struct quota *quota, struct plan *plan)
{
	const struct memcg_sample *sample = &snapshot->memcgs[i];
	struct memcg_view view = {
		.params = params,
		.snapshot = snapshot,
		.sample = sample,
		.states = states,
		.state = &states[i],
		.class = &params->classes[sample->class_index],
		.index = i,
		.aging = aging,
	};

	view.floor_bytes = protection_floor_bytes(view.class, sample, view.state);
	view.room_bytes =
		protection_room_bytes(snapshot, i, view.floor_bytes, quota->planned_bytes);
	view.quota_bytes = quota_room_bytes(snapshot, i, view.state->dt_usec, quota);
	quota_book(snapshot, i, plan_leaf(&view, plan), quota);
}

static void remember_reasons(const struct plan *plan, struct memcg_state *states)
{
	for (size_t d = 0; d < plan->n_decisions; d++)
		if (plan->decisions[d].action != ACTION_AGE)
			states[plan->decisions[d].memcg].gclk.taken_for = plan->decisions[d].reason;
}

void policy_plan(const struct policy_params *params, const struct snapshot *snapshot,
		 struct memcg_state *states, uint64_t *planned_bytes, struct plan *plan)
{
	enum aging_rule aging;
	struct quota quota;

	plan->n_decisions = 0;
	plan->swap_bytes = plan->disk_bytes = 0;
	plan->next_usec = snapshot->interval_usec;
	quota_init(&quota, snapshot, planned_bytes);
	if (!is_sound(snapshot)) {
		for (size_t i = 0; i < snapshot->n_memcgs; i++)
			states[i].verdict = (struct verdict){.reason = REASON_UNKNOWN};
		return;
	}
	aging = aging_rule_of(snapshot, states);
	protection_step(snapshot, states);
	count_leaves(snapshot, states);
	for (size_t i = 0; i < snapshot->n_memcgs; i++) {
		const struct memcg_sample *sample = &snapshot->memcgs[i];
		bool known = renew(&states[i], params, sample, snapshot);

		states[i].wants_tiers = false;
		measure(&states[i], sample, snapshot);
		if (known && sample->leaf)
			residence_decide(snapshot, states, i);
		consider(params, sample, snapshot, known, &states[i]);
	}
	protect_plan(params, snapshot, states);
	for (size_t i = 0; i < snapshot->n_memcgs; i++)
		if (states[i].verdict.reason == REASON_NONE)
			plan_memcg(params, snapshot, i, states, aging, &quota, plan);
	if (snapshot->system.capability < CAPABILITY_RECLAIM ||
	    snapshot->read_usec > CONSIDER_READ_MAX_USEC)
		return;
	siblings_init(snapshot, states);
	for (size_t i = snapshot->n_memcgs; i-- > 0;) {
		siblings_begin(snapshot, states, i);
		split_plan(params, snapshot, i, aging, states, planned_bytes, plan);
		siblings_end(snapshot, states, i);
	}
	remember_reasons(plan, states);
}
