/* SPDX-License-Identifier: MIT */
/*
 * SAVER for file by example: when unused file is taken, how much, and what stops it.
 */
#include "policy-world.h"
#include "arith.h"

#include <setjmp.h>
#include <stdarg.h>
#include <cmocka.h>

#define ARRAY_SIZE(a) (sizeof(a) / sizeof((a)[0]))

static struct policy_world w;
static size_t root, cache;

/* A cache of 1 GiB with a little anon, looked at once already. */
static void begin(void)
{
	world_init(&w);
	root = world_add(&w, -1, 0, 0);
	cache = world_add(&w, (int)root, MIB(4), MIB(1020));
	world_list(&w, cache, (const uint64_t[]){0, 0, 0, 4})->gens[0].pages[LRU_FILE] =
		PAGES(1020);
	world_tick(&w);
}

static void assert_decides(enum action_kind action, enum reason reason)
{
	const struct decision *d = world_decision(&w, cache);

	assert_string_equal(reason_to_string(w.states[cache].verdict.reason),
			    reason_to_string(reason));
	assert_int_equal(d ? d->action : ACTION_NONE, action);
	assert_int_equal(w.states[cache].verdict.action, action);
}

/* What the last plan asked for is done, and so much of it comes back before the next one. */
static void tick(uint64_t returned_pages)
{
	uint64_t bytes = world_bytes(&w, cache);

	world_take_file(&w, cache, bytes);
	w.memcgs[cache].outcome = (struct outcome){
		.writes = bytes > 0,
		.asked_bytes = bytes,
		.freed_bytes = bytes,
		.scanned_pages = bytes / PAGE_BYTES,
		.stolen_pages[LRU_FILE] = bytes / PAGE_BYTES,
	};
	world_refault(&w, cache, LRU_FILE, returned_pages);
	world_tick(&w);
}

/* By a sixth in five seconds and a thirtieth in one, since refaults take thirty to be seen. */
static void test_begins_small_and_grows(void **arg)
{
	(void)arg;
	for (uint64_t sec = 1; sec <= 5; sec += 4) {
		uint64_t ppm_per_sec = 1000;

		begin();
		w.snapshot.interval_usec = SECONDS(sec);
		tick(0);
		for (int i = 0; i < 20; i++) {
			uint64_t want =
				mul_div(w.memcgs[cache].current_bytes, ppm_per_sec * sec, PPM);

			assert_decides(ACTION_EVICT, REASON_UNUSED_FILE);
			assert_in_range(world_bytes(&w, cache), want - PAGE_BYTES,
					want + PAGE_BYTES);
			assert_int_equal(world_decision(&w, cache)->swappiness,
					 SWAPPINESS_FILE_ONLY);
			tick(0);
			ppm_per_sec = min_u64(ppm_per_sec + ppm_per_sec * sec / 30, 10000);
		}
	}
}

/* Half a MiB, which can be judged, even where that is more than a thousandth. */
static void test_a_trial_can_be_judged(void **arg)
{
	(void)arg;
	begin();
	w.params.classes[0].floor_ppm = 0;
	w.params.classes[0].floor_bytes = 0;
	w.memcgs[cache].current_bytes = w.memcgs[cache].lru_bytes[LRU_FILE] = MIB(64);
	world_tick(&w);
	assert_decides(ACTION_EVICT, REASON_UNUSED_FILE);
	assert_int_equal(world_bytes(&w, cache), MIB(1) / 2);
}

/* 0.5 % a minute of 1 GiB: 21 pages a second, and three times as many are harm. */
static void test_what_comes_back_stops_it(void **arg)
{
	(void)arg;
	begin();
	tick(0);
	for (int i = 0; i < 4; i++)
		tick(0);
	assert_decides(ACTION_EVICT, REASON_UNUSED_FILE);
	/* 43 a second, averaged. */
	tick(1500);
	assert_decides(ACTION_NONE, REASON_HOLD_REFAULT);
	assert_in_range(w.states[cache].verdict.limit, 18000, 22000);
	/* It begins small again. */
	for (int i = 0; i < 60 && !world_decision(&w, cache); i++)
		tick(0);
	assert_decides(ACTION_EVICT, REASON_UNUSED_FILE);
	assert_in_range(world_bytes(&w, cache), 1, w.memcgs[cache].current_bytes / 100);
}

