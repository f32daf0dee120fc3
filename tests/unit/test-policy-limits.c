/* SPDX-License-Identifier: MIT */
/*
 * What may not be taken, by example: floors, memory.min and memory.low, swap that is not there, and
 * what the administrator forbids.
 */
#include "policy-world.h"
#include "quota.h"

#include <setjmp.h>
#include <stdarg.h>
#include <cmocka.h>

static struct policy_world w;
static size_t root, slice, idle;

/* An idle memcg with 240 of 320 MiB cold, in a slice, looked at once already. */
static void begin(void)
{
	world_init(&w);
	root = world_add(&w, -1, 0, 0);
	slice = world_add(&w, (int)root, 0, 0);
	idle = world_add(&w, (int)slice, MIB(320), 0);
	world_list(&w, idle, (const uint64_t[]){240, 0, 79, 1});
	world_tick(&w);
}

static void assert_refused(enum reason reason)
{
	assert_null(world_decision(&w, idle));
	assert_string_equal(reason_to_string(w.states[idle].verdict.reason),
			    reason_to_string(reason));
}

static void assert_evicts(uint64_t bytes)
{
	const struct decision *d = world_decision(&w, idle);

	assert_non_null(d);
	assert_int_equal(d->action, ACTION_EVICT);
	assert_int_equal(d->bytes, bytes);
}

static void test_floor_is_a_share_of_the_peak(void **arg)
{
	(void)arg;
	begin();
	world_full_pace(&w, idle);
	w.memcgs[idle].current_bytes = MIB(82);
	world_tick(&w);
	assert_evicts(MIB(2));
	w.memcgs[idle].current_bytes = MIB(80);
	world_tick(&w);
	assert_refused(REASON_FLOOR);
}

static void test_floor_in_bytes(void **arg)
{
	(void)arg;
	begin();
	w.params.classes[0].floor_ppm = 0;
	w.params.classes[0].floor_bytes = MIB(318);
	world_tick(&w);
	assert_evicts(MIB(2));
	w.params.classes[0].floor_bytes = MIB(320);
	world_tick(&w);
	assert_refused(REASON_FLOOR);
}

static void test_own_protection(void **arg)
{
	(void)arg;
	begin();
	w.memcgs[idle].min_bytes = MIB(319);
	world_tick(&w);
	assert_evicts(MIB(1));
	w.memcgs[idle].low_bytes = MIB(320);
	world_tick(&w);
	assert_refused(REASON_FLOOR);
	assert_int_equal(w.states[idle].verdict.limit, MIB(320));
	w.memcgs[idle].low_bytes = 0;
	w.memcgs[idle].min_bytes = SAMPLE_INFINITY;
	world_tick(&w);
	assert_refused(REASON_FLOOR);
	assert_int_equal(w.states[idle].verdict.limit, SAMPLE_INFINITY);
}

static void test_protection_of_an_ancestor(void **arg)
{
	(void)arg;
	begin();
	w.memcgs[slice].low_bytes = MIB(319);
	world_tick(&w);
	assert_evicts(MIB(1));
	w.memcgs[slice].min_bytes = MIB(321);
	world_tick(&w);
	assert_refused(REASON_FLOOR);
}

/* Two children cannot both have the one MiB that their parent can spare. */
static void test_protection_of_an_ancestor_counts_once(void **arg)
{
	size_t other;

	(void)arg;
	begin();
	other = world_add(&w, (int)slice, MIB(320), 0);
	world_list(&w, other, (const uint64_t[]){240, 0, 79, 1});
	w.memcgs[slice].low_bytes = MIB(639);
	world_ticks(&w, 2);
	assert_int_equal(world_bytes(&w, idle) + world_bytes(&w, other), MIB(1));
}

static void test_unknown_protection_protects(void **arg)
{
	(void)arg;
	begin();
	w.memcgs[idle].min_bytes = SAMPLE_UNKNOWN;
	world_tick(&w);
	assert_refused(REASON_UNKNOWN);
	w.memcgs[idle].min_bytes = 0;
	w.memcgs[slice].low_bytes = SAMPLE_UNKNOWN;
	world_tick(&w);
	assert_refused(REASON_FLOOR);
}

