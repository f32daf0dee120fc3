/* SPDX-License-Identifier: MIT */
/*
 * The planner by example: what is not considered, history that starts, breaks off and is handed to
 * somebody else, and plans without room.
 */
#include "policy-world.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>
#include <cmocka.h>

static struct policy_world w;
static size_t root, idle;

/* An idle memcg with 240 of 320 MiB cold, not looked at yet. */
static void build(void)
{
	world_init(&w);
	root = world_add(&w, -1, 0, 0);
	idle = world_add(&w, (int)root, MIB(320), 0);
	world_list(&w, idle, (const uint64_t[]){240, 0, 79, 1});
}

static void begin(void)
{
	build();
	world_ticks(&w, 2);
	assert_non_null(world_decision(&w, idle));
}

static void assert_refused(enum reason reason)
{
	assert_null(world_decision(&w, idle));
	assert_string_equal(reason_to_string(w.states[idle].verdict.reason),
			    reason_to_string(reason));
}

/* Nothing for the quiet time after a break, then no more than one tick's worth. */
static void assert_rebased(void)
{
	assert_refused(REASON_FIRST_LOOK);
	for (int i = 0; i < 11; i++) {
		world_tick(&w);
		assert_refused(REASON_FIRST_LOOK);
	}
	world_tick(&w);
	assert_in_range(world_bytes(&w, idle), 1, MIB(16));
	assert_int_equal(w.states[idle].age_interval_usec, SECONDS(10));
}

static void test_first_look_decides_nothing(void **arg)
{
	(void)arg;
	build();
	world_tick(&w);
	assert_int_equal(w.plan.n_decisions, 0);
	assert_refused(REASON_FIRST_LOOK);
	assert_int_equal(w.plan.next_usec, TICK_USEC);
	world_tick(&w);
	assert_non_null(world_decision(&w, idle));
}

static void test_who_is_not_considered(void **arg)
{
	struct memcg_sample *memcg = &w.memcgs[idle = 1], kept;

	(void)arg;
	begin();
	kept = *memcg;
	memcg->omitted = true;
	world_tick(&w);
	assert_refused(REASON_OMITTED);
	memcg->paused = true;
	world_tick(&w);
	assert_refused(REASON_PAUSED);
	*memcg = kept;
	memcg->class_index = -1;
	world_tick(&w);
	assert_refused(REASON_NO_CLASS);
	memcg->class_index = 1;
	world_tick(&w);
	assert_refused(REASON_NO_CLASS);
	*memcg = kept;
	memcg->leaf = false;
	world_tick(&w);
	assert_refused(REASON_INNER);
	*memcg = kept;
	memcg->populated = false;
	world_tick(&w);
	assert_refused(REASON_UNPOPULATED);
	*memcg = kept;
	memcg->frozen = true;
	world_tick(&w);
	assert_refused(REASON_FROZEN);
	*memcg = kept;
	memcg->busy = true;
	world_tick(&w);
	assert_refused(REASON_BUSY);
	*memcg = kept;
	memcg->current_bytes = MIB(4) - 1;
	world_tick(&w);
	assert_refused(REASON_SMALL);
	memcg->current_bytes = MIB(4);
	world_tick(&w);
	assert_refused(REASON_FLOOR);
}

static void test_unknown_counters(void **arg)
{
	uint64_t *const fields[] = {
		&w.memcgs[1].current_bytes,
		&w.memcgs[1].pgscan_pages,
		&w.memcgs[1].pgsteal_pages,
		&w.memcgs[1].refault_pages[LRU_ANON],
		&w.memcgs[1].refault_pages[LRU_FILE],
		&w.memcgs[1].min_bytes,
		&w.memcgs[1].low_bytes,
	};

	(void)arg;
	for (size_t i = 0; i < sizeof(fields) / sizeof(fields[0]); i++) {
		begin();
		*fields[i] = SAMPLE_UNKNOWN;
		world_tick(&w);
		assert_refused(REASON_UNKNOWN);
	}
}

static void test_class_out_of_range_is_none(void **arg)
{
	size_t other;

	(void)arg;
	begin();
	w.memcgs[root].max_bytes = MIB(512);
	other = world_add(&w, (int)root, 0, MIB(190));
	w.memcgs[other].class_index = INT32_MAX;
	for (int i = 0; i < 3; i++) {
		world_tick(&w);
		world_read_file(&w, other, MIB(1));
	}
	assert_null(world_decision(&w, other));
}

static void test_observe_decides_nothing(void **arg)
{
	(void)arg;
	build();
	w.snapshot.system.capability = CAPABILITY_OBSERVE;
	for (int i = 0; i < 5; i++) {
		world_tick(&w);
		assert_int_equal(w.plan.n_decisions, 0);
	}
	assert_refused(REASON_OBSERVE);
	/* It looks all the same. */
	assert_int_equal(w.states[idle].cold_bytes, MIB(240));
}

