/* SPDX-License-Identifier: MIT */
/*
 * Hosts and histories thrown by dice, from a seed or from a fuzzer's bytes.
 */
#ifndef FGRECLAIM_TESTS_POLICY_DICE_H
#define FGRECLAIM_TESTS_POLICY_DICE_H

#include "policy-world.h"

struct dice {
	const uint8_t *bytes; /* NULL: numbers come from the seed */
	size_t n_bytes;
	uint64_t state; /* the seed */
	uint64_t calm;  /* harm comes to a memcg once in so many looks; of the host built last */
};

/* 0 to n - 1; 0 once a fuzzer's bytes are used up. */
uint64_t dice_below(struct dice *dice, uint64_t n);

/* Once in n throws. */
bool dice_once_in(struct dice *dice, uint64_t n);

/* A size of any magnitude; once in `absurd` throws one that no kernel would print (0: never). */
uint64_t dice_size(struct dice *dice, uint64_t absurd);

/* A host: params, tree, memory, generations, all of it arbitrary but sound. */
void dice_build(struct dice *dice, struct policy_world *w, uint64_t absurd);

/* What happens until the next look: counters run, sizes change, time passes, seldom sanely. */
void dice_happen(struct dice *dice, struct policy_world *w, uint64_t absurd);

/* Does what the plan says, more or less, and books what came of it. */
void dice_obey(struct dice *dice, struct policy_world *w);

#endif