/* The root has neither usage nor protection. */
static void test_root_without_usage_does_not_protect(void **arg)
{
	(void)arg;
	begin();
	w.memcgs[root].current_bytes = SAMPLE_UNKNOWN;
	w.memcgs[root].min_bytes = SAMPLE_UNKNOWN;
	w.memcgs[root].low_bytes = SAMPLE_UNKNOWN;
	w.memcgs[root].swap_max_bytes = SAMPLE_UNKNOWN;
	w.memcgs[root].swap_current_bytes = SAMPLE_UNKNOWN;
	world_tick(&w);
	assert_non_null(world_decision(&w, idle));
}

static void test_usage_of_an_ancestor_unknown(void **arg)
{
	(void)arg;
	begin();
	w.memcgs[slice].current_bytes = SAMPLE_UNKNOWN;
	world_tick(&w);
	assert_refused(REASON_FLOOR);
}

static void test_no_swap(void **arg)
{
	(void)arg;
	begin();
	w.snapshot.system.swap_total_bytes = 0;
	w.snapshot.system.swap_free_bytes = 0;
	world_tick(&w);
	assert_refused(REASON_NO_SWAP);
	w.snapshot.system.swap_total_bytes = SAMPLE_UNKNOWN;
	w.snapshot.system.swap_free_bytes = SAMPLE_UNKNOWN;
	world_tick(&w);
	assert_refused(REASON_NO_SWAP);
}

static void test_swap_reserve(void **arg)
{
	(void)arg;
	begin();
	w.snapshot.system.swap_free_bytes = MIB(4096) / 5 + MIB(16) - 1;
	world_tick(&w);
	assert_refused(REASON_NO_SWAP);
	w.snapshot.system.swap_free_bytes = MIB(4096) / 5 + MIB(16);
	world_tick(&w);
	assert_non_null(world_decision(&w, idle));
}

static void test_swap_max(void **arg)
{
	(void)arg;
	begin();
	w.memcgs[idle].swap_max_bytes = 0;
	world_tick(&w);
	assert_refused(REASON_NO_SWAP);
	w.memcgs[idle].swap_max_bytes = MIB(100);
	w.memcgs[idle].swap_current_bytes = MIB(85);
	world_tick(&w);
	assert_refused(REASON_NO_SWAP);
	w.memcgs[idle].swap_current_bytes = MIB(84);
	world_tick(&w);
	assert_non_null(world_decision(&w, idle));
	w.memcgs[idle].swap_current_bytes = SAMPLE_UNKNOWN;
	world_tick(&w);
	assert_refused(REASON_NO_SWAP);
}

static void test_swap_max_of_an_ancestor(void **arg)
{
	(void)arg;
	begin();
	w.memcgs[slice].swap_max_bytes = 0;
	world_tick(&w);
	assert_refused(REASON_NO_SWAP);
}

static void test_swap_device(void **arg)
{
	(void)arg;
	begin();
	w.snapshot.system.swap_is_zram = false;
	world_tick(&w);
	assert_refused(REASON_SWAP_DEVICE);
	w.params.anon = ANON_YES;
	world_tick(&w);
	assert_non_null(world_decision(&w, idle));
}

/* Swap on a disk that rotates is for nobody: swap that is added at run time may be one. */
static void test_swap_that_rotates(void **arg)
{
	(void)arg;
	begin();
	w.snapshot.system.swap_is_zram = false;
	w.params.anon = ANON_YES;
	w.snapshot.system.swap_rotates = true;
	world_tick(&w);
	assert_refused(REASON_SWAP_ROTATES);
	w.snapshot.system.swap_rotates = false;
	world_tick(&w);
	assert_non_null(world_decision(&w, idle));
}

