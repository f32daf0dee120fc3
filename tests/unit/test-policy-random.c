/* SPDX-License-Identifier: MIT */
/*
 * Properties that hold for every host and every history: the rules of policy-rules.c, the same plan
 * for the same history, and no more reclaim for more room. SEED=n repeats a run; the seed is
 * printed. ROUNDS=n makes n times as many steps.
 */
#include "policy-dice.h"
#include "arith.h"

#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <cmocka.h>

#define ABSURD 8 /* one value in so many */

static uint64_t seed, rounds, n_steps;
static struct policy_world w, twin;

static void check(const char *why, uint64_t at)
{
	if (why)
		fail_msg("%s (SEED=%" PRIu64 ", host %" PRIu64 ")", why, seed, at);
}

static const char *step(struct policy_world *world)
{
	n_steps++;
	return world_try_plan(world);
}

static void count(uint64_t *ret_decisions)
{
	ret_decisions[0] += w.plan.n_decisions;
	for (size_t d = 0; d < w.plan.n_decisions; d++)
		ret_decisions[w.decisions[d].action]++;
	for (size_t i = 0; i < w.snapshot.n_memcgs; i++)
		ret_decisions[ACTION_PROTECT] += w.states[i].protect.low_bytes > 0;
}

static struct dice dice_of(uint64_t at)
{
	return (struct dice){.state = seed + at * 1000003};
}

static void test_short_histories(uint64_t n, uint64_t absurd, uint64_t *ret_decisions)
{
	for (uint64_t at = 0; at < n; at++) {
		struct dice dice = dice_of(at);

		dice_build(&dice, &w, absurd);
		if (dice_once_in(&dice, 8))
			w.capacity = dice_below(&dice, 3);
		for (int i = 0; i < 8; i++) {
			check(step(&w), at);
			count(ret_decisions);
			dice_obey(&dice, &w);
			dice_happen(&dice, &w, absurd);
		}
	}
}

static void report(const char *what, const uint64_t *n)
{
	printf("# %s: SEED=%" PRIu64 ", %" PRIu64 " decisions: %" PRIu64 " agings, %" PRIu64
	       " evictions, %" PRIu64 " reclaims; %" PRIu64 " protections\n",
	       what, seed, n[0], n[ACTION_AGE], n[ACTION_EVICT], n[ACTION_RECLAIM],
	       n[ACTION_PROTECT]);
}

static void test_plausible_hosts(void **arg)
{
	uint64_t n[_ACTION_MAX] = {0};

	(void)arg;
	test_short_histories(20000 * rounds, 0, n);
	report("plausible hosts", n);
	for (int i = 0; i < _ACTION_MAX; i++)
		assert_true(n[i] > 20);
}

static void test_absurd_hosts(void **arg)
{
	uint64_t n[_ACTION_MAX] = {0};

	(void)arg;
	test_short_histories(20000 * rounds, ABSURD, n);
	report("absurd hosts", n);
	for (int i = 0; i < _ACTION_MAX; i++)
		assert_true(n[i] > 20);
}

static void test_long_histories(void **arg)
{
	uint64_t n[_ACTION_MAX] = {0};

	(void)arg;
	for (uint64_t at = 0; at < 100 * rounds; at++) {
		struct dice dice = dice_of(at);

		dice_build(&dice, &w, 0);
		for (int i = 0; i < 5000; i++) {
			check(step(&w), at);
			count(n);
			dice_obey(&dice, &w);
			dice_happen(&dice, &w, 0);
		}
	}
	report("long histories", n);
	for (int i = 0; i < _ACTION_MAX; i++)
		assert_true(n[i] > 0);
}

static void assert_same_plan(uint64_t at)
{
	if (w.plan.n_decisions != twin.plan.n_decisions || w.plan.next_usec != twin.plan.next_usec)
		check("another plan for the same history", at);
	for (size_t d = 0; d < w.plan.n_decisions; d++) {
		const struct decision *a = &w.decisions[d], *b = &twin.decisions[d];

		if (a->memcg != b->memcg || a->action != b->action || a->reason != b->reason ||
		    a->node != b->node || a->seq != b->seq || a->force != b->force ||
		    a->swappiness != b->swappiness || a->bytes != b->bytes)
			check("another decision for the same history", at);
	}
}

