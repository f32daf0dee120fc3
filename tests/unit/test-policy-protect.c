/* SPDX-License-Identifier: MIT */
/*
 * Protect=auto by example: what is measured, how fast it is followed, and what holds it down.
 */
#include "arith.h"
#include "policy-world.h"
#include "protection.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>
#include <cmocka.h>

static struct policy_world w;
static size_t slice, hot, stream;

/* Class 0 is protected, class 1 is not. */
static void begin(void)
{
	world_init(&w);
	w.params.classes[0].protect = true;
	class_params_init(&w.params.classes[1], "plain");
	w.params.n_classes = 2;
}

/* A slice of 150 MiB with a hot set of 54 and a stream. */
static void build(void)
{
	begin();
	w.params.classes[0].reclaim = RECLAIM_NONE;
	slice = world_add(&w, -1, 0, 0);
	w.memcgs[slice].max_bytes = MIB(150);
	w.memcgs[slice].class_index = 1;
	hot = world_add(&w, (int)slice, MIB(4), MIB(50));
	stream = world_add(&w, (int)slice, MIB(1), MIB(79));
	w.memcgs[stream].class_index = 1;
	world_ticks(&w, 2);
}

static uint64_t low_mib(size_t i)
{
	return w.states[i].protect.low_bytes >> 20;
}

static enum reason reason_of(size_t i)
{
	return w.states[i].protect.verdict.reason;
}

static void test_what_is_held(void **arg)
{
	(void)arg;
	build();
	assert_int_equal(low_mib(hot), 57); /* 54 and a sixteenth */
	assert_int_equal(w.states[hot].protect.verdict.action, ACTION_PROTECT);
	assert_int_equal(w.states[hot].protect.verdict.measured, MIB(54));
	assert_int_equal(reason_of(hot), REASON_PROTECT);
	/* Never without Protect=auto, and never of what is omitted. */
	assert_int_equal(low_mib(stream), 0);
	assert_int_equal(low_mib(slice), 0);
	w.memcgs[hot].omitted = true;
	world_tick(&w);
	assert_int_equal(low_mib(hot), 0);
}

static void test_cold_anon_is_not_protected(void **arg)
{
	const uint64_t anon[] = {30, 0, 5, 5};

	(void)arg;
	build();
	world_touch_anon(&w, hot, MIB(36));
	world_list(&w, hot, anon);
	world_ticks(&w, 2);
	/* Of 40 MiB of anon 10 are in use; protection that was given is taken slowly. */
	assert_int_equal(w.states[hot].protect.workingset_bytes, MIB(60));
}

/* Half as much again in the working set, told by what comes back: within two intervals. */
static void test_growth_is_followed(void **arg)
{
	(void)arg;
	build();
	world_ticks(&w, 60);
	assert_int_equal(low_mib(hot), 57);
	/* It reads 27 MiB more in an interval, and what it had gives way to them and comes back. */
	world_read_file(&w, hot, MIB(27));
	world_take_file(&w, hot, MIB(27));
	world_refault(&w, hot, LRU_FILE, PAGES(20));
	world_tick(&w);
	world_refault(&w, hot, LRU_FILE, PAGES(7));
	world_read_file(&w, hot, MIB(7));
	world_tick(&w);
	assert_true(w.states[hot].protect.wanted_bytes >= MIB(54 + 20));
	assert_int_equal(low_mib(hot), 75); /* half of the limit: ProtectMax= */
	assert_int_equal(reason_of(hot), REASON_PROTECT_MAX);
	w.params.classes[0].protect_max_ppm = 700000;
	world_tick(&w);
	assert_true(low_mib(hot) >= 54 + 20);
}

/* The same where a slow disk gives back but little: what left and is not back yet counts, once it is
 * clear that it comes back. */
static void test_growth_on_a_slow_disk(void **arg)
{
	(void)arg;
	build();
	w.params.classes[0].protect_max_ppm = 700000;
	world_ticks(&w, 60);
	world_read_file(&w, hot, MIB(27));
	world_tick(&w);
	/* A stream takes the room, and new pages come in, too: nothing is proved. */
	world_take_file(&w, hot, MIB(12));
	world_refault(&w, hot, LRU_FILE, 100);
	world_read_file(&w, hot, 500 * PAGE_BYTES);
	world_tick(&w);
	assert_int_equal(low_mib(hot), 57);
	world_take_file(&w, hot, MIB(11));
	world_refault(&w, hot, LRU_FILE, 600);
	world_read_file(&w, hot, 700 * PAGE_BYTES);
	world_tick(&w);
	assert_in_range(w.states[hot].protect.workingset_bytes, MIB(54 + 23), MIB(54 + 29));
	/* No more than what it held. */
	world_ticks(&w, 60);
	world_take_file(&w, hot, MIB(20));
	world_refault(&w, hot, LRU_FILE, 600);
	world_read_file(&w, hot, MIB(20) + 600 * PAGE_BYTES);
	world_tick(&w);
	assert_true(w.states[hot].protect.workingset_bytes <= w.memcgs[hot].current_bytes + MIB(1));
}

