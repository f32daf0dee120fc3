/* SPDX-License-Identifier: MIT */
#ifndef FGRECLAIM_POLICY_GCLK_H
#define FGRECLAIM_POLICY_GCLK_H

#include "view.h"

/* Tenths of a unit for which nothing is judged after an action; an action's own observation, and
 * the time between the begin of two flushes at least. */
#define GCLK_BLIND_TENTHS 30

/* Anon below a tenth of the memory does not matter, stuck or not. */
#define GCLK_ANON_DIVISOR 10

/* Keeps the history of a memcg that is under a limit's law or about to be. To be called for each
 * look at which residence_is_watched(). */
void gclk_follow(const struct memcg_view *view);

/* The clock of one memcg under a limit, after gclk_follow(): sets state->verdict, and appends its
 * agings, at most one for each of its lruvecs, to plan. Takes nothing. */
void gclk_plan(const struct memcg_view *view, struct plan *plan);

/* Ends the time under a limit: all but the habits is forgotten. */
void gclk_leave(struct memcg_state *state);

/* For flush.c and churn.c: */

/* Begins a phase. */
void gclk_begin(const struct memcg_view *view, enum gclk_phase phase);

/* Goes back to watching, blind for a while: what is going on is no longer to be judged. */
void gclk_disturb(const struct memcg_view *view);

/* Time since then, none if it has not come yet. */
uint64_t gclk_since_usec(const struct memcg_view *view, uint64_t usec);

/* Sets the verdict: blind. */
void gclk_say_waiting(const struct memcg_view *view);

/* So many tenths of the unit in usec. */
uint64_t gclk_units_usec(const struct memcg_view *view, uint64_t tenths);

/* m of the last so many tenths of a unit, in ppm or unknown. */
uint64_t gclk_cost_ppm(const struct memcg_view *view, uint64_t tenths);

/* What is evicted in the last so many tenths of a unit, as progress_turnover_ppm(). */
uint64_t gclk_turnover_ppm(const struct memcg_view *view, uint64_t tenths);

/* Share of what is evicted that comes back as file, in ppm. */
uint64_t gclk_file_return_ppm(const struct memcg_view *view);

#endif
