/* SPDX-License-Identifier: MIT */
/*
 * Targets step by step, with utilities and refaults put in by hand: three siblings under 1 000 MiB.
 */
#include "policy-world.h"
#include "siblings.h"
#include "targets.h"

#include <setjmp.h>
#include <stdarg.h>
#include <cmocka.h>

#define EVICTED_MPPS 100000

static struct policy_world w;
static size_t root, slice, a, b, c;

static void set(size_t i, uint64_t mib, uint64_t utility, uint64_t refault_mpps)
{
	struct memcg_state *state = &w.states[i];

	w.memcgs[i].current_bytes = MIB(mib);
	state->primed = true;
	state->dt_usec = SECONDS(1);
	state->utility = utility;
	state->evict_mpps = utility ? EVICTED_MPPS : 0;
	state->refault_mpps[LRU_FILE] = refault_mpps;
}

/* So much later. 20 MiB are free, which is the headroom. */
static void step(uint64_t seconds)
{
	struct limit limit = {
		.memcg = slice,
		.limit_bytes = MIB(1000),
		.free_bytes = MIB(20),
		.headroom_bytes = MIB(20),
	};

	w.snapshot.now_usec += SECONDS(seconds);
	siblings_init(&w.snapshot, w.states);
	for (size_t i = w.snapshot.n_memcgs; i-- > slice + 1;) {
		siblings_begin(&w.snapshot, w.states, i);
		siblings_end(&w.snapshot, w.states, i);
	}
	targets_step(&w.params, &w.snapshot, w.states, &limit);
}

static void begin(void)
{
	world_init(&w);
	root = world_add(&w, -1, 0, 0);
	slice = world_add(&w, (int)root, 0, 0);
	a = world_add(&w, (int)slice, 0, 0);
	b = world_add(&w, (int)slice, 0, 0);
	c = world_add(&w, (int)slice, 0, 0);
	w.states[slice].primed = true;
	set(a, 400, 100, 0);
	set(b, 400, 100, 0);
	set(c, 180, 0, 0);
	step(1);
}

static void assert_targets(uint64_t mib_a, uint64_t mib_b, uint64_t mib_c)
{
	assert_int_equal(w.states[a].target_bytes >> 20, mib_a);
	assert_int_equal(w.states[b].target_bytes >> 20, mib_b);
	assert_int_equal(w.states[c].target_bytes >> 20, mib_c);
}

static void test_begin(void **arg)
{
	(void)arg;
	begin();
	assert_targets(400, 400, 180);
}

/* By 2 % for twice as much, 4 % for four times, 6 % for eight times and more. */
static void test_steps(void **arg)
{
	static const uint64_t utility[] = {199, 200, 399, 400, 799, 800, 8000};
	static const uint64_t mib[] = {0, 20, 20, 40, 40, 60, 60};

	(void)arg;
	for (size_t i = 0; i < sizeof(mib) / sizeof(mib[0]); i++) {
		begin();
		set(a, 400, utility[i], 0);
		step(19);
		assert_targets(400, 400, 180);
		step(1);
		assert_targets(400 + mib[i], 400 - mib[i], 180);
	}
}

/* 95 % of its target have to be in use. */
static void test_fills_before_it_gets_more(void **arg)
{
	(void)arg;
	begin();
	set(a, 379, 800, 0);
	step(20);
	assert_targets(400, 400, 180);
	set(a, 380, 800, 0);
	step(20);
	assert_targets(460, 340, 180);
}

/* Nothing is evicted of c, so that nothing is known of it: it gives what it does not use. */
static void test_unused(void **arg)
{
	(void)arg;
	begin();
	set(a, 400, 150, 0);
	set(c, 162, 0, 0);
	step(20);
	assert_targets(400, 400, 180);
	assert_false(w.states[c].gives);
	set(c, 161, 0, 0);
	step(20);
	assert_targets(460, 400, 120);
	assert_false(w.states[c].gives);
}

static void test_one_percent_is_left(void **arg)
{
	(void)arg;
	begin();
	for (int i = 0; i < 20; i++) {
		set(a, w.states[a].target_bytes >> 20, 100000, 0);
		set(b, w.states[b].target_bytes >> 20, 1, 0);
		w.states[a].penalty = 0;
		step(20);
	}
	assert_targets(790, 10, 180);
}

