/* SPDX-License-Identifier: MIT */
/*
 * What people are told. Only state that changed is worth a line above debug; what was done in
 * detail is counted, and summed up once in a while: summary.c.
 */
#include "report.h"
#include "arith.h"
#include "class_wait.h"
#include "clock.h"
#include "explain.h"
#include "log.h"
#include "messages.h"
#include "notify.h"
#include "refault.h"

#include <inttypes.h>
#include <stdio.h>

#define SENTENCE_MAX    160
#define ADVICE_TEXT_MAX 256

/* The status line is not rewritten more often than this. */
#define STATUS_USEC (10 * USEC_PER_SEC)

static void report_missing(const struct features *features, enum feature feature)
{
	const char *remedy = features_remedy(features, feature);

	if (remedy)
		log_event(LOG_NOTICE, MESSAGE_DEGRADED, "%s is %s: %s. Remedy: %s",
			  feature_to_string(feature),
			  features->probes[feature].unknown ? "unknown" : "missing",
			  features->probes[feature].evidence, remedy);
}

/* It is the administrator's, and left alone; but agings make what is used look young. */
static void report_min_ttl(const struct features *features)
{
	if (features->min_ttl_msec > 0)
		log_event(LOG_NOTICE, MESSAGE_DEGRADED,
			  "lru_gen/min_ttl_ms is %" PRIu64
			  ": rather than reclaim what was used within that time the kernel kills. "
			  "Remedy: echo 0 >/sys/kernel/mm/lru_gen/min_ttl_ms",
			  features->min_ttl_msec);
}

void report_features(const struct features *features)
{
	for (enum feature f = 0; f < _FEATURE_MAX; f++)
		report_missing(features, f);
	report_min_ttl(features);
	log_notice("capability: %s", capability_to_string(features->capability));
}

void report_changes(const struct features *former, const struct features *features)
{
	for (enum feature f = 0; f < _FEATURE_MAX; f++) {
		if (former->probes[f].present == features->probes[f].present &&
		    former->probes[f].unknown == features->probes[f].unknown)
			continue;
		if (features->probes[f].present)
			log_notice("%s is there now: %s", feature_to_string(f),
				   features->probes[f].evidence);
		else
			report_missing(features, f);
	}
	if (former->min_ttl_msec != features->min_ttl_msec)
		report_min_ttl(features);
	if (former->capability != features->capability)
		log_notice("capability: %s, was %s", capability_to_string(features->capability),
			   capability_to_string(former->capability));
}

void report_hold(const struct memcg *memcg, enum reason former)
{
	const struct verdict *verdict = &memcg->state.verdict;
	char sentence[SENTENCE_MAX];

	if (verdict->reason == former || verdict->reason < REASON_HOLD_REFAULT ||
	    verdict->reason > REASON_HOLD_NO_YIELD)
		return;
	explain_verdict(verdict, sentence, sizeof(sentence));
	log_event(LOG_DEBUG, MESSAGE_BACKOFF, "%s: %s", memcg->name, sentence);
}

/* What is wrong and what would help. */
static void explain_advice(const struct memcg_state *state, uint64_t pages, char *buf, size_t size)
{
	const struct advice_state *advice = &state->advice;
	char limit[BYTES_TEXT_MAX], own[BYTES_TEXT_MAX];

	explain_bytes(advice->limit_bytes, limit, sizeof(limit));
	explain_bytes(advice->own_bytes, own, sizeof(own));
	switch (advice->due) {
	case ADVICE_THRASHES:
		snprintf(buf, size,
			 "thrashes at its limit of %s: %" PRIu64 " pages come back each second. "
			 "Reclaim cannot help; a higher limit or less to cache would",
			 limit, pages);
		break;
	case ADVICE_CROWDED:
		snprintf(
			buf, size,
			"memory of its own, %s, crowds out its files at the limit of %s: %" PRIu64
			" pages come back each second. Reclaim cannot help; a smaller cache of its "
			"own (a database's) or a higher limit would",
			own, limit, pages);
		break;
	case ADVICE_CORNERED:
		snprintf(buf, size,
			 "%s of its limit of %s are memory of its own, which cannot be swapped: "
			 "when that grows, the kernel kills. A smaller cache of its own (a "
			 "database's), a higher limit or swap would help",
			 own, limit);
		break;
	case ADVICE_NONE:
	case _ADVICE_MAX:
		break;
	}
}

static const char *const advice_words[_ADVICE_MAX] = {
	[ADVICE_THRASHES] = "thrashes",
	[ADVICE_CROWDED] = "crowded",
	[ADVICE_CORNERED] = "cornered",
};

void report_advice(const struct memcg *memcg)
{
	const struct memcg_state *state = &memcg->state;
	const struct advice_state *advice = &state->advice;
	uint64_t pages = refault_all_mpps(state) / 1000;
	const struct log_field fields[] = {
		{.key = "CGROUP", .text = memcg->name},
		{.key = "ADVICE", .text = advice_words[advice->due]},
		{.key = "REFAULTS_PER_SECOND", .number = pages},
		{.key = "LIMIT_BYTES", .number = advice->limit_bytes},
		{.key = "OWN_BYTES", .number = advice->own_bytes},
		{.key = "CURRENT_BYTES", .number = state->last.current_bytes},
	};
	char text[ADVICE_TEXT_MAX];

	if (advice->due == ADVICE_NONE)
		return;
	explain_advice(state, pages, text, sizeof(text));
	log_fields(LOG_NOTICE, MESSAGE_ADVICE, fields, ARRAY_SIZE(fields), "%s: %s", memcg->name,
		   text);
}

