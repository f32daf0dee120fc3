/* SPDX-License-Identifier: MIT */
/*
 * Flushes: a few agings of a memcg at its limit, on evidence, observed, and adapted.
 *
 *	m1, m3	what refaults cost in the last one and three units (progress.c)
 *	e1, e3	what all that was evicted in them would cost if it came back
 *	e_ref	lowest e3 since the last flush
 *	m_ref	the same of m3, or m3 - (e3 - e_ref) where that is more: only so much of a rise counts
 *		as is evicted more. While the first reads of a workload become refaults m rises and
 *		nothing is worse than before; what it was then is no reference
 *	Both leak, since a low from long ago proves nothing.
 *
 * A flush is two agings half a unit apart, and due when
 *  (i) regression: m1 > theta * m_ref, and e1 has grown by as much. It is worth it again the sooner
 *	the more it brought: theta falls after a flush that made m better, and grows after any other.
 * (ii) anon is stuck: a good part of the memory is anon, swap is free, nothing of it was evicted
 *	for four units, and one evicted page in ten comes back as a file refault. Under a shared
 *	limit this alone counts.
 * A kernel that promotes by frequency needs no flush for (i): what is not used any more falls behind
 * by itself there, and what it kept for its frequency would be aged, too. Anon that is stuck is no
 * question of frequency.
 *
 * From 6.14 on, where agings always happen (aging.c tells), one aging every w units does no harm,
 * and brings much where the kernel protects what was read often long ago; w adapts. (Three in a row
 * cost a stationary Zipf workload hits for a hundred units and more.)
 *
 * What made nothing better keeps the next flush off for a time that doubles.
 *
 * All thresholds are from a simulation with residence times of 10 to 120 s, checked on 6.12.
 */
#include "flush.h"
#include "aging.h"
#include "arith.h"
#include "gclk.h"
#include "progress.h"
#include "refault.h"
#include "residence.h"
#include "swap_room.h"

/* All in tenths of a unit. */
#define FLUSH_GIVE_UP 60 /* the oldest generation has not drained by then: it will not */
#define FLUSH_APART   5
#define BEFORE        20 /* b: window before the flush */
#define AFTER         15 /* a: the last half of the observation */
#define STUCK         40 /* without any anon evicted, and since the last flush */

/* Two agings closer together would see each other's accessed bits. */
#define APART_LEAST_USEC (5 * USEC_PER_SEC)

#define FLUSH_AGINGS     2
#define FLUSH_AGINGS_DUE 1

/* 4 % worse than the best, and not more than twice. What a shift of the working set costs starts at
 * 8 % more refaults for each operation; but operations cannot be counted, and where most of the CPU
 * time goes into the misses themselves, 22 % more showed as 7.5 % (measured, a drift of 8 % a unit).
 */
#define THETA_START_PPM 1040000
#define THETA_MOST_PPM  2000000

/* Fewer refaults in a unit cannot tell 8 % from chance, at three standard deviations: n > (3 /
 * 0.08)^2; and 4 % cannot be told below four times as many. */
#define REGRESSION_EVIDENCE_USEC (UINT64_C(1406) * REFAULT_DISK_USEC)
#define THETA_LITTLE_PPM         1080000

/* m_ref grows by 0.05 % a unit: 4 % take 80 of them. Much faster, and it would keep up with a slow
 * drift, which then is never seen. */
#define LEAK_DIVISOR 2000

/* Below one in ten evicted pages that come back, what is read is a stream, and anon would be
 * swapped out for nothing. */
#define STUCK_RETURN_PPM 100000

/* Better and worse by more than 1 %. */
#define BETTER_PPM 990000
#define WORSE_PPM  1010000

/* w: an aging every eight units, five to 64; every two units they do harm. */
#define WIDTH_START_PPM (8 * PPM)
#define WIDTH_LEAST_PPM (5 * PPM)
#define WIDTH_MOST_PPM  (64 * PPM)

/* After k flushes in a row that made nothing better: three units times 2^k without one. */
#define FAILURES_MAX 7

