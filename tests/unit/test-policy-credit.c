/* SPDX-License-Identifier: MIT */
/*
 * The credit of refaults, the hazard of evicting, and the width of a generation, by hand.
 */
#include "policy-world.h"
#include "arith.h"
#include "credit.h"
#include "width.h"

#include <setjmp.h>
#include <stdarg.h>
#include <cmocka.h>

/* 0.5 % a minute of 1 200 000 pages: 100 pages a second. */
#define HELD_BYTES (UINT64_C(1200000) * PAGE_BYTES)
#define LIMIT_MPPS 100000

static struct policy_world w;
static struct memcg_state state;
static struct memcg_sample sample;

static void begin(void)
{
	world_init(&w);
	state = (struct memcg_state){.dt_usec = SECONDS(1)};
	sample = (struct memcg_sample){.current_bytes = HELD_BYTES};
}

/* A second with that many refaults. */
static void pass(uint64_t refaults)
{
	w.snapshot.now_usec += SECONDS(1);
	sample.refault_pages[LRU_ANON] += refaults;
	credit_step(&state, &w.params.classes[0], &sample, &w.snapshot);
	state.last.refault_pages[LRU_ANON] = sample.refault_pages[LRU_ANON];
}

static void passes(unsigned seconds, uint64_t refaults)
{
	while (seconds-- > 0)
		pass(refaults);
}

static void test_what_is_not_had_is_credit(void **arg)
{
	(void)arg;
	begin();
	passes(10, 40);
	assert_int_equal(state.credit, 10 * 60 * 1000);
	passes(10, 130);
	assert_int_equal(state.credit, 10 * 30 * 1000);
	passes(20, 130);
	assert_int_equal(state.credit, -10 * 30 * 1000);
	passes(3, 0);
	assert_int_equal(state.credit, 0);
}

/* Five minutes either way. */
static void test_neither_is_for_ever(void **arg)
{
	(void)arg;
	begin();
	passes(1000, 0);
	assert_int_equal(state.credit, 300 * LIMIT_MPPS);
	passes(1000, 1000);
	assert_int_equal(state.credit, -300 * LIMIT_MPPS);
	pass(UINT64_MAX / 2);
	assert_int_equal(state.credit, -300 * LIMIT_MPPS);
}

static void test_anon_and_file_refaults_count(void **arg)
{
	(void)arg;
	begin();
	sample.refault_pages[LRU_FILE] = 70;
	pass(70);
	assert_int_equal(state.credit, -40 * 1000);
}

static void test_unknown_refaults_are_none_to_pay(void **arg)
{
	(void)arg;
	begin();
	state.last.refault_pages[LRU_FILE] = 1000;
	pass(0);
	assert_int_equal(state.credit, LIMIT_MPPS);
}

/* (100 - 40 + 6000 / 60) a second over one in ten thousand. */
static void test_pages(void **arg)
{
	(void)arg;
	begin();
	assert_int_equal(credit_anon_pages(&state, LIMIT_MPPS), 0);
	state.credit = -1;
	assert_int_equal(credit_anon_pages(&state, LIMIT_MPPS), 0);
	state.credit = 6000 * 1000;
	state.refault_mpps[LRU_ANON] = 30000;
	state.refault_mpps[LRU_FILE] = 10000;
	assert_int_equal(credit_anon_pages(&state, LIMIT_MPPS), 1600000);
	state.hazard_ppb = 1000000000;
	assert_int_equal(credit_anon_pages(&state, LIMIT_MPPS), 160);
	state.refault_mpps[LRU_ANON] = 180000;
	assert_int_equal(credit_anon_pages(&state, LIMIT_MPPS), 10);
	state.due_mpps = 10001;
	assert_int_equal(credit_anon_pages(&state, LIMIT_MPPS), 0);
}

