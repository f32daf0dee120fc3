/* SPDX-License-Identifier: MIT */
/*
 * SPLIT by example: a hot set and a stream under one limit of 512 MiB.
 */
#include "policy-world.h"

#include <setjmp.h>
#include <stdarg.h>
#include <cmocka.h>

static struct policy_world w;
static size_t root, slice, hot, stream;

/* 8 MiB are free below the limit. */
static void build(void)
{
	world_init(&w);
	root = world_add(&w, -1, 0, 0);
	slice = world_add(&w, (int)root, 0, 0);
	hot = world_add(&w, (int)slice, 0, MIB(96));
	stream = world_add(&w, (int)slice, 0, MIB(408));
	w.memcgs[slice].max_bytes = MIB(512);
}

/* Looked at once already. */
static void begin(void)
{
	build();
	world_tick(&w);
}

/* The stream brings in new pages, then it is planned for. */
static void flow(uint64_t bytes)
{
	world_read_file(&w, stream, bytes);
	world_tick(&w);
}

/* Does what the plan asked of the stream. */
static void obey(void)
{
	world_take_file(&w, stream, world_bytes(&w, stream));
}

static void assert_refused(size_t i, enum reason reason)
{
	assert_null(world_decision(&w, i));
	assert_string_equal(reason_to_string(w.states[i].verdict.reason), reason_to_string(reason));
}

static void assert_reclaims(size_t i)
{
	assert_non_null(world_decision(&w, i));
	assert_int_equal(world_decision(&w, i)->action, ACTION_RECLAIM);
	assert_int_equal(world_decision(&w, i)->reason, REASON_HEADROOM);
}

static void test_only_the_stream_is_taken_from(void **arg)
{
	(void)arg;
	begin();
	for (int i = 0; i < 50; i++) {
		flow(MIB(7));
		assert_reclaims(stream);
		assert_refused(hot, REASON_NO_EVIDENCE);
		obey();
	}
	assert_true(w.memcgs[slice].current_bytes < MIB(512));
}

static void test_no_more_than_it_brought_in_at_first(void **arg)
{
	(void)arg;
	begin();
	flow(MIB(8));
	assert_reclaims(stream);
	assert_in_range(world_bytes(&w, stream), 1, MIB(8));
}

/* What begins is as fast as it is, and not as its average, which still rises. */
static void test_a_stream_that_begins(void **arg)
{
	(void)arg;
	begin();
	w.snapshot.interval_usec = SECONDS(1);
	world_ticks(&w, 5);
	flow(MIB(6));
	assert_in_range(world_bytes(&w, stream), MIB(5), MIB(6));
	assert_in_range(w.plan.next_usec, 1, SECONDS(1) / 2);
}

/* Of a stream that has just begun nothing is known but its size: it is looked at again soon, and its
 * sibling is not alone. */
static void test_a_stream_that_is_not_known_yet(void **arg)
{
	(void)arg;
	build();
	w.memcgs[stream].pgscan_pages = SAMPLE_UNKNOWN;
	w.memcgs[slice].max_bytes = MIB(760);
	world_ticks(&w, 3);
	flow(MIB(120));
	assert_refused(stream, REASON_UNKNOWN);
	w.memcgs[stream].pgscan_pages = 0;
	world_list(&w, hot, (const uint64_t[]){0, 0, 0, 0});
	flow(MIB(120));
	assert_refused(stream, REASON_FIRST_LOOK);
	assert_null(world_decision(&w, hot));
	assert_in_range(w.plan.next_usec, 1, w.snapshot.interval_usec / 2);
	flow(MIB(1));
	assert_reclaims(stream);
}

static void test_nothing_while_there_is_room(void **arg)
{
	(void)arg;
	begin();
	w.memcgs[slice].max_bytes = MIB(1024);
	flow(MIB(8));
	assert_int_equal(w.plan.n_decisions, 0);
	w.memcgs[slice].max_bytes = SAMPLE_INFINITY;
	flow(MIB(8));
	assert_int_equal(w.plan.n_decisions, 0);
	w.memcgs[slice].max_bytes = SAMPLE_UNKNOWN;
	flow(MIB(8));
	assert_int_equal(w.plan.n_decisions, 0);
	w.memcgs[slice].high_bytes = MIB(520);
	flow(MIB(8));
	assert_reclaims(stream);
}

