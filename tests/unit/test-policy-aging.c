/* SPDX-License-Identifier: MIT */
/*
 * Agings: who is asked for one, what counts as one, and how the kernel's rule is found out.
 */
#include "aging.h"
#include "policy-limit.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>
#include <cmocka.h>

static struct policy_world w;
static struct memcg_view view;
static size_t job;

static void begin(void)
{
	world_init(&w);
	job = world_add(&w, -1, MIB(100), MIB(100));
	world_list(&w, job, (const uint64_t[]){10, 20, 30, 40});
	w.lruvecs[0].n_gens = 3;
	w.states[job].residence.mode = RESIDENCE_BOUND;
	w.plan = (struct plan){.decisions = w.decisions, .capacity = w.capacity};
	view = (struct memcg_view){
		.params = &w.params,
		.class = &w.params.classes[0],
		.snapshot = &w.snapshot,
		.sample = &w.memcgs[job],
		.state = &w.states[job],
		.index = job,
	};
}

/* The next look, with a generation more on node v or without. */
static void look(int v, bool moved)
{
	w.snapshot.now_usec += TICK_USEC;
	if (moved)
		for (uint32_t g = 0; g < w.lruvecs[v].n_gens; g++)
			w.lruvecs[v].gens[g].seq++;
	aging_step(view.state, view.sample, &w.snapshot);
	w.memcgs[job].outcome = (struct outcome){0};
}

static bool ask(bool force)
{
	w.plan.n_decisions = 0;
	return aging_ask(&view, REASON_FLUSH_NEXT, force, SECONDS(10), &w.plan);
}

static void test_asks_each_lruvec(void **arg)
{
	(void)arg;
	begin();
	world_list(&w, job, (const uint64_t[]){1, 2, 30, 40});
	assert_ptr_equal(aging_main_lruvec(&view), &w.lruvecs[1]); /* 73 MiB against 60 */
	w.lruvecs[0].n_gens = 4;
	assert_ptr_equal(aging_main_lruvec(&view), &w.lruvecs[0]);
	assert_true(ask(false));
	assert_int_equal(w.plan.n_decisions, 2);
	assert_int_equal(w.decisions[0].seq, 13);
	assert_int_equal(w.decisions[1].node, 1);
	assert_int_equal(w.decisions[0].reason, REASON_FLUSH_NEXT);
	assert_int_equal(w.decisions[0].bytes, 0);
	assert_false(w.decisions[0].force);
	assert_true(ask(true));
	assert_true(w.decisions[0].force);
}

static void test_asks_nobody_in_vain(void **arg)
{
	(void)arg;
	begin();
	world_list(&w, job, (const uint64_t[]){1, 2, 3, 4});
	w.lruvecs[1].gens[3].age_msec = 9999;
	assert_true(ask(false));
	assert_int_equal(w.plan.n_decisions, 1);
	w.lruvecs[0].n_gens = 4;
	view.aging = AGING_REFUSES;
	assert_false(ask(false));
	assert_int_equal(w.plan.n_decisions, 0);
	assert_true(ask(true));
	w.lruvecs[0].n_gens = 3;
	w.lruvecs[0].gens[2].age_msec = 9999; /* the main one */
	w.lruvecs[1].n_gens = 1;
	assert_false(ask(false));
	begin();
	w.plan.capacity = 0;
	assert_false(ask(false));
	w.lruvecs[0].n_gens = 0;
	w.plan.capacity = 8;
	assert_false(ask(false));
}