/* What the day leaves is taken to the page, and no more; memory has no such budget. */
static void test_swap_write_budget(void **arg)
{
	struct system_sample *system = &w.snapshot.system;
	uint64_t wanted_bytes;

	(void)arg;
	begin();
	system->swap_is_zram = false;
	w.params.anon = ANON_YES;
	world_full_pace(&w, idle);
	wanted_bytes = world_bytes(&w, idle);
	assert_true(wanted_bytes > MIB(2));
	system->swap_written_bytes = w.params.swap_write_bytes - MIB(2);
	world_tick(&w);
	assert_int_equal(world_bytes(&w, idle), MIB(2));
	system->swap_written_bytes = w.params.swap_write_bytes;
	world_tick(&w);
	assert_refused(REASON_SWAP_BUDGET);
	assert_int_equal(w.states[idle].verdict.measured, w.params.swap_write_bytes);
	w.params.swap_write_bytes = UINT64_MAX;
	world_tick(&w);
	assert_true(world_bytes(&w, idle) > MIB(2));
	w.params.swap_write_bytes = 0;
	system->swap_is_zram = true;
	world_tick(&w);
	assert_true(world_bytes(&w, idle) > MIB(2));
}

static void test_anon_no(void **arg)
{
	(void)arg;
	begin();
	w.params.anon = ANON_NO;
	world_tick(&w);
	assert_refused(REASON_ANON_OFF);
}

static uint64_t sum_bytes(void)
{
	uint64_t bytes = 0;

	for (size_t d = 0; d < w.plan.n_decisions; d++)
		bytes += w.decisions[d].bytes;
	return bytes;
}

/* Ten of 60 MiB in one slice, whose sweeps are under way. */
static void begin_slice(void)
{
	world_init(&w);
	root = world_add(&w, -1, 0, 0);
	slice = world_add(&w, (int)root, 0, 0);
	for (int i = 0; i < 10; i++) {
		idle = world_add(&w, (int)slice, MIB(60), 0);
		world_list(&w, idle, (const uint64_t[]){45, 0, 14, 1});
		w.memcgs[idle].outcome.stolen_pages[LRU_ANON] = 100;
	}
	world_ticks(&w, 8);
}

/* Each may lose 4 % a second, but together no more than 2 % of their slice. */
static void test_quota_of_an_ancestor(void **arg)
{
	(void)arg;
	begin_slice();
	assert_in_range(sum_bytes(), MIB(60) - PAGE_BYTES, MIB(60));
	assert_refused(REASON_QUOTA);
}

/* Not read for long, since that is dear: two ticks' worth, and not that of all the time. */
static void test_quota_is_not_saved_up(void **arg)
{
	(void)arg;
	begin_slice();
	for (size_t i = 0; i < w.snapshot.n_memcgs; i++)
		w.memcgs[i].skipped = true;
	world_ticks(&w, 10);
	assert_int_equal(sum_bytes(), 0);
	for (size_t i = 0; i < w.snapshot.n_memcgs; i++)
		w.memcgs[i].skipped = false;
	world_tick(&w);
	assert_in_range(sum_bytes(), MIB(120) - PAGE_BYTES, MIB(120));
	assert_refused(REASON_QUOTA);
}

/* What one may lose, two may lose together. The root has no usage: there it is the host's memory. */
static void test_quota_of_the_host(void **arg)
{
	size_t other;

	(void)arg;
	begin();
	other = world_add(&w, (int)root, MIB(320), 0);
	world_list(&w, other, (const uint64_t[]){240, 0, 79, 1});
	w.memcgs[idle].outcome.stolen_pages[LRU_ANON] = 100;
	w.memcgs[other].outcome.stolen_pages[LRU_ANON] = 100;
	w.memcgs[root].current_bytes = SAMPLE_UNKNOWN;
	w.snapshot.system.ram_bytes = MIB(100);
	world_ticks(&w, 8);
	assert_in_range(sum_bytes(), MIB(40) - PAGE_BYTES, MIB(40));
	w.snapshot.system.ram_bytes = SAMPLE_UNKNOWN;
	world_tick(&w);
	assert_refused(REASON_QUOTA);
}

