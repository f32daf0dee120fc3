/* SPDX-License-Identifier: MIT */
/*
 * Any bytes as parameters, a host and its history: the first byte says how absurd values may be, the
 * rest are dice (tests/unit/policy-dice.c). No plan breaks a rule, none fails, and planning twice
 * from one state gives one plan. Then the same host once more with indices that point nowhere.
 */
#include "policy-dice.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LOOKS_MAX 64

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static struct policy_world w, twin;

static void require(const char *violation)
{
	if (!violation)
		return;
	fprintf(stderr, "a plan %s\n", violation);
	abort();
}

static void look(void)
{
	memcpy(twin.states, w.states, sizeof(w.states));
	require(world_try_plan(&w));
	twin.plan = (struct plan){.decisions = twin.decisions, .capacity = w.capacity};
	policy_plan(&w.params, &w.snapshot, twin.states, twin.planned_bytes, &twin.plan);
	if (twin.plan.n_decisions != w.plan.n_decisions || twin.plan.next_usec != w.plan.next_usec)
		require("differs from the one before");
	for (size_t d = 0; d < w.plan.n_decisions; d++)
		if (twin.decisions[d].memcg != w.decisions[d].memcg ||
		    twin.decisions[d].action != w.decisions[d].action ||
		    twin.decisions[d].bytes != w.decisions[d].bytes)
			require("decides otherwise than the one before");
}

/* Whether sound or not, this must end and stay within its arrays. */
static void break_indices(struct dice *dice)
{
	for (size_t i = 0; i < w.snapshot.n_memcgs; i++) {
		w.memcgs[i].parent = (int32_t)dice_size(dice, 2);
		w.memcgs[i].first_lruvec = (uint32_t)dice_size(dice, 2);
		w.memcgs[i].n_lruvecs = (uint32_t)dice_size(dice, 2);
		w.memcgs[i].first_tiers = (uint32_t)dice_size(dice, 2);
		w.memcgs[i].n_tiers = (uint32_t)dice_size(dice, 2);
	}
	w.snapshot.page_bytes = (uint32_t)dice_below(dice, 3);
	w.snapshot.now_usec++;
	w.plan = (struct plan){.decisions = w.decisions, .capacity = w.capacity};
	policy_plan(&w.params, &w.snapshot, w.states, w.planned_bytes, &w.plan);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct dice dice = {.bytes = data, .n_bytes = size};
	uint64_t absurd;

	if (size == 0)
		return 0;
	absurd = dice_below(&dice, 32);
	dice_build(&dice, &w, absurd);
	if (dice_once_in(&dice, 16))
		w.capacity = dice_below(&dice, 3);
	for (int i = 0; i < LOOKS_MAX && dice.n_bytes > 0; i++) {
		look();
		dice_obey(&dice, &w);
		dice_happen(&dice, &w, absurd);
	}
	break_indices(&dice);
	return 0;
}
