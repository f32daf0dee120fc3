/* SPDX-License-Identifier: MIT */
/*
 * Headroom of one memcg alone under its limit of 1 000 MiB.
 */
#include "policy-world.h"

#include <setjmp.h>
#include <stdarg.h>
#include <cmocka.h>

static struct policy_world w;
static size_t root, slice, db;
static struct lruvec_sample *lruvec;

/* 5 MiB are free below the limit, and it grows by 1 MiB a second. */
static void begin(uint64_t anon_bytes)
{
	world_init(&w);
	root = world_add(&w, -1, 0, 0);
	slice = world_add(&w, (int)root, 0, 0);
	db = world_add(&w, (int)slice, anon_bytes, MIB(990) - anon_bytes);
	lruvec = world_list(&w, db, (const uint64_t[]){0, 0, 0, 0});
	for (uint32_t g = 0; g < lruvec->n_gens; g++)
		lruvec->gens[g].pages[LRU_FILE] = PAGES(200);
	w.memcgs[db].max_bytes = MIB(1000);
	world_tick(&w);
	world_read_file(&w, db, MIB(5));
	world_tick(&w);
}

static void assert_refused(enum reason reason)
{
	assert_int_equal(w.plan.n_decisions, 0);
	assert_string_equal(reason_to_string(w.states[db].verdict.reason),
			    reason_to_string(reason));
}

static void assert_evicts(uint64_t least_bytes, uint64_t most_bytes)
{
	assert_int_equal(w.plan.n_decisions, 1);
	assert_int_equal(world_decision(&w, db)->action, ACTION_EVICT);
	assert_int_equal(world_decision(&w, db)->reason, REASON_HEADROOM);
	assert_int_equal(world_decision(&w, db)->swappiness, SWAPPINESS_FILE_ONLY);
	assert_in_range(world_bytes(&w, db), least_bytes, most_bytes);
}

/* 1 % is wanted: 10 MiB. */
static void test_one_percent(void **arg)
{
	(void)arg;
	begin(0);
	assert_evicts(MIB(5), MIB(5));
	assert_int_equal(w.states[db].gclk.taken_for, REASON_HEADROOM);
	world_take_file(&w, db, MIB(5));
	w.snapshot.now_usec += 500000;
	assert_null(world_try_plan(&w));
	assert_int_equal(w.plan.n_decisions, 0);
}

static void test_cpu_budget_does_not_stop_it(void **arg)
{
	(void)arg;
	begin(0);
	w.snapshot.system.cpu_wait_usec = SECONDS(3600);
	world_tick(&w);
	assert_evicts(MIB(5), MIB(5));
}

/* Less than 256 KiB are not worth a write. */
static void test_least_amount(void **arg)
{
	(void)arg;
	for (uint64_t kib = 240; kib <= 272; kib += 32) {
		begin(0);
		world_take_file(&w, db, MIB(5) - (kib << 10));
		world_tick(&w);
		if (kib < 256)
			assert_int_equal(w.plan.n_decisions, 0);
		else
			assert_evicts(kib << 10, kib << 10);
	}
}

/* Between the two, what comes in during a second: 15 MiB. */
static void test_a_second_of_growth(void **arg)
{
	(void)arg;
	begin(0);
	for (int i = 0; i < 30; i++) {
		world_take_file(&w, db, MIB(75));
		world_read_file(&w, db, MIB(75));
		world_tick(&w);
	}
	assert_evicts(MIB(9), MIB(10));
}

/* Never more than 2 %, which holds 20 MiB a second for a second. */
static void test_two_percent_at_most(void **arg)
{
	(void)arg;
	begin(0);
	for (int i = 0; i < 30; i++) {
		world_take_file(&w, db, MIB(99));
		world_read_file(&w, db, MIB(99));
		world_tick(&w);
	}
	assert_evicts(MIB(14), MIB(15));
}

/* Grows by mib in each of n ticks, and so many of the pages evicted come back. */
static void turn_over_for(int n, uint64_t mib, uint64_t returned_permille)
{
	for (int i = 0; i < n; i++) {
		world_take_file(&w, db, MIB(mib));
		world_refault(&w, db, LRU_FILE, PAGES(mib) * returned_permille / 1000);
		world_read_file(&w, db, MIB(mib));
		world_tick(&w);
	}
}

static void turn_over(uint64_t mib, uint64_t returned_permille)
{
	turn_over_for(60, mib, returned_permille);
}

/* As if it grew so much a second, and were not long enough at its limit for GCLK. */
static void look_at_growth(uint64_t bytes)
{
	w.states[db].growth_bps = bytes;
	w.states[db].residence.mode = RESIDENCE_FREE;
	w.snapshot.now_usec++;
	assert_null(world_try_plan(&w));
}