/* Without swap an aging is for file, whose generations may begin later than anon's. */
static void test_asks_for_file_alone_without_swap(void **arg)
{
	(void)arg;
	begin();
	w.lruvecs[0].n_gens = 4;
	view.aging = AGING_REFUSES;
	assert_int_equal(aging_file_oldest(&w.lruvecs[0]), 2); /* two there are always */
	assert_int_equal(aging_gens(&view, &w.lruvecs[0]), 4);
	assert_false(ask(false));
	w.snapshot.system.swap_total_bytes = 0;
	assert_int_equal(aging_gens(&view, &w.lruvecs[0]), 2);
	assert_true(ask(false));
	assert_int_equal(w.decisions[0].swappiness, SWAPPINESS_FILE_ONLY);
	assert_false(view.state->aging.was_full);
	w.lruvecs[0].gens[1].pages[LRU_FILE] = 1;
	assert_int_equal(aging_gens(&view, &w.lruvecs[0]), 3);
	w.lruvecs[0].gens[0].pages[LRU_FILE] = SAMPLE_UNKNOWN; /* older than file's oldest */
	assert_int_equal(aging_file_oldest(&w.lruvecs[0]), 1);
	w.lruvecs[0].gens[0].pages[LRU_FILE] = 1;
	assert_int_equal(aging_gens(&view, &w.lruvecs[0]), 4);
	assert_false(ask(false));
	w.snapshot.system.swap_total_bytes = MIB(4096);
	view.aging = AGING_UNKNOWN;
	assert_true(ask(false));
	assert_int_equal(w.decisions[0].swappiness, SWAPPINESS_ANON);
	assert_true(view.state->aging.was_full);
	w.memcgs[job].swap_max_bytes = 0;
	assert_true(ask(false));
	assert_int_equal(w.decisions[0].swappiness, SWAPPINESS_FILE_ONLY);
}

static void test_only_a_moved_seq_counts(void **arg)
{
	struct aging_state *aging;

	(void)arg;
	begin();
	aging = &view.state->aging;
	look(0, false);
	ask(false);
	w.memcgs[job].outcome.agings = 1; /* success, and nothing happened */
	look(0, false);
	assert_int_equal(aging->moved, 0);
	assert_int_equal(aging->unmoved, 1);
	ask(false);
	look(0, false);
	assert_int_equal(aging->unmoved, 2);
	ask(false);
	w.memcgs[job].busy = true;
	look(0, true);
	assert_true(aging->pending);
	w.memcgs[job].busy = false;
	w.memcgs[job].listed = false;
	look(0, false);
	assert_true(aging->pending);
	w.memcgs[job].listed = true;
	w.memcgs[job].outcome.agings = 1;
	look(0, false);
	assert_false(aging->pending);
	assert_int_equal(aging->moved, 1);
	assert_int_equal(aging->unmoved, 0);
	assert_int_equal(aging->moved_usec, w.snapshot.now_usec);
}

static enum aging_rule rule(void)
{
	return aging_rule_of(&w.snapshot, w.states);
}

static void test_a_refusal_decides(void **arg)
{
	(void)arg;
	begin();
	assert_int_equal(rule(), AGING_UNKNOWN);
	view.state->aging.aged_by_itself = 100;
	assert_int_equal(rule(), AGING_ALWAYS);
	w.memcgs[job].outcome.refused_agings = 1;
	look(0, false);
	assert_int_equal(rule(), AGING_REFUSES);
	w.snapshot.system.capability = CAPABILITY_TIERS;
	assert_int_equal(rule(), AGING_REFUSES);
	w.snapshot.system.capability = CAPABILITY_FAST_PATH;
	assert_int_equal(rule(), AGING_REFUSES);
}

/* Where the kernel promotes by frequency nothing but the counters of proactive reclaim tells. */
static void test_fast_path(void **arg)
{
	(void)arg;
	begin();
	w.snapshot.system.capability = CAPABILITY_FAST_PATH;
	view.state->aging.aged_by_itself = 100;
	view.state->aging.aged_full = 100;
	assert_int_equal(rule(), AGING_UNKNOWN);
	world_add(&w, -1, MIB(10), 0);
	w.memcgs[1].counts_proactive = true;
	assert_int_equal(rule(), AGING_KEEPS);
	w.snapshot.system.capability = CAPABILITY_TIERS;
	assert_int_equal(rule(), AGING_ALWAYS);
}

/* Some memcgs' counters are not read; one that shows it is enough. */
static void test_proactive_counters_decide(void **arg)
{
	(void)arg;
	begin();
	world_add(&w, -1, MIB(10), 0);
	w.memcgs[1].counts_proactive = true;
	assert_int_equal(rule(), AGING_ALWAYS);
	w.states[0].aging.refused = true;
	assert_int_equal(rule(), AGING_REFUSES);
}

static void grant(uint32_t n_gens, bool force)
{
	w.lruvecs[0].n_gens = n_gens;
	assert_true(ask(force));
	w.memcgs[job].outcome.agings = 1;
	look(0, true);
}

