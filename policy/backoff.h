/* SPDX-License-Identifier: MIT */
#ifndef FGRECLAIM_POLICY_BACKOFF_H
#define FGRECLAIM_POLICY_BACKOFF_H

#include "params.h"
#include "state.h"

/* Looks at what the last actions did and starts a hold where they hurt or did nothing. To be called
 * after refault_step() and pressure_step(), before state->last is renewed. */
void backoff_step(struct memcg_state *state, const struct class_params *class,
		  const struct memcg_sample *sample, const struct snapshot *snapshot);

/* True while a hold lasts; *ret is then why. */
bool backoff_holds(const struct memcg_state *state, uint64_t now_usec, struct verdict *ret);

#endif
