/* SPDX-License-Identifier: MIT */
/*
 * Backing off, by example: refaults, stalls, OOM kills, writes that fail or free nothing. Limits
 * here are those of the default class: 320 MiB may refault 6.8 pages a second.
 */
#include "policy-world.h"
#include "arith.h"
#include "pressure.h"

#include <setjmp.h>
#include <stdarg.h>
#include <cmocka.h>

static struct policy_world w;
static size_t root, idle;

/* An idle memcg with 240 of 320 MiB cold, looked at once already. */
static void begin(void)
{
	world_init(&w);
	root = world_add(&w, -1, 0, 0);
	idle = world_add(&w, (int)root, MIB(320), 0);
	world_list(&w, idle, (const uint64_t[]){240, 0, 79, 1});
	world_tick(&w);
}

static void assert_held(enum reason reason)
{
	assert_null(world_decision(&w, idle));
	assert_string_equal(reason_to_string(w.states[idle].verdict.reason),
			    reason_to_string(reason));
}

static uint64_t hold_usec(void)
{
	return saturating_sub(w.states[idle].hold_until_usec, w.snapshot.now_usec);
}

static void stall(uint64_t memory_ppm, uint64_t io_ppm)
{
	w.memcgs[idle].psi_memory.some_usec += memory_ppm * w.snapshot.interval_usec / PPM;
	w.memcgs[idle].psi_io.some_usec += io_ppm * w.snapshot.interval_usec / PPM;
}

/* Ticks with refaults of that many pages a second. */
static void refault(uint64_t pages_per_sec, unsigned n)
{
	while (n-- > 0) {
		world_refault(&w, idle, LRU_ANON, 5 * pages_per_sec);
		world_tick(&w);
	}
}

static void test_refault_above_the_limit_pauses(void **arg)
{
	(void)arg;
	begin();
	refault(6, 60);
	assert_non_null(world_decision(&w, idle));
	refault(12, 20);
	assert_held(REASON_HOLD_REFAULT);
	assert_int_equal(hold_usec(), 0);
	assert_in_range(w.states[idle].age_interval_usec, SECONDS(11), SECONDS(200));
	/* And goes on by itself when they stop. */
	refault(0, 10);
	assert_non_null(world_decision(&w, idle));
}

static void test_three_times_the_limit_backs_off(void **arg)
{
	uint64_t width_usec;

	(void)arg;
	begin();
	world_tick(&w);
	refault(400, 1);
	assert_held(REASON_HOLD_REFAULT);
	assert_int_equal(hold_usec(), SECONDS(10));
	width_usec = w.states[idle].age_interval_usec;
	/* By what the excess widens, 0.5 * 3 * 5 s / 10 s, and by a half for the hold. */
	assert_int_equal(width_usec, SECONDS(10) * 175 / 100 * 3 / 2);
	/* One hold widens once. */
	refault(0, 1);
	assert_in_range(w.states[idle].age_interval_usec, width_usec, width_usec * 14 / 10);
}

static void test_holds_grow_up_to_a_limit(void **arg)
{
	uint64_t longest_usec = 0, last_usec = 0;

	(void)arg;
	begin();
	world_tick(&w);
	for (int i = 0; i < 400; i++) {
		uint64_t before_usec = w.states[idle].hold_until_usec;

		refault(400, 1);
		assert_held(REASON_HOLD_REFAULT);
		if (w.states[idle].hold_until_usec == before_usec)
			continue;
		assert_in_range(hold_usec(), last_usec ? last_usec : SECONDS(10),
				last_usec ? 2 * last_usec : SECONDS(10));
		last_usec = hold_usec();
		longest_usec = max_u64(longest_usec, last_usec);
	}
	assert_int_equal(longest_usec, SECONDS(320));
	assert_int_equal(w.states[idle].age_interval_usec, SECONDS(1800));
}

