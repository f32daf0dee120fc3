/* SPDX-License-Identifier: MIT */
/*
 * Churn: every gate, the trial, the test after forty residence times, and what ends it.
 */
#include "policy-limit.h"

#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <cmocka.h>

static struct limit_host h;

#define TRES(n) ((n)*LIMIT_TRES)

static uint64_t trials, trial_usec[8], last_began;

/* A loop of 1.2 times the memory: agings in quick succession halve the misses, a second without any
 * brings them back. */
static void loops(struct limit_host *host)
{
	const struct gclk_state *gclk = &limit_state(host)->gclk;
	bool churned = host->w.snapshot.now_usec - host->last_aged_usec < SECONDS(2);

	host->refault_file = churned && host->forced > 3 ? 400 : 800;
	host->n_gens = 4;
	host->file_pages[0] = LIMIT_FILE / PAGE_BYTES * 9 / 10;
	host->file_pages[1] = host->file_pages[2] = host->file_pages[3] =
		LIMIT_FILE / PAGE_BYTES / 30;
	if (gclk->phase == GCLK_CHURN_TRIAL && gclk->began_usec != last_began && trials < 8) {
		trial_usec[trials++] = host->w.snapshot.now_usec;
		last_began = gclk->began_usec;
	}
}

/* The same, and agings do nothing for it. */
static void loops_anyway(struct limit_host *host)
{
	loops(host);
	host->refault_file = 800;
}

static void begin(void (*looked)(struct limit_host *))
{
	trials = last_began = 0;
	limit_init(&h, KERNEL_612);
	h.w.params.classes[0].churn = true;
	h.refault_file = 800;
	h.undrained = true;
	h.looked = looked;
	looked(&h);
}

static void run(uint64_t tres)
{
	limit_run(&h, TRES(tres));
}

static enum gclk_phase phase(void)
{
	return limit_state(&h)->gclk.phase;
}

static void test_pays(void **arg)
{
	uint64_t forced;

	(void)arg;
	begin(loops);
	run(8);
	assert_int_equal(phase(), GCLK_CHURN_TRIAL);
	assert_string_equal(reason_to_string(limit_reason(&h)), "churn-trial");
	run(3);
	assert_int_equal(phase(), GCLK_CHURN);
	/* Twenty a residence time, all of them forced. */
	forced = h.forced;
	run(10);
	assert_in_range(h.forced - forced, 180, 220);
	assert_int_equal(h.forced, h.agings);
	assert_in_range(h.w.plan.next_usec, LIMIT_TRES / 20 - 100000, LIMIT_TRES / 20 + 100000);
	/* The test after forty: three without, then on again. */
	run(28);
	assert_int_equal(phase(), GCLK_CHURN);
	run(1);
	assert_int_equal(phase(), GCLK_CHURN_PAUSE);
	forced = h.forced;
	run(1);
	assert_int_equal(h.forced, forced);
	run(3);
	assert_int_equal(phase(), GCLK_CHURN);
	assert_int_equal(limit_state(&h)->gclk.churn_failures, 0);
	assert_int_equal(trials, 1);
}

/* Half the misses, and pages stay twice as long: the pace stays. So it does after the pause, which
 * has shown how long they stay without. */
static void loops_longer(struct limit_host *host)
{
	loops(host);
	host->steal = host->refault_file == 800 ? LIMIT_STEAL : LIMIT_STEAL / 2;
}

static void test_pace_stays(void **arg)
{
	uint64_t forced;

	(void)arg;
	begin(loops_longer);
	run(20);
	assert_int_equal(phase(), GCLK_CHURN);
	assert_true(limit_state(&h)->residence.usec > TRES(2) * 9 / 10);
	forced = h.forced;
	run(10);
	assert_in_range(h.forced - forced, 180, 220);
	run(80);
	assert_int_equal(phase(), GCLK_CHURN);
	assert_true(h.w.snapshot.now_usec - limit_state(&h)->gclk.began_usec < TRES(40));
	forced = h.forced;
	run(10);
	assert_in_range(h.forced - forced, 130, 220);
}

