/* SPDX-License-Identifier: MIT */
/*
 * Plans a trace again: the snapshots that were recorded, through the policy's only door.
 *
 * A replay is an open loop: what other plans would have changed on the host does not come back in the
 * snapshots that follow.
 */
#ifndef FGRECLAIM_REPLAY_H
#define FGRECLAIM_REPLAY_H

#include "planner.h"
#include "trace_reader.h"

/* One configuration's plans. All zeros but config is one before the first tick. */
struct replay {
	const struct config *config; /* NULL: that of the trace */
	struct snapshot snapshot;    /* of the last tick, with the classes of config */
	struct plan plan;
	struct memcg_state *states; /* as the plan left them */
	/* Its own: */
	struct memcg_sample *memcgs;
	uint64_t *ids, *planned_bytes;
	struct decision *decisions;
	size_t n, capacity, decisions_capacity;
	uint64_t n_configs; /* of the trace, by which classes were looked up */
};

void replay_done(struct replay *replay);

/* Plans for the reader's tick, each of which must be handed over once. Errors: -ENOMEM. */
int replay_tick(struct replay *replay, const struct trace_reader *reader);

/* The plan and all verdicts are those that were recorded. */
bool replay_is_as_recorded(const struct replay *replay, const struct trace_reader *reader);

/* The configuration by which the last tick was planned. */
const struct config *replay_config(const struct replay *replay, const struct trace_reader *reader);

#endif