/* Idle file waits for CPU time as idle anon does, and goes on by itself. */
static void test_cpu_budget_is_waited_for(void **arg)
{
	(void)arg;
	begin();
	tick(0);
	assert_decides(ACTION_EVICT, REASON_UNUSED_FILE);
	w.snapshot.system.cpu_wait_usec = SECONDS(3);
	tick(0);
	assert_decides(ACTION_NONE, REASON_CPU_BUDGET);
	assert_int_equal(w.states[cache].verdict.measured, SECONDS(3));
	assert_false(w.states[cache].wants_tiers);
	/* Nor is it aged when it is used up. */
	w.lruvecs[0].gens[0].pages[LRU_FILE] = 0;
	tick(0);
	assert_decides(ACTION_NONE, REASON_CPU_BUDGET);
	w.lruvecs[0].gens[0].pages[LRU_FILE] = PAGES(1000);
	w.snapshot.system.cpu_wait_usec = 0;
	tick(0);
	assert_decides(ACTION_EVICT, REASON_UNUSED_FILE);
}

/* 2 ms a refault: PressureLimit of 0.1 % pays for one in two seconds, and 10 us for all that
 * RefaultLimit allows. */
static void test_slow_storage_allows_less(void **arg)
{
	(void)arg;
	begin();
	w.states[cache].refault_mpps[LRU_FILE] = 5000;
	w.states[cache].mean_stall_io_ppm = 10000;
	w.memcgs[cache].psi_io.some_usec += 10000 * 5;
	world_refault(&w, cache, LRU_FILE, 25);
	w.states[cache].baseline_io_ppm = 10000;
	world_tick(&w);
	assert_decides(ACTION_NONE, REASON_HOLD_REFAULT);
	assert_in_range(w.states[cache].verdict.limit, 450, 550);

	begin();
	w.states[cache].credit = 100 * 1000 * 1000;
	w.states[cache].refault_mpps[LRU_FILE] = 5000;
	world_refault(&w, cache, LRU_FILE, 25);
	world_tick(&w);
	assert_decides(ACTION_EVICT, REASON_UNUSED_FILE);
	assert_in_range(w.states[cache].verdict.limit, 20000, 22000);
}

/* So many refaults a second, that make the memcg wait for so much of the time. */
static uint64_t allowed_mpps(uint64_t refault_mpps, uint64_t stall_ppm)
{
	begin();
	w.states[cache].refault_mpps[LRU_FILE] = refault_mpps;
	w.states[cache].mean_stall_io_ppm = (uint32_t)stall_ppm;
	w.params.classes[0].refault_limit_ppm = PPM;
	world_refault(&w, cache, LRU_FILE, refault_mpps * 5 / 1000);
	world_tick(&w);
	return w.states[cache].verdict.limit;
}

/* With too few refaults to tell, a page costs 200 us: five a second. */
static void test_usual_cost(void **arg)
{
	(void)arg;
	begin();
	tick(0);
	assert_int_equal(w.states[cache].verdict.limit, 4999);
	/* Two in ten seconds do tell, if not when the last was long ago: 2 ms. */
	assert_in_range(allowed_mpps(150, 400), 4990, 5000);
	assert_in_range(allowed_mpps(300, 600), 400, 700);
	/* The quickest storage is taken for one of 2 us at best. */
	assert_in_range(allowed_mpps(10000, 0), 480000, 500000);
	/* What other io costs is not laid at the door of a refault in a minute beyond 20 ms. */
	begin();
	w.states[cache].refault_mpps[LRU_FILE] = 1000;
	w.states[cache].mean_stall_io_ppm = 900000;
	world_refault(&w, cache, LRU_FILE, 5);
	world_tick(&w);
	assert_in_range(w.states[cache].verdict.limit, 45, 55);
}