static uint64_t leaked(uint64_t ppm)
{
	return saturating_add(ppm, ppm / LEAK_DIVISOR + 1);
}

static void follow_ref(const struct memcg_view *view)
{
	struct gclk_state *gclk = &view->state->gclk;
	uint64_t m3_ppm = gclk_cost_ppm(view, 30);
	uint64_t e3_ppm = gclk_turnover_ppm(view, 30);
	uint64_t more_ppm;

	if (gclk->has_ref &&
	    gclk_since_usec(view, gclk->leaked_usec) >= gclk_units_usec(view, 10)) {
		gclk->ref_ppm = leaked(gclk->ref_ppm);
		gclk->ref_turnover_ppm = leaked(gclk->ref_turnover_ppm);
		gclk->leaked_usec = view->snapshot->now_usec;
	}
	if (!is_number(m3_ppm))
		return;
	if (!gclk->has_ref) {
		gclk->ref_ppm = m3_ppm;
		gclk->ref_turnover_ppm = e3_ppm;
		gclk->leaked_usec = view->snapshot->now_usec;
	}
	gclk->has_ref = true;
	gclk->ref_turnover_ppm = min_u64(gclk->ref_turnover_ppm, e3_ppm);
	more_ppm = e3_ppm - gclk->ref_turnover_ppm;
	gclk->ref_ppm = min_u64(m3_ppm, max_u64(gclk->ref_ppm, saturating_sub(m3_ppm, more_ppm)));
}

static uint64_t apart_usec(const struct memcg_view *view)
{
	return max_u64(gclk_units_usec(view, FLUSH_APART), APART_LEAST_USEC);
}

static uint32_t agings_wanted(const struct memcg_view *view)
{
	return view->state->gclk.flushed_for == REASON_FLUSH_DUE ? FLUSH_AGINGS_DUE : FLUSH_AGINGS;
}

/* Asks for an aging; the verdict says so, or why not. The kernel's own agings count for the
 * accessed bits alone. */
static bool age(const struct memcg_view *view, enum reason reason, uint64_t measured,
		uint64_t limit, struct plan *plan)
{
	const struct lruvec_sample *main = aging_main_lruvec(view);
	uint64_t asked_usec = gclk_since_usec(view, view->state->aging.asked_usec);

	if (asked_usec < apart_usec(view)) {
		view_say(view, REASON_FLUSH_WAIT, asked_usec, apart_usec(view));
		return false;
	}
	if (!aging_ask(view, reason, false, APART_LEAST_USEC, plan)) {
		view_say(view, REASON_FLUSH_FULL, main ? aging_gens(view, main) : 0,
			 AGING_FULL_GENS);
		return false;
	}
	view_say(view, reason, measured, limit);
	view->state->verdict.action = ACTION_AGE;
	return true;
}

/* Begins with the first aging, if that can be asked for and the state before can be told; true then,
 * and a verdict anyway. */
static bool flush(const struct memcg_view *view, enum reason reason, uint64_t measured,
		  uint64_t limit, struct plan *plan)
{
	struct gclk_state *gclk = &view->state->gclk;
	uint64_t before_ppm = gclk_cost_ppm(view, BEFORE);

	if (!is_number(before_ppm)) {
		gclk_say_waiting(view);
		return false;
	}
	if (!age(view, reason, measured, limit, plan))
		return false;
	gclk_begin(view, GCLK_FLUSH);
	gclk->before_ppm = before_ppm;
	gclk->before_turnover_ppm = gclk_turnover_ppm(view, BEFORE);
	gclk->flushed_for = reason;
	gclk->flushed_usec = view->snapshot->now_usec;
	return true;
}

static void go_on_flushing(const struct memcg_view *view, struct plan *plan)
{
	struct memcg_state *state = view->state;
	struct gclk_state *gclk = &state->gclk;
	uint32_t n_aged = state->aging.moved - gclk->moved;

	if (n_aged >= agings_wanted(view) ||
	    (n_aged > 0 &&
	     gclk_since_usec(view, gclk->began_usec) >= gclk_units_usec(view, FLUSH_GIVE_UP))) {
		gclk_begin(view, GCLK_OBSERVE);
		view_say(view, REASON_OBSERVING, 0, gclk_units_usec(view, GCLK_BLIND_TENTHS));
		return;
	}
	if (gclk_since_usec(view, gclk->began_usec) >= gclk_units_usec(view, FLUSH_GIVE_UP)) {
		gclk_disturb(view);
		view_say(view, REASON_FLUSH_FAILED, n_aged, agings_wanted(view));
		return;
	}
	age(view, REASON_FLUSH_NEXT, n_aged, agings_wanted(view), plan);
}

