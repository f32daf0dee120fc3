/* SPDX-License-Identifier: MIT */
/*
 * What tiers say: reading by reading, then in the laws that take file.
 */
#include "policy-world.h"
#include "arith.h"
#include "tier.h"

#include <setjmp.h>
#include <stdarg.h>
#include <cmocka.h>

static struct policy_world w;
static struct memcg_state *state;
static struct lruvec_tiers *tiers;
static size_t db;

/* One memcg, looked at every ten seconds. */
static void begin(void)
{
	world_init(&w);
	db = world_add(&w, -1, 0, MIB(100));
	tiers = world_tiers(&w, db);
	state = &w.states[db];
	*state = (struct memcg_state){.dt_usec = SECONDS(10)};
}

static void look(void)
{
	w.snapshot.now_usec += state->dt_usec;
	tier_step(state, &w.memcgs[db], &w.snapshot);
}

static void look_without(void)
{
	uint32_t n_tiers = w.memcgs[db].n_tiers;

	w.memcgs[db].n_tiers = 0;
	look();
	w.memcgs[db].n_tiers = n_tiers;
}

static void flow(size_t tier, uint64_t returned, uint64_t left)
{
	tiers->tiers[tier].refaulted_pages += returned;
	tiers->tiers[tier].evicted_pages += left;
}

static void assert_sums(uint32_t returned, uint32_t left)
{
	assert_int_equal(state->tier.returned_pages, returned);
	assert_int_equal(state->tier.left_pages, left);
}

/* The kernel's own measure: (R + r) / (T + e + p). */
static void test_first_reading(void **arg)
{
	(void)arg;
	begin();
	assert_int_equal(tier_return_ppm(state), SAMPLE_UNKNOWN);
	for (size_t t = 0; t < 4; t++)
		tiers->tiers[t] = (struct tier_flow){100, 200, 300, 40, 500};
	look();
	assert_sums(3 * 140, 3 * 1000);
	assert_int_equal(tier_return_ppm(state), 140000);
}

/* As at a limit up to 6.13, where a generation lasts: what it counted long ago counts no more. */
static void test_same_generation(void **arg)
{
	(void)arg;
	begin();
	look();
	flow(1, 7000, 14000);
	flow(2, 700, 700);
	look();
	/* A flow of ten seconds, fading since it began at a rate of one in sixty seconds. */
	assert_sums(7700 * 6 / 7, 14700 * 6 / 7);
	for (int i = 0; i < 40; i++)
		look();
	assert_int_equal(tier_return_ppm(state), SAMPLE_UNKNOWN);
	flow(3, 700, 1400);
	look();
	assert_in_range(tier_return_ppm(state), 480000, 520000);
}

static void test_next_generation(void **arg)
{
	(void)arg;
	begin();
	flow(1, 5000, 5000);
	tiers->tiers[1].mean_refaulted_pages = 9000;
	tiers->tiers[1].mean_total_pages = 9000;
	look();
	state->tier.returned_pages = state->tier.left_pages = 0;
	tiers->seq++;
	tiers->tiers[1].refaulted_pages = 0;
	tiers->tiers[1].evicted_pages = 0;
	look();
	assert_sums(0, 0);
	tiers->seq++;
	tiers->tiers[1].refaulted_pages = 70;
	tiers->tiers[1].evicted_pages = 700;
	look();
	assert_sums(60, 600);
}

/* Who passed in between left its counts in the means alone. */
static void test_generations_in_between(void **arg)
{
	(void)arg;
	begin();
	look();
	tiers->seq += 2;
	tiers->tiers[1] = (struct tier_flow){7, 70, 700, 693, 6230};
	look();
	assert_sums(600, 6000);
	/* Unless that is next to nothing beside all the others: one in a hundred. */
	begin();
	look();
	tiers->seq += 2;
	tiers->tiers[1].mean_refaulted_pages = 700;
	tiers->tiers[1].mean_total_pages = 1000;
	tiers->tiers[0].mean_total_pages = 69001;
	look();
	assert_sums(0, 0);
	begin();
	look();
	tiers->seq += 2;
	tiers->tiers[1].mean_refaulted_pages = 700;
	tiers->tiers[1].mean_total_pages = 1000;
	tiers->tiers[0].mean_total_pages = 69000;
	look();
	assert_sums(600, 857);
}

static void test_two_nodes(void **arg)
{
	struct lruvec_tiers *other;

	(void)arg;
	begin();
	other = world_tiers(&w, db);
	look();
	flow(1, 70, 140);
	other->tiers[1].refaulted_pages = 140;
	other->tiers[1].evicted_pages = 140;
	look();
	assert_sums(180, 240);
	/* The next generation on both: still no more than one in between on each. */
	tiers->seq++;
	other->seq += 2;
	*tiers = (struct lruvec_tiers){.seq = 11, .n_tiers = 4};
	other->tiers[1] =
		(struct tier_flow){.mean_refaulted_pages = 1000, .mean_total_pages = 1000};
	look();
	assert_sums(180 * 6 / 7, 240 * 6 / 7);
	other->seq++;
	tiers->seq += 3;
	look();
	assert_true(state->tier.returned_pages > 180);
}

