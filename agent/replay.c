/* SPDX-License-Identifier: MIT */
/*
 * Plans a trace again.
 */
#include "replay.h"
#include "array.h"
#include "macro.h"

#include <string.h>

void replay_done(struct replay *replay)
{
	free(replay->states);
	free(replay->memcgs);
	free(replay->ids);
	free(replay->planned_bytes);
	free(replay->decisions);
	*replay = (struct replay){0};
}

const struct config *replay_config(const struct replay *replay, const struct trace_reader *reader)
{
	return replay->config ?: reader->config;
}

/* The state that goes with an id; from: where the one before it was found. */
static size_t find(const struct replay *replay, uint64_t id, size_t from)
{
	for (size_t k = 0; k < replay->n; k++) {
		size_t i = (from + k) % replay->n;

		if (replay->ids[i] == id)
			return i;
	}
	return replay->n;
}

/* States follow their memcgs; new ones are all zeros, as the agent has them. */
static int follow_ids(struct replay *replay, const struct snapshot *snapshot)
{
	size_t capacity = array_capacity(replay->capacity, snapshot->n_memcgs), next = 0;
	struct memcg_state *states = calloc(capacity, sizeof(*states));

	if (!states || array_resize(replay->memcgs, capacity) < 0 ||
	    array_resize(replay->planned_bytes, capacity) < 0 ||
	    array_resize(replay->ids, capacity) < 0) {
		free(states);
		return -ENOMEM;
	}
	for (size_t i = 0; i < snapshot->n_memcgs; i++) {
		size_t at = find(replay, snapshot->memcgs[i].id, next);

		if (at == replay->n)
			continue;
		states[i] = replay->states[at];
		next = at + 1;
	}
	for (size_t i = 0; i < snapshot->n_memcgs; i++)
		replay->ids[i] = snapshot->memcgs[i].id;
	free(replay->states);
	replay->states = states;
	replay->n = snapshot->n_memcgs;
	replay->capacity = capacity;
	return 0;
}

/* By its path; where the class recorded is not that of the path, somebody asked for it by name, and
 * where names are hashed there is nothing but the class's name to go by. */
static int32_t other_class(const struct replay *replay, const struct trace_reader *reader, size_t i)
{
	const struct trace_parse *parse = &reader->parse;
	int32_t recorded = parse->frame.memcgs[i].class_index;

	if (!parse->header.hashed &&
	    config_classify(reader->config, parse->frame.paths[i], NULL) == recorded)
		return config_classify(replay->config, parse->frame.paths[i], NULL);
	if (recorded < 0)
		return -1;
	return config_find_class(replay->config, reader->config->policy.classes[recorded].name);
}

/* Matching globs takes long, and a class seldom changes: it is looked up with the list. */
static void set_classes(struct replay *replay, const struct trace_reader *reader, bool anew)
{
	const struct snapshot *recorded = &reader->parse.frame.snapshot;

	for (size_t i = 0; i < recorded->n_memcgs; i++) {
		int32_t class_index = replay->memcgs[i].class_index;

		replay->memcgs[i] = recorded->memcgs[i];
		if (replay->config)
			replay->memcgs[i].class_index =
				anew ? other_class(replay, reader, i) : class_index;
	}
	replay->snapshot = *recorded;
	replay->snapshot.memcgs = replay->memcgs;
}

int replay_tick(struct replay *replay, const struct trace_reader *reader)
{
	const struct trace_parse *parse = &reader->parse;
	const struct config *config = replay_config(replay, reader);

	if (parse->ids_changed && follow_ids(replay, &parse->frame.snapshot) < 0)
		return -ENOMEM;
	set_classes(replay, reader, parse->ids_changed || replay->n_configs != reader->n_configs);
	replay->n_configs = reader->n_configs;
	if (array_reserve(replay->decisions, replay->decisions_capacity,
			  policy_plan_capacity(&replay->snapshot)) < 0)
		return -ENOMEM;
	for (size_t i = 0; i < parse->n_rebase; i++)
		replay->states[parse->rebase[i]].rebase = true;
	replay->plan = (struct plan){
		.decisions = replay->decisions,
		.capacity = replay->decisions_capacity,
	};
	policy_plan(&config->policy, &replay->snapshot, replay->states, replay->planned_bytes,
		    &replay->plan);
	return 0;
}

static bool is_same_decision(const struct decision *a, const struct decision *b)
{
	return a->memcg == b->memcg && a->action == b->action && a->reason == b->reason &&
	       a->node == b->node && a->seq == b->seq && a->force == b->force &&
	       a->swappiness == b->swappiness && a->bytes == b->bytes && a->to_disk == b->to_disk;
}

bool replay_is_as_recorded(const struct replay *replay, const struct trace_reader *reader)
{
	const struct plan *plan = &replay->plan, *recorded = &reader->parse.plan;

	if (plan->n_decisions != recorded->n_decisions || plan->next_usec != recorded->next_usec ||
	    plan->swap_bytes != recorded->swap_bytes || plan->disk_bytes != recorded->disk_bytes)
		return false;
	for (size_t i = 0; i < plan->n_decisions; i++)
		if (!is_same_decision(&plan->decisions[i], &recorded->decisions[i]))
			return false;
	return trace_verdicts(replay->states, replay->n) == reader->parse.verdicts;
}
