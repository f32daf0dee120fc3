/* SPDX-License-Identifier: MIT */
#ifndef FGRECLAIM_POLICY_TARGETS_H
#define FGRECLAIM_POLICY_TARGETS_H

#include "limit.h"
#include "params.h"

/* Renews state->target_bytes and state->gives of the siblings under a limit that binds; under one
 * that does not nobody gives. To be called each interval, after utility_step() of all of them. What
 * is left below the limit once all are at their targets is the headroom. */
void targets_step(const struct policy_params *params, const struct snapshot *snapshot,
		  struct memcg_state *states, const struct limit *limit);

#endif
