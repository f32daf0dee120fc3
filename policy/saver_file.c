/* SPDX-License-Identifier: MIT */
/*
 * SAVER for file: page cache that nobody uses, in memcgs that nobody reclaims.
 *
 * Pages that are read with read(2) have no accessed bit: a generation's age says nothing about
 * them, and one used every second may sit in the oldest. (Simulated: evicting by age alone emptied
 * a cache that was used throughout.) So there is no clock here. A little is taken where the kernel
 * would take it, and what comes back of it says how much more may follow:
 *
 *  - the first steps are small, and grow as long as no more comes back than the class allows: by as
 *    much as refaults have had time to be seen in, whatever the interval. (PostgreSQL in the guest,
 *    whose working set came round in 20 s, lost 15 MiB of it to steps that doubled at each look.)
 *  - never more than the refaults allowed will pay for (credit.c), shared with anon, which goes
 *    first: a page from compressed swap costs less than one from a disk;
 *  - a refault costs what the storage takes: c = mean io stall / refaults. What is allowed is cut so
 *    that their wait stays within PressureLimit. A memcg that waits for other io, too, counts as one
 *    on slow storage: little is taken from it.
 *
 * Where nearly all of a trial comes back within a minute the cache is in use throughout, and the
 * next trial has to wait, each time for twice as long.
 *
 * Nothing is taken while what was used more than once leaves and comes back (tier.c).
 *
 * Where a limit is near, headroom has the say (split.c, headroom.c), and so it has under any that is
 * shared and small: a trial there would cost siblings pages that nobody lacks.
 *
 * It is taken by lru_gen's eviction (file_evict.h); where the oldest generation is used up, one more
 * is opened. Without generations it is taken through memory.reclaim: so this law is on every kernel
 * that can take file alone.
 */
#include "saver_file.h"
#include "aging.h"
#include "arith.h"
#include "backoff.h"
#include "credit.h"
#include "file_evict.h"
#include "file_reclaim.h"
#include "limit.h"
#include "refault.h"
#include "saver.h"
#include "tier.h"

/* Less is mostly the text of what runs there. */
#define FILE_WORTH_BYTES (UINT64_C(8) << 20)

/* Shares of its memory a second: where it begins, and the most. */
#define FIRST_PPM_PER_SEC 1000
#define MOST_PPM_PER_SEC  10000

/* Judged by what was taken or evicted otherwise within a minute or so, and what of it came back
 * (refault.c). */
#define IN_USE_PPM       750000
#define PAUSE_FIRST_USEC USEC_PER_MIN
#define PAUSES_MAX       5
#define OUT_DIVISOR      100

/* Enough to be judged (REFAULT_EVIDENCE_PAGES). */
#define TRIAL_BYTES (UINT64_C(512) << 10)

/* Pages read meanwhile are to have their time to be read again. */
#define AGE_APART_USEC (5 * USEC_PER_MIN)

/* So many refaults a second tell what one costs; with fewer it costs what is usual, and never less
 * than a hundredth of that nor more than a disk that turns takes. */
#define COST_EVIDENCE_MPPS 200
#define COST_LEAST_USEC    (REFAULT_DISK_USEC / 100)
#define COST_MOST_USEC     20000

/* What one refault of file makes its reader wait, in usec. */
static uint64_t cost_usec(const struct memcg_state *state)
{
	uint64_t mpps = state->refault_mpps[LRU_FILE];

	if (mpps < COST_EVIDENCE_MPPS)
		return REFAULT_DISK_USEC;
	return min_u64(max_u64(mul_div(state->mean_stall_io_ppm, 1000, mpps), COST_LEAST_USEC),
		       COST_MOST_USEC);
}

/* How much of limit_mpps keeps their wait within PressureLimit, in ppm. */
static uint64_t affordable_ppm(const struct memcg_view *view, uint64_t limit_mpps)
{
	uint64_t paid_mpps = mul_div(view->class->pressure_limit_ppm, 1000, cost_usec(view->state));

	return limit_mpps <= paid_mpps ? PPM : mul_div(paid_mpps, PPM, limit_mpps);
}

static uint64_t pause_until_usec(const struct memcg_state *state)
{
	return state->file_pause_until_sec * USEC_PER_SEC;
}

