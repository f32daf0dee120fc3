/* SPDX-License-Identifier: MIT */
/*
 * Who shares a limit: the leaves below the memcg that has it, however deep.
 */
#ifndef FGRECLAIM_POLICY_SIBLINGS_H
#define FGRECLAIM_POLICY_SIBLINGS_H

#include "state.h"

/* True if snapshot->memcgs[i] is a leaf in use, with a history to judge it by. */
bool sibling_is_known(const struct snapshot *snapshot, const struct memcg_state *states, size_t i);

/* True if it is such a leaf below the ancestor. */
bool sibling_counts(const struct snapshot *snapshot, const struct memcg_state *states,
		    size_t ancestor, size_t i);

#endif
