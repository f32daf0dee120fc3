/* SPDX-License-Identifier: MIT */
#include "siblings.h"

static bool is_below(const struct snapshot *snapshot, size_t index, size_t ancestor)
{
	for (int64_t i = snapshot->memcgs[index].parent; i >= (int64_t)ancestor;
	     i = snapshot->memcgs[i].parent)
		if ((size_t)i == ancestor)
			return true;
	return false;
}

bool sibling_is_known(const struct snapshot *snapshot, const struct memcg_state *states, size_t i)
{
	const struct memcg_sample *sample = &snapshot->memcgs[i];

	return sample->leaf && sample->populated && states[i].primed &&
	       states[i].verdict.reason != REASON_UNKNOWN &&
	       states[i].verdict.reason != REASON_FIRST_LOOK;
}

bool sibling_counts(const struct snapshot *snapshot, const struct memcg_state *states,
		    size_t ancestor, size_t i)
{
	return sibling_is_known(snapshot, states, i) && is_below(snapshot, i, ancestor);
}
