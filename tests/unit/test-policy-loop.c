/* SPDX-License-Identifier: MIT */
/*
 * The product's main job, in a closed loop: an idle service of which a quarter is in use, a hot
 * file set and a stream share one limit. What is cold must go, what is hot must stay, the limit
 * must not be hit, and then there must be peace.
 */
#include "policy-loop.h"

#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <cmocka.h>

#define COLD_PAGES (LOOP_ANON_PAGES - LOOP_USED_PAGES)

static struct loop l;

static void report(const char *what)
{
	printf("# %s: %" PRIu64 " of %" PRIu64 " cold pages evicted, %" PRIu64 " in use, %" PRIu64
	       " agings, %" PRIu64 " hot pages taken by %" PRIu64 " decisions\n",
	       what, l.evicted_unused, (uint64_t)COLD_PAGES, l.evicted_used, l.agings, l.hot_taken,
	       l.hot_decisions);
	printf("# usage %" PRIu64 " to %" PRIu64 " of 512 MiB, limit hit %" PRIu64
	       " times, last at %" PRIu64 " s, last eviction at %" PRIu64 " s, %" PRIu64
	       " ticks held, %" PRIu64 " anon and %" PRIu64 " file refaults\n",
	       l.least_bytes >> 20, l.most_bytes >> 20, l.kernel_reclaims,
	       l.last_kernel_usec / SECONDS(1), l.last_evict_usec / SECONDS(1), l.holds,
	       l.w.memcgs[l.idle].refault_pages[LRU_ANON],
	       l.w.memcgs[l.hot].refault_pages[LRU_FILE]);
}

static void assert_hot_kept(void)
{
	assert_true(l.evicted_used <= LOOP_USED_PAGES / 100);
	assert_int_equal(l.hot_decisions, 0);
}

/* No hit of the limit after the first minute, and the memory below it is used. */
static void assert_limit_kept(void)
{
	assert_true(l.most_bytes < LOOP_LIMIT);
	assert_in_range(l.last_kernel_usec, 0, SECONDS(60));
	assert_true(l.least_bytes > LOOP_LIMIT / 2);
}

static void check_ten_minutes(bool fixed_ticks)
{
	loop_init(&l);
	l.fixed_ticks = fixed_ticks;
	loop_run(&l, SECONDS(600));
	report(fixed_ticks ? "ticks of 5 s" : "ticks as planned");
	assert_in_range(loop_resident(&l, LOOP_USED_PAGES, COLD_PAGES), 0, COLD_PAGES / 20);
	assert_hot_kept();
	assert_limit_kept();
	/* Peace: all was done in half of the time, and nobody is held back. */
	assert_in_range(l.last_evict_usec, 1, SECONDS(420));
	assert_in_range(l.w.memcgs[l.idle].refault_pages[LRU_ANON], 0, LOOP_USED_PAGES / 100);
	assert_true(l.w.states[l.idle].hold_until_usec <= l.w.snapshot.now_usec);
}

static void test_ticks_of_five_seconds(void **arg)
{
	(void)arg;
	check_ten_minutes(true);
}

static void test_ticks_as_planned(void **arg)
{
	(void)arg;
	check_ten_minutes(false);
}

/* The half of the used pages that falls idle later must go as well: the clock must not stop once
 * the first cold pages are out. */
static void test_later_idle(void **arg)
{
	(void)arg;
	loop_init(&l);
	l.w.params.classes[0].floor_ppm = 0;
	loop_run(&l, SECONDS(600));
	l.n_used_pages = LOOP_USED_PAGES / 2;
	loop_run(&l, SECONDS(600));
	report("half falls idle after 10 min");
	assert_in_range(loop_resident(&l, LOOP_USED_PAGES / 2, LOOP_USED_PAGES / 2), 0,
			LOOP_USED_PAGES / 40);
	assert_hot_kept();
	assert_limit_kept();
}

/* Another quarter comes into use: what was cold returns, which is no fault of its, and the quarter
 * left goes. */
static void test_working_set_moves(void **arg)
{
	(void)arg;
	loop_init(&l);
	loop_run(&l, SECONDS(600));
	l.first_used_page = LOOP_USED_PAGES;
	loop_run(&l, SECONDS(1200));
	report("working set moves after 10 min");
	assert_in_range(loop_resident(&l, 0, LOOP_ANON_PAGES), LOOP_USED_PAGES,
			LOOP_USED_PAGES * 5 / 4);
	assert_int_equal(l.evicted_used, 0);
	/* The kernel itself takes some hot pages when the quarter comes back at once; until they
	 * are read again they look cold, and no more than a few follow them. */
	assert_in_range(l.hot_taken, 0, LOOP_HOT_PAGES / 20);
	assert_true(l.most_bytes < LOOP_LIMIT);
}

/* All of it is in use: none of it goes. */
static void test_nothing_cold(void **arg)
{
	(void)arg;
	loop_init(&l);
	l.n_used_pages = LOOP_ANON_PAGES;
	loop_run(&l, SECONDS(600));
	report("all in use");
	assert_int_equal(l.evicted_used + l.evicted_unused, 0);
	assert_limit_kept();
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_ticks_of_five_seconds),
		cmocka_unit_test(test_ticks_as_planned),
		cmocka_unit_test(test_later_idle),
		cmocka_unit_test(test_working_set_moves),
		cmocka_unit_test(test_nothing_cold),
	};

	return cmocka_run_group_tests_name("policy-loop", tests, NULL, NULL);
}
