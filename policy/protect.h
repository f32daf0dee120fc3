/* SPDX-License-Identifier: MIT */
#ifndef FGRECLAIM_POLICY_PROTECT_H
#define FGRECLAIM_POLICY_PROTECT_H

#include "params.h"
#include "state.h"

/* Renews the measured working set of one memcg: state->protect.workingset_bytes. To be called once its
 * counters were read and refault_step() was called, before the new counters are stored. */
void protect_step(struct memcg_state *state, const struct memcg_sample *sample,
		  const struct snapshot *snapshot);

/* Decides what memory.low of each memcg is to be: state->protect.low_bytes, 0 for none, with
 * state->protect.verdict. Of classes without Protect=auto none is. */
void protect_plan(const struct policy_params *params, const struct snapshot *snapshot,
		  struct memcg_state *states);

#endif