/* What took longer than 20 s to be read is remembered, not acted on; the next look is. */
static void test_slow_reading_decides_nothing(void **arg)
{
	(void)arg;
	begin();
	w.snapshot.read_usec = SECONDS(20) + 1;
	world_ticks(&w, 2);
	assert_int_equal(w.plan.n_decisions, 0);
	assert_refused(REASON_SLOW);
	assert_int_equal(w.states[idle].verdict.measured, SECONDS(20) + 1);
	assert_int_equal(w.states[idle].verdict.limit, SECONDS(20));
	w.snapshot.read_usec = SECONDS(20);
	world_tick(&w);
	assert_non_null(world_decision(&w, idle));
}

static void test_reclaim_has_no_generations(void **arg)
{
	(void)arg;
	begin();
	w.snapshot.system.capability = CAPABILITY_RECLAIM;
	world_tick(&w);
	assert_refused(REASON_NO_GENERATIONS);
}

/* users.md 66: MemAvailable, which knows nothing of ZFS's cache, decides nothing. */
static void test_available_memory_decides_nothing(void **arg)
{
	static const uint64_t available_bytes[] = {0, MIB(1), MIB(1) << 20, SAMPLE_UNKNOWN};
	uint64_t bytes;

	(void)arg;
	begin();
	world_full_pace(&w, idle);
	world_tick(&w);
	bytes = world_bytes(&w, idle);
	assert_true(bytes > 0);
	for (size_t i = 0; i < sizeof(available_bytes) / sizeof(available_bytes[0]); i++) {
		w.snapshot.system.available_bytes = available_bytes[i];
		world_tick(&w);
		assert_int_equal(world_bytes(&w, idle), bytes);
	}
}

static void test_suspend(void **arg)
{
	(void)arg;
	begin();
	w.snapshot.now_usec += SECONDS(8 * 3600);
	world_tick(&w);
	assert_rebased();
}

/* However short the time since, and however soon after boot. */
static void test_rebase_on_request(void **arg)
{
	(void)arg;
	begin();
	w.states[idle].rebase = true;
	world_tick(&w);
	assert_rebased();
	assert_false(w.states[idle].rebase);
}

/* Counters that are read rarer than GAP_TICKS: no blank, and the rates span the whole time. */
static void test_skipped_looks(void **arg)
{
	(void)arg;
	begin();
	w.memcgs[idle].skipped = true;
	w.memcgs[idle].read_interval_usec = 40 * TICK_USEC;
	w.memcgs[idle].pgscan_pages = w.memcgs[idle].refault_pages[LRU_FILE] = SAMPLE_UNKNOWN;
	world_ticks(&w, 39);
	assert_int_equal(w.plan.n_decisions, 0);
	assert_refused(REASON_NOT_READ);
	assert_int_equal(w.states[idle].verdict.measured, 39 * TICK_USEC);
	assert_int_equal(w.states[idle].verdict.limit, 40 * TICK_USEC);
	w.memcgs[idle].skipped = false;
	w.memcgs[idle].pgscan_pages = w.states[idle].last.pgscan_pages;
	w.memcgs[idle].refault_pages[LRU_FILE] = w.states[idle].last.refault_pages[LRU_FILE] + 400;
	world_tick(&w);
	assert_int_equal(w.states[idle].dt_usec, 40 * TICK_USEC);
	/* 400 pages in 200 s are 2 a second, averaged over 30 s. */
	assert_int_equal(w.states[idle].refault_mpps[LRU_FILE], 2000 * 200 / 230);
	assert_true(w.states[idle].hold_until_usec < w.snapshot.now_usec);
	/* A suspend is one all the same. */
	w.memcgs[idle].skipped = true;
	w.snapshot.now_usec += SECONDS(8 * 3600);
	world_tick(&w);
	w.memcgs[idle].skipped = false;
	world_tick(&w);
	assert_refused(REASON_FIRST_LOOK);
}

static void test_clock_goes_backwards(void **arg)
{
	(void)arg;
	begin();
	w.snapshot.now_usec -= SECONDS(3600);
	world_tick(&w);
	assert_rebased();
	w.snapshot.now_usec -= TICK_USEC;
	world_tick(&w);
	assert_refused(REASON_FIRST_LOOK);
}

static void test_counter_reset(void **arg)
{
	(void)arg;
	begin();
	world_refault(&w, idle, LRU_ANON, 10);
	world_tick(&w);
	w.memcgs[idle].refault_pages[LRU_ANON] = 1;
	world_tick(&w);
	assert_rebased();
}

