/* SPDX-License-Identifier: MIT */
#ifndef FGRECLAIM_POLICY_SAVER_H
#define FGRECLAIM_POLICY_SAVER_H

#include "arith.h"
#include "view.h"

/* A process that has just started touches what it will not need again, and the other way round:
 * it may be looked at, but nothing is taken from it. */
#define SAVER_YOUNG_USEC (60 * USEC_PER_SEC)

/* As long as others reclaim here, and this long after, nothing is aged or taken. */
#define SAVER_QUIET_USEC (15 * USEC_PER_SEC)

/* True, with a verdict, while that holds. */
static inline bool saver_meets_others(const struct memcg_view *view)
{
	uint64_t foreign_usec = view->state->foreign_usec;
	uint64_t quiet_usec = saturating_sub(view->snapshot->now_usec, foreign_usec);

	if (foreign_usec == 0 || quiet_usec >= SAVER_QUIET_USEC)
		return false;
	view_say(view, REASON_RECLAIMED, quiet_usec, SAVER_QUIET_USEC);
	return true;
}

/* The pace of a sweep after a step that took so many pages: it begins at first_ppm, and again after
 * harm, and doubles with each step that took anything, up to most_ppm. */
static inline uint32_t saver_pace_ppm(uint32_t now_ppm, uint32_t first_ppm, uint32_t most_ppm,
				      uint64_t taken_pages, bool harmless)
{
	if (!harmless || now_ppm == 0)
		return first_ppm;
	return taken_pages > 0 ? (uint32_t)min_u64(2 * (uint64_t)now_ppm, most_ppm) : now_ppm;
}

/* True if saver_plan() has a clock for the anon of this memcg: if that may be taken, and is most of it.
 * Also while something else keeps it from being taken, or while not all is known. Sets no verdict. */
bool saver_has_clock(const struct memcg_view *view);

/* Decides what to do about cold anon of one memcg and sets state->verdict; appends the decisions,
 * at most one for each of its lruvecs, to plan. Returns the bytes planned to be taken. */
uint64_t saver_plan(const struct memcg_view *view, struct plan *plan);

#endif