/* Pages of tier 0 are what a stream is made of. */
static void test_tier_0_does_not_count(void **arg)
{
	(void)arg;
	begin();
	look();
	flow(0, 50000, 50000);
	look();
	assert_sums(0, 0);
	tiers->seq += 5;
	tiers->tiers[0].mean_refaulted_pages = 50000;
	tiers->tiers[0].mean_total_pages = 50000;
	look();
	assert_sums(0, 0);
}

/* 64 pages are the kernel's own floor. More may come back than left. */
static void test_noise(void **arg)
{
	(void)arg;
	begin();
	state->tier.returned_pages = 63;
	state->tier.left_pages = 63;
	assert_int_equal(tier_return_ppm(state), SAMPLE_UNKNOWN);
	state->tier.returned_pages = 64;
	assert_int_equal(tier_return_ppm(state), PPM);
	state->tier.left_pages = 0;
	assert_int_equal(tier_return_ppm(state), PPM);
	state->tier.left_pages = 640;
	assert_int_equal(tier_return_ppm(state), 100000);
}

static void assert_refuses(uint32_t returned, uint32_t left, uint64_t all, bool refuses)
{
	state->verdict = (struct verdict){.reason = REASON_NONE};
	state->tier.returned_pages = returned;
	state->tier.left_pages = left;
	state->evicted_file_pages = all;
	assert_int_equal(tier_refuses(state), refuses);
	assert_int_equal(state->verdict.reason, refuses ? REASON_HOLD_TIERS : REASON_NONE);
	if (refuses) {
		assert_int_equal(state->verdict.measured, tier_return_ppm(state));
		assert_int_equal(state->verdict.limit, 100000);
	}
}

/* More than one in ten of its tiers, and not less than one in a hundred of all. */
static void test_limits(void **arg)
{
	(void)arg;
	begin();
	assert_refuses(1000, 10000, 20000, false);
	assert_refuses(1001, 10000, 20000, true);
	assert_refuses(1001, 10000, 100100, true);
	assert_refuses(1001, 10000, 100101, false);
	assert_refuses(63, 63, 63, false);
	assert_refuses(64, 64, 0, true);
}

/* What is not read is not zero: nothing is known of it, and what is known fades. */
static void test_not_read(void **arg)
{
	(void)arg;
	begin();
	look();
	flow(1, 7000, 7000);
	look();
	assert_sums(6000, 6000);
	state->dt_usec = SECONDS(60);
	look_without();
	assert_sums(3000, 3000);
	assert_int_equal(tier_return_ppm(state), PPM);
	/* The flow of two minutes, and a third of that in the last one. */
	flow(1, 9000, 18000);
	look();
	assert_sums(1500 + 3000, 1500 + 6000);
	while (tier_return_ppm(state) != SAMPLE_UNKNOWN)
		look_without();
	assert_true(state->tier.returned_pages < 64);
}

/* Counters that go back in the same generation, or generations that do: what was known is void. */
static void test_reset(void **arg)
{
	(void)arg;
	for (int what = 0; what < 4; what++) {
		begin();
		look();
		flow(1, 700, 700);
		look();
		assert_sums(600, 600);
		if (what == 0)
			tiers->tiers[1].refaulted_pages--;
		else if (what == 1)
			tiers->tiers[1].evicted_pages--;
		else if (what == 2)
			tiers->seq--;
		flow(2, 70, 70);
		if (what < 2) {
			tiers->tiers[2].refaulted_pages = 0;
			tiers->tiers[2].evicted_pages = 0;
		}
		look();
		if (what < 3)
			assert_sums(0, 0);
		else
			assert_sums(574, 574);
		/* And anew from there. */
		flow(2, 700, 700);
		look();
		if (what < 3)
			assert_sums(600, 600);
	}
}

static void test_saturates(void **arg)
{
	(void)arg;
	begin();
	look();
	flow(1, SAMPLE_INFINITY, UINT64_MAX);
	look();
	assert_sums(UINT32_MAX, UINT32_MAX);
	assert_int_equal(tier_return_ppm(state), PPM);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_first_reading),
		cmocka_unit_test(test_same_generation),
		cmocka_unit_test(test_next_generation),
		cmocka_unit_test(test_generations_in_between),
		cmocka_unit_test(test_two_nodes),
		cmocka_unit_test(test_tier_0_does_not_count),
		cmocka_unit_test(test_noise),
		cmocka_unit_test(test_limits),
		cmocka_unit_test(test_not_read),
		cmocka_unit_test(test_reset),
		cmocka_unit_test(test_saturates),
	};

	return cmocka_run_group_tests_name("policy-tier", tests, NULL, NULL);
}
