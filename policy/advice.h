/* SPDX-License-Identifier: MIT */
#ifndef FGRECLAIM_POLICY_ADVICE_H
#define FGRECLAIM_POLICY_ADVICE_H

#include "state.h"

/* Judges whether a memcg is in trouble at its own limit, from averages that are up to date, and sets
 * state->advice. sample: one of the snapshot's. Of a memcg without a limit, or of which something is not
 * known, nothing is due. */
void advice_step(struct memcg_state *state, const struct memcg_sample *sample,
		 const struct snapshot *snapshot);

/* Begins anew, after a gap; what was said counts still. */
void advice_rebase(struct advice_state *advice, uint64_t now_usec);

#endif
