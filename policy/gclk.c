/* SPDX-License-Identifier: MIT */
/*
 * GCLK: the generation clock of a memcg at its limit.
 *
 * Under a limit the kernel up to 6.13 practically never opens a generation by itself. Two things go
 * wrong then, and a few agings from outside mend both (measured on 6.12): anon that is never used
 * is never swapped out while the page cache thrashes (file refaults -79 %, operations +38 %), and
 * pages once protected stay so when the working set has moved on. Agings without cause, though, do
 * harm for ten residence times (+17 % misses). So: age on evidence, observe, adapt.
 *
 * Here is who may be aged and when nothing is judged; flush.c has the evidence and what follows
 * from it, churn.c a bolder kind of aging that is to be asked for. With frequency-guided promotion
 * anon that is stuck is all that is left to do; or, where the kernel ages as from 6.14 on, to keep
 * four generations alive, since it un-sticks anon itself there.
 *
 * Nothing is judged within three units of an action, be it an eviction of ours, nor in the first
 * six units. Refaults and stalls do not hold this law back, since they are what it is to mend.
 */
#include "gclk.h"
#include "aging.h"
#include "arith.h"
#include "backoff.h"
#include "churn.h"
#include "flush.h"
#include "progress.h"
#include "residence.h"
#include "swap_room.h"

/* In tenths of a unit. */
#define BLIND_START 60 /* the ring fills, and what the limit did at first passes */
#define LISTING_GAP 30 /* so long without a listing, and nobody knows what happened */

/* Fewer pages than a batch (MIN_LRU_BATCH) swapped out are none; and anon that comes back a page a
 * second had left before. */
#define MOVED_SLACK_PAGES  64
#define MOVED_REFAULT_MPPS 1000

uint64_t gclk_since_usec(const struct memcg_view *view, uint64_t usec)
{
	return saturating_sub(view->snapshot->now_usec, usec);
}

uint64_t gclk_units_usec(const struct memcg_view *view, uint64_t tenths)
{
	return mul_div(residence_unit_usec(view->state), tenths, 10);
}

uint64_t gclk_cost_ppm(const struct memcg_view *view, uint64_t tenths)
{
	return progress_cost_ppm(view->state, view->snapshot->now_usec,
				 gclk_units_usec(view, tenths), 0);
}

uint64_t gclk_turnover_ppm(const struct memcg_view *view, uint64_t tenths)
{
	return progress_turnover_ppm(view->state, view->snapshot->now_usec,
				     gclk_units_usec(view, tenths));
}

uint64_t gclk_file_return_ppm(const struct memcg_view *view)
{
	const struct memcg_state *state = view->state;

	return state->residence.steal_mpps == 0
		       ? 0
		       : mul_div(state->refault_mpps[LRU_FILE], PPM, state->residence.steal_mpps);
}

void gclk_begin(const struct memcg_view *view, enum gclk_phase phase)
{
	struct gclk_state *gclk = &view->state->gclk;

	gclk->phase = phase;
	gclk->began_usec = view->snapshot->now_usec;
	gclk->moved = view->state->aging.moved;
}

void gclk_leave(struct memcg_state *state)
{
	const struct gclk_state *gclk = &state->gclk;

	state->gclk = (struct gclk_state){
		.taken_for = gclk->taken_for,
		.flushed_usec = gclk->flushed_usec,
		.theta_ppm = gclk->theta_ppm,
		.width_ppm = gclk->width_ppm,
		.failures = gclk->failures,
		.failed_usec = gclk->failed_usec,
		.churn_failures = gclk->churn_failures,
		.churn_failed_usec = gclk->churn_failed_usec,
	};
	progress_forget(state);
}

static void enter(const struct memcg_view *view)
{
	struct gclk_state *gclk = &view->state->gclk;

	gclk_leave(view->state);
	gclk->under_limit = true;
	gclk->entered_usec = gclk->listed_usec = gclk->anon_usec = gclk->blind_since_usec =
		view->snapshot->now_usec;
	gclk->blind_tenths = BLIND_START;
	gclk->swap_mark_bytes = view->sample->swap_current_bytes;
}

