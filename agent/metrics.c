/* SPDX-License-Identifier: MIT */
/*
 * Running totals for Prometheus.
 */
#include "metrics.h"
#include "arith.h"

#include <string.h>

const uint64_t metrics_tick_bounds_usec[METRICS_TICK_BOUNDS] = {
	1000, 5000, 20000, 50000, 100000, 500000, 1000000, 5000000,
};

void metrics_configure(struct metrics *metrics, const struct config *config)
{
	struct metrics former = *metrics;

	metrics->n_classes = config->policy.n_classes;
	for (size_t i = 0; i < metrics->n_classes; i++) {
		struct metrics_class *class = &metrics->classes[i];

		*class = (struct metrics_class){0};
		for (size_t k = 0; k < former.n_classes; k++)
			if (strcmp(former.classes[k].name, config->policy.classes[i].name) == 0)
				*class = former.classes[k];
		memcpy(class->name, config->policy.classes[i].name, sizeof(class->name));
	}
}

/* How far a counter of the kernel's went on; one that began anew, or is not known, has not. */
static uint64_t counted(uint64_t former, uint64_t now)
{
	return now < SAMPLE_INFINITY && former < SAMPLE_INFINITY ? saturating_sub(now, former) : 0;
}

static void look_at_class(struct metrics_class *class, const struct memcg_sample *memcg,
			  const struct memcg_state *state, uint64_t page_bytes)
{
	const struct outcome *outcome = &memcg->outcome;
	bool counts = state->id == memcg->id && state->primed && !memcg->skipped;

	class->requested_bytes = saturating_add(class->requested_bytes, outcome->asked_bytes);
	for (int type = 0; type < _LRU_TYPE_MAX; type++) {
		class->stolen_bytes[type] =
			saturating_add(class->stolen_bytes[type],
				       saturating_mul(outcome->stolen_pages[type], page_bytes));
		if (counts)
			class->refault_pages[type] += counted(state->last.refault_pages[type],
							      memcg->refault_pages[type]);
	}
	if (counts)
		class->stall_usec +=
			counted(state->last.psi_memory_some_usec, memcg->psi_memory.some_usec);
	class->memcgs++;
	if (memcg->current_bytes < SAMPLE_INFINITY)
		class->held_bytes = saturating_add(class->held_bytes, memcg->current_bytes);
	class->cold_bytes = saturating_add(class->cold_bytes, state->cold_bytes);
	class->working_set_bytes =
		saturating_add(class->working_set_bytes, state->working_set_bytes);
}

static struct metrics_class *class_of(struct metrics *metrics, const struct memcg_sample *memcg)
{
	bool counts = memcg->leaf && memcg->class_index >= 0 &&
		      (size_t)memcg->class_index < metrics->n_classes;

	return counts ? &metrics->classes[memcg->class_index] : NULL;
}

void metrics_look(struct metrics *metrics, const struct snapshot *snapshot,
		  const struct memcg_state *states)
{
	size_t bound = 0;

	if (!metrics)
		return;
	for (size_t i = 0; i < metrics->n_classes; i++) {
		struct metrics_class *class = &metrics->classes[i];

		class->memcgs = class->held_bytes = class->cold_bytes = 0;
		class->working_set_bytes = 0;
	}
	for (size_t i = 0; i < snapshot->n_memcgs; i++) {
		struct metrics_class *class = class_of(metrics, &snapshot->memcgs[i]);

		if (class)
			look_at_class(class, &snapshot->memcgs[i], &states[i],
				      snapshot->page_bytes);
	}
	metrics->memcgs = snapshot->n_memcgs;
	while (bound < METRICS_TICK_BOUNDS && snapshot->read_usec > metrics_tick_bounds_usec[bound])
		bound++;
	metrics->ticks[bound]++;
	metrics->ticks_usec = saturating_add(metrics->ticks_usec, snapshot->read_usec);
	metrics->overruns += snapshot->read_usec > snapshot->interval_usec;
}

void metrics_backoff(struct metrics *metrics, const struct memcg_sample *sample,
		     const struct memcg_state *state, enum reason former)
{
	enum reason reason = state->verdict.reason;
	struct metrics_class *class = metrics ? class_of(metrics, sample) : NULL;

	if (class && reason != former && reason >= REASON_HOLD_REFAULT &&
	    reason <= REASON_HOLD_NO_YIELD)
		class->backoffs[reason - REASON_HOLD_REFAULT]++;
}
