/* SPDX-License-Identifier: MIT */
/*
 * Advice about a memcg that thrashes at its limit: when it is due, and when it is over. The memcg
 * holds 96 MiB of file below a limit of 100 MiB: a fifth of it are 4915 pages a minute.
 */
#include "policy-world.h"
#include "arith.h"

#include <setjmp.h>
#include <stdarg.h>
#include <cmocka.h>

#define A_FIFTH (PAGES(96) / 5)

static struct policy_world w;
static size_t root, full;

static void begin(void)
{
	world_init(&w);
	root = world_add(&w, -1, 0, 0);
	full = world_add(&w, (int)root, 0, MIB(96));
	w.memcgs[full].max_bytes = MIB(100);
	world_tick(&w);
}

/* Ticks with refaults of that many pages a minute. Returns how often advice was due. */
static unsigned ticks(uint64_t pages_per_min, unsigned n)
{
	unsigned due = 0;

	while (n-- > 0) {
		world_refault(&w, full, LRU_FILE, pages_per_min / 12);
		world_tick(&w);
		due += w.states[full].advice.due;
		/* Nothing is ever taken from it. */
		if (pages_per_min >= A_FIFTH)
			assert_null(world_decision(&w, full));
	}
	return due;
}

static bool thrashes(void)
{
	return w.states[full].advice.since_usec > 0;
}

static void test_due_once_an_hour(void **arg)
{
	(void)arg;
	begin();
	/* A minute after the average has got there. */
	assert_int_equal(ticks(4 * A_FIFTH, 8), 0);
	assert_true(thrashes());
	assert_int_equal(ticks(4 * A_FIFTH, 12), 1);
	assert_int_equal(w.states[full].advice.limit_bytes, MIB(100));
	assert_int_equal(ticks(4 * A_FIFTH, 600), 0);
	assert_int_equal(ticks(4 * A_FIFTH, 720), 1);
	assert_int_equal(ticks(4 * A_FIFTH, 1440), 2);
}

/* Advice given is not given again by a look at which the memcg was not read. */
static void test_not_due_where_nothing_was_read(void **arg)
{
	(void)arg;
	begin();
	ticks(4 * A_FIFTH, 8);
	while (!w.states[full].advice.due)
		ticks(4 * A_FIFTH, 1);
	w.memcgs[full].skipped = true;
	world_tick(&w);
	assert_false(w.states[full].advice.due);
}

static void test_two_thresholds(void **arg)
{
	(void)arg;
	begin();
	ticks(A_FIFTH * 4 / 5, 100);
	assert_false(thrashes());
	ticks(A_FIFTH * 6 / 5, 100);
	assert_true(thrashes());
	/* Between the two it goes on, or does not begin. */
	ticks(A_FIFTH / 2, 100);
	assert_true(thrashes());
	ticks(A_FIFTH / 8, 100);
	assert_false(thrashes());
	ticks(A_FIFTH / 2, 100);
	assert_false(thrashes());
	/* A short calm in between is no reason to say it again. */
	assert_int_equal(ticks(2 * A_FIFTH, 100), 0);
	assert_true(thrashes());
}

static void test_two_fillings(void **arg)
{
	(void)arg;
	begin();
	w.memcgs[full].max_bytes = MIB(103);
	ticks(4 * A_FIFTH, 100);
	assert_false(thrashes());
	w.memcgs[full].max_bytes = MIB(100);
	ticks(4 * A_FIFTH, 1);
	assert_true(thrashes());
	w.memcgs[full].max_bytes = MIB(106);
	ticks(4 * A_FIFTH, 1);
	assert_true(thrashes());
	w.memcgs[full].max_bytes = MIB(108);
	ticks(4 * A_FIFTH, 1);
	assert_false(thrashes());
}

static void test_short_ones(void **arg)
{
	(void)arg;
	begin();
	for (int i = 0; i < 20; i++) {
		assert_int_equal(ticks(4 * A_FIFTH, 5), 0);
		assert_true(thrashes());
		assert_int_equal(ticks(0, 60), 0);
		assert_false(thrashes());
	}
}

static void test_limits(void **arg)
{
	(void)arg;
	/* The lower of the two. */
	begin();
	w.memcgs[full].max_bytes = MIB(1000);
	w.memcgs[full].high_bytes = MIB(100);
	assert_int_equal(ticks(4 * A_FIFTH, 100), 1);
	assert_int_equal(w.states[full].advice.limit_bytes, MIB(100));
	/* No limit, nor one that could be read: it is the host that is full, if anything. */
	begin();
	w.memcgs[full].max_bytes = SAMPLE_INFINITY;
	assert_int_equal(ticks(4 * A_FIFTH, 100), 0);
	begin();
	w.memcgs[full].max_bytes = SAMPLE_UNKNOWN;
	w.memcgs[full].high_bytes = SAMPLE_UNKNOWN;
	assert_int_equal(ticks(4 * A_FIFTH, 100), 0);
	/* Anon that comes back from swap counts too. */
	begin();
	for (int i = 0; i < 40; i++) {
		world_refault(&w, full, LRU_ANON, A_FIFTH);
		ticks(0, 1);
	}
	assert_true(thrashes());
	/* A limit further up is that one's. */
	begin();
	w.memcgs[full].max_bytes = SAMPLE_INFINITY;
	w.memcgs[root].max_bytes = MIB(100);
	assert_int_equal(ticks(4 * A_FIFTH, 100), 0);
	assert_true(w.states[root].advice.told_usec > 0);
}

static void test_gap(void **arg)
{
	(void)arg;
	begin();
	assert_int_equal(ticks(4 * A_FIFTH, 40), 1);
	/* Ten minutes of suspend: the averages begin anew, what was said is not said again. */
	w.snapshot.now_usec += SECONDS(600);
	assert_int_equal(ticks(4 * A_FIFTH, 60), 0);
	assert_true(thrashes());
	/* And with the clock set back. */
	w.snapshot.now_usec -= SECONDS(90000);
	assert_int_equal(ticks(4 * A_FIFTH, 60), 0);
	assert_int_equal(ticks(4 * A_FIFTH, 720), 1);
}

/* A tick whose counters could not be read says nothing, and nothing twice. */
static void test_unknown(void **arg)
{
	uint64_t refaults;

	(void)arg;
	begin();
	while (!w.states[full].advice.due)
		ticks(4 * A_FIFTH, 1);
	refaults = w.memcgs[full].refault_pages[LRU_FILE];
	w.memcgs[full].refault_pages[LRU_FILE] = SAMPLE_UNKNOWN;
	world_tick(&w);
	assert_false(w.states[full].advice.due);
	w.memcgs[full].refault_pages[LRU_FILE] = refaults;
	world_tick(&w);
	assert_false(w.states[full].advice.due);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_due_once_an_hour),
		cmocka_unit_test(test_not_due_where_nothing_was_read),
		cmocka_unit_test(test_two_thresholds),
		cmocka_unit_test(test_two_fillings),
		cmocka_unit_test(test_short_ones),
		cmocka_unit_test(test_limits),
		cmocka_unit_test(test_gap),
		cmocka_unit_test(test_unknown),
	};

	return cmocka_run_group_tests_name("policy-advice", tests, NULL, NULL);
}