/* What evictions bring about is not spent again before it is felt. */
static void test_due(void **arg)
{
	(void)arg;
	begin();
	state.aged_usec = w.snapshot.now_usec - SECONDS(9);
	sample.outcome.scanned_pages = 1000;
	sample.outcome.stolen_pages[LRU_ANON] = 900;
	pass(0);
	/* A hundredth of 900 pages a second. */
	assert_int_equal(state.due_mpps, 9000);
	sample.outcome = (struct outcome){0};
	passes(30, 0);
	assert_in_range(state.due_mpps, 9000 * 0.36, 9000 * 0.39);
	passes(300, 0);
	assert_in_range(state.due_mpps, 0, 20);
}

/* Refaults, and one in 30 s besides, for each page that is out. */
static void test_file_hazard(void **arg)
{
	(void)arg;
	begin();
	state.credit = 6000 * 1000;
	/* Nothing is known: of 64 pages one in 30 s. */
	assert_int_equal(credit_file_pages(&state, LIMIT_MPPS, PPM), 200000 * 64 / 33);
	sample.outcome.stolen_pages[LRU_FILE] = 10000;
	pass(0);
	assert_int_equal(state.file_out_pages, 10000);
	/* All that is out: one in 30 s. */
	assert_int_equal(state.due_mpps, 33);
	sample.outcome = (struct outcome){0};
	sample.refault_pages[LRU_FILE] += 1000;
	pass(0);
	state.last.refault_pages[LRU_FILE] = sample.refault_pages[LRU_FILE];
	assert_in_range(state.file_out_pages, 8990, 9000);
	/* Ten a second of 10 000 out: a thousandth each. Half of what is allowed,
	 * and nothing saved. */
	state.file_out_pages = 10000;
	state.refault_mpps[LRU_FILE] = 9967;
	state.due_mpps = 0;
	state.credit = 6000 * 1000;
	assert_int_equal(credit_file_pages(&state, LIMIT_MPPS, PPM), 190033);
	assert_int_equal(credit_file_pages(&state, LIMIT_MPPS, PPM / 2), 40033);
	/* Half an hour later a good third of them counts. */
	state.last = (struct memcg_counters){.refault_pages = {[LRU_FILE] = 1000}};
	passes(1800, 0);
	assert_in_range(state.file_out_pages, 3100, 3700);
	/* More comes back than we took. */
	sample.refault_pages[LRU_FILE] += 100000;
	pass(0);
	assert_int_equal(state.file_out_pages, 0);
}

/* Of 1 000 scanned 100 were in use, 10 s after the walk: a hundredth a second; later on a quarter of
 * what is seen enters. */
static void test_hazard(void **arg)
{
	(void)arg;
	begin();
	state.aged_usec = w.snapshot.now_usec - SECONDS(9);
	sample.outcome.scanned_pages = 1000;
	sample.outcome.stolen_pages[LRU_ANON] = 900;
	pass(0);
	assert_int_equal(state.hazard_ppb, 10000000);
	/* Too few say nothing, nor does what was not ours, nor one without a walk before. */
	sample.outcome.scanned_pages = 63;
	sample.outcome.stolen_pages[LRU_ANON] = 1;
	pass(0);
	sample.outcome.scanned_pages = 1000;
	sample.outcome.stolen_pages[LRU_ANON] = 0;
	pass(0);
	sample.outcome.stolen_pages[LRU_ANON] = 1;
	state.aged_usec = 0;
	pass(0);
	assert_int_equal(state.hazard_ppb, 10000000);
	/* On their way to a disk pages are scanned twice. */
	state.aged_usec = w.snapshot.now_usec - SECONDS(9);
	sample.outcome.scanned_pages = 2000;
	sample.outcome.stolen_pages[LRU_ANON] = 1000;
	sample.outcome.to_disk = true;
	pass(0);
	sample.outcome.to_disk = false;
	assert_int_equal(state.hazard_ppb, 10000000);
	/* A batch does. */
	state.aged_usec = w.snapshot.now_usec - SECONDS(9);
	sample.outcome.scanned_pages = 64;
	sample.outcome.stolen_pages[LRU_ANON] = 64;
	pass(0);
	assert_int_equal(state.hazard_ppb, 7500000);
	/* However clean, some of it is used again one day. */
	state.aged_usec = w.snapshot.now_usec;
	sample.outcome.stolen_pages[LRU_ANON] = 1000;
	passes(100, 0);
	assert_int_equal(state.hazard_ppb, 1000);
}