/* Judges the trial, and pauses after one that shows that the file is in use. Once a good part of it
 * is out for good, as much comes back as is taken all the time, and proves nothing. */
static void judge(const struct memcg_view *view)
{
	struct memcg_state *state = view->state;
	uint64_t return_ppm = refault_return_ppm(state);
	uint64_t file_pages =
		number_or(view->sample->lru_bytes[LRU_FILE], 0) / view->snapshot->page_bytes;
	uint64_t now_usec = view->snapshot->now_usec;

	if (return_ppm == SAMPLE_UNKNOWN || now_usec < pause_until_usec(state))
		return;
	if (return_ppm <= IN_USE_PPM || state->file_out_pages > file_pages / OUT_DIVISOR) {
		state->file_pauses = 0;
		return;
	}
	state->file_pause_until_sec =
		(uint32_t)((now_usec + (PAUSE_FIRST_USEC << state->file_pauses)) / USEC_PER_SEC);
	state->file_pauses = (uint8_t)min_u64(state->file_pauses + 1, PAUSES_MAX);
}

/* Why nothing is taken of this memcg whatever comes back; else false. */
static bool is_refused(const struct memcg_view *view)
{
	const struct memcg_state *state = view->state;
	uint64_t clean_bytes = file_reclaim_clean_bytes(view->sample);
	uint64_t now_usec = view->snapshot->now_usec;
	uint64_t free_bytes, near_bytes;

	if (clean_bytes < FILE_WORTH_BYTES)
		view_say(view, REASON_LITTLE_FILE, clean_bytes, FILE_WORTH_BYTES);
	else if (view->sample->seen_usec < SAVER_YOUNG_USEC)
		view_say(view, REASON_YOUNG, view->sample->seen_usec, SAVER_YOUNG_USEC);
	else if (saver_meets_others(view))
		return true;
	else if (limit_needs_headroom(view->snapshot, view->states, view->index, &free_bytes,
				      &near_bytes))
		view_say(view, REASON_LIMIT_NEAR, free_bytes, near_bytes);
	else if (now_usec < pause_until_usec(state))
		view_say(view, REASON_IN_USE, pause_until_usec(state) - now_usec, 0);
	else
		return backoff_holds(state, now_usec, &view->state->verdict);
	return true;
}

/* The pace of the sweep for a step that is dt_usec after the last one. */
static uint32_t pace_ppm(const struct memcg_view *view, uint64_t dt_usec, bool harmless)
{
	uint64_t now_ppm = view->state->file_sweep_ppm;
	uint64_t grown_ppm = saturating_add(now_ppm, mul_div(now_ppm, dt_usec, REFAULT_TAU_USEC));

	return saver_pace_ppm((uint32_t)now_ppm, FIRST_PPM_PER_SEC,
			      (uint32_t)min_u64(grown_ppm, MOST_PPM_PER_SEC),
			      view->sample->outcome.stolen_pages[LRU_FILE], harmless);
}

/* What to take at this look; 0 and a verdict where that is nothing. */
static uint64_t wanted_bytes(const struct memcg_view *view)
{
	struct memcg_state *state = view->state;
	uint64_t held_bytes = view->sample->current_bytes;
	uint64_t dt_usec = view_span_usec(view->snapshot, state->dt_usec);
	uint64_t limit_mpps = max_u64(refault_limit_mpps(view->class->refault_limit_ppm, held_bytes,
							 view->snapshot->page_bytes),
				      1);
	uint64_t share_ppm = affordable_ppm(view, limit_mpps);
	uint64_t affordable_mpps = mul_div(limit_mpps, share_ppm, PPM);
	uint64_t mpps = refault_all_mpps(state), bytes;

	state->file_sweep_ppm = pace_ppm(view, dt_usec, mpps <= affordable_mpps);
	bytes = mul_div(mul_div(held_bytes, state->file_sweep_ppm, PPM), dt_usec, USEC_PER_SEC);
	bytes = min_u64(max_u64(bytes, TRIAL_BYTES),
			saturating_mul(credit_file_pages(state, limit_mpps, share_ppm),
				       view->snapshot->page_bytes));
	if (bytes < FILE_RECLAIM_WORTH_BYTES)
		return view_say(view, REASON_HOLD_REFAULT, mpps, affordable_mpps);
	if (view->room_bytes < FILE_RECLAIM_WORTH_BYTES)
		return view_say(view, REASON_FLOOR, held_bytes, view->floor_bytes);
	if (view->quota_bytes < FILE_RECLAIM_WORTH_BYTES)
		return view_say(view, REASON_QUOTA, view->quota_bytes, bytes);
	view_say(view, REASON_UNUSED_FILE, mpps, affordable_mpps);
	return min_u64(min_u64(bytes, file_reclaim_clean_bytes(view->sample)),
		       min_u64(view->room_bytes, view->quota_bytes));
}

