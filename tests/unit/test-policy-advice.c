/* SPDX-License-Identifier: MIT */
/*
 * Advice about a memcg in trouble at its limit: when it is due, and when it is over. The memcg holds
 * 96 MiB of file below a limit of 100 MiB: a fifth of it are 4915 pages a minute.
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

/* Ticks with refaults of that many pages of file a minute. Returns how often advice of this kind was
 * due, and fails for any other. */
static unsigned ticks_for(enum advice_kind kind, uint64_t pages_per_min, unsigned n)
{
	unsigned due = 0;

	while (n-- > 0) {
		world_refault(&w, full, LRU_FILE, pages_per_min / 12);
		world_tick(&w);
		due += w.states[full].advice.due == kind;
		if (w.states[full].advice.due != kind)
			assert_int_equal(w.states[full].advice.due, ADVICE_NONE);
		/* Nothing is ever taken from it. */
		if (pages_per_min >= A_FIFTH)
			assert_null(world_decision(&w, full));
	}
	return due;
}

static unsigned ticks(uint64_t pages_per_min, unsigned n)
{
	return ticks_for(ADVICE_THRASHES, pages_per_min, n);
}

static bool thrashes(void)
{
	return w.states[full].advice.since_usec[ADVICE_THRASHES] > 0;
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
	assert_true(w.states[root].advice.told_usec[ADVICE_THRASHES] > 0);
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

/* 96 MiB again, so many of them anon. */
static void begin_with_anon(uint64_t anon_mib)
{
	world_init(&w);
	root = world_add(&w, -1, 0, 0);
	full = world_add(&w, (int)root, MIB(anon_mib), MIB(96 - anon_mib));
	w.memcgs[full].max_bytes = MIB(100);
	w.params.classes[0].reclaim = RECLAIM_FILE;
	world_tick(&w);
}

static void begin_crowded(void)
{
	begin_with_anon(64);
}

/* Its files turn over, which would be nothing for all that it holds. */
static void test_crowded(void **arg)
{
	const uint64_t pages = A_FIFTH / 2;

	(void)arg;
	begin_crowded();
	assert_int_equal(ticks_for(ADVICE_CROWDED, pages, 12), 0);
	assert_int_equal(ticks_for(ADVICE_CROWDED, pages, 12), 1);
	assert_int_equal(w.states[full].advice.own_bytes, MIB(64));
	assert_int_equal(w.states[full].advice.limit_bytes, MIB(100));
	assert_int_equal(ticks_for(ADVICE_CROWDED, pages, 720), 1);
	/* The same with less than half of its own. */
	begin_with_anon(40);
	assert_int_equal(ticks_for(ADVICE_CROWDED, A_FIFTH * 3 / 4, 100), 0);
	begin_with_anon(50);
	assert_int_equal(ticks_for(ADVICE_CROWDED, A_FIFTH * 3 / 4, 100), 1);
	/* Or with files that hardly come back. */
	begin_crowded();
	assert_int_equal(ticks_for(ADVICE_CROWDED, pages / 4, 100), 0);
	/* Or with room left. */
	begin_crowded();
	w.memcgs[full].max_bytes = MIB(103);
	assert_int_equal(ticks_for(ADVICE_CROWDED, pages, 100), 0);
	/* A database without a limit sizes its cache by the host. */
	begin_crowded();
	w.memcgs[full].max_bytes = SAMPLE_INFINITY;
	assert_int_equal(ticks_for(ADVICE_CROWDED, pages, 100), 0);
}

/* The kernel swaps what is its own, and it comes back. */
static void test_crowded_with_anon_coming_back(void **arg)
{
	(void)arg;
	begin_crowded();
	for (int i = 0; i < 40; i++) {
		world_refault(&w, full, LRU_ANON, A_FIFTH);
		ticks_for(ADVICE_CROWDED, 0, 1);
	}
	assert_true(w.states[full].advice.told_usec[ADVICE_CROWDED] > 0);
}

/* A few files come back of hardly any: 205 pages a minute are a fifth of 4 MiB. */
static void test_crowded_by_next_to_nothing(void **arg)
{
	(void)arg;
	begin_crowded();
	w.memcgs[full].lru_bytes[LRU_FILE] = 0;
	assert_int_equal(ticks_for(ADVICE_CROWDED, 190, 200), 0);
	assert_true(ticks_for(ADVICE_CROWDED, 240, 200) > 0);
}

static void begin_cornered(void)
{
	begin_crowded();
	w.memcgs[full].lru_bytes[LRU_ANON] = MIB(90);
	w.memcgs[full].lru_bytes[LRU_FILE] = MIB(6);
	w.snapshot.system.swap_total_bytes = 0;
}

/* Said at once: a minute later may be too late. */
static void test_cornered(void **arg)
{
	(void)arg;
	begin_cornered();
	w.memcgs[full].lru_bytes[LRU_ANON] = MIB(90) - 4096;
	assert_int_equal(ticks_for(ADVICE_CORNERED, 0, 10), 0);
	w.memcgs[full].lru_bytes[LRU_ANON] = MIB(80);
	w.memcgs[full].unevictable_bytes = MIB(10);
	assert_int_equal(ticks_for(ADVICE_CORNERED, 0, 1), 1);
	assert_int_equal(w.states[full].advice.own_bytes, MIB(90));
	assert_int_equal(ticks_for(ADVICE_CORNERED, 0, 700), 0);
	assert_int_equal(ticks_for(ADVICE_CORNERED, 0, 40), 1);
	/* It is over below 80 %, and not before. */
	w.memcgs[full].unevictable_bytes = 0;
	assert_int_equal(ticks_for(ADVICE_CORNERED, 0, 1), 0);
	assert_true(w.states[full].advice.since_usec[ADVICE_CORNERED] > 0);
	w.memcgs[full].lru_bytes[LRU_ANON] -= 4096;
	assert_int_equal(ticks_for(ADVICE_CORNERED, 0, 1), 0);
	assert_int_equal(w.states[full].advice.since_usec[ADVICE_CORNERED], 0);
}

/* Not where anything else than a kill is left. */
static void test_not_cornered(void **arg)
{
	(void)arg;
	begin_cornered();
	w.snapshot.system.swap_total_bytes = MIB(100);
	assert_int_equal(ticks_for(ADVICE_CORNERED, 0, 20), 0);
	w.memcgs[root].swap_max_bytes = 0;
	assert_int_equal(ticks_for(ADVICE_CORNERED, 0, 1), 1);
	/* memory.high holds back, and kills nobody. */
	begin_cornered();
	w.memcgs[full].high_bytes = MIB(100);
	w.memcgs[full].max_bytes = SAMPLE_INFINITY;
	assert_int_equal(ticks_for(ADVICE_CORNERED, 0, 20), 0);
	w.memcgs[full].high_bytes = MIB(50);
	w.memcgs[full].max_bytes = MIB(100);
	assert_int_equal(ticks_for(ADVICE_CORNERED, 0, 1), 1);
	assert_int_equal(w.states[full].advice.limit_bytes, MIB(100));
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
		cmocka_unit_test(test_crowded),
		cmocka_unit_test(test_crowded_with_anon_coming_back),
		cmocka_unit_test(test_crowded_by_next_to_nothing),
		cmocka_unit_test(test_cornered),
		cmocka_unit_test(test_not_cornered),
	};

	return cmocka_run_group_tests_name("policy-advice", tests, NULL, NULL);
}
