/* SPDX-License-Identifier: MIT */
#include "trace.h"
#include "aging.h"
#include "explain.h"

#include <stdio.h>

#define SENTENCE_MAX 160

static const char *const modes[] = {
	[RESIDENCE_FREE] = "free",
	[RESIDENCE_SHARED] = "shared",
	[RESIDENCE_BOUND] = "bound",
};

static const char *const rules[] = {
	[AGING_UNKNOWN] = "?",
	[AGING_REFUSES] = "refuses",
	[AGING_ALWAYS] = "always",
	[AGING_KEEPS] = "keeps",
};

void trace_look(struct trace *trace, const struct host *host, const struct snapshot *snapshot,
		const struct memcg_state *states)
{
	if (!trace->on)
		return;
	for (size_t m = 0; m < snapshot->n_memcgs; m++) {
		const struct memcg_sample *sample = &snapshot->memcgs[m];
		const struct verdict *verdict = &states[m].verdict;
		char sentence[SENTENCE_MAX];

		if (!sample->leaf ||
		    (verdict->action == ACTION_NONE && verdict->reason == trace->last[m].reason))
			continue;
		trace->last[m] = *verdict;
		explain_verdict(verdict, sentence, sizeof(sentence));
		printf("%7.1f %-8s %-6s %-7s %u %-16s %s\n", (double)host->now_usec / 1e6,
		       host->memcgs[m].name, modes[states[m].residence.mode],
		       rules[aging_rule_of(snapshot, states)],
		       sample->listed ? snapshot->lruvecs[sample->first_lruvec].n_gens : 0,
		       reason_to_string(verdict->reason), sentence);
	}
}