/* 30 units, then 120, then 480. */
static void test_does_not_pay(void **arg)
{
	(void)arg;
	begin(loops_anyway);
	run(8);
	assert_int_equal(phase(), GCLK_CHURN_TRIAL);
	run(3);
	assert_int_equal(phase(), GCLK_WATCH);
	run(800);
	assert_int_equal(trials, 4);
	assert_in_range(trial_usec[1] - trial_usec[0], TRES(33) - SECONDS(10), TRES(36));
	assert_in_range(trial_usec[2] - trial_usec[1], TRES(123) - SECONDS(10), TRES(126));
	assert_in_range(trial_usec[3] - trial_usec[2], TRES(483) - SECONDS(10), TRES(486));
	/* 3 units of 20 agings each; nothing else. */
	assert_in_range(h.agings, trials * 56, trials * 64);
}

static uint64_t gain;

static void loops_a_little(struct limit_host *host)
{
	loops(host);
	if (host->refault_file == 400)
		host->refault_file = 800 * gain / 100;
}

static void test_seven_percent(void **arg)
{
	(void)arg;
	for (gain = 90; gain <= 96; gain += 6) {
		begin(loops_a_little);
		run(12);
		assert_int_equal(phase(), gain == 90 ? GCLK_CHURN : GCLK_WATCH);
	}
}

static void gains_late(struct limit_host *host)
{
	const struct gclk_state *gclk = &limit_state(host)->gclk;

	loops(host);
	host->refault_file = 800;
	if (gclk->phase == GCLK_CHURN_TRIAL)
		host->refault_file =
			host->w.snapshot.now_usec - gclk->began_usec < TRES(22) / 10 ? 1000 : 500;
}

static void dips_before(struct limit_host *host)
{
	loops(host);
	host->refault_file = limit_usec(host) < SECONDS(120) ? 800 : 600;
	if (limit_state(host)->gclk.phase == GCLK_CHURN_TRIAL)
		host->refault_file = 650;
}

/* All but the first half unit of the trial, with the two units before it. */
static void test_what_is_compared(void **arg)
{
	(void)arg;
	begin(gains_late);
	run(12);
	assert_int_equal(trials, 1);
	assert_int_equal(phase(), GCLK_WATCH);
	begin(dips_before);
	run(12);
	assert_int_equal(trials, 1);
	assert_int_equal(phase(), GCLK_CHURN);
}

/* The half unit before the pause is as bad as without agings. */
static void worse_before_pause(struct limit_host *host)
{
	const struct gclk_state *gclk = &limit_state(host)->gclk;

	loops(host);
	if (gclk->phase == GCLK_CHURN &&
	    host->w.snapshot.now_usec - gclk->began_usec > TRES(40) - LIMIT_TRES / 2)
		host->refault_file = 800;
}

/* A pause compares with the two units before it. */
static void test_pause_compares_with_two_units(void **arg)
{
	(void)arg;
	begin(worse_before_pause);
	run(52);
	assert_int_equal(phase(), GCLK_CHURN_PAUSE);
	assert_in_range(limit_state(&h)->gclk.before_ppm, 180000, 220000);
	run(4);
	assert_int_equal(phase(), GCLK_CHURN);
}

/* However often somebody else makes the policy look. */
static void test_half_a_period_apart_at_least(void **arg)
{
	uint64_t forced;

	(void)arg;
	begin(loops);
	run(20);
	assert_int_equal(phase(), GCLK_CHURN);
	forced = h.forced;
	h.look_usec = LIMIT_TRES / 20 / 5;
	run(10);
	assert_in_range(h.forced - forced, 300, 400);
}

static void rises_a_little(struct limit_host *host)
{
	loops(host);
	host->refault_file = limit_usec(host) < SECONDS(70) ? 800 : 824;
}

static void test_three_percent_is_steady(void **arg)
{
	(void)arg;
	begin(rises_a_little);
	run(7);
	assert_int_equal(trials, 1);
}

static void test_waits_grow_to_a_bound(void **arg)
{
	(void)arg;
	begin(loops_anyway);
	run(8);
	limit_state(&h)->gclk.churn_failures = 6;
	run(3);
	assert_int_equal(phase(), GCLK_WATCH);
	assert_int_equal(limit_state(&h)->gclk.churn_failures, 6);
}