/* What was not read this time, since that is dear, is neither taken from nor taken for. */
static void test_what_was_not_read_waits(void **arg)
{
	(void)arg;
	begin();
	w.memcgs[slice].skipped = true;
	flow(MIB(8));
	assert_int_equal(w.plan.n_decisions, 0);
	w.memcgs[slice].skipped = false;
	w.memcgs[stream].skipped = true;
	flow(MIB(8));
	assert_refused(stream, REASON_NOT_READ);
	w.memcgs[stream].skipped = false;
	flow(MIB(8));
	assert_reclaims(stream);
}

/* A database that has just been read in, more than the stream has so far, is no filler any more. */
static void test_what_was_loaded_is_no_filler(void **arg)
{
	(void)arg;
	begin();
	w.snapshot.interval_usec = SECONDS(1);
	w.memcgs[slice].max_bytes = MIB(600);
	world_read_file(&w, hot, MIB(60));
	world_tick(&w);
	flow(MIB(8));
	w.memcgs[slice].max_bytes = MIB(580);
	flow(MIB(2));
	assert_true(w.states[hot].inflow_mpps > w.states[stream].inflow_mpps);
	assert_reclaims(stream);
	assert_refused(hot, REASON_NO_EVIDENCE);
}

/* Who brings in nothing new and lost nothing yet is left alone, however full it is. */
static void test_no_evidence_no_action(void **arg)
{
	(void)arg;
	begin();
	world_ticks(&w, 5);
	assert_refused(hot, REASON_NO_EVIDENCE);
	assert_refused(stream, REASON_NO_EVIDENCE);
}

static void test_what_comes_back_stops(void **arg)
{
	(void)arg;
	begin();
	flow(MIB(8));
	world_take_file(&w, stream, MIB(4));
	world_refault(&w, stream, LRU_FILE, PAGES(4) / 10 + 50);
	flow(MIB(4));
	assert_refused(stream, REASON_RETURNS);
	assert_refused(hot, REASON_NO_EVIDENCE);
}

/* A few hundred pages that did not come back license no more than about as many. */
static void test_little_evidence_allows_little(void **arg)
{
	(void)arg;
	begin();
	world_take_file(&w, hot, MIB(1));
	world_tick(&w);
	w.memcgs[slice].max_bytes = MIB(500);
	world_tick(&w);
	assert_in_range(world_bytes(&w, hot), 0, MIB(2));
}

/* Nor does anon that was swapped out say anything about file. */
static void test_swapping_is_no_evidence(void **arg)
{
	(void)arg;
	begin();
	world_steal(&w, hot, 1000);
	w.memcgs[hot].outcome.stolen_pages[LRU_ANON] = 1000;
	world_tick(&w);
	assert_int_equal(w.states[hot].evicted_file_pages, 0);
	assert_refused(hot, REASON_NO_EVIDENCE);
}

static void test_nested_limits_count_once(void **arg)
{
	uint64_t once;

	(void)arg;
	begin();
	flow(MIB(8));
	once = world_bytes(&w, stream);
	begin();
	w.memcgs[root].max_bytes = MIB(512);
	flow(MIB(8));
	assert_int_equal(w.plan.n_decisions, 1);
	assert_int_equal(world_bytes(&w, stream), once);
}

/* What SAVER takes anyway is not taken again. */
static void test_evictions_make_room_too(void **arg)
{
	size_t idle;

	(void)arg;
	build();
	idle = world_add(&w, (int)slice, MIB(320), 0);
	world_list(&w, idle, (const uint64_t[]){240, 0, 79, 1});
	world_tick(&w);
	world_full_pace(&w, idle);
	w.memcgs[slice].max_bytes = MIB(840);
	flow(MIB(4));
	assert_in_range(world_bytes(&w, idle), MIB(39), MIB(40));
	assert_null(world_decision(&w, stream));
}

static void test_dirty_file_is_not_asked_for(void **arg)
{
	(void)arg;
	begin();
	w.memcgs[stream].file_dirty_bytes = MIB(400);
	w.memcgs[stream].file_writeback_bytes = MIB(15);
	flow(MIB(8));
	assert_in_range(world_bytes(&w, stream), 1, MIB(1));
}

static void test_protected_stream(void **arg)
{
	(void)arg;
	begin();
	w.memcgs[stream].low_bytes = MIB(415);
	flow(MIB(8));
	assert_in_range(world_bytes(&w, stream), 1, MIB(1));
	w.memcgs[stream].low_bytes = MIB(418);
	flow(MIB(1));
	assert_refused(stream, REASON_FLOOR);
}