/* Habits outlive a suspend: a process that always waits for its disk still does. */
static void test_rebase_keeps_the_baseline(void **arg)
{
	(void)arg;
	begin();
	w.states[idle].baseline_io_ppm = 500000;
	w.snapshot.now_usec += SECONDS(3600);
	for (int i = 0; i < 20; i++) {
		w.memcgs[idle].psi_io.some_usec += TICK_USEC / 2;
		world_tick(&w);
		assert_true(w.states[idle].verdict.reason != REASON_HOLD_PRESSURE);
	}
}

static void test_id_reuse(void **arg)
{
	(void)arg;
	begin();
	w.states[idle].hold_until_usec = UINT64_MAX;
	w.states[idle].peak_bytes = MIB(4096);
	w.memcgs[idle].id++;
	world_tick(&w);
	assert_refused(REASON_FIRST_LOOK);
	assert_int_equal(w.states[idle].peak_bytes, MIB(320));
	world_tick(&w);
	assert_non_null(world_decision(&w, idle));
}

static void test_hold_is_not_lost_in_a_rebase(void **arg)
{
	(void)arg;
	begin();
	w.memcgs[idle].events_oom_kill++;
	world_tick(&w);
	assert_refused(REASON_HOLD_OOM);
	w.snapshot.now_usec += SECONDS(90);
	world_tick(&w);
	world_ticks(&w, 60);
	assert_refused(REASON_HOLD_OOM);
}

static void test_plans_without_room(void **arg)
{
	(void)arg;
	build();
	w.lruvecs[0].gens[0].pages[LRU_ANON] = PAGES(2);
	world_list(&w, idle, (const uint64_t[]){10, 0, 0, 0});
	for (w.capacity = 0; w.capacity < 3; w.capacity++) {
		world_ticks(&w, 2);
		assert_int_equal(w.plan.n_decisions, w.capacity);
	}
}

static void test_capacity_suffices(void **arg)
{
	(void)arg;
	build();
	assert_int_equal(policy_plan_capacity(&w.snapshot), 3);
}

/* Indices and counts that point nowhere are a bug of whoever made the snapshot; none may be
 * followed. */
static void test_unsound_snapshots(void **arg)
{
	struct policy_world sound;
	void *const breaks[] = {
		&w.memcgs[1].parent,  &w.memcgs[1].first_lruvec, &w.memcgs[1].n_lruvecs,
		&w.lruvecs[0].n_gens, &w.snapshot.page_bytes,    &w.tiers[0][0].n_tiers,
	};
	static const int32_t values[] = {1, 2, 2, 17, 0, 9};

	(void)arg;
	begin();
	sound = w;
	for (size_t i = 0; i < sizeof(breaks) / sizeof(breaks[0]); i++) {
		w = sound;
		memcpy(breaks[i], &values[i], sizeof(values[i]));
		w.snapshot.now_usec += TICK_USEC;
		w.plan = (struct plan){.decisions = w.decisions, .capacity = w.capacity};
		policy_plan(&w.params, &w.snapshot, w.states, w.planned_bytes, &w.plan);
		assert_int_equal(w.plan.n_decisions, 0);
		assert_int_equal(w.plan.next_usec, TICK_USEC);
		assert_refused(REASON_UNKNOWN);
	}
}

static void test_nothing_to_look_at(void **arg)
{
	(void)arg;
	world_init(&w);
	world_tick(&w);
	assert_int_equal(w.plan.n_decisions, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_first_look_decides_nothing),
		cmocka_unit_test(test_who_is_not_considered),
		cmocka_unit_test(test_unknown_counters),
		cmocka_unit_test(test_class_out_of_range_is_none),
		cmocka_unit_test(test_observe_decides_nothing),
		cmocka_unit_test(test_slow_reading_decides_nothing),
		cmocka_unit_test(test_reclaim_has_no_generations),
		cmocka_unit_test(test_available_memory_decides_nothing),
		cmocka_unit_test(test_suspend),
		cmocka_unit_test(test_rebase_on_request),
		cmocka_unit_test(test_skipped_looks),
		cmocka_unit_test(test_clock_goes_backwards),
		cmocka_unit_test(test_counter_reset),
		cmocka_unit_test(test_rebase_keeps_the_baseline),
		cmocka_unit_test(test_id_reuse),
		cmocka_unit_test(test_hold_is_not_lost_in_a_rebase),
		cmocka_unit_test(test_plans_without_room),
		cmocka_unit_test(test_capacity_suffices),
		cmocka_unit_test(test_unsound_snapshots),
		cmocka_unit_test(test_nothing_to_look_at),
	};

	return cmocka_run_group_tests_name("policy-planner", tests, NULL, NULL);
}
