/* SPDX-License-Identifier: MIT */
/*
 * Residence time, and whose law a memcg is under: each threshold from both sides.
 */
#include "policy-limit.h"
#include "residence.h"

#include <setjmp.h>
#include <stdarg.h>
#include <cmocka.h>

static struct limit_host h;

static void begin(void)
{
	limit_init(&h, KERNEL_612);
	h.look_usec = SECONDS(5);
}

static enum residence_mode mode(void)
{
	return limit_state(&h)->residence.mode;
}

static enum residence_mode mode_after(uint64_t usec)
{
	limit_run(&h, usec);
	return mode();
}

static void test_residence_is_measured(void **arg)
{
	(void)arg;
	begin();
	limit_run(&h, SECONDS(5));
	assert_in_range(limit_state(&h)->residence.usec, SECONDS(19), SECONDS(21));
	limit_run(&h, SECONDS(300));
	assert_in_range(limit_state(&h)->residence.usec, SECONDS(19), SECONDS(21));
	assert_int_equal(residence_unit_usec(limit_state(&h)), limit_state(&h)->residence.usec);
	/* Averaged over a minute: of a change, 63 % show after one. */
	h.steal = 0;
	limit_run(&h, SECONDS(60));
	assert_in_range(limit_state(&h)->residence.usec, SECONDS(44), SECONDS(60));
}

static void test_unit_has_a_least(void **arg)
{
	(void)arg;
	begin();
	h.steal = 24576 * 2;
	limit_run(&h, SECONDS(100));
	assert_in_range(limit_state(&h)->residence.usec, SECONDS(1) / 4, SECONDS(1));
	assert_int_equal(residence_unit_usec(limit_state(&h)), SECONDS(4));
}

/* The condition holds from the second look on. */
static void test_a_minute_decides(void **arg)
{
	(void)arg;
	begin();
	assert_int_equal(mode_after(SECONDS(60)), RESIDENCE_FREE);
	assert_true(residence_is_watched(limit_state(&h)));
	assert_int_equal(mode_after(SECONDS(5)), RESIDENCE_BOUND);
}

static void test_a_burst_does_not(void **arg)
{
	(void)arg;
	begin();
	limit_run(&h, SECONDS(50));
	h.steal = 0;
	limit_sample(&h)->lru_bytes[LRU_FILE] = MIB(40000);
	assert_int_equal(mode_after(SECONDS(5)), RESIDENCE_FREE);
	assert_false(residence_is_watched(limit_state(&h)));
	limit_sample(&h)->lru_bytes[LRU_FILE] = LIMIT_FILE;
	h.steal = LIMIT_STEAL;
	assert_int_equal(mode_after(SECONDS(60)), RESIDENCE_FREE);
	assert_int_equal(mode_after(SECONDS(5)), RESIDENCE_BOUND);
}

static void check_steal(uint64_t steal, enum residence_mode wanted)
{
	begin();
	h.steal = steal;
	assert_int_equal(mode_after(SECONDS(300)), wanted);
}

static void test_fifteen_minutes(void **arg)
{
	(void)arg;
	check_steal(24576 / 880, RESIDENCE_FREE); /* 27: 910 s */
	check_steal(24576 / 860, RESIDENCE_BOUND);
	check_steal(0, RESIDENCE_FREE);
}

static void check_usage(uint64_t permille, bool hits, enum residence_mode wanted)
{
	begin();
	h.hits = hits;
	limit_sample(&h)->max_bytes = (LIMIT_ANON + LIMIT_FILE) * 1000 / permille;
	assert_int_equal(mode_after(SECONDS(200)), wanted);
	begin();
	h.hits = hits;
	limit_sample(&h)->high_bytes = (LIMIT_ANON + LIMIT_FILE) * 1000 / permille;
	limit_sample(&h)->max_bytes = SAMPLE_INFINITY;
	assert_int_equal(mode_after(SECONDS(200)), wanted);
}

static void test_when_a_limit_presses(void **arg)
{
	(void)arg;
	check_usage(969, false, RESIDENCE_FREE);
	check_usage(971, false, RESIDENCE_BOUND);
	check_usage(749, true, RESIDENCE_FREE);
	check_usage(751, true, RESIDENCE_BOUND);
}

/* Hit once in so long. */
static void check_rare_hits(uint64_t seconds, enum residence_mode wanted)
{
	begin();
	h.hits = false;
	limit_sample(&h)->max_bytes = (LIMIT_ANON + LIMIT_FILE) * 10 / 9;
	for (int i = 0; i < 6; i++) {
		limit_sample(&h)->events_max++;
		limit_run(&h, SECONDS(seconds));
	}
	assert_int_equal(mode(), wanted);
}