static void test_too_fast_for_headroom(void **arg)
{
	(void)arg;
	begin(0);
	turn_over(105, 12);
	assert_int_equal(w.plan.n_decisions, 0);
	look_at_growth(MIB(21));
	assert_refused(REASON_TOO_FAST);
	assert_in_range(w.states[db].verdict.limit, MIB(20) - 4096, MIB(20));
}

/* What does not come back is worth no space: headroom for a second at up to 20 % of the limit. */
static void test_stream(void **arg)
{
	(void)arg;
	begin(0);
	turn_over(105, 8);
	/* 5 MiB are free. */
	assert_evicts(MIB(15), MIB(16));

	begin(0);
	for (uint32_t g = 0; g < lruvec->n_gens; g++)
		lruvec->gens[g].pages[LRU_FILE] = PAGES(400);
	turn_over(900, 0);
	/* No more than a tenth of its file at once. */
	assert_evicts(MIB(98), MIB(100));

	begin(0);
	turn_over(985, 0);
	look_at_growth(MIB(201));
	assert_refused(REASON_TOO_FAST);
	assert_in_range(w.states[db].verdict.limit, MIB(200) - 4096, MIB(200));
}

/* A new one: what leaves first comes back later. */
static void test_stream_takes_a_minute_to_tell(void **arg)
{
	(void)arg;
	begin(0);
	turn_over_for(10, 105, 0);
	look_at_growth(MIB(21));
	assert_refused(REASON_TOO_FAST);
	turn_over_for(2, 105, 0);
	look_at_growth(MIB(21));
	assert_evicts(MIB(15), MIB(16));
}

/* Until the kernel knows what is hot, much comes back; minutes later that counts no more. */
static void test_stream_after_a_start(void **arg)
{
	(void)arg;
	begin(0);
	turn_over_for(12, 105, 500);
	turn_over_for(36, 105, 0);
	look_at_growth(MIB(21));
	assert_refused(REASON_TOO_FAST);
	turn_over_for(18, 105, 0);
	look_at_growth(MIB(21));
	assert_evicts(MIB(15), MIB(16));
}

static void test_looks_again_in_time(void **arg)
{
	(void)arg;
	begin(0);
	world_take_file(&w, db, MIB(5));
	world_read_file(&w, db, MIB(10));
	world_tick(&w);
	assert_in_range(w.plan.next_usec, 500000, SECONDS(5) - 1);
	w.memcgs[db].max_bytes = MIB(2000);
	world_tick(&w);
	assert_int_equal(w.plan.next_usec, TICK_USEC);
	assert_int_equal(w.plan.n_decisions, 0);
}

/* What the oldest generation that holds file has, and never of the two youngest. */
static void test_oldest_generation_with_file(void **arg)
{
	(void)arg;
	begin(0);
	assert_int_equal(world_decision(&w, db)->seq, 10);
	lruvec->gens[0].pages[LRU_FILE] = 0;
	lruvec->gens[1].pages[LRU_FILE] = PAGES(2);
	world_tick(&w);
	assert_evicts(MIB(2), MIB(2));
	assert_int_equal(world_decision(&w, db)->seq, 11);
	/* Anon that is left behind comes first. */
	lruvec->gens[0].pages[LRU_ANON] = PAGES(2);
	world_tick(&w);
	assert_int_equal(w.plan.n_decisions, 0);
	lruvec->gens[0].pages[LRU_ANON] = 0;
	lruvec->gens[1].pages[LRU_FILE] = 0;
	world_tick(&w);
	assert_int_equal(w.plan.n_decisions, 0);
	/* Three generations are enough, two are not. */
	lruvec->gens[0].pages[LRU_FILE] = PAGES(200);
	lruvec->n_gens = 3;
	world_tick(&w);
	assert_evicts(MIB(4), MIB(6));
	lruvec->n_gens = 2;
	world_tick(&w);
	assert_int_equal(w.plan.n_decisions, 0);
}

/* Three parts from the node that holds three quarters. */
static void test_two_nodes(void **arg)
{
	struct lruvec_sample *other;

	(void)arg;
	begin(0);
	other = world_list(&w, db, (const uint64_t[]){0, 0, 0, 0});
	other->gens[0].pages[LRU_FILE] = PAGES(600);
	world_tick(&w);
	assert_int_equal(w.plan.n_decisions, 2);
	assert_int_not_equal(w.decisions[0].node, w.decisions[1].node);
	assert_int_equal(w.decisions[1].bytes / w.decisions[0].bytes, 3);
	assert_in_range(world_bytes(&w, db), MIB(4), MIB(6));
}

static void test_not_listed(void **arg)
{
	(void)arg;
	begin(0);
	w.memcgs[db].listed = false;
	world_tick(&w);
	assert_int_equal(w.plan.n_decisions, 0);
}

/* A kernel that ages at a limit as from 6.14 on is left alone, whether it promotes by frequency or
 * not; one that promotes by frequency and does not is not. */