/* Of two that could, the one that needs it less; to the one of two that needs it more. */
static void test_from_the_least_to_the_most(void **arg)
{
	(void)arg;
	begin();
	set(a, 400, 800, 0);
	set(b, 400, 90, 0);
	set(c, 180, 10, 0);
	step(20);
	assert_targets(460, 400, 120);
	begin();
	set(a, 400, 90, 0);
	set(b, 400, 800, 0);
	set(c, 180, 10, 0);
	step(20);
	assert_targets(400, 460, 120);
}

static void test_class(void **arg)
{
	(void)arg;
	begin();
	w.params.classes[1] = w.params.classes[0];
	w.params.n_classes = 2;
	w.memcgs[b].class_index = 1;
	set(a, 400, 800, 0);
	step(20);
	assert_targets(460, 340, 180);
	/* Of no class. */
	begin();
	w.memcgs[b].class_index = 1;
	set(a, 400, 800, 0);
	step(20);
	assert_targets(400, 400, 180);
}

/* A limit further out has no say in what an inner one shares out. */
static void test_innermost_limit(void **arg)
{
	struct limit limit = {
		.memcg = root,
		.limit_bytes = MIB(1000),
		.free_bytes = MIB(200),
		.headroom_bytes = MIB(100),
	};

	(void)arg;
	begin();
	w.memcgs[slice].max_bytes = MIB(1000);
	siblings_end(&w.snapshot, w.states, slice);
	targets_step(&w.params, &w.snapshot, w.states, &limit);
	assert_targets(400, 400, 180);
	/* Where there is no inner one, it has. */
	w.memcgs[slice].max_bytes = SAMPLE_INFINITY;
	targets_step(&w.params, &w.snapshot, w.states, &limit);
	assert_targets(367, 367, 165);
}

/* From 400 to 460 MiB by 15 %: of the refaults 4.5 % have to go. */
static void test_growth_is_judged(void **arg)
{
	static const uint64_t mpps[] = {1000000, 956000, 954000};
	static const uint32_t penalty[] = {1, 1, 0};

	(void)arg;
	for (size_t i = 0; i < sizeof(mpps) / sizeof(mpps[0]); i++) {
		begin();
		set(a, 400, 100000, 1000000);
		/* From where its growth is judged: after the first step. */
		w.states[a].grown_from_bytes = MIB(400);
		w.states[a].grown_from_mpps = 1000000;
		set(a, 400, 100000, mpps[i]);
		step(20);
		assert_targets(460, 340, 180);
		assert_int_equal(w.states[a].penalty, penalty[i]);
	}
}

/* What it showed once counts for what it may show again. */
static void test_gain_lifts_a_penalty(void **arg)
{
	(void)arg;
	for (uint32_t penalty = 0; penalty < 3; penalty++) {
		begin();
		w.states[a].grown_from_bytes = MIB(400);
		w.states[a].grown_from_mpps = 1000000;
		w.states[a].penalty = penalty;
		set(a, 400, 100000, 500000);
		step(20);
		assert_int_equal(w.states[a].penalty, penalty ? penalty - 1 : 0);
	}
}

/* Less than a tenth is too little to judge by. */
static void test_little_growth_is_not_judged(void **arg)
{
	(void)arg;
	begin();
	w.states[a].grown_from_bytes = MIB(419);
	w.states[a].grown_from_mpps = 1000000;
	set(a, 400, 100000, 1000000);
	step(20);
	assert_targets(460, 340, 180);
	assert_int_equal(w.states[a].penalty, 0);
}

static void test_penalty_ends_at_a_sixteenth(void **arg)
{
	(void)arg;
	begin();
	for (int i = 0; i < 10; i++) {
		w.states[a].grown_from_bytes = MIB(300);
		w.states[a].grown_from_mpps = 1000000;
		set(a, w.states[a].target_bytes >> 20, 1000000, 1000000);
		w.states[b].target_bytes = MIB(400);
		set(b, 400, 1, 0);
		step(20);
	}
	assert_int_equal(w.states[a].penalty, 4);
}

/* Two periods, the first with the refaults given, in the second after a move. */
static void two_periods(uint64_t first_mpps, uint64_t second_mpps)
{
	begin();
	for (int i = 0; i < 180; i++) {
		set(a, 400, 100, first_mpps);
		step(1);
	}
	for (int i = 0; i < 181; i++) {
		set(a, 400, 400, second_mpps);
		step(1);
	}
}