static void small_oldest(struct limit_host *host)
{
	loops(host);
	for (int g = 0; g < 4; g++)
		host->file_pages[g] /= 100;
}

/* Residence times of 0.4 and of 0.6 s. */
static void test_shortest_period(void **arg)
{
	(void)arg;
	for (uint64_t tenths = 4; tenths <= 6; tenths += 2) {
		begin(small_oldest);
		h.steal = 24576 * 10 / tenths;
		limit_run(&h, SECONDS(1));
		h.looked = NULL;
		h.refault_file = h.steal / 2;
		for (int i = 0; i < 400 && phase() != GCLK_CHURN_TRIAL; i++)
			limit_run(&h, 1);
		assert_int_equal(phase(), tenths == 6 ? GCLK_CHURN_TRIAL : GCLK_WATCH);
		if (tenths == 6)
			assert_in_range(h.w.plan.next_usec, 25000, 32000);
	}
}

/* It paid once; at the next test it does not. */
static void test_ceases_to_pay(void **arg)
{
	(void)arg;
	begin(loops);
	run(20);
	assert_int_equal(phase(), GCLK_CHURN);
	h.looked = loops_anyway;
	run(35);
	assert_int_equal(phase(), GCLK_WATCH);
	assert_int_equal(limit_state(&h)->gclk.churn_failures, 1);
}

static void assert_no_trial(const char *what)
{
	run(30);
	if (trials > 0 || h.forced > 0)
		fail_msg("%s: a trial", what);
}

static void protects_some(struct limit_host *host)
{
	loops(host);
	host->file_pages[0] = LIMIT_FILE / PAGE_BYTES * 84 / 100;
	host->file_pages[2] += LIMIT_FILE / PAGE_BYTES * 6 / 100;
}

static void protects_little(struct limit_host *host)
{
	loops(host);
	host->file_pages[0] = LIMIT_FILE / PAGE_BYTES * 86 / 100;
	host->file_pages[2] += LIMIT_FILE / PAGE_BYTES * 4 / 100;
}

static void streams(struct limit_host *host)
{
	loops(host);
	host->refault_file = 110;
}

static void returns_some(struct limit_host *host)
{
	loops(host);
	host->refault_file = 135;
}

/* By a percent a look, which no theta calls a regression: 8 % a unit. */
static void drifts(struct limit_host *host)
{
	loops(host);
	host->refault_file = 400 + host->looks * 2;
}

static void test_gates(void **arg)
{
	(void)arg;
	begin(loops);
	h.w.params.classes[0].churn = false;
	assert_no_trial("Churn=no");
	begin(loops);
	h.w.snapshot.system.capability = CAPABILITY_FAST_PATH;
	assert_no_trial("frequency-guided promotion");
	begin(loops);
	limit_sample(&h)->lru_bytes[LRU_ANON] = MIB(49);
	limit_sample(&h)->lru_bytes[LRU_FILE] = MIB(47);
	assert_no_trial("mostly anon");
	begin(protects_some);
	assert_no_trial("protected pages");
	begin(protects_little);
	run(10);
	assert_int_equal(trials, 1);
	begin(streams);
	assert_no_trial("a stream");
	begin(returns_some);
	run(10);
	assert_int_equal(trials, 1);
	begin(drifts);
	assert_no_trial("a transient");
	begin(loops);
	h.w.memcgs[h.root].max_bytes = MIB(117);
	h.w.memcgs[h.root].current_bytes = MIB(96);
	limit_sample(&h)->max_bytes = SAMPLE_INFINITY;
	world_add(&h.w, (int)h.root, 0, MIB(20));
	assert_no_trial("a shared limit");
}

static void huge_oldest(struct limit_host *host)
{
	loops(host);
	for (int g = 0; g < 4; g++)
		host->file_pages[g] *= gain;
}

/* Anon's generations may begin earlier: file's oldest is what counts. */
static void loops_behind_anon(struct limit_host *host)
{
	loops(host);
	host->file_pages[1] += host->file_pages[0];
	host->file_pages[0] = 0;
}

