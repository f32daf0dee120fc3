/* SPDX-License-Identifier: MIT */
/*
 * The agent: looks, has the policy plan, and carries plans out as agent/executor.c does, with the
 * same bookkeeping. A write takes no virtual time; what it would have taken is counted.
 */
#ifndef FGRECLAIM_TESTS_SIM_AGENT_H
#define FGRECLAIM_TESTS_SIM_AGENT_H

#include "planner.h"
#include "trace.h"
#include "view.h"

struct agent {
	struct policy_params params;
	int classes[MEMCGS_MAX]; /* class of each memcg, -1: none */
	uint64_t interval_usec;
	uint64_t next_usec;
	struct view view;
	struct outcome outcomes[MEMCGS_MAX];
	struct memcg_state states[MEMCGS_MAX];
	uint64_t planned_bytes[MEMCGS_MAX];
	struct decision decisions[8 * MEMCGS_MAX];
	struct plan plan;
	struct trace trace;
	/* What came of it. */
	uint64_t ticks, writes, failures, agings;
	uint64_t evicted_pages[_LRU_TYPE_MAX];
	uint64_t work_usec; /* that the kernel spent on behalf of its writes */
};

/* Defaults of the policy, no class. */
void agent_init(struct agent *agent, uint64_t interval_usec);

/* Acts if it is due. */
void agent_tick(struct agent *agent, struct host *host);

#endif