static void test_quiet_time_forgives(void **arg)
{
	(void)arg;
	begin();
	world_tick(&w);
	refault(400, 20);
	assert_true(w.states[idle].backoffs > 1);
	/* Not before five minutes after the last hold have passed. */
	while (w.snapshot.now_usec + TICK_USEC <= w.states[idle].hold_until_usec + SECONDS(300))
		world_tick(&w);
	assert_true(w.states[idle].backoffs > 1);
	refault(0, 1);
	assert_int_equal(w.states[idle].backoffs, 0);
	refault(0, 100);
	refault(400, 1);
	assert_int_equal(hold_usec(), SECONDS(10));
}

/* What harm widened, a long quiet time narrows again: or a bad hour would slow a year. */
static void test_quiet_time_narrows_the_interval(void **arg)
{
	(void)arg;
	begin();
	world_tick(&w);
	refault(400, 100);
	assert_true(w.states[idle].age_interval_usec > SECONDS(60));
	refault(0, 12 * 60 * 8);
	assert_int_equal(w.states[idle].age_interval_usec, SECONDS(10));
}

static void test_pressure_holds(void **arg)
{
	(void)arg;
	begin();
	world_ticks(&w, 10);
	stall(1100, 0);
	world_tick(&w);
	assert_held(REASON_HOLD_PRESSURE);
	assert_int_equal(hold_usec(), SECONDS(10));
	begin();
	world_ticks(&w, 10);
	stall(0, 1100);
	world_tick(&w);
	assert_held(REASON_HOLD_PRESSURE);
	begin();
	world_ticks(&w, 10);
	stall(900, 900);
	world_tick(&w);
	assert_non_null(world_decision(&w, idle));
}

/* A process that waits for its disk half of the time is not in trouble, not even at first. */
static void test_always_waiting_for_io_is_not_held(void **arg)
{
	(void)arg;
	begin();
	w.memcgs[idle].seen_usec = 0;
	for (int i = 0; i < 100; i++) {
		w.memcgs[idle].seen_usec += TICK_USEC;
		stall(0, 500000);
		world_tick(&w);
		assert_int_equal(hold_usec(), 0);
	}
	assert_in_range(w.states[idle].baseline_io_ppm, 400000, 500000);
}

static void test_baseline_is_learned_when_left_alone(void **arg)
{
	(void)arg;
	begin();
	for (int i = 0; i < 20; i++) {
		w.memcgs[idle].outcome.writes = 1;
		stall(500, 500);
		world_tick(&w);
	}
	assert_int_equal(w.states[idle].baseline_io_ppm, 0);
	assert_int_equal(w.states[idle].baseline_memory_ppm, 0);
	assert_int_equal(pressure_limit_ppm(1000, 0), 1000);
	assert_int_equal(pressure_limit_ppm(1000, 300), 1500);
	assert_int_equal(pressure_limit_ppm(1000, UINT64_MAX), UINT64_MAX);
}

/* Refaults stall: both come in one interval. That is one harm, and the refaults are its name, since
 * a hold for pressure does not stop SPLIT. */
static void test_refault_and_pressure_are_one_harm(void **arg)
{
	(void)arg;
	begin();
	world_ticks(&w, 10);
	stall(100000, 0);
	refault(400, 1);
	assert_held(REASON_HOLD_REFAULT);
	assert_int_equal(hold_usec(), SECONDS(10));
	assert_int_equal(w.states[idle].backoffs, 1);
	/* Nor does a stall take over while the hold lasts. */
	stall(100000, 0);
	world_tick(&w);
	assert_held(REASON_HOLD_REFAULT);
	assert_int_equal(hold_usec(), SECONDS(5));
}

static void test_refault_takes_over_from_pressure(void **arg)
{
	(void)arg;
	begin();
	world_ticks(&w, 10);
	stall(100000, 0);
	world_tick(&w);
	assert_held(REASON_HOLD_PRESSURE);
	refault(400, 1);
	assert_held(REASON_HOLD_REFAULT);
}

