/* SPDX-License-Identifier: MIT */
/*
 * What a dry run would have freed, and what would have come back: by example, and its bounds by dice.
 */
#include "estimate.h"
#include "policy-dice.h"
#include "protection.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>
#include <cmocka.h>

static struct policy_world w;
static struct estimate e;
static size_t db;

/* A database: cold anon of 40 and 30 MiB in its oldest generations, 100 MiB of file. */
static int setup(void **state)
{
	const uint64_t anon_mib[] = {40, 30, 20, 110};

	(void)state;
	world_init(&w);
	db = world_add(&w, -1, MIB(200), MIB(100));
	world_list(&w, db, anon_mib);
	e = (struct estimate){0};
	return 0;
}

static struct gen_sample *gen(uint32_t g)
{
	return &w.lruvecs[w.memcgs[db].first_lruvec].gens[g];
}

static uint64_t take(enum action_kind action, uint64_t seq, uint32_t swappiness, uint64_t bytes)
{
	const struct decision decision = {
		.memcg = db,
		.action = action,
		.seq = seq,
		.swappiness = swappiness,
		.bytes = bytes,
	};

	return estimate_take(&e, &w.snapshot, &w.states[db], &decision, MIB(50));
}

static uint64_t evict(uint32_t g, uint64_t bytes)
{
	return take(ACTION_EVICT, gen(g)->seq, SWAPPINESS_ANON, bytes);
}

static void look(void)
{
	estimate_look(&e, &w.snapshot, &w.memcgs[db]);
}

static void assert_out(uint64_t freed, uint64_t returned, uint64_t anon, uint64_t file)
{
	assert_int_equal(e.freed_bytes, freed);
	assert_int_equal(e.returned_bytes, returned);
	assert_int_equal(e.out_bytes[LRU_ANON], anon);
	assert_int_equal(e.out_bytes[LRU_FILE], file);
}

/* The same decision again and again takes each page once. */
static void test_each_page_once(void **state)
{
	(void)state;
	assert_int_equal(evict(0, MIB(16)), MIB(16));
	assert_int_equal(evict(0, MIB(16)), MIB(16));
	assert_int_equal(evict(0, MIB(16)), MIB(8));
	assert_int_equal(evict(0, MIB(16)), 0);
	look();
	assert_out(MIB(40), 0, MIB(40), 0);
	/* The next generation has more. */
	assert_int_equal(evict(1, MIB(100)), MIB(30));
	assert_out(MIB(70), 0, MIB(70), 0);
	assert_int_equal(take(ACTION_AGE, gen(3)->seq, 0, MIB(1)), 0);
	assert_out(MIB(70), 0, MIB(70), 0);
}

/* What leaves the generations taken from was used: all of it was out, or a share. */
static void test_used(void **state)
{
	(void)state;
	evict(0, MIB(40));
	gen(0)->pages[LRU_ANON] -= PAGES(10);
	gen(3)->pages[LRU_ANON] += PAGES(10);
	look();
	assert_out(MIB(40), MIB(10), MIB(30), 0);
	look();
	assert_out(MIB(40), MIB(10), MIB(30), 0);
	/* 30 of the 60 that the two hold are out, so that of 6 that are used 3 were. */
	evict(1, 0);
	gen(1)->pages[LRU_ANON] -= PAGES(6);
	look();
	assert_out(MIB(40), MIB(13), MIB(27), 0);
	/* Others' use of younger pages tells nothing. */
	gen(2)->pages[LRU_ANON] -= PAGES(20);
	look();
	assert_out(MIB(40), MIB(13), MIB(27), 0);
}

/* Came back, grew cold again, and is taken again. */
static void test_taken_again(void **state)
{
	(void)state;
	evict(0, MIB(40));
	gen(0)->pages[LRU_ANON] = 0;
	look();
	assert_out(MIB(40), MIB(40), 0, 0);
	gen(1)->pages[LRU_ANON] = PAGES(70);
	assert_int_equal(evict(1, MIB(100)), MIB(70));
	assert_out(MIB(110), MIB(40), MIB(70), 0);
}

/* A merge of generations by the kernel is no use. */
static void test_merged(void **state)
{
	(void)state;
	evict(0, MIB(40));
	gen(1)->pages[LRU_ANON] += gen(0)->pages[LRU_ANON];
	gen(0)->pages[LRU_ANON] = SAMPLE_UNKNOWN;
	look();
	assert_out(MIB(40), 0, MIB(40), 0);
	/* From then on it is seen again. */
	gen(1)->pages[LRU_ANON] -= PAGES(7);
	look();
	assert_out(MIB(40), MIB(4), MIB(36), 0);
}

static void test_floor(void **state)
{
	(void)state;
	w.memcgs[db].current_bytes = MIB(75);
	assert_int_equal(evict(0, MIB(16)), MIB(16));
	assert_int_equal(evict(0, MIB(16)), MIB(9)); /* 50 are to be left */
	w.memcgs[db].current_bytes = SAMPLE_UNKNOWN;
	assert_int_equal(evict(0, MIB(16)), 0);
}

