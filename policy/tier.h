/* SPDX-License-Identifier: MIT */
#ifndef FGRECLAIM_POLICY_TIER_H
#define FGRECLAIM_POLICY_TIER_H

#include "state.h"

/* How far apart readings of lru_gen_full are at least: it is dear, and shows flows, which need time.
 * It is read where some memcg_state.wants_tiers of the last plan. */
#define TIER_READ_USEC (10 * UINT64_C(1000000))

/* Takes a reading into the sums of *state, if the sample has one; what is older fades. The caller has
 * set state->dt_usec. */
void tier_step(struct memcg_state *state, const struct memcg_sample *sample,
	       const struct snapshot *snapshot);

/* Share of the file pages of tier 1 and above that left of late and came back, in ppm, or
 * SAMPLE_UNKNOWN with fewer of these than the kernel itself would judge by. */
uint64_t tier_return_ppm(const struct memcg_state *state);

/* True, and a verdict, if no file is to be taken from the memcg, since what leaves it is in use. */
bool tier_refuses(struct memcg_state *state);

#endif
