/* SPDX-License-Identifier: MIT */
/*
 * Who shares a limit: the leaves below the memcg that has it, however deep. They are kept in lists
 * that the laws walk from the innermost memcg outwards, so that a plan costs as much for each memcg
 * however many there are.
 */
#ifndef FGRECLAIM_POLICY_SIBLINGS_H
#define FGRECLAIM_POLICY_SIBLINGS_H

#include "state.h"

/* For each leaf in use below snapshot->memcgs[of] with a history to judge it by, in their order.
 * Valid from siblings_begin() of that memcg to siblings_end(). */
#define FOREACH_SIBLING(i, states, of)                                   \
	for (size_t i = (states)[of].siblings.first; i != SIBLINGS_NONE; \
	     i = (states)[i].siblings.next)

#define SIBLINGS_NONE UINT32_MAX

/* Empties all lists. */
void siblings_init(const struct snapshot *snapshot, struct memcg_state *states);

/* Enters snapshot->memcgs[i] into its own list, if it is a leaf that counts. To be called from the
 * last memcg to the first, so that a parent's list is whole when its turn comes. */
void siblings_begin(const struct snapshot *snapshot, struct memcg_state *states, size_t i);

/* Hands the list of snapshot->memcgs[i] on to its parent. */
void siblings_end(const struct snapshot *snapshot, struct memcg_state *states, size_t i);

#endif