/* A flush that made nothing better: the next one has to wait, and longer than this one had to. */
static void fail(const struct memcg_view *view)
{
	struct gclk_state *gclk = &view->state->gclk;

	gclk->failures = (uint32_t)min_u64(gclk->failures + 1, FAILURES_MAX);
	gclk->failed_usec = view->snapshot->now_usec;
}

static void adapt(const struct memcg_view *view, uint64_t after_ppm)
{
	struct gclk_state *gclk = &view->state->gclk;
	bool better = after_ppm <= mul_div(gclk->before_ppm, BETTER_PPM, PPM);

	if (gclk->flushed_for != REASON_FLUSH_DUE) {
		uint64_t excess_ppm = gclk->theta_ppm - PPM;

		gclk->theta_ppm = better ? max_u64(PPM + excess_ppm * 2 / 3, THETA_START_PPM)
					 : min_u64(PPM + excess_ppm * 3 / 2, THETA_MOST_PPM);
	} else if (better) {
		gclk->width_ppm = max_u64(gclk->width_ppm * 2 / 3, WIDTH_LEAST_PPM);
	} else if (after_ppm > mul_div(gclk->before_ppm, WORSE_PPM, PPM) &&
		   gclk_turnover_ppm(view, AFTER) >
			   mul_div(gclk->before_turnover_ppm, WORSE_PPM, PPM)) {
		gclk->width_ppm = min_u64(gclk->width_ppm * 2, WIDTH_MOST_PPM);
	} else {
		return;
	}
	if (better)
		gclk->failures = 0;
	else
		fail(view);
}

static void observe(const struct memcg_view *view)
{
	struct gclk_state *gclk = &view->state->gclk;
	uint64_t passed_usec = gclk_since_usec(view, gclk->began_usec);
	uint64_t after_ppm = gclk_cost_ppm(view, AFTER);

	view_say(view, REASON_OBSERVING, passed_usec, gclk_units_usec(view, GCLK_BLIND_TENTHS));
	if (passed_usec < gclk_units_usec(view, GCLK_BLIND_TENTHS) || !is_number(after_ppm))
		return;
	adapt(view, after_ppm);
	/* An aging that was only due is not to hide a slow regression. */
	gclk->has_ref = gclk->has_ref && gclk->flushed_for == REASON_FLUSH_DUE;
	gclk_begin(view, GCLK_WATCH);
}

static bool anon_is_stuck(const struct memcg_view *view, const struct plan *plan)
{
	const struct gclk_state *gclk = &view->state->gclk;
	uint64_t stuck_usec = gclk_units_usec(view, STUCK);

	return swap_is_possible(view->snapshot, view->index) && !swap_refuses_anon(view, plan) &&
	       number_or(view->sample->lru_bytes[LRU_ANON], 0) >
		       view->sample->current_bytes / GCLK_ANON_DIVISOR &&
	       gclk_since_usec(view, gclk->anon_usec) >= stuck_usec &&
	       gclk_since_usec(view, gclk->flushed_usec) >= stuck_usec &&
	       gclk_file_return_ppm(view) >= STUCK_RETURN_PPM;
}

/* What refaults may cost at most, theta times the best; more of it where few of them are to tell. */
static uint64_t regression_limit_ppm(const struct gclk_state *gclk, uint64_t cost_usec)
{
	uint64_t theta_ppm = gclk->theta_ppm;

	if (cost_usec < 4 * REGRESSION_EVIDENCE_USEC)
		theta_ppm = max_u64(theta_ppm, THETA_LITTLE_PPM);
	return mul_div(gclk->ref_ppm, theta_ppm, PPM);
}

