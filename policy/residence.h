/* SPDX-License-Identifier: MIT */
#ifndef FGRECLAIM_POLICY_RESIDENCE_H
#define FGRECLAIM_POLICY_RESIDENCE_H

#include "state.h"

/* A memcg whose pages stay for less than this is under its limit's law. Fifteen minutes: what is
 * evicted more slowly than that is better looked after by SAVER. */
#define RESIDENCE_BOUND_USEC (900 * UINT64_C(1000000))

/* Takes one interval into the averages, and notes whether the memcg presses against a limit of its
 * own. To be called for every memcg, parents first, before state->last is renewed; the caller has
 * set state->dt_usec. */
void residence_step(struct memcg_state *state, const struct memcg_sample *sample,
		    const struct snapshot *snapshot);

/* Decides whose law memcg i, a leaf, is under: state->residence.mode. states[].n_leaves are those
 * of this snapshot, and residence_step() has been called for i and its ancestors. */
void residence_decide(const struct snapshot *snapshot, struct memcg_state *states, size_t i);

/* True if the memcg is under a limit's law or about to be: its history is kept, and its CPU time is
 * wanted. */
bool residence_is_watched(const struct memcg_state *state);

/* True if a limit of this very memcg was hit in the last ten minutes, so that the kernel takes there
 * whether we do or not. How it is when we keep it from being hit cannot be known. */
bool residence_was_hit(const struct memcg_state *state, uint64_t now_usec);

/* The unit of all time constants at a limit, in usec: T_res, but eight of the shortest looks at
 * least, since less cannot be told apart. */
#define RESIDENCE_LOOKS           8
#define RESIDENCE_LOOK_LEAST_USEC (UINT64_C(500) * 1000)
uint64_t residence_unit_usec(const struct memcg_state *state);

#endif
