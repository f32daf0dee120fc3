/* SPDX-License-Identifier: MIT */
#ifndef FGRECLAIM_POLICY_UTILITY_H
#define FGRECLAIM_POLICY_UTILITY_H

#include "state.h"

/* True while enough is evicted of a memcg to tell what comes back. */
bool utility_is_known(const struct memcg_state *state);

/* Renews state->utility, usec of refault wait that a GiB more would save the memcg a second, in
 * thousandths, times weight (100: as it is); and what it is made of. To be called each interval,
 * after refault_step(), before state->last is renewed. */
void utility_step(struct memcg_state *state, const struct memcg_sample *sample,
		  const struct snapshot *snapshot, uint32_t weight);

#endif
