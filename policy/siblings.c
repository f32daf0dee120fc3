/* SPDX-License-Identifier: MIT */
#include "siblings.h"

void siblings_init(const struct snapshot *snapshot, struct memcg_state *states)
{
	for (size_t i = 0; i < snapshot->n_memcgs; i++)
		states[i].siblings = (struct siblings){SIBLINGS_NONE, SIBLINGS_NONE, SIBLINGS_NONE};
}

static bool counts(const struct memcg_sample *sample, const struct memcg_state *state)
{
	return sample->leaf && sample->populated && state->primed && state->dt_usec > 0 &&
	       state->verdict.reason != REASON_UNKNOWN &&
	       state->verdict.reason != REASON_FIRST_LOOK;
}

void siblings_begin(const struct snapshot *snapshot, struct memcg_state *states, size_t i)
{
	if (counts(&snapshot->memcgs[i], &states[i]))
		states[i].siblings.first = states[i].siblings.last = (uint32_t)i;
}

void siblings_end(const struct snapshot *snapshot, struct memcg_state *states, size_t i)
{
	const struct siblings *list = &states[i].siblings;
	struct siblings *above;

	if (snapshot->memcgs[i].parent < 0 || list->first == SIBLINGS_NONE)
		return;
	/* In front, so that the order of the snapshot is kept. */
	above = &states[snapshot->memcgs[i].parent].siblings;
	states[list->last].siblings.next = above->first;
	if (above->first == SIBLINGS_NONE)
		above->last = list->last;
	above->first = list->first;
}