static void widen(uint64_t mpps, uint64_t width_usec)
{
	state.refault_mpps[LRU_ANON] = mpps;
	state.age_interval_usec = width_usec;
	width_step(&state, &w.params.classes[0], &sample, &w.snapshot);
}

static void test_width_starts_at_ten_seconds(void **arg)
{
	(void)arg;
	begin();
	widen(0, 0);
	assert_int_equal(state.age_interval_usec, SECONDS(10));
}

/* Twice the limit: by 0.5 * 1 * 1 s / W. */
static void test_width_grows(void **arg)
{
	(void)arg;
	begin();
	widen(2 * LIMIT_MPPS, SECONDS(100));
	assert_int_equal(state.age_interval_usec, 100500000);
	/* Three times the limit too much counts at most. */
	widen(4 * LIMIT_MPPS, SECONDS(100));
	assert_int_equal(state.age_interval_usec, 101500000);
	widen(40 * LIMIT_MPPS, SECONDS(100));
	assert_int_equal(state.age_interval_usec, 101500000);
	/* Above two minutes the pace is that of two minutes. */
	widen(2 * LIMIT_MPPS, SECONDS(1200));
	assert_int_equal(state.age_interval_usec, SECONDS(1205) - 800);
	widen(2 * LIMIT_MPPS, SECONDS(1799));
	assert_int_equal(state.age_interval_usec, SECONDS(1800));
}

/* Nothing comes back: by 0.25 * 1 s / W. At the limit it stays. */
static void test_width_shrinks(void **arg)
{
	(void)arg;
	begin();
	widen(0, SECONDS(100));
	assert_int_equal(state.age_interval_usec, 99750000);
	widen(LIMIT_MPPS / 2, SECONDS(100));
	assert_int_equal(state.age_interval_usec, 99875000);
	widen(LIMIT_MPPS, SECONDS(100));
	assert_int_equal(state.age_interval_usec, SECONDS(100));
	widen(0, SECONDS(10));
	assert_int_equal(state.age_interval_usec, SECONDS(10));
}

/* However long the interval: never more than twice nor less than half. */
static void test_width_after_a_long_interval(void **arg)
{
	(void)arg;
	begin();
	state.dt_usec = SECONDS(3600);
	widen(4 * LIMIT_MPPS, SECONDS(100));
	assert_int_equal(state.age_interval_usec, SECONDS(200));
	widen(0, SECONDS(100));
	assert_int_equal(state.age_interval_usec, SECONDS(50));
}

static void test_hold_widens_once(void **arg)
{
	(void)arg;
	begin();
	state.hold_until_usec = w.snapshot.now_usec + SECONDS(10);
	state.hold.reason = REASON_HOLD_PRESSURE;
	widen(LIMIT_MPPS, SECONDS(100));
	assert_int_equal(state.age_interval_usec, SECONDS(100));
	state.hold.reason = REASON_HOLD_REFAULT;
	widen(LIMIT_MPPS, SECONDS(100));
	assert_int_equal(state.age_interval_usec, SECONDS(150));
	widen(LIMIT_MPPS, SECONDS(150));
	assert_int_equal(state.age_interval_usec, SECONDS(150));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_what_is_not_had_is_credit),
		cmocka_unit_test(test_neither_is_for_ever),
		cmocka_unit_test(test_anon_and_file_refaults_count),
		cmocka_unit_test(test_unknown_refaults_are_none_to_pay),
		cmocka_unit_test(test_pages),
		cmocka_unit_test(test_hazard),
		cmocka_unit_test(test_due),
		cmocka_unit_test(test_file_hazard),
		cmocka_unit_test(test_width_starts_at_ten_seconds),
		cmocka_unit_test(test_width_grows),
		cmocka_unit_test(test_width_shrinks),
		cmocka_unit_test(test_width_after_a_long_interval),
		cmocka_unit_test(test_hold_widens_once),
	};

	return cmocka_run_group_tests_name("policy-credit", tests, NULL, NULL);
}
