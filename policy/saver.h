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

/* Decides what to do about cold anon of one memcg and sets state->verdict; appends the decisions,
 * at most one for each of its lruvecs, to plan. Returns the bytes planned to be taken. */
uint64_t saver_plan(const struct memcg_view *view, struct plan *plan);

#endif