/* Those of one class lose no more together than 2 % of what they hold; another class has its own. */
static void check_quota_of_a_class(int32_t quota_class)
{
	size_t other, third;

	begin();
	class_params_init(&w.params.classes[1], "third");
	w.params.n_classes = 2;
	other = world_add(&w, (int)root, MIB(320), 0);
	world_list(&w, other, (const uint64_t[]){240, 0, 79, 1});
	third = world_add(&w, (int)root, MIB(320), 0);
	world_list(&w, third, (const uint64_t[]){240, 0, 79, 1});
	w.memcgs[idle].class_index = w.memcgs[other].class_index = quota_class;
	w.memcgs[third].class_index = !quota_class;
	w.memcgs[idle].outcome.stolen_pages[LRU_ANON] = 100;
	w.memcgs[other].outcome.stolen_pages[LRU_ANON] = 100;
	w.memcgs[third].outcome.stolen_pages[LRU_ANON] = 100;
	w.memcgs[root].current_bytes = SAMPLE_UNKNOWN;
	world_ticks(&w, 10);
	assert_in_range(world_bytes(&w, idle) + world_bytes(&w, other), MIB(64) - PAGE_BYTES,
			MIB(64));
	assert_int_equal(world_bytes(&w, third), MIB(40));
}

static void test_quota_of_a_class(void **arg)
{
	(void)arg;
	check_quota_of_a_class(0);
	check_quota_of_a_class(1);
}

/* One class has all of it, several have equal parts, rounded up: each has one at least. */
static void test_in_flight(void **arg)
{
	(void)arg;
	assert_int_equal(quota_in_flight(4, 0), 4);
	assert_int_equal(quota_in_flight(4, 1), 4);
	assert_int_equal(quota_in_flight(4, 2), 2);
	assert_int_equal(quota_in_flight(4, 3), 2);
	assert_int_equal(quota_in_flight(4, 4), 1);
	assert_int_equal(quota_in_flight(4, 64), 1);
}

static void test_reclaim_kinds(void **arg)
{
	(void)arg;
	begin();
	w.params.classes[0].reclaim = RECLAIM_NONE;
	world_tick(&w);
	assert_refused(REASON_CLASS_NONE);
	w.params.classes[0].reclaim = RECLAIM_FILE;
	world_tick(&w);
	assert_refused(REASON_ANON_OFF);
	w.params.classes[0].reclaim = RECLAIM_ANON;
	world_tick(&w);
	assert_int_equal(world_decision(&w, idle)->action, ACTION_EVICT);
	w.params.classes[0].reclaim = RECLAIM_ALL;
	world_tick(&w);
	assert_int_equal(world_decision(&w, idle)->action, ACTION_EVICT);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_floor_is_a_share_of_the_peak),
		cmocka_unit_test(test_floor_in_bytes),
		cmocka_unit_test(test_own_protection),
		cmocka_unit_test(test_protection_of_an_ancestor),
		cmocka_unit_test(test_protection_of_an_ancestor_counts_once),
		cmocka_unit_test(test_unknown_protection_protects),
		cmocka_unit_test(test_root_without_usage_does_not_protect),
		cmocka_unit_test(test_usage_of_an_ancestor_unknown),
		cmocka_unit_test(test_no_swap),
		cmocka_unit_test(test_swap_reserve),
		cmocka_unit_test(test_swap_max),
		cmocka_unit_test(test_swap_max_of_an_ancestor),
		cmocka_unit_test(test_swap_device),
		cmocka_unit_test(test_swap_that_rotates),
		cmocka_unit_test(test_swap_write_budget),
		cmocka_unit_test(test_anon_no),
		cmocka_unit_test(test_quota_of_an_ancestor),
		cmocka_unit_test(test_quota_is_not_saved_up),
		cmocka_unit_test(test_quota_of_the_host),
		cmocka_unit_test(test_quota_of_a_class),
		cmocka_unit_test(test_in_flight),
		cmocka_unit_test(test_reclaim_kinds),
	};

	return cmocka_run_group_tests_name("policy-limits", tests, NULL, NULL);
}