static void test_who_may_not_be_taken_from(void **arg)
{
	(void)arg;
	for (int i = 0; i < 6; i++) {
		begin();
		w.memcgs[stream].omitted = i == 0;
		w.memcgs[stream].busy = i == 1;
		w.memcgs[stream].frozen = i == 2;
		w.memcgs[stream].class_index = i == 3 ? -1 : 0;
		w.params.classes[1] = w.params.classes[0];
		w.params.n_classes = 2;
		if (i >= 4) {
			w.memcgs[stream].class_index = 1;
			w.params.classes[1].reclaim = i == 4 ? RECLAIM_NONE : RECLAIM_ANON;
		}
		flow(MIB(8));
		assert_int_equal(w.plan.n_decisions, 0);
	}
}

static void test_kernel_without_swappiness(void **arg)
{
	struct system_sample *system = &w.snapshot.system;

	(void)arg;
	begin();
	system->reclaim_swappiness = false;
	system->swap_is_zram = false;
	flow(MIB(4));
	assert_refused(stream, REASON_SWAPPINESS);
	/* Nor where zswap leaves it to the disk. */
	system->zswap = true;
	flow(MIB(2));
	assert_refused(stream, REASON_SWAPPINESS);
	system->zswap_room_bytes = MIB(64);
	flow(MIB(2));
	assert_reclaims(stream);
	system->zswap = false;
	system->swap_is_zram = true;
	flow(MIB(2));
	assert_reclaims(stream);
	assert_int_equal(world_decision(&w, stream)->swappiness, SWAPPINESS_DEFAULT);
	w.params.classes[0].reclaim = RECLAIM_FILE;
	flow(MIB(2));
	assert_refused(stream, REASON_SWAPPINESS);
	w.memcgs[stream].swap_max_bytes = 0;
	flow(MIB(2));
	assert_reclaims(stream);
	w.memcgs[stream].swap_max_bytes = SAMPLE_INFINITY;
	system->swap_total_bytes = 0;
	flow(MIB(2));
	assert_reclaims(stream);
}

static void test_with_swappiness_file_alone(void **arg)
{
	(void)arg;
	begin();
	w.params.anon = ANON_NO;
	flow(MIB(8));
	assert_reclaims(stream);
	assert_int_equal(world_decision(&w, stream)->swappiness, SWAPPINESS_FILE_ONLY);
}

static void test_looks_again_sooner_near_the_limit(void **arg)
{
	uint64_t far_usec, near_usec;

	(void)arg;
	begin();
	w.memcgs[slice].max_bytes = MIB(1024);
	flow(MIB(5));
	assert_int_equal(w.plan.next_usec, TICK_USEC);
	w.memcgs[slice].max_bytes = MIB(520);
	flow(MIB(5));
	far_usec = w.plan.next_usec;
	assert_in_range(far_usec, 500000, TICK_USEC - 1);
	w.memcgs[slice].max_bytes = MIB(519);
	flow(MIB(3));
	near_usec = w.plan.next_usec;
	assert_in_range(near_usec, 500000, far_usec - 1);
	w.memcgs[slice].max_bytes = MIB(400);
	flow(MIB(3));
	assert_int_equal(w.plan.next_usec, 500000);
}

/* The kernel would take the same in the path of a request: that is no CPU time saved. */
static void test_cpu_budget_does_not_stop_it(void **arg)
{
	(void)arg;
	begin();
	w.snapshot.system.cpu_wait_usec = SECONDS(3600);
	flow(MIB(8));
	assert_reclaims(stream);
}

static void test_pressure_does_not_stop_it(void **arg)
{
	(void)arg;
	begin();
	world_ticks(&w, 2);
	w.memcgs[stream].psi_memory.some_usec += SECONDS(2);
	flow(MIB(4));
	assert_true(w.states[stream].hold_until_usec > w.snapshot.now_usec);
	assert_reclaims(stream);
}

/* Nothing is taken from a quiet memcg in trouble, however well it spared its file before. */
static void test_refaults_stop_it(void **arg)
{
	(void)arg;
	begin();
	world_take_file(&w, hot, MIB(8));
	world_ticks(&w, 60);
	w.memcgs[slice].max_bytes = w.memcgs[slice].current_bytes;
	world_refault(&w, hot, LRU_ANON, 4000);
	world_tick(&w);
	assert_refused(hot, REASON_HOLD_REFAULT);
}