/* File comes back as other file did; without such nobody can tell. */
static void test_file(void **state)
{
	(void)state;
	assert_int_equal(take(ACTION_RECLAIM, 0, SWAPPINESS_FILE_ONLY, MIB(30)), MIB(30));
	assert_out(MIB(30), 0, 0, MIB(30));
	assert_int_equal(e.unjudged_bytes, MIB(30));
	w.states[db].evicted_file_pages = 1000;
	w.states[db].returned_file_pages = 250;
	assert_int_equal(take(ACTION_RECLAIM, 0, SWAPPINESS_FILE_ONLY, MIB(40)), MIB(40));
	assert_out(MIB(70), MIB(10), 0, MIB(60));
	assert_int_equal(e.unjudged_bytes, MIB(30));
	/* What has settled says more. */
	w.states[db].settled_file_pages = 1000;
	w.states[db].returned_long_file_pages = 500;
	assert_int_equal(take(ACTION_RECLAIM, 0, SWAPPINESS_FILE_ONLY, MIB(100)), MIB(40));
	assert_out(MIB(110), MIB(30), 0, MIB(80));
	/* More than there is is not out. */
	w.memcgs[db].lru_bytes[LRU_FILE] = MIB(15);
	look();
	assert_out(MIB(110), MIB(95), 0, MIB(15));
}

/* Without a listing nothing is seen, and nothing is taken by generations. */
static void test_not_listed(void **state)
{
	(void)state;
	evict(0, MIB(40));
	w.memcgs[db].listed = false;
	gen(0)->pages[LRU_ANON] = 0;
	look();
	assert_out(MIB(40), 0, MIB(40), 0);
	assert_int_equal(evict(1, MIB(10)), 0);
}

/* A plan in a world of dice that takes no notice of it. */
static void follow(struct estimate *estimates)
{
	for (size_t i = 0; i < w.snapshot.n_memcgs; i++)
		estimate_look(&estimates[i], &w.snapshot, &w.memcgs[i]);
	for (size_t d = 0; d < w.plan.n_decisions; d++) {
		const struct decision *decision = &w.decisions[d];
		size_t i = decision->memcg;
		struct estimate former = estimates[i];
		uint64_t floor_bytes = MIB(1), out_bytes;
		uint64_t taken_bytes = estimate_take(&estimates[i], &w.snapshot, &w.states[i],
						     decision, floor_bytes);

		out_bytes = former.out_bytes[LRU_ANON] + former.out_bytes[LRU_FILE] + taken_bytes;
		assert_true(taken_bytes <= decision->bytes);
		assert_int_equal(estimates[i].freed_bytes, former.freed_bytes + taken_bytes);
		if (taken_bytes > 0)
			assert_true(out_bytes + floor_bytes <= w.memcgs[i].current_bytes);
	}
}

static void check(const struct estimate *now, const struct estimate *former, size_t i)
{
	assert_int_equal(now->freed_bytes,
			 now->returned_bytes + now->out_bytes[LRU_ANON] + now->out_bytes[LRU_FILE]);
	assert_true(now->freed_bytes >= former->freed_bytes);
	assert_true(now->returned_bytes >= former->returned_bytes);
	assert_true(now->unjudged_bytes <= now->freed_bytes);
	for (enum lru_type type = 0; type < _LRU_TYPE_MAX; type++)
		if (w.memcgs[i].lru_bytes[type] < SAMPLE_INFINITY)
			assert_true(now->out_bytes[type] <= w.memcgs[i].lru_bytes[type]);
}

/* Whatever happens: what was freed is out or came back, totals only grow, the floor is left, and no more
 * is out than there is. */
static void test_bounds(void **state)
{
	static struct estimate estimates[WORLD_MEMCGS_MAX], former[WORLD_MEMCGS_MAX];
	unsigned taken = 0, came = 0;

	(void)state;
	for (uint64_t seed = 1; seed <= 3000; seed++) {
		struct dice dice = {.state = seed};

		dice_build(&dice, &w, 0);
		memset(estimates, 0, sizeof(estimates));
		for (unsigned tick = 0; tick < 60; tick++) {
			dice_happen(&dice, &w, 0);
			assert_null(world_try_plan(&w));
			memcpy(former, estimates, sizeof(former));
			follow(estimates);
			for (size_t i = 0; i < w.snapshot.n_memcgs; i++) {
				check(&estimates[i], &former[i], i);
				taken += estimates[i].freed_bytes > former[i].freed_bytes;
				came += estimates[i].returned_bytes > former[i].returned_bytes;
			}
			dice_obey(&dice, &w);
		}
	}
	/* It is no proof if nothing happened. */
	assert_true(taken > 1000 && came > 1000);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(test_each_page_once, setup),
		cmocka_unit_test_setup(test_used, setup),
		cmocka_unit_test_setup(test_taken_again, setup),
		cmocka_unit_test_setup(test_merged, setup),
		cmocka_unit_test_setup(test_floor, setup),
		cmocka_unit_test_setup(test_file, setup),
		cmocka_unit_test_setup(test_not_listed, setup),
		cmocka_unit_test_setup(test_bounds, setup),
	};

	return cmocka_run_group_tests_name("policy-estimate", tests, NULL, NULL);
}
