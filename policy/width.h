/* SPDX-License-Identifier: MIT */
#ifndef FGRECLAIM_POLICY_WIDTH_H
#define FGRECLAIM_POLICY_WIDTH_H

#include "params.h"
#include "state.h"

/* Renews state->age_interval_usec, the width of a generation. To be called each interval, after
 * refault_step() and backoff_step(). */
void width_step(struct memcg_state *state, const struct class_params *class,
		const struct memcg_sample *sample, const struct snapshot *snapshot);

#endif
