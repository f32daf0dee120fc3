/* SPDX-License-Identifier: MIT */
/*
 * SPLIT by numbers: how much is kept free below the limit, who counts as filling it, and how much is
 * taken from whom.
 */
#include "policy-world.h"

#include <setjmp.h>
#include <stdarg.h>
#include <cmocka.h>

static struct policy_world w;
static size_t root, slice, hot, stream;

/* A limit of 1 000 MiB, reached. No floors. */
static void begin(void)
{
	world_init(&w);
	w.params.classes[0].floor_ppm = 0;
	root = world_add(&w, -1, 0, 0);
	slice = world_add(&w, (int)root, 0, 0);
	hot = world_add(&w, (int)slice, 0, MIB(200));
	stream = world_add(&w, (int)slice, 0, MIB(800));
	w.memcgs[slice].max_bytes = MIB(1000);
	world_tick(&w);
}

/* Ticks in which it brings in so much, and as much is taken out again. */
static void flow(size_t i, uint64_t bytes, unsigned ticks)
{
	while (ticks-- > 0) {
		world_read_file(&w, i, bytes);
		world_tick(&w);
		world_take_file(&w, i, bytes);
	}
}

static uint64_t wanted_bytes(void)
{
	assert_int_equal(w.states[stream].verdict.reason, REASON_HEADROOM);
	return w.states[stream].verdict.limit;
}

/* Two ticks' worth: of 15 MiB, of 50; never below 2 % nor above 20 %. */
static void test_headroom(void **arg)
{
	static const uint64_t mib[] = {4, 15, 50, 150};
	static const uint64_t wanted_mib[] = {20, 30, 100, 200};

	(void)arg;
	for (size_t i = 0; i < sizeof(mib) / sizeof(mib[0]); i++) {
		begin();
		flow(stream, MIB(mib[i]), 30);
		world_read_file(&w, stream, MIB(mib[i]));
		world_tick(&w);
		assert_in_range(wanted_bytes(), MIB(wanted_mib[i] - 2), MIB(wanted_mib[i]));
	}
}

/* What was fast a moment ago may be so again: that fades by two thirds in five seconds. */
static void test_headroom_fades(void **arg)
{
	(void)arg;
	begin();
	w.snapshot.interval_usec = SECONDS(1);
	flow(stream, MIB(50), 30);
	flow(stream, MIB(1), 5);
	world_read_file(&w, stream, MIB(1));
	world_tick(&w);
	assert_in_range(wanted_bytes(), MIB(28), MIB(36));
}

/* A page a second fills a limit, half of one does not. */
static void test_least_filler(void **arg)
{
	(void)arg;
	begin();
	world_read_file(&w, stream, 30 * PAGE_BYTES);
	world_tick(&w);
	world_read_file(&w, stream, 30 * PAGE_BYTES);
	world_tick(&w);
	assert_int_not_equal(w.states[stream].verdict.reason, REASON_NO_EVIDENCE);
	begin();
	for (int i = 0; i < 4; i++) {
		world_read_file(&w, stream, 2 * PAGE_BYTES);
		world_tick(&w);
	}
	assert_int_equal(w.states[stream].verdict.reason, REASON_NO_EVIDENCE);
	assert_int_equal(w.states[stream].verdict.limit, 1000);
}

/* Half of the average of those that bring in anything: of 20 and 60 MiB a tick 20 is one of them, of
 * 20 and 80 it is not. */
static void test_half_of_the_average(void **arg)
{
	static const uint64_t mib[] = {59, 61};

	(void)arg;
	for (size_t i = 0; i < 2; i++) {
		begin();
		world_read_file(&w, hot, MIB(20));
		world_read_file(&w, stream, MIB(mib[i]));
		w.memcgs[slice].max_bytes = w.memcgs[slice].current_bytes;
		world_tick(&w);
		assert_int_equal(w.states[hot].verdict.reason == REASON_NO_EVIDENCE, i == 1);
	}
}

/* One that is known to spare it, where much is wanted since another grows: 2 % of the limit a second,
 * or a quarter more than it brings in. */
static void test_rates(void **arg)
{
	static const uint64_t mib[] = {10, 60, 100};
	static const uint64_t taken_mib[] = {100, 100, 125};

	(void)arg;
	for (size_t i = 0; i < sizeof(mib) / sizeof(mib[0]); i++) {
		begin();
		for (int tick = 0; tick < 30; tick++) {
			world_touch_anon(&w, hot, MIB(100));
			flow(stream, MIB(mib[i]), 1);
			world_touch_anon(&w, hot, -MIB(100));
			world_steal(&w, hot, PAGES(100));
			w.memcgs[hot].swap_current_bytes += MIB(100);
		}
		world_touch_anon(&w, hot, MIB(100));
		world_read_file(&w, stream, MIB(mib[i]));
		world_tick(&w);
		assert_in_range(world_bytes(&w, stream), MIB(taken_mib[i] - 2), MIB(taken_mib[i]));
	}
}

/* After a late look no more than what two ticks allow. */
static void test_rate_after_a_late_look(void **arg)
{
	(void)arg;
	begin();
	w.snapshot.interval_usec = SECONDS(1);
	for (int tick = 0; tick < 60; tick++) {
		world_touch_anon(&w, hot, MIB(100));
		flow(stream, MIB(10), 1);
		world_touch_anon(&w, hot, -MIB(100));
		world_steal(&w, hot, PAGES(100));
		w.memcgs[hot].swap_current_bytes += MIB(100);
	}
	world_touch_anon(&w, hot, MIB(100));
	world_read_file(&w, stream, MIB(10));
	w.snapshot.now_usec += SECONDS(7);
	world_tick(&w);
	assert_in_range(world_bytes(&w, stream), MIB(38), MIB(40));
}

/* A quiet one: twice what was evicted a while ago and has not come back. */
static void test_quiet_evidence(void **arg)
{
	(void)arg;
	begin();
	world_take_file(&w, hot, MIB(4));
	world_ticks(&w, 60);
	w.memcgs[slice].max_bytes = MIB(500);
	world_tick(&w);
	assert_in_range(world_bytes(&w, hot), MIB(4), MIB(8));
}

/* Of two that fill it, the one whose pages are known not to come back pays first; where neither is
 * known, the one that brings in more. */
static void test_order(void **arg)
{
	(void)arg;
	begin();
	flow(hot, MIB(8), 3);
	world_read_file(&w, hot, MIB(8));
	world_read_file(&w, stream, MIB(12));
	w.memcgs[slice].max_bytes = w.memcgs[slice].current_bytes + MIB(30);
	world_tick(&w);
	assert_in_range(world_bytes(&w, hot), MIB(4), MIB(20));
	assert_int_equal(world_bytes(&w, stream), 0);
	begin();
	world_read_file(&w, hot, MIB(8));
	world_read_file(&w, stream, MIB(12));
	w.memcgs[slice].max_bytes = w.memcgs[slice].current_bytes + MIB(38);
	world_tick(&w);
	assert_int_equal(world_bytes(&w, hot), 0);
	assert_in_range(world_bytes(&w, stream), 1, MIB(2));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_headroom),
		cmocka_unit_test(test_headroom_fades),
		cmocka_unit_test(test_least_filler),
		cmocka_unit_test(test_half_of_the_average),
		cmocka_unit_test(test_rates),
		cmocka_unit_test(test_rate_after_a_late_look),
		cmocka_unit_test(test_quiet_evidence),
		cmocka_unit_test(test_order),
	};

	return cmocka_run_group_tests_name("policy-split-amounts", tests, NULL, NULL);
}
