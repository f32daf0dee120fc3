/* SPDX-License-Identifier: MIT */
/*
 * CHURN: forced agings in quick succession, for loops over more than fits into memory.
 *
 * Of a loop, what was read last is what is needed last, so that taking the oldest takes the wrong
 * pages. A forced aging while all generations exist empties the oldest into the next one and puts
 * its pages back in reverse order; twenty times a residence time that comes close to taking what
 * was read last (measured on 6.12: a loop of 1.2 times the memory missed 78 % without and 36 %
 * with). It is an accident of list order, it may vanish with any kernel, and it is terrible for a
 * hot set beside a stream (0 to 0.16 refaults an operation).
 *
 * Hence only for classes with Churn=yes, with all of these:
 *  - most of the memory is file, and nearly all of it in the oldest generation: nothing is
 *    protected yet, so that there is nothing to lose;
 *  - m of three units is m of the three before: no transient;
 *  - one in ten evicted pages comes back: no one-shot stream;
 *  - its period is long enough, and moving the oldest generation each time costs little CPU time.
 * A trial of three units decides by m, and every forty units a pause of three tests it again. What
 * did not pay is not tried again for a time that grows by four. Where looks cannot come as often as
 * it takes (CpuBudget=), it ends.
 */
#include "churn.h"
#include "aging.h"
#include "arith.h"
#include "gclk.h"
#include "progress.h"
#include "residence.h"

/* Tenths of a unit. */
#define TRIAL  30
#define AFTER  25 /* of a trial; it may come and go within it */
#define BEFORE 20
#define RETEST 400
#define WAIT   300

/* Twenty agings a unit, 25 ms apart at least. */
#define PERIOD_DIVISOR    20
#define PERIOD_LEAST_USEC (UINT64_C(25) * 1000)

/* Outside the oldest generation, of all file: what is protected. */
#define PROTECTED_PPM 150000

#define STEADY_PPM 50000
#define RETURN_PPM 100000

/* Moving a page to another generation takes 0.13 to 0.2 us (measured under emulation). */
#define MOVE_NSEC 200
#define MOVE_PPM  50000

/* Less than 7 % gain is not worth it. */
#define GAIN_PPM 930000

/* 30 units times 4^k without a trial after k + 1 that failed. */
#define FAILURES_MAX 6

/* Three looks in a row at less than half the pace, or agings that moved nothing. */
#define LATE_MAX 3

static uint64_t now_usec(const struct memcg_view *view)
{
	return view->snapshot->now_usec;
}

static uint64_t passed_usec(const struct memcg_view *view)
{
	return gclk_since_usec(view, view->state->gclk.began_usec);
}

/* By the residence time without churn: with it pages stay longer, and agings that come the more
 * seldom for it bring less. */
static uint64_t period_without_usec(const struct memcg_view *view)
{
	return view->state->residence.usec / PERIOD_DIVISOR;
}

static uint64_t period_usec(const struct memcg_view *view)
{
	return view->state->gclk.churn_period_usec;
}

static bool is_waiting(const struct memcg_view *view)
{
	const struct gclk_state *gclk = &view->state->gclk;

	return gclk->churn_failures > 0 &&
	       gclk_since_usec(view, gclk->churn_failed_usec) <
		       gclk_units_usec(view, (uint64_t)WAIT << 2 * (gclk->churn_failures - 1));
}

/* Nothing protected, and cheap to move. */
static bool is_loop_shaped(const struct memcg_view *view)
{
	const struct memcg_sample *sample = view->sample;
	uint64_t oldest = 0, all = 0, cost_nsec;

	for (uint32_t v = 0; v < sample->n_lruvecs; v++) {
		const struct lruvec_sample *lruvec =
			&view->snapshot->lruvecs[sample->first_lruvec + v];

		uint32_t first = aging_file_oldest(lruvec);

		for (uint32_t g = first; g < lruvec->n_gens; g++) {
			uint64_t pages = number_or(lruvec->gens[g].pages[LRU_FILE], 0);

			all = saturating_add(all, pages);
			if (g == first)
				oldest = saturating_add(oldest, pages);
		}
	}
	cost_nsec = saturating_mul(oldest, MOVE_NSEC);
	return all > 0 && all - oldest < mul_div(all, PROTECTED_PPM, PPM) &&
	       cost_nsec < mul_div(period_without_usec(view), MOVE_PPM * 1000, PPM);
}

static bool is_steady(const struct memcg_view *view)
{
	uint64_t recent_ppm = gclk_cost_ppm(view, 30);
	uint64_t former_ppm = progress_cost_ppm(
		view->state, now_usec(view), gclk_units_usec(view, 60), gclk_units_usec(view, 30));
	uint64_t apart_ppm =
		recent_ppm > former_ppm ? recent_ppm - former_ppm : former_ppm - recent_ppm;

	return is_number(recent_ppm) && is_number(former_ppm) &&
	       apart_ppm < mul_div(recent_ppm, STEADY_PPM, PPM);
}

static void ask(const struct memcg_view *view, enum reason reason, uint64_t measured,
		uint64_t limit, struct plan *plan)
{
	bool due = gclk_since_usec(view, view->state->aging.asked_usec) >= period_usec(view) / 2;

	view_say(view, reason, measured, limit);
	if (due && aging_ask(view, reason, true, 0, plan))
		view->state->verdict.action = ACTION_AGE;
	plan->next_usec = min_u64(plan->next_usec, period_usec(view));
}

