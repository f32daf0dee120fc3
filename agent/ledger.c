/* SPDX-License-Identifier: MIT */
#include "ledger.h"
#include "arith.h"
#include "cgroup_name.h"
#include "explain.h"
#include "explain_memcg.h"
#include "refault.h"
#include "tier.h"

#include <string.h>

static const char *law_of(const struct memcg *memcg)
{
	static const char *const names[] = {
		[RESIDENCE_FREE] = "saver",
		[RESIDENCE_SHARED] = "split",
		[RESIDENCE_BOUND] = "gclk",
	};

	if (!memcg->leaf || memcg->class_index < 0)
		return NULL;
	return names[memcg->state.residence.mode];
}

static void fill_name(const struct memcg *memcg, struct ledger_row *row)
{
	struct cgroup_name name;

	cgroup_name_parse(memcg->path, strlen(memcg->path), &name);
	cgroup_name_display(&name, row->name_text, sizeof(row->name_text));
	row->kind = cgroup_kind_to_string(name.kind);
	row->path = memcg->name;
	row->name = row->name_text;
	row->id = memcg->id;
}

static void fill_class(const struct memcg *memcg, const struct config *config,
		       struct ledger_row *row)
{
	const struct config_match *match;

	config_classify(config, memcg->path, &match);
	row->match = match ? match->origin : NULL;
	if (memcg->class_index >= 0 && (size_t)memcg->class_index < config->policy.n_classes)
		row->class = config->policy.classes[memcg->class_index].name;
	if (*memcg->asked_class)
		row->asked_class = memcg->asked_class;
	row->asked_class_refused = memcg->refused;
}

static void fill_protect(const struct memcg *memcg, struct ledger_row *row)
{
	const struct protect_state *protect = &memcg->state.protect;

	row->protect_low_bytes = row->protect_working_set_bytes = SAMPLE_UNKNOWN;
	if (protect->verdict.reason == REASON_NONE)
		return;
	row->protect_low_bytes = protect->low_bytes;
	row->protect_working_set_bytes = protect->workingset_bytes;
	row->protect_reason = reason_to_string(protect->verdict.reason);
	explain_verdict(&protect->verdict, row->protect_text, sizeof(row->protect_text));
	row->protect_sentence = row->protect_text;
}

/* Two looks make a rate. */
static uint64_t measured_or_unknown(const struct memcg_state *state, uint64_t counter,
				    uint64_t rate)
{
	return state->dt_usec > 0 && is_number(counter) ? rate : SAMPLE_UNKNOWN;
}

static uint64_t msec_since(uint64_t now_usec, uint64_t usec)
{
	return now_usec == 0 || usec == 0 ? SAMPLE_UNKNOWN : saturating_sub(now_usec, usec) / 1000;
}

static void fill_evidence(const struct memcg *memcg, uint64_t now_usec, struct ledger_row *row)
{
	const struct memcg_state *state = &memcg->state;
	const struct memcg_counters *last = &state->last;

	row->anon_refault_mpps = measured_or_unknown(state, last->refault_pages[LRU_ANON],
						     state->refault_mpps[LRU_ANON]);
	row->file_refault_mpps = measured_or_unknown(state, last->refault_pages[LRU_FILE],
						     state->refault_mpps[LRU_FILE]);
	row->memory_stall_ppm =
		measured_or_unknown(state, last->psi_memory_some_usec, state->stall_memory_ppm);
	row->io_stall_ppm = measured_or_unknown(state, last->psi_io_some_usec, state->stall_io_ppm);
	row->growth_bps = measured_or_unknown(state, last->current_bytes, state->growth_bps);
	row->tier_return_ppm = tier_return_ppm(state);
	row->file_return_ppm = refault_return_ppm(state);
	row->settled_file_return_ppm = refault_settled_return_ppm(state);
	row->age_msec = msec_since(now_usec, state->last_usec);
	row->look_age_msec = msec_since(now_usec, memcg->seen.look_usec);
	row->hold_msec = now_usec == 0 ? SAMPLE_UNKNOWN
				       : saturating_sub(state->hold_until_usec, now_usec) / 1000;
	row->backoffs = state->backoffs;
}