static void test_kernels_that_age_by_themselves(void **arg)
{
	(void)arg;
	begin(0);
	w.memcgs[db].counts_proactive = true;
	w.snapshot.system.capability = CAPABILITY_FAST_PATH;
	world_tick(&w);
	assert_int_equal(w.plan.n_decisions, 0);
	w.snapshot.system.capability = CAPABILITY_GENERATIONS;
	world_tick(&w);
	assert_int_equal(w.plan.n_decisions, 0);
	w.memcgs[db].counts_proactive = false;
	w.snapshot.system.capability = CAPABILITY_FAST_PATH;
	world_tick(&w);
	assert_evicts(MIB(4), MIB(6));
}

static void test_high_is_a_limit_too(void **arg)
{
	(void)arg;
	begin(0);
	w.memcgs[db].max_bytes = SAMPLE_INFINITY;
	w.memcgs[db].high_bytes = MIB(1000);
	world_tick(&w);
	assert_evicts(MIB(4), MIB(6));
}

/* The programs' text is not what the headroom is to come from. */
static void test_little_file(void **arg)
{
	(void)arg;
	begin(MIB(990));
	w.memcgs[db].file_dirty_bytes = MIB(3);
	world_tick(&w);
	assert_refused(REASON_LITTLE_FILE);
	begin(MIB(970));
	assert_evicts(MIB(2), MIB(3));
	begin(MIB(900));
	assert_evicts(MIB(5), MIB(5));
}

static void test_dirty_file_does_not_count(void **arg)
{
	(void)arg;
	begin(0);
	w.memcgs[db].file_dirty_bytes = MIB(993);
	world_tick(&w);
	assert_refused(REASON_LITTLE_FILE);
}

static void test_protected(void **arg)
{
	(void)arg;
	begin(0);
	w.memcgs[db].low_bytes = MIB(993);
	world_tick(&w);
	assert_evicts(MIB(2), MIB(2));
	w.memcgs[db].low_bytes = MIB(995);
	world_tick(&w);
	assert_refused(REASON_FLOOR);
}

static void test_class(void **arg)
{
	(void)arg;
	begin(0);
	w.params.classes[0].reclaim = RECLAIM_ANON;
	world_tick(&w);
	assert_int_equal(w.plan.n_decisions, 0);
	w.params.classes[0].reclaim = RECLAIM_FILE;
	world_tick(&w);
	assert_evicts(MIB(4), MIB(6));
}

/* The limit's own doing: its pages come back, and its tasks wait for them. */
static void test_refaults_and_stalls_do_not_stop_it(void **arg)
{
	(void)arg;
	begin(0);
	for (int i = 0; i < 10; i++) {
		world_refault(&w, db, LRU_FILE, 5000);
		w.memcgs[db].psi_memory.some_usec += SECONDS(1);
		world_tick(&w);
		assert_evicts(MIB(1), MIB(20));
	}
	assert_true(w.states[db].hold_until_usec > w.snapshot.now_usec);
}

static void test_failures_stop_it(void **arg)
{
	(void)arg;
	begin(0);
	w.memcgs[db].outcome.failures = 1;
	world_tick(&w);
	assert_refused(REASON_HOLD_FAILED);
}

/* A limit of the parent's, and nobody else below it. */
static void test_only_child(void **arg)
{
	(void)arg;
	begin(0);
	w.memcgs[db].max_bytes = SAMPLE_INFINITY;
	w.memcgs[slice].max_bytes = MIB(1000);
	world_tick(&w);
	assert_evicts(MIB(4), MIB(6));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_one_percent),
		cmocka_unit_test(test_cpu_budget_does_not_stop_it),
		cmocka_unit_test(test_least_amount),
		cmocka_unit_test(test_a_second_of_growth),
		cmocka_unit_test(test_two_percent_at_most),
		cmocka_unit_test(test_too_fast_for_headroom),
		cmocka_unit_test(test_stream),
		cmocka_unit_test(test_stream_takes_a_minute_to_tell),
		cmocka_unit_test(test_stream_after_a_start),
		cmocka_unit_test(test_looks_again_in_time),
		cmocka_unit_test(test_oldest_generation_with_file),
		cmocka_unit_test(test_two_nodes),
		cmocka_unit_test(test_not_listed),
		cmocka_unit_test(test_kernels_that_age_by_themselves),
		cmocka_unit_test(test_high_is_a_limit_too),
		cmocka_unit_test(test_little_file),
		cmocka_unit_test(test_dirty_file_does_not_count),
		cmocka_unit_test(test_protected),
		cmocka_unit_test(test_class),
		cmocka_unit_test(test_refaults_and_stalls_do_not_stop_it),
		cmocka_unit_test(test_failures_stop_it),
		cmocka_unit_test(test_only_child),
	};

	return cmocka_run_group_tests_name("policy-headroom", tests, NULL, NULL);
}