/* Asks for bytes in the way this kernel is best asked; returns what was asked for. */
static uint64_t ask(const struct memcg_view *view, uint64_t bytes, uint32_t swappiness,
		    struct plan *plan)
{
	struct verdict why = view->state->verdict;

	if (view->snapshot->system.capability < CAPABILITY_GENERATIONS) {
		file_reclaim_ask(view->index, bytes, swappiness, &why, view->state, plan);
		return bytes;
	}
	bytes = file_evict_ask(view->snapshot, view->index, true, bytes, why.reason, plan);
	if (bytes == 0)
		return view_say(view, REASON_NOTHING_COLD, 0, 0);
	view->state->verdict.action = ACTION_EVICT;
	view->state->verdict.bytes = bytes;
	return bytes;
}

/* With generations, file is only to be had where an old one holds some: else one more is opened, but
 * where anon has a clock, whose agings do that too. Anon that nobody takes fills the oldest one for
 * good, and up to 6.13 all four exist then: file has two of them, so that an aging that is forced
 * merges nothing of it, but only such anon. True if there is nothing to take for now, with a verdict.
 */
static bool is_exhausted(const struct memcg_view *view, struct plan *plan)
{
	const struct lruvec_sample *main = aging_main_lruvec(view);
	uint64_t youngest_usec;
	bool force;

	if (view->snapshot->system.capability < CAPABILITY_GENERATIONS)
		return false;
	if (!view->sample->listed || !main) {
		view_say(view, REASON_NOT_LISTED, 0, 0);
		return true;
	}
	if (file_evict_pages(view->snapshot, view->index, true) > 0)
		return false;
	youngest_usec = saturating_mul(main->gens[main->n_gens - 1].age_msec, 1000);
	force = view->aging == AGING_REFUSES && aging_gens(view, main) >= AGING_FULL_GENS;
	if (!saver_has_clock(view) &&
	    aging_ask(view, REASON_USED_UP, force, AGE_APART_USEC, plan)) {
		view_say(view, REASON_USED_UP, youngest_usec, AGE_APART_USEC);
		view->state->verdict.action = ACTION_AGE;
	} else {
		view_say(view, REASON_AGE_NOT_DUE, youngest_usec, AGE_APART_USEC);
	}
	return true;
}

static uint64_t take(const struct memcg_view *view, struct plan *plan)
{
	uint32_t swappiness;
	uint64_t bytes;

	judge(view);
	if (plan->n_decisions >= plan->capacity || is_refused(view) ||
	    file_reclaim_refused(view->params, view->snapshot, view->index, true, view->state,
				 &swappiness))
		return 0;
	if (view->snapshot->system.cpu_wait_usec > 0)
		return view_say(view, REASON_CPU_BUDGET, view->snapshot->system.cpu_wait_usec, 0);
	view->state->wants_tiers = true;
	if (tier_refuses(view->state))
		return 0;
	bytes = wanted_bytes(view);
	if (bytes == 0 || is_exhausted(view, plan))
		return 0;
	return ask(view, bytes, swappiness, plan);
}

uint64_t saver_file_plan(const struct memcg_view *view, struct plan *plan)
{
	const struct memcg_sample *sample = view->sample;
	struct verdict of_anon = view->state->verdict;
	uint64_t bytes;

	if (view->class->reclaim == RECLAIM_ANON)
		return 0;
	bytes = take(view, plan);
	/* Why nothing is taken: of file only where that is most of it. */
	if (view->state->verdict.action == ACTION_NONE &&
	    number_or(sample->lru_bytes[LRU_FILE], 0) <= number_or(sample->lru_bytes[LRU_ANON], 0))
		view->state->verdict = of_anon;
	return bytes;
}