/* What is going on is no longer to be judged: something else has happened. */
void gclk_disturb(const struct memcg_view *view)
{
	struct gclk_state *gclk = &view->state->gclk;

	gclk_begin(view, GCLK_WATCH);
	gclk->has_ref = false;
	if (gclk_since_usec(view, gclk->blind_since_usec) <
	    gclk_units_usec(view, saturating_sub(gclk->blind_tenths, GCLK_BLIND_TENTHS)))
		return; /* blind for longer anyway */
	gclk->blind_since_usec = view->snapshot->now_usec;
	gclk->blind_tenths = GCLK_BLIND_TENTHS;
}

/* Anon that moves is not stuck: more of it is in swap, or some comes back from there. */
static void follow_anon(const struct memcg_view *view)
{
	struct gclk_state *gclk = &view->state->gclk;
	uint64_t swapped_bytes = view->sample->swap_current_bytes;
	uint64_t slack_bytes = MOVED_SLACK_PAGES * (uint64_t)view->snapshot->page_bytes;

	if (!is_number(swapped_bytes) || !is_number(gclk->swap_mark_bytes) ||
	    swapped_bytes > saturating_add(gclk->swap_mark_bytes, slack_bytes) ||
	    view->state->refault_mpps[LRU_ANON] > MOVED_REFAULT_MPPS) {
		gclk->anon_usec = view->snapshot->now_usec;
		gclk->swap_mark_bytes = swapped_bytes;
	}
	gclk->swap_mark_bytes = min_u64(gclk->swap_mark_bytes, swapped_bytes);
}

/* True, with a verdict, where the law does not apply whatever the evidence. */
static bool is_refused(const struct memcg_view *view, const struct plan *plan)
{
	const struct memcg_sample *sample = view->sample;
	struct verdict held;

	if (view->snapshot->system.capability < CAPABILITY_GENERATIONS) {
		view_say(view, REASON_NO_GENERATIONS, 0, 0);
		return true;
	}
	if (view->class->reclaim == RECLAIM_ANON) {
		/* An aging reorders file as well. */
		view_say(view, REASON_ANON_OFF, 0, 0);
		return true;
	}
	if (backoff_holds(view->state, view->snapshot->now_usec, &held) &&
	    held.reason != REASON_HOLD_REFAULT && held.reason != REASON_HOLD_PRESSURE &&
	    held.reason != REASON_HOLD_NO_YIELD) {
		view->state->verdict = held;
		return true;
	}
	/* An aging sets anon free to be swapped out, which has to be allowed then. */
	return swap_is_possible(view->snapshot, view->index) &&
	       number_or(sample->lru_bytes[LRU_ANON], UINT64_MAX) >
		       sample->current_bytes / GCLK_ANON_DIVISOR &&
	       swap_refuses_anon(view, plan);
}

void gclk_say_waiting(const struct memcg_view *view)
{
	const struct gclk_state *gclk = &view->state->gclk;

	view_say(view, REASON_LIMIT_WAIT, gclk_since_usec(view, gclk->blind_since_usec),
		 gclk_units_usec(view, gclk->blind_tenths));
}

/* Unforced, so that none is ever merged. */
static void keep_four(const struct memcg_view *view, struct plan *plan)
{
	const struct lruvec_sample *main = aging_main_lruvec(view);
	uint64_t n_gens = main ? aging_gens(view, main) : 0;

	view_say(view, REASON_FOUR, n_gens, AGING_FULL_GENS);
	if (n_gens >= AGING_FULL_GENS ||
	    !aging_ask(view, REASON_KEEP_FOUR, false, gclk_units_usec(view, 1), plan))
		return;
	view_say(view, REASON_KEEP_FOUR, n_gens, AGING_FULL_GENS);
	view->state->verdict.action = ACTION_AGE;
}