static void test_rare_hits(void **arg)
{
	(void)arg;
	check_rare_hits(55, RESIDENCE_BOUND);
	check_rare_hits(75, RESIDENCE_FREE);
}

/* All evictions are ours, of one type. */
static void evict_ourselves(enum lru_type type)
{
	begin();
	h.hits = false;
	for (int i = 0; i < 60; i++) {
		limit_sample(&h)->outcome.stolen_pages[type] = h.steal * 5;
		limit_run(&h, SECONDS(5));
	}
	assert_in_range(limit_state(&h)->residence.usec, SECONDS(19), SECONDS(21));
}

/* SAVER's, beside a limit that is nearly full, are no sign of anything; headroom is taken in the
 * limit's stead. */
static void test_own_evictions(void **arg)
{
	(void)arg;
	evict_ourselves(LRU_ANON);
	assert_int_equal(mode(), RESIDENCE_FREE);
	evict_ourselves(LRU_FILE);
	assert_int_equal(mode(), RESIDENCE_BOUND);
}

static void share(bool populated, uint64_t bytes, enum residence_mode wanted)
{
	size_t brother;

	begin();
	h.w.memcgs[h.root].max_bytes = limit_sample(&h)->max_bytes + bytes;
	h.w.memcgs[h.root].current_bytes = LIMIT_ANON + LIMIT_FILE;
	limit_sample(&h)->max_bytes = SAMPLE_INFINITY;
	brother = world_add(&h.w, (int)h.root, bytes, 0);
	h.w.memcgs[brother].populated = populated;
	assert_int_equal(mode_after(SECONDS(200)), wanted);
}

static void test_shared_limit(void **arg)
{
	(void)arg;
	share(true, MIB(20), RESIDENCE_SHARED);
	share(false, MIB(20), RESIDENCE_BOUND);
	share(true, MIB(3), RESIDENCE_BOUND);
}

/* Its own limit is the nearer one. */
static void test_own_limit_below_a_shared_one(void **arg)
{
	(void)arg;
	begin();
	h.w.memcgs[h.root].max_bytes = LIMIT_ANON + LIMIT_FILE + MIB(20);
	h.w.memcgs[h.root].current_bytes = LIMIT_ANON + LIMIT_FILE;
	world_add(&h.w, (int)h.root, MIB(20), 0);
	assert_int_equal(mode_after(SECONDS(200)), RESIDENCE_BOUND);
}

/* A minute of memory, and one of settling. */
static void test_the_end(void **arg)
{
	(void)arg;
	begin();
	assert_int_equal(mode_after(SECONDS(100)), RESIDENCE_BOUND);
	h.hits = false;
	limit_sample(&h)->max_bytes = MIB(500);
	assert_int_equal(mode_after(SECONDS(110)), RESIDENCE_BOUND);
	assert_int_equal(mode_after(SECONDS(20)), RESIDENCE_FREE);
}

static void test_unknown_changes_nothing(void **arg)
{
	(void)arg;
	begin();
	limit_run(&h, SECONDS(100));
	limit_sample(&h)->lru_bytes[LRU_FILE] = SAMPLE_UNKNOWN;
	limit_sample(&h)->max_bytes = MIB(500);
	h.hits = false;
	assert_int_equal(mode_after(SECONDS(3600)), RESIDENCE_BOUND);
	begin();
	limit_sample(&h)->lru_bytes[LRU_FILE] = SAMPLE_UNKNOWN;
	assert_int_equal(mode_after(SECONDS(3600)), RESIDENCE_FREE);
	assert_true(limit_state(&h)->residence.usec == SAMPLE_UNKNOWN);
	begin();
	limit_sample(&h)->max_bytes = SAMPLE_UNKNOWN;
	assert_int_equal(mode_after(SECONDS(300)), RESIDENCE_FREE);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_residence_is_measured),
		cmocka_unit_test(test_unit_has_a_least),
		cmocka_unit_test(test_a_minute_decides),
		cmocka_unit_test(test_a_burst_does_not),
		cmocka_unit_test(test_fifteen_minutes),
		cmocka_unit_test(test_when_a_limit_presses),
		cmocka_unit_test(test_rare_hits),
		cmocka_unit_test(test_own_evictions),
		cmocka_unit_test(test_shared_limit),
		cmocka_unit_test(test_own_limit_below_a_shared_one),
		cmocka_unit_test(test_the_end),
		cmocka_unit_test(test_unknown_changes_nothing),
	};

	return cmocka_run_group_tests_name("policy-residence", tests, NULL, NULL);
}
