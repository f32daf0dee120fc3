/* SPDX-License-Identifier: MIT */
/*
 * SAVER by example: when a memcg is aged, and when, from where and how fast cold anon is evicted.
 */
#include "policy-world.h"

#include <setjmp.h>
#include <stdarg.h>
#include <cmocka.h>

static struct policy_world w;
static size_t root, idle;

static const uint64_t fresh[] = {0, 0, 0, 320};
static const uint64_t aged[] = {0, 240, 79, 1};
static const uint64_t cold[] = {240, 0, 79, 1};

/* One idle memcg of 320 MiB anon, looked at once already. */
static struct lruvec_sample *begin(const uint64_t *anon_mib)
{
	struct lruvec_sample *lruvec;

	world_init(&w);
	root = world_add(&w, -1, 0, 0);
	idle = world_add(&w, (int)root, MIB(320), 0);
	lruvec = world_list(&w, idle, anon_mib);
	world_tick(&w);
	return lruvec;
}

static void assert_decides(enum action_kind action, enum reason reason)
{
	const struct decision *d = world_decision(&w, idle);

	assert_int_equal(d ? d->action : ACTION_NONE, action);
	assert_string_equal(reason_to_string(w.states[idle].verdict.reason),
			    reason_to_string(reason));
}

static void test_ages_when_the_oldest_is_empty(void **arg)
{
	(void)arg;
	begin(fresh);
	world_tick(&w);
	assert_decides(ACTION_AGE, REASON_AGE);
	assert_int_equal(world_decision(&w, idle)->seq, 13);
	assert_true(world_decision(&w, idle)->force);
	assert_int_equal(world_decision(&w, idle)->bytes, 0);
}

/* 400 ms of 1 % of a core are 40 s: eight ticks, where W is four at most. */
static void test_dear_aging_is_paid_for(void **arg)
{
	struct lruvec_sample *lruvec = begin(fresh);

	(void)arg;
	world_tick(&w);
	assert_decides(ACTION_AGE, REASON_AGE);
	lruvec->gens[3].age_msec = 0;
	/* It ends in two parts, as those of two nodes do. */
	w.memcgs[idle].outcome = (struct outcome){.agings = 1, .aging_usec = 300000};
	world_tick(&w);
	w.memcgs[idle].outcome.aging_usec = 100000;
	world_tick(&w);
	w.memcgs[idle].outcome = (struct outcome){0};
	lruvec->gens[3].age_msec = 60000;
	world_tick(&w);
	for (unsigned tick = 4; tick < 8; tick++) {
		world_tick(&w);
		assert_decides(ACTION_NONE, REASON_AGE_DEAR);
		assert_int_equal(w.states[idle].verdict.measured, tick * TICK_USEC);
		assert_int_equal(w.states[idle].verdict.limit, SECONDS(40));
	}
	world_tick(&w);
	assert_decides(ACTION_AGE, REASON_AGE);
	/* One that costs next to nothing comes after W again. */
	w.memcgs[idle].outcome.aging_usec = 1000;
	world_tick(&w);
	w.memcgs[idle].outcome = (struct outcome){0};
	assert_decides(ACTION_NONE, REASON_AGE_NOT_DUE);
	assert_true(w.states[idle].age_interval_usec <= SECONDS(20));
	world_ticks(&w, (unsigned)(w.states[idle].age_interval_usec / TICK_USEC) - 1);
	assert_decides(ACTION_AGE, REASON_AGE);
}

/* Ten times the budget, a tenth of the time. */
static void test_a_larger_budget_pays_sooner(void **arg)
{
	struct lruvec_sample *lruvec = begin(fresh);

	(void)arg;
	w.params.cpu_budget_ppm = 100000;
	world_tick(&w);
	assert_decides(ACTION_AGE, REASON_AGE);
	w.memcgs[idle].outcome.aging_usec = 3000000;
	lruvec->gens[3].age_msec = 60000;
	world_tick(&w);
	w.memcgs[idle].outcome = (struct outcome){0};
	world_ticks(&w, 4);
	assert_decides(ACTION_NONE, REASON_AGE_DEAR);
	assert_int_equal(w.states[idle].verdict.limit, SECONDS(30));
	world_tick(&w);
	assert_decides(ACTION_AGE, REASON_AGE);
}

