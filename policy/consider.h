/* SPDX-License-Identifier: MIT */
/*
 * Whether any law is to look at a memcg, and why not.
 */
#ifndef FGRECLAIM_POLICY_CONSIDER_H
#define FGRECLAIM_POLICY_CONSIDER_H

#include "arith.h"
#include "params.h"
#include "state.h"

/* What took longer to be read is a picture of no moment at all: it is remembered, not acted on. Seconds
 * are normal on large hosts (memory.stat of a parent: 3 to 8). */
#define CONSIDER_READ_MAX_USEC (20 * USEC_PER_SEC)

bool consider_has_class(const struct policy_params *params, const struct memcg_sample *sample);

/* Sets the verdict: why no law is to look at a memcg, or REASON_NONE if one is. known: it has a history. */
void consider(const struct policy_params *params, const struct memcg_sample *sample,
	      const struct snapshot *snapshot, bool known, struct memcg_state *state);

#endif