/* A few pages that come back are chance. */
static void test_few_returns(void **arg)
{
	(void)arg;
	build();
	world_refault(&w, hot, LRU_FILE, 63);
	world_tick(&w);
	assert_int_equal(w.states[hot].protect.returned_bytes, 0);
	world_refault(&w, hot, LRU_FILE, 64);
	world_tick(&w);
	assert_int_equal(w.states[hot].protect.returned_bytes, 64 * PAGE_BYTES);
}

static void test_down_is_slow(void **arg)
{
	uint64_t former, first;

	(void)arg;
	build();
	w.memcgs[hot].current_bytes -= MIB(40);
	w.memcgs[hot].lru_bytes[LRU_FILE] -= MIB(40);
	first = former = w.states[hot].protect.wanted_bytes;
	world_ticks(&w, 11);
	assert_int_equal(w.states[hot].protect.wanted_bytes, first);
	for (int i = 0; i < 120; i++) {
		world_tick(&w);
		assert_true(w.states[hot].protect.wanted_bytes <= former);
		former = w.states[hot].protect.wanted_bytes;
	}
	/* Ten minutes later a third of it is left. */
	assert_in_range(former, MIB(15) + MIB(42) * 3 / 10, MIB(15) + MIB(42) * 45 / 100);
	/* And up again at once, with what comes back. */
	world_refault(&w, hot, LRU_FILE, PAGES(40));
	w.memcgs[hot].current_bytes += MIB(40);
	w.memcgs[hot].lru_bytes[LRU_FILE] += MIB(40);
	world_tick(&w);
	assert_int_equal(low_mib(hot), 57);
}

/* Pages that are read once earn nothing. */
static void test_stream_earns_nothing(void **arg)
{
	(void)arg;
	build();
	w.memcgs[stream].class_index = 0;
	for (int i = 0; i < 60; i++) {
		world_read_file(&w, stream, MIB(40));
		world_take_file(&w, stream, MIB(40));
		world_tick(&w);
	}
	assert_true(w.states[stream].protect.workingset_bytes <= MIB(2));
	/* Some of it is read again after all: then all that it holds is in use. */
	for (int i = 0; i < 20; i++) {
		world_read_file(&w, stream, MIB(40));
		world_refault(&w, stream, LRU_FILE, PAGES(20));
		world_take_file(&w, stream, MIB(40));
		world_tick(&w);
	}
	assert_true(w.states[stream].protect.workingset_bytes >= MIB(80));
}

/* What is read for the first time proves itself with a minute, or at once where a quarter comes back. */
static void test_new_file_has_to_prove_itself(void **arg)
{
	const struct protect_state *protect;

	(void)arg;
	build();
	protect = &w.states[hot].protect;
	world_read_file(&w, hot, MIB(20));
	world_tick(&w);
	assert_in_range(protect->unproven_bytes, MIB(20) - PAGE_BYTES, MIB(20));
	world_ticks(&w, 12);
	assert_in_range(protect->unproven_bytes, MIB(7), MIB(8));

	build();
	w.memcgs[stream].class_index = 0;
	for (int i = 0; i < 60; i++) {
		world_read_file(&w, stream, MIB(40));
		world_refault(&w, stream, LRU_FILE, PAGES(4));
		world_take_file(&w, stream, MIB(40));
		world_tick(&w);
	}
	assert_true(w.states[stream].protect.workingset_bytes <= MIB(20));
}

/* memory.low follows changes that are worth a write. */
static void test_small_changes(void **arg)
{
	size_t small;
	uint64_t low_bytes;

	(void)arg;
	build();
	low_bytes = w.states[hot].protect.low_bytes;
	world_touch_anon(&w, hot, MIB(1));
	world_tick(&w);
	assert_int_equal(w.states[hot].protect.low_bytes, low_bytes);
	world_touch_anon(&w, hot, MIB(1));
	world_tick(&w);
	assert_int_equal(w.states[hot].protect.low_bytes, low_bytes + MIB(2) + MIB(2) / 16);

	build();
	small = world_add(&w, (int)slice, MIB(4), MIB(4));
	world_ticks(&w, 2);
	low_bytes = w.states[small].protect.low_bytes;
	assert_int_equal(low_bytes, MIB(8) + MIB(8) / 16);
	world_touch_anon(&w, small, MIB(3) / 4);
	world_tick(&w);
	assert_int_equal(w.states[small].protect.low_bytes, low_bytes);
	world_touch_anon(&w, small, MIB(1) / 4);
	world_tick(&w);
	assert_int_equal(w.states[small].protect.low_bytes, low_bytes + MIB(1) + MIB(1) / 16);
}