/* All of each trial comes back: each wait for the next one is twice as long, up to 32 minutes. */
static void test_cache_in_use_is_left_alone(void **arg)
{
	uint64_t trial_usec[7] = {0}, n = 0;

	(void)arg;
	begin();
	for (int i = 0; i < 12 * 120 && n < ARRAY_SIZE(trial_usec); i++) {
		if (world_decision(&w, cache))
			trial_usec[n++] = w.snapshot.now_usec;
		tick(world_bytes(&w, cache) / PAGE_BYTES);
	}
	assert_int_equal(n, ARRAY_SIZE(trial_usec));
	for (size_t i = 2; i < 5; i++)
		assert_in_range(trial_usec[i + 1] - trial_usec[i],
				2 * (trial_usec[i] - trial_usec[i - 1]) - 2 * TICK_USEC,
				2 * (trial_usec[i] - trial_usec[i - 1]));
	assert_in_range(trial_usec[6] - trial_usec[5], SECONDS(32 * 60), SECONDS(32 * 60 + 10));
	tick(world_bytes(&w, cache) / PAGE_BYTES);
	assert_decides(ACTION_NONE, REASON_IN_USE);
}

/* So much of each trial comes back, for three minutes; whether it was found to be in use. */
static bool found_in_use(uint64_t returned_percent)
{
	bool found = false;

	begin();
	/* The trial after a pause is not to be told from the one before. */
	for (int i = 0; i < 36; i++) {
		tick(world_bytes(&w, cache) / PAGE_BYTES * returned_percent / 100);
		found |= w.states[cache].verdict.reason == REASON_IN_USE;
	}
	return found;
}

static void test_three_quarters_are_in_use(void **arg)
{
	(void)arg;
	assert_false(found_in_use(50));
	assert_true(found_in_use(90));
}

/* Nearly all of it comes back, and so many pages are out. */
static bool pauses_with(uint32_t out_pages)
{
	begin();
	for (int i = 0; i < 36; i++) {
		w.states[cache].file_out_pages = out_pages;
		tick(world_bytes(&w, cache) / PAGE_BYTES * 9 / 10);
	}
	return w.states[cache].file_pauses > 0;
}

/* Once a hundredth of it is out for good, what comes back is no trial. */
static void test_a_good_part_is_out(void **arg)
{
	(void)arg;
	assert_true(pauses_with(PAGES(1020) * 6 / 1000));
	assert_false(pauses_with(PAGES(1020) * 20 / 1000));
}

static void test_others_reclaim(void **arg)
{
	(void)arg;
	begin();
	world_scan(&w, cache, 10000);
	world_tick(&w);
	assert_decides(ACTION_NONE, REASON_RECLAIMED);
	world_ticks(&w, 3);
	assert_decides(ACTION_EVICT, REASON_UNUSED_FILE);
}

static void test_young(void **arg)
{
	(void)arg;
	begin();
	w.memcgs[cache].seen_usec = SECONDS(59);
	world_tick(&w);
	assert_decides(ACTION_NONE, REASON_YOUNG);
	w.memcgs[cache].seen_usec = SECONDS(60);
	world_tick(&w);
	assert_decides(ACTION_EVICT, REASON_UNUSED_FILE);
}

static void test_little_clean_file(void **arg)
{
	(void)arg;
	begin();
	w.memcgs[cache].file_dirty_bytes = MIB(1020) - MIB(8) + PAGE_BYTES;
	world_tick(&w);
	assert_decides(ACTION_NONE, REASON_LITTLE_FILE);
	w.memcgs[cache].file_dirty_bytes = MIB(1020) - MIB(8);
	world_tick(&w);
	assert_decides(ACTION_EVICT, REASON_UNUSED_FILE);
}

