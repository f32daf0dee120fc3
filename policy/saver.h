/* SPDX-License-Identifier: MIT */
#ifndef FGRECLAIM_POLICY_SAVER_H
#define FGRECLAIM_POLICY_SAVER_H

#include "view.h"

/* Decides what to do about cold anon of one memcg and sets state->verdict; appends the decisions,
 * at most one for each of its lruvecs, to plan. Returns the bytes planned to be taken. */
uint64_t saver_plan(const struct memcg_view *view, struct plan *plan);

#endif