/* The twin's memory holds other garbage to start with. */
static void test_same_history_same_plan(void **arg)
{
	(void)arg;
	for (uint64_t at = 0; at < 2000 * rounds; at++) {
		struct dice dice = dice_of(at), twins = dice;

		dice_build(&dice, &w, ABSURD);
		dice_build(&twins, &twin, ABSURD);
		memset(twin.decisions, 0x5a, sizeof(twin.decisions));
		memset(twin.planned_bytes, 0x5a, sizeof(twin.planned_bytes));
		for (int i = 0; i < 10; i++) {
			step(&w);
			step(&twin);
			assert_same_plan(at);
			dice_obey(&dice, &w);
			dice_obey(&twins, &twin);
			dice_happen(&dice, &w, ABSURD);
			dice_happen(&twins, &twin, ABSURD);
		}
	}
}

/* For a limit's sake: what nobody uses goes rather where there is room. */
static uint64_t reclaimed(const struct policy_world *world)
{
	uint64_t bytes = 0;

	for (size_t d = 0; d < world->plan.n_decisions; d++)
		if (world->decisions[d].action == ACTION_RECLAIM &&
		    world->decisions[d].reason != REASON_UNUSED_FILE)
			bytes += world->decisions[d].bytes;
	return bytes;
}

/* The same host but for the usage below its one limit, all along. */
static void compare_room(struct dice *dice, uint64_t at, uint64_t *n_compared)
{
	uint64_t used_bytes, less_bytes;
	size_t i = 0;

	while (i < w.snapshot.n_memcgs && (w.memcgs[i].leaf || w.memcgs[i].parent >= 0))
		i++;
	if (i == w.snapshot.n_memcgs || !is_number(w.memcgs[i].current_bytes))
		return;
	used_bytes = w.memcgs[i].current_bytes;
	twin = w;
	twin.snapshot.memcgs = twin.memcgs;
	twin.snapshot.lruvecs = twin.lruvecs;
	twin.snapshot.tiers = twin.tiers[0];
	less_bytes = dice_below(dice, used_bytes / 20 + 1);
	twin.memcgs[i].current_bytes -= less_bytes;
	if (is_number(twin.states[i].last.current_bytes))
		twin.states[i].last.current_bytes =
			saturating_sub(twin.states[i].last.current_bytes, less_bytes);
	check(step(&w), at);
	check(step(&twin), at);
	*n_compared += reclaimed(&w) > 0;
	if (reclaimed(&twin) > reclaimed(&w))
		check("more reclaim for more room", at);
}

static void test_more_room_less_reclaim(void **arg)
{
	uint64_t n_compared = 0;

	(void)arg;
	for (uint64_t at = 0; at < 20000 * rounds; at++) {
		struct dice dice = dice_of(at);

		dice_build(&dice, &w, 0);
		for (size_t i = 0; i < w.snapshot.n_memcgs; i++) {
			w.memcgs[i].high_bytes = w.memcgs[i].max_bytes = SAMPLE_INFINITY;
			w.memcgs[i].min_bytes = w.memcgs[i].low_bytes = 0;
			if (w.memcgs[i].parent < 0)
				w.memcgs[i].max_bytes =
					saturating_add(w.memcgs[i].current_bytes, MIB(20));
		}
		for (uint64_t i = 1 + dice_below(&dice, 4); i > 0; i--) {
			check(step(&w), at);
			dice_obey(&dice, &w);
			dice_happen(&dice, &w, 0);
		}
		compare_room(&dice, at, &n_compared);
	}
	printf("# more room: SEED=%" PRIu64 ", %" PRIu64 " hosts compared\n", seed, n_compared);
	assert_true(n_compared > 500);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_plausible_hosts),
		cmocka_unit_test(test_absurd_hosts),
		cmocka_unit_test(test_long_histories),
		cmocka_unit_test(test_same_history_same_plan),
		cmocka_unit_test(test_more_room_less_reclaim),
	};
	const char *seed_env = getenv("SEED"), *rounds_env = getenv("ROUNDS");
	int r;

	seed = seed_env ? strtoull(seed_env, NULL, 10) : (uint64_t)time(NULL);
	rounds = rounds_env ? strtoull(rounds_env, NULL, 10) : 1;
	r = cmocka_run_group_tests_name("policy-random", tests, NULL, NULL);
	printf("# %" PRIu64 " steps\n", n_steps);
	return r;
}
