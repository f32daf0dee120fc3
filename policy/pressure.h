/* SPDX-License-Identifier: MIT */
#ifndef FGRECLAIM_POLICY_PRESSURE_H
#define FGRECLAIM_POLICY_PRESSURE_H

#include "state.h"

/* Turns the PSI totals of two looks into stall shares over the interval that really passed. */
void pressure_step(struct memcg_state *state, const struct memcg_sample *sample);

/* The highest stall share that may be taken for normal here: the class's limit, or a multiple of
 * what this memcg stalls when we leave it alone. In ppm of the time. */
uint64_t pressure_limit_ppm(uint64_t class_limit_ppm, uint64_t baseline_ppm);

#endif