bool churn_begins(const struct memcg_view *view, struct plan *plan)
{
	const struct memcg_sample *sample = view->sample;
	struct gclk_state *gclk = &view->state->gclk;
	uint64_t before_ppm = gclk_cost_ppm(view, BEFORE);

	if (!view->class->churn || view_leaves_frequency(view) || is_waiting(view) ||
	    !is_number(before_ppm) || !is_number(sample->lru_bytes[LRU_ANON]) ||
	    !is_number(sample->lru_bytes[LRU_FILE]) ||
	    sample->lru_bytes[LRU_FILE] <= sample->lru_bytes[LRU_ANON] ||
	    period_without_usec(view) < PERIOD_LEAST_USEC ||
	    gclk_file_return_ppm(view) < RETURN_PPM || !is_loop_shaped(view) || !is_steady(view))
		return false;
	gclk_begin(view, GCLK_CHURN_TRIAL);
	gclk->before_ppm = before_ppm;
	gclk->churn_period_usec = period_without_usec(view);
	gclk->churn_late = 0;
	view->state->aging.unmoved = 0;
	ask(view, REASON_CHURN_TRIAL, before_ppm, mul_div(before_ppm, GAIN_PPM, PPM), plan);
	return true;
}

static void stop(const struct memcg_view *view, enum reason reason, uint64_t measured,
		 uint64_t limit)
{
	struct gclk_state *gclk = &view->state->gclk;

	gclk->churn_failures = (uint32_t)min_u64(gclk->churn_failures + 1, FAILURES_MAX);
	gclk->churn_failed_usec = now_usec(view);
	gclk_disturb(view);
	view_say(view, reason, measured, limit);
}

/* True, with a verdict, if it cannot be gone on with: looks or agings do not come. */
static bool is_hindered(const struct memcg_view *view)
{
	struct gclk_state *gclk = &view->state->gclk;
	uint64_t wanted_usec = 2 * period_usec(view);

	gclk->churn_late = view->state->dt_usec > wanted_usec ? gclk->churn_late + 1 : 0;
	if (gclk->churn_late >= LATE_MAX)
		stop(view, REASON_CHURN_LATE, view->state->dt_usec, period_usec(view));
	else if (view->state->aging.unmoved >= LATE_MAX)
		stop(view, REASON_UNMOVED, view->state->aging.unmoved, LATE_MAX - 1);
	else
		return false;
	return true;
}

/* Once the time of a trial has passed; with: m with agings, without: m without. */
static void judge(const struct memcg_view *view, uint64_t with_ppm, uint64_t without_ppm,
		  struct plan *plan)
{
	struct gclk_state *gclk = &view->state->gclk;
	uint64_t most_ppm = mul_div(without_ppm, GAIN_PPM, PPM);

	if (!is_number(with_ppm) || !is_number(without_ppm) || with_ppm >= most_ppm) {
		stop(view, REASON_CHURN_NO_GAIN, with_ppm, most_ppm);
		return;
	}
	gclk_begin(view, GCLK_CHURN);
	gclk->churn_failures = 0;
	gclk->churn_late = 0;
	gclk->before_ppm = without_ppm;
	ask(view, REASON_CHURN, with_ppm, without_ppm, plan);
}

/* After a pause, which has shown again what it is like without. */
static void resume(const struct memcg_view *view, uint64_t without_ppm, struct plan *plan)
{
	struct gclk_state *gclk = &view->state->gclk;

	gclk->churn_period_usec = max_u64(period_without_usec(view), PERIOD_LEAST_USEC);
	judge(view, gclk->before_ppm, without_ppm, plan);
}

void churn_plan(const struct memcg_view *view, struct plan *plan)
{
	struct gclk_state *gclk = &view->state->gclk;
	uint64_t m_ppm = gclk_cost_ppm(view, AFTER);

	if (!view->class->churn || view_leaves_frequency(view)) {
		gclk_disturb(view);
		view_say(view, REASON_LIMIT_WAIT, 0, gclk_units_usec(view, TRIAL));
		return;
	}
	if (gclk->phase == GCLK_CHURN_PAUSE) {
		if (passed_usec(view) >= gclk_units_usec(view, TRIAL))
			resume(view, m_ppm, plan);
		else
			view_say(view, REASON_CHURN_PAUSE, passed_usec(view),
				 gclk_units_usec(view, TRIAL));
		return;
	}
	if (is_hindered(view))
		return;
	if (gclk->phase == GCLK_CHURN_TRIAL) {
		if (passed_usec(view) >= gclk_units_usec(view, TRIAL))
			judge(view, m_ppm, gclk->before_ppm, plan);
		else
			ask(view, REASON_CHURN_TRIAL, gclk->before_ppm,
			    mul_div(gclk->before_ppm, GAIN_PPM, PPM), plan);
		return;
	}
	if (passed_usec(view) < gclk_units_usec(view, RETEST)) {
		ask(view, REASON_CHURN, number_or(m_ppm, 0), gclk->before_ppm, plan);
		return;
	}
	gclk_begin(view, GCLK_CHURN_PAUSE);
	gclk->before_ppm = gclk_cost_ppm(view, BEFORE);
	view_say(view, REASON_CHURN_PAUSE, 0, gclk_units_usec(view, TRIAL));
}