static void test_classes(void **arg)
{
	(void)arg;
	begin();
	w.params.classes[0].reclaim = RECLAIM_ANON;
	world_tick(&w);
	assert_null(world_decision(&w, cache));
	w.params.classes[0].reclaim = RECLAIM_FILE;
	world_tick(&w);
	assert_decides(ACTION_EVICT, REASON_UNUSED_FILE);
}

/* What was used more than once comes back: nothing is taken until that has faded. */
static void test_tiers_in_use(void **arg)
{
	struct lruvec_tiers *tiers;

	(void)arg;
	begin();
	tiers = world_tiers(&w, cache);
	world_tick(&w);
	assert_decides(ACTION_EVICT, REASON_UNUSED_FILE);
	assert_true(w.states[cache].wants_tiers);
	tiers->tiers[1].evicted_pages += 1000;
	tiers->tiers[1].refaulted_pages += 900;
	world_tick(&w);
	assert_decides(ACTION_NONE, REASON_HOLD_TIERS);
	world_ticks(&w, 60);
	assert_decides(ACTION_EVICT, REASON_UNUSED_FILE);
}

static void test_floor(void **arg)
{
	(void)arg;
	begin();
	w.params.classes[0].floor_ppm = 0;
	w.params.classes[0].floor_bytes = MIB(1024) - MIB(1) / 4 + PAGE_BYTES;
	world_tick(&w);
	assert_decides(ACTION_NONE, REASON_FLOOR);
	w.params.classes[0].floor_bytes = MIB(1024) - MIB(1);
	world_tick(&w);
	assert_decides(ACTION_EVICT, REASON_UNUSED_FILE);
	assert_int_equal(world_bytes(&w, cache), MIB(1));
}

/* No generations, no MGLRU: it works all the same. */
static void test_classic_lru(void **arg)
{
	(void)arg;
	begin();
	w.snapshot.system.capability = CAPABILITY_RECLAIM;
	w.memcgs[cache].listed = false;
	w.memcgs[cache].n_lruvecs = 0;
	world_tick(&w);
	assert_decides(ACTION_RECLAIM, REASON_UNUSED_FILE);
}

/* The oldest generations are used up: one more is opened, and not again for five minutes. */
static void test_used_up(void **arg)
{
	struct lruvec_sample *lruvec = &w.lruvecs[0];

	(void)arg;
	begin();
	lruvec->n_gens = 3;
	for (uint32_t g = 0; g < 3; g++)
		lruvec->gens[g] = (struct gen_sample){.seq = 7 + g, .age_msec = 310000};
	lruvec->gens[1].pages[LRU_FILE] = PAGES(1020);
	world_tick(&w);
	assert_decides(ACTION_AGE, REASON_USED_UP);
	assert_int_equal(w.states[cache].verdict.measured, SECONDS(310));
	assert_false(world_decision(&w, cache)->force);
	lruvec->gens[2].age_msec = 299999;
	world_tick(&w);
	assert_decides(ACTION_NONE, REASON_AGE_NOT_DUE);
	assert_int_equal(w.states[cache].verdict.measured, 299999000);
	lruvec->gens[0].pages[LRU_FILE] = PAGES(2);
	world_tick(&w);
	assert_decides(ACTION_EVICT, REASON_UNUSED_FILE);
	assert_int_equal(world_bytes(&w, cache), MIB(2));
	w.memcgs[cache].listed = false;
	w.memcgs[cache].n_lruvecs = 0;
	world_tick(&w);
	assert_decides(ACTION_NONE, REASON_NOT_LISTED);
}