static void test_oom_kill_holds_for_ten_minutes(void **arg)
{
	(void)arg;
	begin();
	world_tick(&w);
	w.memcgs[idle].events_oom_kill = 1;
	world_tick(&w);
	assert_held(REASON_HOLD_OOM);
	assert_int_equal(hold_usec(), SECONDS(600));
	/* Harm on top of it does not shorten it. */
	refault(400, 1);
	assert_held(REASON_HOLD_OOM);
	refault(0, 118);
	assert_held(REASON_HOLD_OOM);
	world_tick(&w);
	assert_non_null(world_decision(&w, idle));
}

static void test_five_barren_rounds(void **arg)
{
	(void)arg;
	begin();
	for (int i = 0; i < 5; i++) {
		world_tick(&w);
		assert_non_null(world_decision(&w, idle));
		w.memcgs[idle].outcome = (struct outcome){
			.writes = 1,
			.asked_bytes = MIB(16),
			.freed_bytes = MIB(16) / 20 - 1,
		};
	}
	world_tick(&w);
	assert_held(REASON_HOLD_NO_YIELD);
	assert_int_equal(hold_usec(), SECONDS(600));
}

static void test_a_fertile_round_between(void **arg)
{
	(void)arg;
	begin();
	for (int i = 0; i < 20; i++) {
		w.memcgs[idle].outcome = (struct outcome){
			.writes = 1,
			.asked_bytes = MIB(16),
			.freed_bytes = i % 5 == 4 ? MIB(16) / 20 : 0,
		};
		world_tick(&w);
		assert_non_null(world_decision(&w, idle));
	}
}

static void test_failures_hold(void **arg)
{
	(void)arg;
	begin();
	world_tick(&w);
	w.memcgs[idle].outcome = (struct outcome){.writes = 2, .failures = 1};
	world_tick(&w);
	assert_held(REASON_HOLD_FAILED);
	assert_int_equal(hold_usec(), SECONDS(30));
	assert_int_equal(w.states[idle].verdict.measured, 1);
	w.memcgs[idle].outcome = (struct outcome){0};
	world_ticks(&w, 6);
	assert_non_null(world_decision(&w, idle));
	w.memcgs[idle].outcome = (struct outcome){.writes = 1, .failures = 1};
	world_tick(&w);
	assert_int_equal(hold_usec(), SECONDS(60));
}

static void test_unknown_stalls_hold_nothing(void **arg)
{
	(void)arg;
	begin();
	world_tick(&w);
	w.memcgs[idle].psi_io.some_usec = SAMPLE_UNKNOWN;
	w.memcgs[idle].psi_memory.some_usec = SAMPLE_UNKNOWN;
	w.memcgs[idle].events_oom_kill = SAMPLE_UNKNOWN;
	world_tick(&w);
	assert_int_equal(hold_usec(), 0);
	w.memcgs[idle].psi_io.some_usec = SECONDS(1000);
	w.memcgs[idle].psi_memory.some_usec = SECONDS(1000);
	w.memcgs[idle].events_oom_kill = 7;
	world_tick(&w);
	assert_int_equal(hold_usec(), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_refault_above_the_limit_pauses),
		cmocka_unit_test(test_three_times_the_limit_backs_off),
		cmocka_unit_test(test_holds_grow_up_to_a_limit),
		cmocka_unit_test(test_quiet_time_forgives),
		cmocka_unit_test(test_quiet_time_narrows_the_interval),
		cmocka_unit_test(test_pressure_holds),
		cmocka_unit_test(test_always_waiting_for_io_is_not_held),
		cmocka_unit_test(test_baseline_is_learned_when_left_alone),
		cmocka_unit_test(test_refault_and_pressure_are_one_harm),
		cmocka_unit_test(test_refault_takes_over_from_pressure),
		cmocka_unit_test(test_oom_kill_holds_for_ten_minutes),
		cmocka_unit_test(test_five_barren_rounds),
		cmocka_unit_test(test_a_fertile_round_between),
		cmocka_unit_test(test_failures_hold),
		cmocka_unit_test(test_unknown_stalls_hold_nothing),
	};

	return cmocka_run_group_tests_name("policy-backoff", tests, NULL, NULL);
}
