/* SPDX-License-Identifier: MIT */
/*
 * Protection that comes down the tree, by example: what the kernel grants (numbers worked out by hand
 * from its documentation), and what cannot be reclaimed beside the floor. For random trees:
 * policy-rules.c holds every plan of the random tests against it.
 */
#include "policy-world.h"
#include "protection.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>
#include <cmocka.h>

static struct policy_world w;

/* A slice of 300 MiB with services of 100 and 200. */
static size_t slice, small, large;

static void build(uint64_t slice_low_mib, uint64_t small_low_mib, uint64_t large_low_mib,
		  bool recursive)
{
	world_init(&w);
	w.snapshot.system.recursive_protection = recursive;
	slice = world_add(&w, -1, 0, 0);
	small = world_add(&w, (int)slice, MIB(60), MIB(40));
	large = world_add(&w, (int)slice, MIB(120), MIB(80));
	w.memcgs[slice].low_bytes = MIB(slice_low_mib);
	w.memcgs[small].low_bytes = MIB(small_low_mib);
	w.memcgs[large].low_bytes = MIB(large_low_mib);
	world_tick(&w);
	world_tick(&w);
	protection_step(&w.snapshot, w.states);
}

static uint64_t low_mib(size_t i)
{
	return w.states[i].protection.low_bytes >> 20;
}

static void test_unclaimed_is_shared_out(void **arg)
{
	(void)arg;
	build(150, 0, 0, true);
	assert_int_equal(low_mib(small), 50);
	assert_int_equal(low_mib(large), 100);
	/* The claim first; of the 90 left each has its part of what is used beyond claims: 240. */
	build(150, 60, 0, true);
	assert_int_equal(low_mib(small), 60 + 90 * 40 / 240);
	assert_int_equal(low_mib(large), 90 * 200 / 240);
	build(150, 60, 0, false);
	assert_int_equal(low_mib(small), 60);
	assert_int_equal(low_mib(large), 0);
}

static void test_claims_above_what_the_parent_has(void **arg)
{
	(void)arg;
	build(90, 60, 120, true);
	assert_int_equal(low_mib(small), 30);
	assert_int_equal(low_mib(large), 60);
	build(0, 60, 120, true);
	assert_int_equal(low_mib(small), 0);
	/* Its administrator's word all the same. */
	assert_int_equal(protection_kernel_bytes(&w.memcgs[small], &w.states[small]), MIB(60));
}

/* The same one step further down, where the parent is not the first of all. */
static void test_below_a_service(void **arg)
{
	size_t first, second;

	(void)arg;
	build(150, 0, 150, true);
	first = world_add(&w, (int)large, MIB(60), 0);
	second = world_add(&w, (int)large, MIB(40), 0);
	w.memcgs[first].low_bytes = MIB(60);
	w.memcgs[second].low_bytes = MIB(40);
	w.memcgs[large].low_bytes = MIB(50);
	w.memcgs[slice].low_bytes = MIB(50);
	protection_step(&w.snapshot, w.states);
	assert_int_equal(low_mib(large), 50);
	assert_int_equal(low_mib(first), 30);
	assert_int_equal(low_mib(second), 20);
}

/* What is not used protects nobody. */
static void test_claims_of_what_is_not_used(void **arg)
{
	(void)arg;
	build(150, 1000, 0, true);
	assert_int_equal(low_mib(small), 100);
	assert_int_equal(low_mib(large), 50);
	build(150, 0, 0, true);
	w.memcgs[small].low_bytes = SAMPLE_INFINITY;
	protection_step(&w.snapshot, w.states);
	assert_int_equal(low_mib(small), 100);
}

/* The real root grants nothing and asks nobody: what is below it has what it says. */
static void test_below_the_root(void **arg)
{
	(void)arg;
	build(0, 60, 120, true);
	w.memcgs[slice].current_bytes = SAMPLE_UNKNOWN;
	protection_step(&w.snapshot, w.states);
	assert_int_equal(low_mib(small), 60);
	assert_int_equal(low_mib(large), 120);
}

static void test_min_and_low_apart(void **arg)
{
	(void)arg;
	build(0, 0, 0, true);
	w.memcgs[slice].min_bytes = MIB(150);
	protection_step(&w.snapshot, w.states);
	assert_int_equal(low_mib(small), 0);
	assert_int_equal(w.states[small].protection.min_bytes, MIB(50));
	assert_int_equal(protection_kernel_bytes(&w.memcgs[small], &w.states[small]), MIB(50));
}

static uint64_t floor_of(size_t i)
{
	return protection_floor_bytes(&w.params.classes[0], &w.memcgs[i], &w.states[i]);
}

/* A floor is one of memory that can be reclaimed, on top of all other. */
static void test_floor_beside_what_is_locked(void **arg)
{
	(void)arg;
	build(0, 0, 0, true);
	w.params.classes[0].floor_ppm = 0;
	w.params.classes[0].floor_bytes = MIB(10);
	assert_int_equal(floor_of(small), MIB(10));
	w.memcgs[small].lru_bytes[LRU_FILE] -= MIB(30); /* the kernel's own, say */
	protection_step(&w.snapshot, w.states);
	assert_int_equal(floor_of(small), MIB(40));
	w.params.classes[0].floor_ppm = 500000;
	assert_int_equal(floor_of(small), MIB(30 + (100 - 30) / 2));
	w.params.classes[0].floor_ppm = 1000000;
	assert_int_equal(floor_of(small), MIB(100));
}