static bool is_dirty(const struct memcg_view *view)
{
	uint64_t file_bytes = number_or(view->sample->lru_bytes[LRU_FILE], 0);
	uint64_t dirty_bytes =
		saturating_add(number_or(view->sample->file_dirty_bytes, file_bytes),
			       number_or(view->sample->file_writeback_bytes, file_bytes));

	view_say(view, REASON_DIRTY, dirty_bytes, file_bytes / 2);
	return dirty_bytes > file_bytes / 2;
}

static bool is_blind(const struct memcg_view *view)
{
	const struct gclk_state *gclk = &view->state->gclk;

	gclk_say_waiting(view);
	return gclk_since_usec(view, gclk->blind_since_usec) <
	       gclk_units_usec(view, gclk->blind_tenths);
}

static void watch(const struct memcg_view *view, struct plan *plan)
{
	bool shared = view->state->residence.mode == RESIDENCE_SHARED;

	if (is_blind(view) || is_dirty(view))
		return;
	if (view->aging == AGING_KEEPS && !shared)
		keep_four(view, plan);
	else if (view->aging == AGING_KEEPS)
		view_say(view, REASON_LIMIT_BOUND, view->state->residence.usec,
			 RESIDENCE_BOUND_USEC);
	else if (shared || !churn_begins(view, plan))
		flush_watch(view, plan);
}

/* Headroom for a memcg alone is taken all the time and where the kernel would take it: no change.
 * What is taken for others' sake is one. */
static bool is_disturbed(const struct memcg_view *view)
{
	return view->sample->outcome.asked_bytes > 0 &&
	       (view->state->residence.mode == RESIDENCE_SHARED ||
		view->state->gclk.taken_for != REASON_HEADROOM);
}

/* False, with a verdict, if this look cannot be used. What went on meanwhile is not judged. */
static bool is_usable(const struct memcg_view *view)
{
	struct gclk_state *gclk = &view->state->gclk;
	uint64_t listed_usec = gclk_since_usec(view, gclk->listed_usec);

	if (!view->sample->listed || !aging_main_lruvec(view)) {
		view_say(view, REASON_NOT_LISTED, 0, 0);
		return false;
	}
	if (!is_number(view->state->residence.usec)) {
		gclk_say_waiting(view);
		return false;
	}
	gclk->listed_usec = view->snapshot->now_usec;
	if (listed_usec >= gclk_units_usec(view, LISTING_GAP) || is_disturbed(view) ||
	    gclk->by_cpu != view->state->progress.by_cpu)
		gclk_disturb(view);
	gclk->by_cpu = view->state->progress.by_cpu;
	return true;
}

void gclk_follow(const struct memcg_view *view)
{
	if (!view->state->gclk.under_limit)
		enter(view);
	/* Until the law applies there is nothing to disturb. */
	if (view->state->residence.mode == RESIDENCE_FREE) {
		view->state->gclk.by_cpu = view->state->progress.by_cpu;
		view->state->gclk.listed_usec = view->snapshot->now_usec;
	}
	follow_anon(view);
}

void gclk_plan(const struct memcg_view *view, struct plan *plan)
{
	struct gclk_state *gclk = &view->state->gclk;

	if (is_refused(view, plan)) {
		if (gclk->phase != GCLK_WATCH)
			gclk_disturb(view);
		return;
	}
	if (!is_usable(view))
		return;
	switch (gclk->phase) {
	case GCLK_WATCH:
		watch(view, plan);
		break;
	case GCLK_FLUSH:
	case GCLK_OBSERVE:
		flush_plan(view, plan);
		break;
	default:
		churn_plan(view, plan);
		break;
	}
	plan->next_usec =
		min_u64(plan->next_usec, residence_unit_usec(view->state) / RESIDENCE_LOOKS);
}