static void test_nearly_empty_is_empty(void **arg)
{
	struct lruvec_sample *lruvec = begin(aged);

	(void)arg;
	lruvec->gens[0].pages[LRU_ANON] = 64;
	lruvec->gens[0].pages[LRU_FILE] = PAGES(320) / 8;
	world_tick(&w);
	assert_decides(ACTION_AGE, REASON_AGE);
}

/* Too recently seen to be evicted after the interval was widened, too many to be merged. */
static void test_never_merges_anon(void **arg)
{
	struct lruvec_sample *lruvec = begin(cold);

	(void)arg;
	lruvec->gens[0].pages[LRU_ANON] = 65;
	lruvec->gens[1].age_msec = 9999;
	world_tick(&w);
	assert_null(world_decision(&w, idle));
}

static void test_never_merges_much_file(void **arg)
{
	struct lruvec_sample *lruvec = begin(aged);

	(void)arg;
	lruvec->gens[0].pages[LRU_FILE] = PAGES(320) / 8 + 1;
	world_tick(&w);
	assert_decides(ACTION_NONE, REASON_OLDEST_HOLDS_FILE);
}

/* Eviction that drains the oldest generation leaves two or three: nothing can be merged then. */
static void test_ages_with_generations_missing(void **arg)
{
	struct lruvec_sample *lruvec;

	(void)arg;
	for (uint32_t n = 2; n < 4; n++) {
		lruvec = begin(fresh);
		lruvec->n_gens = n;
		for (uint32_t g = 0; g < n; g++)
			lruvec->gens[g].pages[LRU_ANON] = PAGES(320) / n;
		world_tick(&w);
		assert_decides(ACTION_AGE, REASON_AGE);
	}
}

static void test_waits_an_interval_between_agings(void **arg)
{
	struct lruvec_sample *lruvec = begin(aged);

	(void)arg;
	lruvec->gens[3].age_msec = 9999;
	world_tick(&w);
	assert_decides(ACTION_NONE, REASON_AGE_NOT_DUE);
	lruvec->gens[3].age_msec = 10000;
	world_tick(&w);
	assert_decides(ACTION_AGE, REASON_AGE);
}

/* MGLRU that was switched off answers with success and does nothing. */
static void test_aging_without_effect_is_not_repeated_at_once(void **arg)
{
	(void)arg;
	begin(aged);
	world_tick(&w);
	assert_decides(ACTION_AGE, REASON_AGE);
	world_tick(&w);
	assert_decides(ACTION_NONE, REASON_AGE_NOT_DUE);
	world_tick(&w);
	assert_decides(ACTION_AGE, REASON_AGE);
}

static void test_no_aging_while_others_reclaim(void **arg)
{
	(void)arg;
	begin(aged);
	world_scan(&w, idle, 513);
	world_tick(&w);
	assert_decides(ACTION_NONE, REASON_RECLAIMED);
	world_ticks(&w, 2);
	assert_decides(ACTION_NONE, REASON_RECLAIMED);
	world_tick(&w);
	assert_decides(ACTION_AGE, REASON_AGE);
}

static void test_own_scans_are_not_others(void **arg)
{
	(void)arg;
	begin(aged);
	world_scan(&w, idle, 100000);
	w.memcgs[idle].outcome.scanned_pages = 100000;
	world_tick(&w);
	assert_decides(ACTION_AGE, REASON_AGE);
}

/* A write under way: how much of it the counters show already, and how much the outcome, is open. */
static void test_scans_beside_a_write_are_nobodys(void **arg)
{
	(void)arg;
	begin(aged);
	world_scan(&w, idle, 100000);
	w.memcgs[idle].busy = true;
	world_tick(&w);
	assert_decides(ACTION_NONE, REASON_BUSY);
	w.memcgs[idle].busy = false;
	w.memcgs[idle].outcome.scanned_pages = 100000;
	world_tick(&w);
	assert_decides(ACTION_AGE, REASON_AGE);
}