/* An aging is told also where there is more anon than file: most of it may be the kernel's. */
static void test_used_up_beside_anon(void **arg)
{
	struct lruvec_sample *lruvec = &w.lruvecs[0];

	(void)arg;
	begin();
	w.params.anon = ANON_NO;
	w.memcgs[cache].lru_bytes[LRU_ANON] = MIB(20);
	w.memcgs[cache].lru_bytes[LRU_FILE] = MIB(16);
	lruvec->n_gens = 3;
	for (uint32_t g = 0; g < 3; g++)
		lruvec->gens[g] = (struct gen_sample){.seq = 7 + g, .age_msec = 310000};
	lruvec->gens[1].pages[LRU_FILE] = PAGES(16);
	world_tick(&w);
	assert_decides(ACTION_AGE, REASON_USED_UP);
}

/* A database, whose anon is most and is never taken, after a backup: file has no more than the two
 * youngest generations, and cold anon the oldest. Where the kernel refuses an aging then, it is forced. */
static void test_used_up_in_a_database(void **arg)
{
	struct lruvec_sample *lruvec = &w.lruvecs[0], full;

	(void)arg;
	begin();
	w.params.classes[0].reclaim = RECLAIM_FILE;
	w.memcgs[cache].lru_bytes[LRU_ANON] = MIB(600);
	w.memcgs[cache].lru_bytes[LRU_FILE] = MIB(424);
	for (uint32_t g = 0; g < 4; g++) {
		lruvec->gens[g].age_msec = 310000;
		lruvec->gens[g].pages[LRU_ANON] = PAGES(150);
		lruvec->gens[g].pages[LRU_FILE] = g < 2 ? 0 : PAGES(212);
	}
	world_tick(&w);
	assert_decides(ACTION_AGE, REASON_USED_UP);
	assert_false(world_decision(&w, cache)->force);
	w.states[cache].aging.refused = true;
	world_tick(&w);
	assert_decides(ACTION_AGE, REASON_USED_UP);
	assert_true(world_decision(&w, cache)->force);
	/* There is room for one more: nothing to force. */
	full = *lruvec;
	lruvec->n_gens = 3;
	for (uint32_t g = 0; g < 3; g++)
		lruvec->gens[g] = lruvec->gens[g + 1];
	world_tick(&w);
	assert_decides(ACTION_AGE, REASON_USED_UP);
	assert_false(world_decision(&w, cache)->force);
	*lruvec = full;
	/* Anon that is taken has agings of its own. */
	w.params.classes[0].reclaim = RECLAIM_ALL;
	lruvec->gens[0].pages[LRU_ANON] = 0;
	lruvec->gens[3].pages[LRU_ANON] = PAGES(300);
	world_tick(&w);
	assert_decides(ACTION_AGE, REASON_AGE);
	/* But not where file is most: then it is not looked at. */
	w.memcgs[cache].lru_bytes[LRU_ANON] = MIB(400);
	w.memcgs[cache].lru_bytes[LRU_FILE] = MIB(624);
	world_tick(&w);
	assert_decides(ACTION_AGE, REASON_USED_UP);
}

/* Generations of anon alone before those of file are not in the way. */
static void test_behind_old_anon(void **arg)
{
	(void)arg;
	begin();
	w.lruvecs[0].gens[0].pages[LRU_FILE] = 0;
	w.lruvecs[0].gens[0].pages[LRU_ANON] = PAGES(4);
	w.lruvecs[0].gens[1].pages[LRU_FILE] = PAGES(1020);
	w.params.anon = ANON_NO;
	world_tick(&w);
	assert_decides(ACTION_EVICT, REASON_UNUSED_FILE);
	assert_int_equal(world_decision(&w, cache)->seq, w.lruvecs[0].gens[1].seq);
}

/* Below a shared limit of which less than a fifth is free SPLIT rules, and below one of less than half
 * of the host's memory in any case; one alone is its own affair. */
