/* SPDX-License-Identifier: MIT */
#include "consider.h"
#include "view.h"

bool consider_has_class(const struct policy_params *params, const struct memcg_sample *sample)
{
	return sample->class_index >= 0 && (size_t)sample->class_index < params->n_classes;
}

/* Why a memcg is not looked at by any law; REASON_NONE if it is. */
static enum reason not_considered(const struct policy_params *params,
				  const struct memcg_sample *sample,
				  const struct snapshot *snapshot)
{
	if (sample->omitted)
		return sample->paused ? REASON_PAUSED : REASON_OMITTED;
	if (!consider_has_class(params, sample))
		return REASON_NO_CLASS;
	if (params->classes[sample->class_index].reclaim == RECLAIM_NONE)
		return REASON_CLASS_NONE;
	if (sample->closed)
		return REASON_HOURS;
	if (!sample->leaf)
		return REASON_INNER;
	if (snapshot->system.capability < CAPABILITY_RECLAIM)
		return REASON_OBSERVE;
	if (snapshot->read_usec > CONSIDER_READ_MAX_USEC)
		return REASON_SLOW;
	if (!sample->populated)
		return REASON_UNPOPULATED;
	if (sample->frozen)
		return REASON_FROZEN;
	if (sample->busy)
		return REASON_BUSY;
	if (sample->skipped)
		return REASON_NOT_READ;
	if (!is_number(sample->current_bytes))
		return REASON_UNKNOWN;
	if (sample->current_bytes < SAMPLE_SMALL_BYTES)
		return REASON_SMALL;
	if (!is_number(sample->pgsteal_pages) || !is_number(sample->pgscan_pages) ||
	    !is_number(sample->refault_pages[LRU_ANON]) ||
	    !is_number(sample->refault_pages[LRU_FILE]) || sample->min_bytes == SAMPLE_UNKNOWN ||
	    sample->low_bytes == SAMPLE_UNKNOWN)
		return REASON_UNKNOWN;
	return REASON_NONE;
}

void consider(const struct policy_params *params, const struct memcg_sample *sample,
	      const struct snapshot *snapshot, bool known, struct memcg_state *state)
{
	enum reason reason = not_considered(params, sample, snapshot);

	if (reason == REASON_NONE && !known)
		reason = REASON_FIRST_LOOK;
	state->verdict = (struct verdict){.reason = reason};
	if (reason == REASON_SMALL) {
		state->verdict.measured = sample->current_bytes;
		state->verdict.limit = SAMPLE_SMALL_BYTES;
	} else if (reason == REASON_NOT_READ) {
		state->verdict.measured = snapshot->now_usec - state->last_usec;
		state->verdict.limit = sample->read_interval_usec;
	} else if (reason == REASON_SLOW) {
		state->verdict.measured = snapshot->read_usec;
		state->verdict.limit = CONSIDER_READ_MAX_USEC;
	}
}