static void test_evicts_after_two_missed_agings(void **arg)
{
	(void)arg;
	begin(cold);
	world_tick(&w);
	assert_decides(ACTION_EVICT, REASON_EVICT_COLD);
	assert_int_equal(world_decision(&w, idle)->seq, 10);
	assert_int_equal(world_decision(&w, idle)->swappiness, 200);
}

static void test_one_missed_aging_proves_nothing(void **arg)
{
	struct lruvec_sample *lruvec = begin(cold);

	(void)arg;
	lruvec->n_gens = 3;
	lruvec->gens[2].age_msec = 1000;
	world_tick(&w);
	assert_decides(ACTION_NONE, REASON_AGE_NOT_DUE);
}

static void test_two_agings_in_a_moment_prove_nothing(void **arg)
{
	struct lruvec_sample *lruvec = begin(cold);

	(void)arg;
	for (int g = 1; g < 4; g++)
		lruvec->gens[g].age_msec = 9000;
	world_tick(&w);
	assert_null(world_decision(&w, idle));
}

/* 0.25 % of 320 MiB a second, then twice as much each time, up to 8 MiB a second. */
static void test_first_steps_are_small(void **arg)
{
	static const uint64_t mib[] = {4, 8, 16, 32, 40, 40};

	(void)arg;
	begin(cold);
	for (size_t i = 0; i < sizeof(mib) / sizeof(mib[0]); i++) {
		world_tick(&w);
		assert_in_range(world_bytes(&w, idle), MIB(mib[i]) - PAGE_BYTES, MIB(mib[i]));
		w.memcgs[idle].outcome.stolen_pages[LRU_ANON] = 100;
	}
	/* Without a step in between the next is no larger. */
	begin(cold);
	world_ticks(&w, 3);
	assert_in_range(world_bytes(&w, idle), MIB(4) - PAGE_BYTES, MIB(4));
}

/* More comes back than the class allows: small steps again. */
static void test_harm_starts_the_steps_over(void **arg)
{
	(void)arg;
	begin(cold);
	world_full_pace(&w, idle);
	w.states[idle].credit = 10000000;
	world_refault(&w, idle, LRU_ANON, 80);
	w.states[idle].refault_mpps[LRU_ANON] = 8000;
	world_tick(&w);
	assert_in_range(world_bytes(&w, idle), MIB(4) - PAGE_BYTES, MIB(4));
}

static void test_evicts_one_percent_a_second(void **arg)
{
	uint64_t want = MIB(1600) / 100 * 5;

	(void)arg;
	begin(cold);
	w.memcgs[root].current_bytes = w.memcgs[idle].current_bytes = MIB(1600);
	world_full_pace(&w, idle);
	world_tick(&w);
	assert_in_range(world_bytes(&w, idle), want - PAGE_BYTES, want);
	/* A late tick may make up for two, never for more. */
	w.snapshot.now_usec += 3 * TICK_USEC;
	world_tick(&w);
	assert_in_range(world_bytes(&w, idle), 2 * want - 2 * PAGE_BYTES, 2 * want);
	/* A hastened one gets its share. */
	w.snapshot.now_usec -= TICK_USEC - SECONDS(1);
	world_tick(&w);
	assert_in_range(world_bytes(&w, idle), want / 5 - PAGE_BYTES, want / 5);
}

/* 8 MiB a second would be more than a small one can show the harm of in time. */
static void test_evicts_four_percent_of_little(void **arg)
{
	(void)arg;
	begin((const uint64_t[]){30, 0, 9, 1});
	w.params.classes[0].floor_ppm = 0;
	w.memcgs[idle].current_bytes = MIB(90);
	w.memcgs[idle].lru_bytes[LRU_ANON] = MIB(40);
	world_full_pace(&w, idle);
	world_tick(&w);
	assert_in_range(world_bytes(&w, idle), MIB(18) - PAGE_BYTES, MIB(18));
}