static void test_held_down(void **arg)
{
	(void)arg;
	build();
	w.memcgs[hot].high_bytes = MIB(40);
	world_tick(&w);
	assert_int_equal(low_mib(hot), 40);
	assert_int_equal(reason_of(hot), REASON_PROTECT_LIMIT);
	w.memcgs[hot].high_bytes = SAMPLE_INFINITY;
	/* All that share a limit leave an eighth of it: here with another of 75. */
	w.memcgs[stream].class_index = 0;
	world_ticks(&w, 3);
	assert_int_equal(reason_of(hot), REASON_PROTECT_SHARE);
	assert_in_range(low_mib(hot) + low_mib(stream), 129, 132);
	/* What another has been given by its administrator is not there to be had. */
	w.memcgs[stream].class_index = 1;
	w.memcgs[stream].low_bytes = MIB(79);
	world_tick(&w);
	assert_int_equal(low_mib(hot), 52);
	w.memcgs[stream].low_bytes = 0;
}

/* A slice in between that grants nothing makes protection useless; one that follows grants all. */
static void test_ancestors(void **arg)
{
	size_t top, inner, leaf;

	(void)arg;
	begin();
	top = world_add(&w, -1, 0, 0);
	inner = world_add(&w, (int)top, 0, 0);
	leaf = world_add(&w, (int)inner, MIB(10), MIB(90));
	w.memcgs[top].class_index = w.memcgs[inner].class_index = 1;
	world_ticks(&w, 2);
	assert_int_equal(low_mib(leaf), 0);
	assert_int_equal(reason_of(leaf), REASON_PROTECT_PARENT);
	w.memcgs[inner].low_bytes = MIB(50);
	world_tick(&w);
	assert_int_equal(low_mib(leaf), 50);
	w.memcgs[inner].low_bytes = 0;
	w.memcgs[inner].class_index = 0;
	world_tick(&w);
	assert_int_equal(low_mib(leaf), 106);
	assert_int_equal(low_mib(inner), 106);
	assert_int_equal(low_mib(top), 0);
	/* Half of RAM is the most. */
	w.snapshot.system.ram_bytes = MIB(100);
	world_tick(&w);
	assert_int_equal(low_mib(leaf), 50);
	assert_int_equal(reason_of(leaf), REASON_PROTECT_MAX);
}

/* What the kernel was not told yet holds for our own plans. */
static void test_own_floor(void **arg)
{
	const struct class_params *class = &w.params.classes[0];

	(void)arg;
	build();
	w.params.classes[0].floor_ppm = 0;
	assert_int_equal(protection_floor_bytes(class, &w.memcgs[hot], &w.states[hot]),
			 w.states[hot].protect.low_bytes);
	w.params.classes[0].protect = false;
	world_tick(&w);
	assert_int_equal(protection_floor_bytes(class, &w.memcgs[hot], &w.states[hot]), 0);
}

/* Empty, or not read this time: the one has nothing to protect, the other keeps what it has. */
static void test_nothing_to_measure(void **arg)
{
	(void)arg;
	build();
	w.memcgs[hot].skipped = true;
	world_ticks(&w, 3);
	assert_int_equal(low_mib(hot), 57);
	w.memcgs[hot].skipped = false;
	w.memcgs[hot].populated = false;
	world_tick(&w);
	assert_int_equal(low_mib(hot), 0);
}

/* One further up that follows has what is below one in between that does not. */
static void test_ancestor_further_up(void **arg)
{
	size_t top, outer, inner, leaf;

	(void)arg;
	begin();
	top = world_add(&w, -1, 0, 0);
	outer = world_add(&w, (int)top, 0, 0);
	inner = world_add(&w, (int)outer, 0, 0);
	leaf = world_add(&w, (int)inner, MIB(10), MIB(90));
	w.memcgs[top].class_index = w.memcgs[inner].class_index = 1;
	w.memcgs[inner].low_bytes = MIB(80);
	world_ticks(&w, 2);
	assert_int_equal(low_mib(leaf), 80);
	assert_int_equal(low_mib(outer), 80);
	/* It is asked for once: two thirds of the limit, of which an eighth stays free. */
	w.memcgs[top].max_bytes = MIB(120);
	w.params.classes[0].protect_max_ppm = PPM;
	world_tick(&w);
	assert_int_equal(low_mib(leaf), 80);
	assert_int_equal(reason_of(outer), REASON_PROTECT);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_what_is_held),
		cmocka_unit_test(test_cold_anon_is_not_protected),
		cmocka_unit_test(test_growth_is_followed),
		cmocka_unit_test(test_growth_on_a_slow_disk),
		cmocka_unit_test(test_few_returns),
		cmocka_unit_test(test_down_is_slow),
		cmocka_unit_test(test_stream_earns_nothing),
		cmocka_unit_test(test_new_file_has_to_prove_itself),
		cmocka_unit_test(test_small_changes),
		cmocka_unit_test(test_held_down),
		cmocka_unit_test(test_ancestors),
		cmocka_unit_test(test_ancestor_further_up),
		cmocka_unit_test(test_own_floor),
		cmocka_unit_test(test_nothing_to_measure),
	};

	return cmocka_run_group_tests_name("policy-protect", tests, NULL, NULL);
}