static void fill_gens(const struct memcg_seen *seen, struct ledger_row *row)
{
	for (uint32_t g = 0; g < SEEN_GENS; g++)
		row->gens[g] = g < seen->n_gens
				       ? seen->gens[g]
				       : (struct seen_gen){SAMPLE_UNKNOWN,
							   {SAMPLE_UNKNOWN, SAMPLE_UNKNOWN}};
}

static void fill_sizes(const struct memcg *memcg, struct ledger_row *row)
{
	const struct memcg_state *state = &memcg->state;
	const struct memcg_seen *seen = &memcg->seen;
	bool looked = seen->look_usec > 0;

	row->current_bytes = looked ? seen->current_bytes : SAMPLE_UNKNOWN;
	row->swap_bytes = looked ? seen->swap_bytes : SAMPLE_UNKNOWN;
	row->working_set_bytes = seen->listed ? state->working_set_bytes : SAMPLE_UNKNOWN;
	row->cold_bytes = seen->listed ? state->cold_bytes : SAMPLE_UNKNOWN;
	row->floor_bytes = looked ? seen->floor_bytes : SAMPLE_UNKNOWN;
	row->floor_layer = seen->floor_layer;
	row->peak_bytes = state->peak_bytes > 0 ? state->peak_bytes : SAMPLE_UNKNOWN;
	fill_gens(seen, row);
	row->locked_bytes = looked && memcg->leaf ? state->protection.locked_bytes : SAMPLE_UNKNOWN;
}

void ledger_fill(const struct memcg *memcg, const struct config *config, uint64_t now_usec,
		 struct ledger_row *ret)
{
	const struct verdict *verdict = &memcg->state.verdict;

	*ret = (struct ledger_row){0};
	fill_name(memcg, ret);
	fill_class(memcg, config, ret);
	fill_sizes(memcg, ret);
	fill_evidence(memcg, now_usec, ret);
	fill_protect(memcg, ret);
	ret->dying_descendants = SAMPLE_UNKNOWN;
	ret->law = law_of(memcg);
	ret->action = action_kind_to_string(verdict->action);
	ret->reason = reason_to_string(verdict->reason);
	explain_verdict(verdict, ret->sentence_text, sizeof(ret->sentence_text));
	ret->sentence = ret->sentence_text;
	ret->out_bytes = ret->swap_cost_bytes = ret->net_bytes = SAMPLE_UNKNOWN;
}

void ledger_explain(struct ledger_row *row)
{
	explain_memcg(row, row->explanation_text, sizeof(row->explanation_text));
	row->explanation = row->explanation_text;
}

void ledger_fill_account(const struct memcg *memcg, size_t point, struct ledger_row *ret)
{
	const struct memcg_freed *freed = &memcg->freed;
	struct account growth = account_since(&memcg->past, &memcg->account, point);

	memcpy(ret->account, growth.values, sizeof(ret->account));
	ret->out_bytes = saturating_add(freed->held_bytes[LRU_ANON], freed->held_bytes[LRU_FILE]);
	ret->swap_cost_bytes = freed->unpriced_bytes > 0 ? SAMPLE_UNKNOWN : freed->cost_bytes;
	ret->net_bytes = is_number(ret->swap_cost_bytes)
				 ? saturating_sub(ret->out_bytes, ret->swap_cost_bytes)
				 : SAMPLE_UNKNOWN;
}

uint64_t ledger_look(struct account_clock *clock, struct memcg *const *memcgs, size_t n,
		     uint64_t now_usec)
{
	bool keep = account_clock_tick(clock, now_usec);
	uint64_t sum_usec = 0;

	for (size_t i = 0; i < n; i++) {
		struct memcg *memcg = memcgs[i];
		uint64_t stall_usec = memcg->state.last.psi_memory_some_usec;
		/* What it stalled before it was known is not of our time. */
		uint64_t grown_usec =
			number_or(counter_delta(stall_usec, memcg->stall_seen_usec), 0);

		if (memcg->leaf && memcg->class_index >= 0) {
			account_add(&memcg->account, ACCOUNT_STALL_USEC, grown_usec);
			sum_usec = saturating_add(sum_usec, grown_usec);
		}
		if (is_number(stall_usec))
			memcg->stall_seen_usec = stall_usec;
		if (keep)
			account_keep(&memcg->past, clock, &memcg->account);
	}
	return sum_usec;
}
