/* SPDX-License-Identifier: MIT */
#ifndef FGRECLAIM_POLICY_CREDIT_H
#define FGRECLAIM_POLICY_CREDIT_H

#include "params.h"
#include "state.h"

/* Renews the credit and the hazard. To be called each interval, before state->last is renewed. */
void credit_step(struct memcg_state *state, const struct class_params *class,
		 const struct memcg_sample *sample, const struct snapshot *snapshot);

/* Pages whose eviction now the refaults allowed for the next minute would pay for; 0 without
 * credit. limit_mpps: the class's limit for this memcg. share_ppm: how much of what is allowed may
 * be spent. */
uint64_t credit_anon_pages(const struct memcg_state *state, uint64_t limit_mpps);
uint64_t credit_file_pages(const struct memcg_state *state, uint64_t limit_mpps,
			   uint64_t share_ppm);

#endif