/* Anon that swap has no room for is as good as locked; the less swap, the higher the floor. */
static void test_floor_without_swap(void **arg)
{
	uint64_t former = 0;

	(void)arg;
	build(0, 0, 0, true);
	w.params.classes[0].floor_ppm = 0;
	w.params.classes[0].floor_bytes = MIB(10);
	for (int mib = 80; mib >= 0; mib -= 20) {
		w.snapshot.system.swap_free_bytes = MIB(mib);
		protection_step(&w.snapshot, w.states);
		assert_int_equal(floor_of(small), MIB(10 + (mib < 60 ? 60 - mib : 0)));
		assert_true(floor_of(small) >= former && floor_of(small) <= MIB(100));
		former = floor_of(small);
	}
	w.snapshot.system.swap_free_bytes = MIB(4096);
	w.memcgs[slice].swap_max_bytes = MIB(50);
	w.memcgs[slice].swap_current_bytes = MIB(45);
	protection_step(&w.snapshot, w.states);
	assert_int_equal(floor_of(small), MIB(10 + 55));
	w.memcgs[slice].swap_current_bytes = SAMPLE_UNKNOWN;
	protection_step(&w.snapshot, w.states);
	assert_int_equal(floor_of(small), MIB(10 + 60));
	w.memcgs[slice].swap_max_bytes = SAMPLE_INFINITY;
	w.memcgs[slice].zswap_max_bytes = 0;
	w.memcgs[small].zswap_only = w.snapshot.system.zswap = true;
	protection_step(&w.snapshot, w.states);
	assert_int_equal(floor_of(small), MIB(10 + 60));
	w.snapshot.system.zswap = false;
	protection_step(&w.snapshot, w.states);
	assert_int_equal(floor_of(small), MIB(10));
}

/* A stream and a cold service are taken down to what their slice protects, and no further. */
static void test_plan_stops_at_what_is_granted(void **arg)
{
	const uint64_t cold[] = {120, 0, 0, 0};

	(void)arg;
	for (int recursive = 0; recursive < 2; recursive++) {
		build(240, 0, 0, recursive);
		w.params.classes[0].floor_ppm = 0;
		world_list(&w, large, cold);
		world_full_pace(&w, large);
		world_ticks(&w, 1);
		if (recursive) {
			/* 160 of 200 are granted; 40 are left, and the plan stays within them. */
			assert_int_equal(low_mib(large), 160);
			assert_true(world_bytes(&w, large) <= MIB(40));
			w.memcgs[slice].low_bytes = MIB(299);
			world_ticks(&w, 1);
			assert_true(world_bytes(&w, large) <= MIB(1));
		} else {
			assert_int_equal(low_mib(large), 0);
			assert_true(world_bytes(&w, large) > 0);
		}
	}
}

/* One layer after the other becomes the strictest. */
static void test_layers(void **arg)
{
	struct memcg_sample *sample;
	struct memcg_state *state;
	struct class_params *class = &w.params.classes[0];

	(void)arg;
	build(0, 0, 0, true);
	sample = &w.memcgs[small];
	state = &w.states[small];
	class->floor_ppm = class->floor_bytes = 0;
	assert_int_equal(protection_floor_layer(class, sample, state), FLOOR_NONE);
	state->protection.locked_bytes = MIB(1);
	assert_int_equal(protection_floor_layer(class, sample, state), FLOOR_LOCKED);
	class->floor_bytes = MIB(1);
	assert_int_equal(protection_floor_layer(class, sample, state), FLOOR_CLASS);
	state->protect.low_bytes = MIB(3);
	assert_int_equal(protection_floor_layer(class, sample, state), FLOOR_PROTECT);
	state->protection.low_bytes = MIB(4);
	assert_int_equal(protection_floor_layer(class, sample, state), FLOOR_GIVEN_LOW);
	state->protection.min_bytes = MIB(5);
	assert_int_equal(protection_floor_layer(class, sample, state), FLOOR_GIVEN_MIN);
	sample->low_bytes = MIB(6);
	assert_int_equal(protection_floor_layer(class, sample, state), FLOOR_OWN_LOW);
	sample->min_bytes = MIB(7);
	assert_int_equal(protection_floor_layer(class, sample, state), FLOOR_OWN_MIN);
	for (enum floor_layer layer = 0; layer < _FLOOR_LAYER_MAX; layer++)
		assert_string_not_equal(floor_layer_to_string(layer),
					floor_layer_to_string(layer + 1));
	assert_string_equal(floor_layer_to_string(_FLOOR_LAYER_MAX), "invalid");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_unclaimed_is_shared_out),
		cmocka_unit_test(test_claims_above_what_the_parent_has),
		cmocka_unit_test(test_below_a_service),
		cmocka_unit_test(test_claims_of_what_is_not_used),
		cmocka_unit_test(test_below_the_root),
		cmocka_unit_test(test_min_and_low_apart),
		cmocka_unit_test(test_floor_beside_what_is_locked),
		cmocka_unit_test(test_floor_without_swap),
		cmocka_unit_test(test_plan_stops_at_what_is_granted),
		cmocka_unit_test(test_layers),
	};

	return cmocka_run_group_tests_name("policy-protection", tests, NULL, NULL);
}