static void test_guard_keeps_what_is_no_worse(void **arg)
{
	(void)arg;
	two_periods(1000000, 1015000);
	assert_targets(440, 360, 180);
	assert_int_equal(w.states[slice].sharing.blocked_until_usec, 0);
}

static void test_guard_takes_back_what_is_worse(void **arg)
{
	uint64_t blocked_usec;

	(void)arg;
	two_periods(1000000, 1030000);
	assert_targets(400, 400, 180);
	blocked_usec = w.states[slice].sharing.blocked_until_usec;
	assert_in_range(blocked_usec, w.snapshot.now_usec + SECONDS(297),
			w.snapshot.now_usec + SECONDS(300));
	/* And none moves meanwhile. */
	for (int i = 0; i < 290; i++) {
		set(a, 400, 400, 1030000);
		step(1);
	}
	assert_targets(400, 400, 180);
	for (int i = 0; i < 15; i++) {
		set(a, 400, 400, 1030000);
		step(1);
	}
	assert_targets(440, 360, 180);
}

/* Twice as long each further time, up to two hours. */
static void test_blocks_grow(void **arg)
{
	static const uint64_t former[] = {300, 3599, 3601, 7200}, next[] = {600, 7198, 7200, 7200};

	(void)arg;
	for (size_t i = 0; i < sizeof(next) / sizeof(next[0]); i++) {
		struct sharing *sharing;

		begin();
		sharing = &w.states[slice].sharing;
		sharing->block_usec = SECONDS(former[i]);
		sharing->judged_before = true;
		sharing->former_wait = 1;
		sharing->moves = 1;
		set(a, 400, 100, 1000000);
		step(180);
		assert_int_equal(sharing->block_usec, SECONDS(next[i]));
	}
}

/* A period with moves that was no worse makes up for former ones; one without tells nothing. */
static void test_a_good_period_forgives(void **arg)
{
	(void)arg;
	for (uint32_t moves = 0; moves < 2; moves++) {
		struct sharing *sharing;

		begin();
		sharing = &w.states[slice].sharing;
		sharing->block_usec = SECONDS(600);
		sharing->judged_before = true;
		sharing->former_wait = UINT64_MAX / 4;
		sharing->moves = moves;
		set(a, 400, 100, 1000);
		step(180);
		assert_int_equal(sharing->block_usec, moves ? 0 : SECONDS(600));
	}
}

/* The limit is not near any more: after five minutes nobody gives. */
static void test_unbound(void **arg)
{
	struct limit limit = {
		.memcg = slice,
		.limit_bytes = MIB(1000),
		.free_bytes = MIB(41),
		.headroom_bytes = MIB(20),
	};

	(void)arg;
	begin();
	set(a, 400, 800, 0);
	step(1);
	assert_true(w.states[b].gives);
	w.snapshot.now_usec += SECONDS(300);
	targets_step(&w.params, &w.snapshot, w.states, &limit);
	assert_true(w.states[b].gives);
	w.snapshot.now_usec += 1;
	targets_step(&w.params, &w.snapshot, w.states, &limit);
	assert_false(w.states[b].gives);
	assert_int_equal(w.states[slice].sharing.fingerprint, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_begin),
		cmocka_unit_test(test_steps),
		cmocka_unit_test(test_fills_before_it_gets_more),
		cmocka_unit_test(test_unused),
		cmocka_unit_test(test_one_percent_is_left),
		cmocka_unit_test(test_from_the_least_to_the_most),
		cmocka_unit_test(test_class),
		cmocka_unit_test(test_innermost_limit),
		cmocka_unit_test(test_growth_is_judged),
		cmocka_unit_test(test_gain_lifts_a_penalty),
		cmocka_unit_test(test_little_growth_is_not_judged),
		cmocka_unit_test(test_penalty_ends_at_a_sixteenth),
		cmocka_unit_test(test_guard_keeps_what_is_no_worse),
		cmocka_unit_test(test_guard_takes_back_what_is_worse),
		cmocka_unit_test(test_blocks_grow),
		cmocka_unit_test(test_a_good_period_forgives),
		cmocka_unit_test(test_unbound),
	};

	return cmocka_run_group_tests_name("policy-moves", tests, NULL, NULL);
}