static void test_evicts_the_oldest_generation_only(void **arg)
{
	static const uint64_t few[] = {2, 238, 79, 1};

	(void)arg;
	begin(few);
	world_tick(&w);
	assert_decides(ACTION_EVICT, REASON_EVICT_COLD);
	assert_int_equal(world_bytes(&w, idle), MIB(2));
}

static void test_young_memcg_is_aged_only(void **arg)
{
	struct lruvec_sample *lruvec = begin(cold);

	(void)arg;
	lruvec->gens[0].age_msec = lruvec->gens[1].age_msec = 59000;
	w.memcgs[idle].seen_usec = SECONDS(59);
	world_tick(&w);
	assert_null(world_decision(&w, idle));
	lruvec = begin(aged);
	lruvec->gens[0].age_msec = lruvec->gens[1].age_msec = 59000;
	w.memcgs[idle].seen_usec = SECONDS(59);
	world_tick(&w);
	assert_decides(ACTION_AGE, REASON_AGE);
}

/* We have just been started, it was there all the time: its generations tell. */
static void test_old_generations_are_those_of_an_old_memcg(void **arg)
{
	struct lruvec_sample *lruvec = begin(cold);

	(void)arg;
	lruvec->gens[0].age_msec = 60000;
	w.memcgs[idle].seen_usec = SECONDS(10);
	world_tick(&w);
	assert_decides(ACTION_EVICT, REASON_EVICT_COLD);
}

static void test_two_nodes_share_one_budget(void **arg)
{
	uint64_t want = MIB(40);

	(void)arg;
	begin((const uint64_t[]){10, 100, 40, 10});
	world_list(&w, idle, (const uint64_t[]){100, 20, 30, 10});
	world_full_pace(&w, idle);
	world_tick(&w);
	assert_int_equal(w.plan.n_decisions, 2);
	assert_int_equal(w.decisions[0].node, 0);
	assert_int_equal(w.decisions[0].bytes, MIB(10));
	assert_int_equal(w.decisions[1].node, 1);
	assert_in_range(world_bytes(&w, idle), want - PAGE_BYTES, want);
}

static void test_two_nodes_age_together(void **arg)
{
	(void)arg;
	begin((const uint64_t[]){0, 100, 50, 10});
	world_list(&w, idle, (const uint64_t[]){0, 100, 50, 10});
	world_tick(&w);
	assert_int_equal(w.plan.n_decisions, 2);
	assert_int_equal(w.decisions[0].action, ACTION_AGE);
	assert_int_equal(w.decisions[1].action, ACTION_AGE);
	assert_int_not_equal(w.decisions[0].node, w.decisions[1].node);
}

static void test_little_anon_is_not_worth_it(void **arg)
{
	(void)arg;
	begin(fresh);
	w.memcgs[idle].lru_bytes[LRU_ANON] = MIB(8) - 1;
	world_tick(&w);
	assert_decides(ACTION_NONE, REASON_LITTLE_ANON);
	w.memcgs[idle].lru_bytes[LRU_ANON] = MIB(8);
	world_tick(&w);
	assert_decides(ACTION_AGE, REASON_AGE);
}

static void test_mostly_file_is_not_aged(void **arg)
{
	(void)arg;
	begin(fresh);
	w.params.classes[0].reclaim = RECLAIM_ANON;
	w.memcgs[idle].lru_bytes[LRU_FILE] = MIB(320) + 1;
	world_tick(&w);
	assert_decides(ACTION_NONE, REASON_FILE_MOSTLY);
}

static void test_missing_listing_freezes(void **arg)
{
	(void)arg;
	begin(cold);
	w.memcgs[idle].listed = false;
	w.memcgs[idle].n_lruvecs = 0;
	world_tick(&w);
	assert_decides(ACTION_NONE, REASON_NOT_LISTED);
}