static void test_anon_may_be_older(void **arg)
{
	(void)arg;
	begin(loops_behind_anon);
	run(8);
	assert_int_equal(phase(), GCLK_CHURN_TRIAL);
}

static void test_move_costs_at_most_five_percent(void **arg)
{
	(void)arg;
	/* A twentieth of 20 s, a twentieth of that: 50 ms or 250 000 pages, 11.8 times as many as
	 * are in the oldest generation here. */
	gain = 11;
	begin(huge_oldest);
	run(10);
	assert_int_equal(trials, 1);
	gain = 13;
	begin(huge_oldest);
	assert_no_trial("dear to move");
}

/* The daemon's budget lets it come only so often. */
static void test_late_looks_end_it(void **arg)
{
	(void)arg;
	begin(loops);
	run(7);
	assert_int_equal(phase(), GCLK_CHURN_TRIAL);
	h.look_usec = LIMIT_TRES / 20 * 18 / 10;
	limit_run(&h, SECONDS(20));
	assert_int_equal(phase(), GCLK_CHURN_TRIAL);
	h.look_usec = LIMIT_TRES / 20 * 22 / 10;
	limit_run(&h, 2 * h.look_usec);
	assert_int_equal(phase(), GCLK_CHURN_TRIAL);
	limit_run(&h, 1);
	assert_int_equal(phase(), GCLK_WATCH);
	assert_string_equal(reason_to_string(limit_reason(&h)), "churn-late");
	assert_int_equal(limit_state(&h)->gclk.churn_failures, 1);
}

static void test_agings_that_do_nothing_end_it(void **arg)
{
	(void)arg;
	begin(loops);
	run(8);
	h.idle_executor = true;
	limit_run(&h, SECONDS(10));
	assert_int_equal(phase(), GCLK_WATCH);
	assert_int_equal(limit_state(&h)->gclk.churn_failures, 1);
}

static void test_config_ends_it(void **arg)
{
	(void)arg;
	begin(loops);
	run(20);
	assert_int_equal(phase(), GCLK_CHURN);
	h.w.params.classes[0].churn = false;
	limit_run(&h, 1);
	assert_int_equal(phase(), GCLK_WATCH);
	assert_null(world_decision(&h.w, h.job));
}

/* The kernel was found to promote by frequency only now. */
static void test_fast_path_ends_it(void **arg)
{
	(void)arg;
	begin(loops);
	run(20);
	assert_int_equal(phase(), GCLK_CHURN);
	h.w.snapshot.system.capability = CAPABILITY_FAST_PATH;
	limit_run(&h, 1);
	assert_int_equal(phase(), GCLK_WATCH);
	assert_null(world_decision(&h.w, h.job));
}

/* While it runs and for three units after, nothing is flushed. */
static void test_no_flush_meanwhile(void **arg)
{
	(void)arg;
	begin(loops);
	run(20);
	assert_int_equal(h.forced, h.agings);
	assert_int_equal(limit_state(&h)->gclk.flushed_usec, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_pays),
		cmocka_unit_test(test_pace_stays),
		cmocka_unit_test(test_does_not_pay),
		cmocka_unit_test(test_seven_percent),
		cmocka_unit_test(test_what_is_compared),
		cmocka_unit_test(test_pause_compares_with_two_units),
		cmocka_unit_test(test_half_a_period_apart_at_least),
		cmocka_unit_test(test_three_percent_is_steady),
		cmocka_unit_test(test_waits_grow_to_a_bound),
		cmocka_unit_test(test_shortest_period),
		cmocka_unit_test(test_ceases_to_pay),
		cmocka_unit_test(test_gates),
		cmocka_unit_test(test_anon_may_be_older),
		cmocka_unit_test(test_move_costs_at_most_five_percent),
		cmocka_unit_test(test_late_looks_end_it),
		cmocka_unit_test(test_agings_that_do_nothing_end_it),
		cmocka_unit_test(test_config_ends_it),
		cmocka_unit_test(test_fast_path_ends_it),
		cmocka_unit_test(test_no_flush_meanwhile),
	};

	return cmocka_run_group_tests_name("policy-churn", tests, NULL, NULL);
}
