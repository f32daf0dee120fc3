/* SPDX-License-Identifier: MIT */
/*
 * What a write came to: every kind of action with every errno and every measure of its effect, held
 * against the rules in words; and whose pages are ours.
 */
#include "write_result.h"
#include "arith.h"
#include "macro.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <cmocka.h>

#define MIB  (UINT64_C(1) << 20)
#define PAGE ((uint64_t)sysconf(_SC_PAGESIZE))

static const struct write_effect effects[] = {
	{.known = false},
	{.known = true, .freed_bytes = 0},
	{.known = true, .freed_bytes = 4096},
	{.known = true, .freed_bytes = 2 * MIB},
	{.known = true, .freed_bytes = 64 * MIB},
};

static bool is_one_of(int result, const int *errors, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (result == -errors[i])
			return true;
	return false;
}

static void check(enum action_kind action, int result, const struct write_effect *effect)
{
	static const int gone[] = {ENODEV, ENOENT, ESTALE};
	static const int moved_on[] = {EINVAL, ERANGE, EEXIST};
	enum write_result judged = write_judge(action, result, 2 * MIB, effect);
	bool failed = write_failed(result, judged);

	assert_true(judged < _WRITE_RESULT_MAX);
	assert_true(write_result_to_string(judged)[0] != '\0');
	if (is_one_of(result, gone, ARRAY_SIZE(gone)))
		assert_int_equal(judged, WRITE_GONE);
	else if (result == -EINTR)
		assert_int_equal(judged, WRITE_INTERRUPTED);
	else if (result == -ECANCELED)
		assert_int_equal(judged, WRITE_NOT_BEGUN);
	else if (action != ACTION_RECLAIM && is_one_of(result, moved_on, ARRAY_SIZE(moved_on)))
		assert_int_equal(judged, WRITE_RACED);
	else if (result >= 0 && action == ACTION_AGE)
		assert_int_equal(judged, WRITE_FREED);
	else if (effect->freed_bytes >= 2 * MIB)
		assert_int_equal(judged, result < 0 ? WRITE_PARTIAL : WRITE_FREED);
	else if (effect->freed_bytes > 0)
		assert_int_equal(judged, WRITE_PARTIAL);
	else if (!effect->known && (result >= 0 || result == -EAGAIN))
		assert_int_equal(judged, WRITE_UNMEASURED);
	else if (result >= 0)
		assert_int_equal(judged, action == ACTION_RECLAIM ? WRITE_LIED : WRITE_NOTHING);
	else
		assert_int_equal(judged, result == -EAGAIN ? WRITE_NOTHING : WRITE_REFUSED);
	/* A failure is an error that freed nothing, and no race, no deadline, no removal. */
	assert_int_equal(failed,
			 judged == WRITE_REFUSED || (judged == WRITE_NOTHING && result < 0));
	assert_false(failed && (result >= 0 || effect->freed_bytes > 0));
}

static void test_every_errno(void **state _unused_)
{
	unsigned n = 0;

	for (enum action_kind action = ACTION_AGE; action < _ACTION_MAX; action++)
		for (int result = -133; result <= 1; result++)
			for (size_t i = 0; i < ARRAY_SIZE(effects); i++, n++)
				check(action, result, &effects[i]);
	print_message("# %u results judged\n", n);
}

/* What is too little to be told from the lag of the counters is no lie. */
static void test_small_requests_do_not_lie(void **state _unused_)
{
	assert_int_equal(write_judge(ACTION_RECLAIM, 7, MIB - 1, &effects[1]), WRITE_NOTHING);
	assert_int_equal(write_judge(ACTION_RECLAIM, 7, MIB, &effects[1]), WRITE_LIED);
}

#define UNKNOWN SAMPLE_UNKNOWN

static void test_whose_pages(void **state _unused_)
{
	static const struct {
		enum action_kind action;
		struct reclaim_parts before, after;
		uint64_t pages;
	} cases[] = {
		/* To 6.14: direct, whatever kswapd took meanwhile. */
		{ACTION_RECLAIM, {100, 50, UNKNOWN}, {190, 80, UNKNOWN}, 30},
		{ACTION_EVICT, {100, 50, UNKNOWN}, {190, 80, UNKNOWN}, 30},
		/* 6.15: apart from what the memcg's tasks did themselves. */
		{ACTION_RECLAIM, {100, 50, 10}, {190, 80, 25}, 15},
		{ACTION_RECLAIM, {100, 50, 10}, {190, 80, 10}, 0},
		{ACTION_EVICT, {100, 50, 10}, {190, 80, 10}, 30},
		{ACTION_EVICT, {100, 50, 10}, {190, 80, 25}, 15},
		/* The sum alone. */
		{ACTION_RECLAIM, {100, UNKNOWN, UNKNOWN}, {190, UNKNOWN, UNKNOWN}, 90},
		{ACTION_RECLAIM, {100, 50, UNKNOWN}, {190, UNKNOWN, UNKNOWN}, 90},
		/* Made anew, or not read. */
		{ACTION_RECLAIM, {100, 50, UNKNOWN}, {10, 5, UNKNOWN}, UNKNOWN},
		{ACTION_RECLAIM, {UNKNOWN, UNKNOWN, UNKNOWN}, {190, 80, 25}, UNKNOWN},
		/* An aging takes nothing; what went meanwhile was others' doing. */
		{ACTION_AGE, {100, 50, UNKNOWN}, {190, 80, UNKNOWN}, 0},
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		const struct memcg_usage before = {UNKNOWN, UNKNOWN, cases[i].before,
						   cases[i].before, UNKNOWN};
		const struct memcg_usage after = {UNKNOWN, UNKNOWN, cases[i].after, cases[i].after,
						  UNKNOWN};
		struct write_effect effect;

		write_measure(cases[i].action, &before, &after, MIB, &effect);
		assert_int_equal(effect.known,
				 cases[i].action != ACTION_AGE && is_number(cases[i].pages));
		assert_int_equal(effect.stolen_pages, number_or(cases[i].pages, 0));
		assert_int_equal(effect.scanned_pages, number_or(cases[i].pages, 0));
		assert_int_equal(effect.freed_bytes, number_or(cases[i].pages, 0) * PAGE);
	}
}