static void test_working_set_is_measured(void **arg)
{
	(void)arg;
	begin(cold);
	assert_int_equal(w.states[idle].cold_bytes, MIB(240));
	assert_int_equal(w.states[idle].working_set_bytes, MIB(80));
}

/* kswapd, direct reclaim or another agent: what they take is taken off the pace, to the page. */
static void test_yields_to_others(void **arg)
{
	uint64_t pace_bytes;

	(void)arg;
	begin((const uint64_t[]){240, 0, 79, 1});
	world_full_pace(&w, idle);
	w.memcgs[idle].outcome = (struct outcome){0};
	world_tick(&w);
	pace_bytes = world_bytes(&w, idle);
	world_steal(&w, idle, PAGES(4));
	world_tick(&w);
	assert_int_equal(world_bytes(&w, idle), pace_bytes - MIB(4));
	world_steal(&w, idle, pace_bytes / PAGE_BYTES);
	world_tick(&w);
	assert_decides(ACTION_NONE, REASON_OTHERS);
	/* Our own share is nobody else's. */
	w.memcgs[idle].outcome.stolen_pages[LRU_ANON] = PAGES(4);
	world_steal(&w, idle, PAGES(4));
	world_tick(&w);
	assert_int_equal(world_bytes(&w, idle), pace_bytes);
}

/* Idle memory waits for CPU time: neither aged nor evicted; and goes on by itself. */
static void test_cpu_budget_is_waited_for(void **arg)
{
	(void)arg;
	begin(aged);
	w.snapshot.system.cpu_wait_usec = SECONDS(3);
	world_ticks(&w, 20);
	assert_null(world_decision(&w, idle));
	assert_int_equal(w.states[idle].verdict.reason, REASON_CPU_BUDGET);
	assert_int_equal(w.states[idle].verdict.measured, SECONDS(3));
	w.snapshot.system.cpu_wait_usec = 0;
	world_tick(&w);
	assert_non_null(world_decision(&w, idle));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_ages_when_the_oldest_is_empty),
		cmocka_unit_test(test_dear_aging_is_paid_for),
		cmocka_unit_test(test_a_larger_budget_pays_sooner),
		cmocka_unit_test(test_cpu_budget_is_waited_for),
		cmocka_unit_test(test_yields_to_others),
		cmocka_unit_test(test_nearly_empty_is_empty),
		cmocka_unit_test(test_never_merges_anon),
		cmocka_unit_test(test_never_merges_much_file),
		cmocka_unit_test(test_ages_with_generations_missing),
		cmocka_unit_test(test_waits_an_interval_between_agings),
		cmocka_unit_test(test_aging_without_effect_is_not_repeated_at_once),
		cmocka_unit_test(test_no_aging_while_others_reclaim),
		cmocka_unit_test(test_own_scans_are_not_others),
		cmocka_unit_test(test_scans_beside_a_write_are_nobodys),
		cmocka_unit_test(test_evicts_after_two_missed_agings),
		cmocka_unit_test(test_one_missed_aging_proves_nothing),
		cmocka_unit_test(test_two_agings_in_a_moment_prove_nothing),
		cmocka_unit_test(test_first_steps_are_small),
		cmocka_unit_test(test_harm_starts_the_steps_over),
		cmocka_unit_test(test_evicts_one_percent_a_second),
		cmocka_unit_test(test_evicts_four_percent_of_little),
		cmocka_unit_test(test_evicts_the_oldest_generation_only),
		cmocka_unit_test(test_young_memcg_is_aged_only),
		cmocka_unit_test(test_old_generations_are_those_of_an_old_memcg),
		cmocka_unit_test(test_two_nodes_share_one_budget),
		cmocka_unit_test(test_two_nodes_age_together),
		cmocka_unit_test(test_little_anon_is_not_worth_it),
		cmocka_unit_test(test_mostly_file_is_not_aged),
		cmocka_unit_test(test_missing_listing_freezes),
		cmocka_unit_test(test_working_set_is_measured),
	};

	return cmocka_run_group_tests_name("policy-saver", tests, NULL, NULL);
}