/* A stream that re-reads its directories: many refaults a second, and two pages in a hundred. */
static void test_few_of_many_come_back(void **arg)
{
	(void)arg;
	begin();
	for (int i = 0; i < 30; i++) {
		world_refault(&w, stream, LRU_FILE, 200);
		flow(MIB(40));
		assert_true(i < 10 || w.states[stream].hold.reason == REASON_HOLD_REFAULT);
		assert_reclaims(stream);
		obey();
	}
}

/* Pages of a hot set that left just now have had no time to come back: no evidence. A backup that
 * ended and left them long ago is another matter. */
static void test_recent_evictions_prove_nothing(void **arg)
{
	(void)arg;
	begin();
	world_take_file(&w, hot, MIB(8));
	w.memcgs[slice].max_bytes = w.memcgs[slice].current_bytes + MIB(2);
	world_tick(&w);
	assert_refused(hot, REASON_NO_EVIDENCE);
	world_ticks(&w, 60);
	assert_reclaims(hot);
	assert_in_range(world_bytes(&w, hot), 1, MIB(16));
}

/* Of two streams alike the one that weighs less pays first. */
static void test_weight(void **arg)
{
	size_t other;

	(void)arg;
	build();
	other = world_add(&w, (int)slice, 0, MIB(408));
	w.params.n_classes = 2;
	w.params.classes[1] = w.params.classes[0];
	w.params.classes[1].weight = 50;
	w.memcgs[slice].max_bytes = MIB(948);
	world_tick(&w);
	for (int i = 0; i < 2; i++) {
		world_read_file(&w, other, MIB(8));
		world_read_file(&w, stream, MIB(8));
		world_take_file(&w, other, MIB(1));
		world_take_file(&w, stream, MIB(1));
		w.memcgs[other].class_index = i == 0;
		w.memcgs[stream].class_index = i == 1;
		w.memcgs[slice].max_bytes = w.memcgs[slice].current_bytes + MIB(16);
		world_tick(&w);
		assert_true(world_bytes(&w, i ? stream : other) >
			    world_bytes(&w, i ? other : stream));
	}
}

/* The lowest step of the ladder that acts. */
static void test_capability_reclaim_suffices(void **arg)
{
	(void)arg;
	begin();
	w.snapshot.system.capability = CAPABILITY_RECLAIM;
	flow(MIB(8));
	assert_reclaims(stream);
	w.snapshot.system.capability = CAPABILITY_OBSERVE;
	flow(MIB(8));
	assert_int_equal(w.plan.n_decisions, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_only_the_stream_is_taken_from),
		cmocka_unit_test(test_no_more_than_it_brought_in_at_first),
		cmocka_unit_test(test_a_stream_that_begins),
		cmocka_unit_test(test_a_stream_that_is_not_known_yet),
		cmocka_unit_test(test_nothing_while_there_is_room),
		cmocka_unit_test(test_what_was_not_read_waits),
		cmocka_unit_test(test_what_was_loaded_is_no_filler),
		cmocka_unit_test(test_no_evidence_no_action),
		cmocka_unit_test(test_what_comes_back_stops),
		cmocka_unit_test(test_little_evidence_allows_little),
		cmocka_unit_test(test_swapping_is_no_evidence),
		cmocka_unit_test(test_nested_limits_count_once),
		cmocka_unit_test(test_evictions_make_room_too),
		cmocka_unit_test(test_dirty_file_is_not_asked_for),
		cmocka_unit_test(test_protected_stream),
		cmocka_unit_test(test_who_may_not_be_taken_from),
		cmocka_unit_test(test_kernel_without_swappiness),
		cmocka_unit_test(test_with_swappiness_file_alone),
		cmocka_unit_test(test_looks_again_sooner_near_the_limit),
		cmocka_unit_test(test_pressure_does_not_stop_it),
		cmocka_unit_test(test_cpu_budget_does_not_stop_it),
		cmocka_unit_test(test_refaults_stop_it),
		cmocka_unit_test(test_few_of_many_come_back),
		cmocka_unit_test(test_recent_evictions_prove_nothing),
		cmocka_unit_test(test_weight),
		cmocka_unit_test(test_capability_reclaim_suffices),
	};

	return cmocka_run_group_tests_name("policy-split", tests, NULL, NULL);
}