/* Without counters: what the memcg lost or swap gained, up to what was asked for. */
static void test_sizes_tell(void **state _unused_)
{
	static const struct {
		enum action_kind action;
		uint64_t current[2], swap[2], freed_bytes;
		bool known;
	} cases[] = {
		{ACTION_RECLAIM, {9 * MIB, 8 * MIB}, {0, 0}, MIB, true},
		{ACTION_RECLAIM, {9 * MIB, 2 * MIB}, {0, 0}, 2 * MIB, true},
		{ACTION_RECLAIM, {9 * MIB, 10 * MIB}, {0, 0}, 0, true},
		/* Swapped out, and as much came in. File is not in swap. */
		{ACTION_EVICT, {9 * MIB, 9 * MIB}, {MIB, 2 * MIB}, MIB, true},
		{ACTION_EVICT, {9 * MIB, 9 * MIB}, {MIB, 9 * MIB}, 2 * MIB, true},
		{ACTION_EVICT, {9 * MIB, 9 * MIB}, {2 * MIB, MIB}, 0, true},
		{ACTION_RECLAIM, {9 * MIB, 9 * MIB}, {MIB, 2 * MIB}, 0, true},
		{ACTION_EVICT, {9 * MIB, 8 * MIB}, {UNKNOWN, UNKNOWN}, MIB, true},
		{ACTION_EVICT, {UNKNOWN, 8 * MIB}, {UNKNOWN, UNKNOWN}, 0, false},
		{ACTION_RECLAIM, {9 * MIB, UNKNOWN}, {0, 0}, 0, false},
	};
	static const struct reclaim_parts unread = {UNKNOWN, UNKNOWN, UNKNOWN};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		const struct memcg_usage before = {cases[i].current[0], cases[i].swap[0], unread,
						   unread, UNKNOWN};
		const struct memcg_usage after = {cases[i].current[1], cases[i].swap[1], unread,
						  unread, UNKNOWN};
		struct write_effect effect;

		write_measure(cases[i].action, &before, &after, 2 * MIB, &effect);
		assert_int_equal(effect.known, cases[i].known);
		assert_int_equal(effect.freed_bytes, cases[i].freed_bytes);
		assert_int_equal(effect.stolen_pages, 0);
	}
}

/* What went to swap, and what of it is in memory still. */
static void test_what_was_stored(void **state _unused_)
{
	static const struct {
		enum action_kind action;
		uint64_t swap[2], stolen[2], zswap[2], stored_pages, cost_bytes;
	} cases[] = {
		{ACTION_EVICT, {10, 40}, {5, 35}, {UNKNOWN, UNKNOWN}, 30, 0},
		/* Some had a place there; or others swapped, too. */
		{ACTION_EVICT, {10, 20}, {5, 35}, {UNKNOWN, UNKNOWN}, 10, 0},
		{ACTION_EVICT, {10, 90}, {5, 35}, {UNKNOWN, UNKNOWN}, 30, 0},
		{ACTION_EVICT, {UNKNOWN, 90}, {5, 35}, {UNKNOWN, UNKNOWN}, 30, 0},
		{ACTION_EVICT, {10, 40}, {UNKNOWN, UNKNOWN}, {UNKNOWN, UNKNOWN}, 30, 0},
		{ACTION_EVICT, {UNKNOWN, 40}, {UNKNOWN, UNKNOWN}, {UNKNOWN, 7}, 0, 0},
		{ACTION_EVICT, {10, 40}, {5, 35}, {4096, 14096}, 30, 10000},
		{ACTION_EVICT, {10, 40}, {5, 35}, {4096, 96}, 30, 0},
		{ACTION_RECLAIM, {10, 40}, {5, 35}, {4096, 14096}, 0, 0},
		{ACTION_AGE, {10, 40}, {5, 35}, {4096, 14096}, 0, 0},
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct memcg_usage usage[2];
		struct write_effect effect;

		for (size_t at = 0; at < 2; at++) {
			struct reclaim_parts parts = {cases[i].stolen[at], UNKNOWN, UNKNOWN};
			uint64_t swap_pages = cases[i].swap[at];

			usage[at] = (struct memcg_usage){
				MIB, swap_pages == UNKNOWN ? UNKNOWN : swap_pages * PAGE, parts,
				parts, cases[i].zswap[at]};
		}
		write_measure(cases[i].action, &usage[0], &usage[1], MIB, &effect);
		assert_int_equal(effect.stored_bytes, cases[i].stored_pages * PAGE);
		assert_int_equal(effect.cost_bytes, cases[i].cost_bytes);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_every_errno),
		cmocka_unit_test(test_small_requests_do_not_lie),
		cmocka_unit_test(test_whose_pages),
		cmocka_unit_test(test_sizes_tell),
		cmocka_unit_test(test_what_was_stored),
	};

	return cmocka_run_group_tests_name("write-result", tests, NULL, NULL);
}