/* Two grants at four generations; none with fewer, by force, or without our success. */
static void test_grants_decide(void **arg)
{
	(void)arg;
	begin();
	look(0, false);
	for (int i = 0; i < 8; i++) {
		grant(3, false);
		grant(4, true);
	}
	w.lruvecs[0].n_gens = 4;
	ask(false);
	look(0, true);
	view.state->aging.aged_by_itself = 0; /* of the last one, and of this test's numbers */
	assert_int_equal(rule(), AGING_UNKNOWN);
	grant(4, false);
	assert_int_equal(rule(), AGING_UNKNOWN);
	grant(4, false);
	assert_int_equal(rule(), AGING_ALWAYS);
}

/* What one memcg sees holds for all. */
static void test_all_learn_from_one(void **arg)
{
	(void)arg;
	begin();
	world_add(&w, -1, MIB(10), 0);
	w.states[1].aging.refused = true;
	assert_int_equal(rule(), AGING_REFUSES);
	w.states[1].aging.refused = false;
	w.states[0].aging.aged_full = w.states[1].aging.aged_full = 1;
	assert_int_equal(rule(), AGING_ALWAYS);
}

static void test_four_generations_by_itself_decide(void **arg)
{
	(void)arg;
	begin();
	look(0, true);
	for (int i = 0; i < 3; i++)
		look(0, true);
	assert_int_equal(rule(), AGING_UNKNOWN);
	look(0, true);
	assert_int_equal(rule(), AGING_ALWAYS);
}

static void test_what_is_not_by_itself(void **arg)
{
	(void)arg;
	begin();
	look(0, false);
	/* Ours, booked at once or a busy look later. */
	for (int i = 0; i < 10; i++) {
		w.memcgs[job].outcome.agings = 1;
		look(0, true);
		w.memcgs[job].busy = true;
		w.memcgs[job].outcome.agings = i % 2 == 0;
		look(0, true);
		w.memcgs[job].busy = false;
		w.memcgs[job].outcome.agings = i % 2 != 0;
		look(0, false);
	}
	assert_int_equal(view.state->aging.aged_by_itself, 0);
	/* Without a limit kswapd does it. */
	view.state->residence.mode = RESIDENCE_FREE;
	for (int i = 0; i < 10; i++)
		look(0, true);
	assert_int_equal(view.state->aging.aged_by_itself, 0);
	/* Another node, or other numbers. */
	view.state->residence.mode = RESIDENCE_BOUND;
	look(0, false);
	world_list(&w, job, (const uint64_t[]){1, 2, 3, 4});
	look(0, false);
	w.lruvecs[0].gens[w.lruvecs[0].n_gens - 1].seq += 1000;
	look(0, false);
	assert_int_equal(view.state->aging.aged_by_itself, 0);
}

/* The kernels of policy-limit.h, by their behaviour alone. */
static void test_kernels_are_told_apart(void **arg)
{
	static struct limit_host h;

	(void)arg;
	limit_init(&h, KERNEL_612);
	limit_run(&h, SECONDS(600));
	assert_int_equal(aging_rule_of(&h.w.snapshot, h.w.states), AGING_UNKNOWN);
	limit_init(&h, KERNEL_614);
	limit_run(&h, SECONDS(600));
	assert_int_equal(aging_rule_of(&h.w.snapshot, h.w.states), AGING_ALWAYS);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_asks_each_lruvec),
		cmocka_unit_test(test_asks_nobody_in_vain),
		cmocka_unit_test(test_asks_for_file_alone_without_swap),
		cmocka_unit_test(test_only_a_moved_seq_counts),
		cmocka_unit_test(test_a_refusal_decides),
		cmocka_unit_test(test_proactive_counters_decide),
		cmocka_unit_test(test_grants_decide),
		cmocka_unit_test(test_all_learn_from_one),
		cmocka_unit_test(test_fast_path),
		cmocka_unit_test(test_four_generations_by_itself_decide),
		cmocka_unit_test(test_what_is_not_by_itself),
		cmocka_unit_test(test_kernels_are_told_apart),
	};

	return cmocka_run_group_tests_name("policy-aging", tests, NULL, NULL);
}
