/* SPDX-License-Identifier: MIT */
/*
 * --record: writes a trace of what the policy sees and answers, a line a tick.
 *
 * Nothing that happens to the file disturbs the agent: the first failure is said, and recording stops.
 * The file and the one before it, FILE.1, together stay below a size.
 */
#ifndef FGRECLAIM_RECORDER_H
#define FGRECLAIM_RECORDER_H

#include "config.h"
#include "feature.h"
#include "memcg.h"
#include "plan.h"

/* --record-max= if not given: some hours of a host of 200 cgroups. Less holds no header. */
#define RECORDER_MAX_BYTES   (UINT64_C(64) << 20)
#define RECORDER_LEAST_BYTES (UINT64_C(16) << 10)

struct recorder;

struct recorder_settings {
	const char *path; /* must stay */
	uint64_t max_bytes;
	bool hash_names;
};

/* config and features must stay, or be followed by others: recorder_configure(). Errors: -ENOMEM. */
int recorder_new(const struct recorder_settings *settings, const struct config *config,
		 const struct features *features, struct recorder **ret);
struct recorder *recorder_free(struct recorder *recorder);

/* The next plan will be of another configuration. */
void recorder_configure(struct recorder *recorder, const struct config *config);

/* Before the plan, with the states as the policy will find them; and after it. NULL records nothing. */
void recorder_snapshot(struct recorder *recorder, const struct snapshot *snapshot,
		       const struct memcg_state *states, struct memcg *const *memcgs);
void recorder_plan(struct recorder *recorder, const struct plan *plan,
		   const struct memcg_state *states, size_t n);

/* False once it has stopped. */
bool recorder_is_on(const struct recorder *recorder);

#endif