static void report_first(const struct config *config, size_t class_index,
			 struct memcg *const *memcgs, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		if (!(memcgs[i]->class_bits & UINT64_C(1) << class_index))
			continue;
		log_event(LOG_NOTICE, MESSAGE_CONFIG, "class %s: its first cgroup is %s",
			  config->policy.classes[class_index].name, memcgs[i]->name);
		return;
	}
}

void report_classes(struct report_classes *classes, const struct config *config,
		    struct memcg *const *memcgs, size_t n)
{
	char text[CLASS_WAIT_TEXT_MAX];
	uint64_t waiting;

	if (classes->said && !classes->waiting)
		return;
	waiting = class_wait_find(config, memcgs, n);
	for (size_t i = 0; i < config->policy.n_classes; i++) {
		uint64_t class = UINT64_C(1) << i;

		if (!classes->said && (waiting & class))
			log_event(LOG_NOTICE, MESSAGE_CONFIG, "%s",
				  class_wait_explain(config, i, text, sizeof(text)));
		else if (classes->waiting & ~waiting & class)
			report_first(config, i, memcgs, n);
	}
	/* A class that had its cgroups and lost them waits for nothing. */
	classes->waiting = classes->said ? classes->waiting & waiting : waiting;
	classes->said = true;
}

struct report_counts report_count(struct memcg *const *memcgs, size_t n)
{
	struct report_counts counts = {0};

	for (size_t i = 0; i < n; i++) {
		const struct memcg_state *state = &memcgs[i]->state;

		if (memcgs[i]->class_index < 0 || !memcgs[i]->leaf)
			continue;
		counts.of_a_class++;
		counts.held += state->hold_until_usec > state->looked_usec;
		counts.paused += memcgs[i]->paused;
	}
	return counts;
}

void report_status(struct report_pace *pace, const struct features *features, bool dry_run,
		   struct memcg *const *memcgs, size_t n, const struct executor_totals *totals)
{
	const char *capability = capability_to_string(features->capability);
	char bytes[BYTES_TEXT_MAX], cost[BYTES_TEXT_MAX];
	uint64_t now_usec = clock_usec(CLOCK_MONOTONIC);
	struct report_counts counts;
	const char *paused = n > 0 && memcgs[0]->paused ? "paused; " : "";
	char some_paused[32] = "";

	if (pace->status_usec && now_usec - pace->status_usec < STATUS_USEC)
		return;
	pace->status_usec = now_usec;
	counts = report_count(memcgs, n);
	if (!*paused && counts.paused > 0)
		snprintf(some_paused, sizeof(some_paused), ", %zu paused", counts.paused);
	if (dry_run)
		notify_status("%s%s, dry run: %zu of %zu memcgs, would have asked for %s%s", paused,
			      capability, counts.of_a_class, n,
			      explain_bytes(totals->dry_bytes, bytes, sizeof(bytes)), some_paused);
	else
		notify_status("%s%s: %zu of %zu memcgs, %s freed, %s%s%zu held back%s", paused,
			      capability, counts.of_a_class, n,
			      explain_bytes(totals->freed_bytes, bytes, sizeof(bytes)),
			      totals->cost_bytes > 0
				      ? explain_bytes(totals->cost_bytes, cost, sizeof(cost))
				      : "",
			      totals->cost_bytes > 0 ? " of it stay as swap in memory, " : "",
			      counts.held, some_paused);
}

static void print_row(const struct config *config, const struct memcg *memcg)
{
	const struct memcg_state *state = &memcg->state;
	bool measured = state->working_set_bytes || state->cold_bytes;
	char current[BYTES_TEXT_MAX], workset[BYTES_TEXT_MAX], cold[BYTES_TEXT_MAX];
	char sentence[SENTENCE_MAX];

	explain_verdict(&state->verdict, sentence, sizeof(sentence));
	printf("%9s %9s %9s  %-16.16s %s: %s\n",
	       explain_bytes(state->last.current_bytes, current, sizeof(current)),
	       explain_bytes(measured ? state->working_set_bytes : SAMPLE_UNKNOWN, workset,
			     sizeof(workset)),
	       explain_bytes(measured ? state->cold_bytes : SAMPLE_UNKNOWN, cold, sizeof(cold)),
	       memcg->class_index < 0 ? "-" : config->policy.classes[memcg->class_index].name,
	       memcg->name, sentence);
}

void report_table(const struct features *features, const struct config *config, bool dry_run,
		  struct memcg *const *memcgs, size_t n)
{
	printf("capability: %s%s\n%9s %9s %9s  %-16s %s\n",
	       capability_to_string(features->capability), dry_run ? " (dry run)" : "", "CURRENT",
	       "WORKSET", "COLD", "CLASS", "CGROUP: DECISION");
	for (size_t i = 0; i < n; i++)
		print_row(config, memcgs[i]);
}