static void test_shared_limit(void **arg)
{
	size_t slice, other;

	(void)arg;
	world_init(&w);
	root = world_add(&w, -1, 0, 0);
	slice = world_add(&w, (int)root, 0, 0);
	cache = world_add(&w, (int)slice, MIB(4), MIB(796));
	other = world_add(&w, (int)slice, MIB(4), MIB(196));
	world_list(&w, cache, (const uint64_t[]){0, 0, 0, 4})->gens[0].pages[LRU_FILE] = PAGES(796);
	w.snapshot.system.ram_bytes = MIB(2000);
	w.memcgs[slice].max_bytes = MIB(1250) - 5 * PAGE_BYTES;
	world_ticks(&w, 2);
	assert_decides(ACTION_NONE, REASON_LIMIT_NEAR);
	w.memcgs[slice].max_bytes = MIB(1250);
	world_tick(&w);
	assert_decides(ACTION_EVICT, REASON_UNUSED_FILE);
	w.snapshot.system.ram_bytes = 2 * MIB(1250) + 2;
	world_tick(&w);
	assert_decides(ACTION_NONE, REASON_LIMIT_NEAR);
	w.memcgs[slice].max_bytes = MIB(1050);
	w.memcgs[other].populated = false;
	world_tick(&w);
	assert_decides(ACTION_EVICT, REASON_UNUSED_FILE);
}

/* More than the 1 % of headroom are free: that is headroom.c's affair no more. */
static void test_limit_of_its_own(void **arg)
{
	(void)arg;
	begin();
	w.memcgs[cache].max_bytes = w.memcgs[cache].current_bytes + MIB(10);
	world_tick(&w);
	assert_decides(ACTION_EVICT, REASON_HEADROOM);
	w.memcgs[cache].max_bytes = w.memcgs[cache].current_bytes + MIB(11);
	world_tick(&w);
	assert_decides(ACTION_EVICT, REASON_UNUSED_FILE);
}

/* Anon goes first, and where anon is most, its verdict is the one that is told. */
static void test_beside_anon(void **arg)
{
	(void)arg;
	begin();
	w.memcgs[cache].lru_bytes[LRU_ANON] = MIB(600);
	w.memcgs[cache].lru_bytes[LRU_FILE] = MIB(424);
	w.lruvecs[0].gens[3].pages[LRU_ANON] = PAGES(600);
	w.lruvecs[0].gens[0].pages[LRU_FILE] = 0;
	w.lruvecs[0].gens[1].pages[LRU_FILE] = PAGES(424);
	world_tick(&w);
	assert_decides(ACTION_AGE, REASON_AGE);
	w.lruvecs[0].gens[3].age_msec = 0;
	world_tick(&w);
	assert_decides(ACTION_EVICT, REASON_UNUSED_FILE);
	w.memcgs[cache].file_dirty_bytes = MIB(424);
	world_tick(&w);
	assert_decides(ACTION_NONE, REASON_AGE_NOT_DUE);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_begins_small_and_grows),
		cmocka_unit_test(test_a_trial_can_be_judged),
		cmocka_unit_test(test_what_comes_back_stops_it),
		cmocka_unit_test(test_cpu_budget_is_waited_for),
		cmocka_unit_test(test_slow_storage_allows_less),
		cmocka_unit_test(test_usual_cost),
		cmocka_unit_test(test_cache_in_use_is_left_alone),
		cmocka_unit_test(test_three_quarters_are_in_use),
		cmocka_unit_test(test_a_good_part_is_out),
		cmocka_unit_test(test_others_reclaim),
		cmocka_unit_test(test_young),
		cmocka_unit_test(test_little_clean_file),
		cmocka_unit_test(test_classes),
		cmocka_unit_test(test_tiers_in_use),
		cmocka_unit_test(test_floor),
		cmocka_unit_test(test_classic_lru),
		cmocka_unit_test(test_used_up),
		cmocka_unit_test(test_used_up_beside_anon),
		cmocka_unit_test(test_used_up_in_a_database),
		cmocka_unit_test(test_behind_old_anon),
		cmocka_unit_test(test_shared_limit),
		cmocka_unit_test(test_limit_of_its_own),
		cmocka_unit_test(test_beside_anon),
	};

	return cmocka_run_group_tests_name("policy-saver-file", tests, NULL, NULL);
}
