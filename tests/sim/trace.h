/* SPDX-License-Identifier: MIT */
/*
 * What the policy decides and why, as a run goes on.
 */
#ifndef FGRECLAIM_TESTS_SIM_TRACE_H
#define FGRECLAIM_TESTS_SIM_TRACE_H

#include "host.h"
#include "state.h"

struct trace {
	bool on;
	struct verdict last[MEMCGS_MAX];
};

/* Prints a line for each leaf whose verdict is an action, or has another reason than at the last
 * look: seconds, name, law, how this kernel is believed to age, generations, the reason, and the
 * sentence of the daemon. */
void trace_look(struct trace *trace, const struct host *host, const struct snapshot *snapshot,
		const struct memcg_state *states);

#endif