/* False, with a verdict, if there is none. */
static bool watch_regression(const struct memcg_view *view, struct plan *plan)
{
	const struct gclk_state *gclk = &view->state->gclk;
	uint64_t m1_ppm = gclk_cost_ppm(view, 10);
	uint64_t turnover_ppm = gclk_turnover_ppm(view, 10);
	uint64_t cost_usec = progress_cost_usec(view->state, view->snapshot->now_usec,
						gclk_units_usec(view, 10));
	uint64_t limit_ppm = regression_limit_ppm(gclk, cost_usec);
	uint64_t least_ppm = saturating_add(gclk->ref_turnover_ppm, limit_ppm - gclk->ref_ppm);

	if (!gclk->has_ref || !is_number(m1_ppm))
		gclk_say_waiting(view);
	else if (m1_ppm <= limit_ppm || cost_usec < REGRESSION_EVIDENCE_USEC)
		view_say(view, REASON_STEADY, m1_ppm, limit_ppm);
	else if (turnover_ppm < least_ppm)
		view_say(view, REASON_MISSES_NO_MORE, turnover_ppm, least_ppm);
	else
		return flush(view, REASON_FLUSH_REGRESSION, m1_ppm, limit_ppm, plan);
	return false;
}

/* Says nothing as long as none is due. */
static void watch_width(const struct memcg_view *view, struct plan *plan)
{
	const struct gclk_state *gclk = &view->state->gclk;
	uint64_t width_usec = mul_div(gclk_units_usec(view, 10), gclk->width_ppm, PPM);
	uint64_t idle_usec = gclk_since_usec(view, max_u64(gclk->flushed_usec, gclk->entered_usec));

	if (idle_usec >= width_usec)
		flush(view, REASON_FLUSH_DUE, idle_usec, width_usec, plan);
}

/* True, with a verdict, for a while after any flush, and longer after those without success. */
static bool is_off(const struct memcg_view *view)
{
	const struct gclk_state *gclk = &view->state->gclk;
	uint64_t flushed_usec = gclk_since_usec(view, gclk->flushed_usec);
	uint64_t failed_usec = gclk_since_usec(view, gclk->failed_usec);
	uint64_t least_usec = gclk_units_usec(view, GCLK_BLIND_TENTHS);
	uint64_t off_usec = gclk_units_usec(view, (uint64_t)GCLK_BLIND_TENTHS << gclk->failures);

	if (gclk->failures > 0 && failed_usec < off_usec)
		view_say(view, REASON_NO_BETTER, failed_usec, off_usec);
	else if (gclk->flushed_usec > 0 && flushed_usec < least_usec)
		view_say(view, REASON_FLUSH_WAIT, flushed_usec, least_usec);
	else
		return false;
	return true;
}

void flush_watch(const struct memcg_view *view, struct plan *plan)
{
	struct gclk_state *gclk = &view->state->gclk;
	bool shared = view->state->residence.mode == RESIDENCE_SHARED;

	if (gclk->theta_ppm == 0)
		gclk->theta_ppm = THETA_START_PPM;
	if (gclk->width_ppm == 0)
		gclk->width_ppm = WIDTH_START_PPM;
	if (!view_leaves_frequency(view))
		follow_ref(view);
	if (is_off(view))
		return;
	if (anon_is_stuck(view, plan))
		flush(view, REASON_FLUSH_ANON, gclk_since_usec(view, gclk->anon_usec),
		      gclk_units_usec(view, STUCK), plan);
	else if (shared)
		view_say(view, REASON_LIMIT_BOUND, view->state->residence.usec,
			 RESIDENCE_BOUND_USEC);
	else if (view_leaves_frequency(view))
		view_say(view, REASON_FREQUENCY, 0, 0);
	else if (!watch_regression(view, plan) && view->aging == AGING_ALWAYS)
		watch_width(view, plan);
}

void flush_plan(const struct memcg_view *view, struct plan *plan)
{
	if (view->state->gclk.phase == GCLK_FLUSH)
		go_on_flushing(view, plan);
	else
		observe(view);
}
