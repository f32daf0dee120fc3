/* SPDX-License-Identifier: MIT */
#ifndef FGRECLAIM_POLICY_REFAULT_H
#define FGRECLAIM_POLICY_REFAULT_H

#include "state.h"

/* Takes the flows of one interval out of two samples' counters into the averages of *state; the
 * caller has set state->dt_usec, and stores the new counters afterwards. Unknown counters leave the
 * averages as they are. */
void refault_step(struct memcg_state *state, const struct memcg_sample *sample, uint64_t now_usec,
		  uint32_t page_bytes);

/* Share of the file pages evicted of late that came back, in ppm, or SAMPLE_UNKNOWN with fewer than
 * REFAULT_EVIDENCE_PAGES evictions to judge by. */
uint64_t refault_return_ppm(const struct memcg_state *state);

/* The same for what was evicted a minute ago or more, in the last ten minutes or so. */
uint64_t refault_settled_return_ppm(const struct memcg_state *state);

/* The refault rate that a class allows a memcg of this size, in thousandths of a page per second.
 * */
uint64_t refault_limit_mpps(uint64_t limit_ppm_per_min, uint64_t held_bytes, uint32_t page_bytes);

#endif
