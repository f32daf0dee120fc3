/* SPDX-License-Identifier: MIT */
/*
 * How much one write asks for: bounded by each limit alone, and by all of them at random.
 */
#include "write_size.h"
#include "arith.h"
#include "macro.h"

#include <setjmp.h>
#include <stdarg.h>
#include <cmocka.h>

#define KIB UINT64_C(1024)
#define MIB (1024 * KIB)
#define GIB (1024 * MIB)

static void test_each_limit(void **state _unused_)
{
	static const struct {
		struct write_limits limits;
		uint64_t bytes;
	} cases[] = {
		/* wanted, WriteMax, slow, current, kept, excess */
		{{5 * MIB, 16 * MIB, 0, 2 * GIB, 0, 0}, 5 * MIB},
		{{40 * MIB, 16 * MIB, 0, 2 * GIB, 0, 0}, 16 * MIB},
		/* A sixteenth of what it holds, or 1 MiB. */
		{{40 * MIB, 16 * MIB, 0, 64 * MIB, 0, 0}, 4 * MIB},
		{{40 * MIB, 16 * MIB, 0, 8 * MIB, 0, 0}, 1 * MIB},
		{{40 * MIB, 16 * MIB, 0, SAMPLE_UNKNOWN, 0, 0}, 16 * MIB},
		{{40 * MIB, 16 * MIB, 3 * MIB, 2 * GIB, 0, 0}, 3 * MIB},
		{{40 * MIB, 16 * MIB, 1, 2 * GIB, 0, 0}, 128 * KIB},
		/* What is kept. */
		{{40 * MIB, 16 * MIB, 0, 2 * GIB, 2 * GIB - 7 * MIB, 0}, 7 * MIB},
		{{40 * MIB, 16 * MIB, 0, 2 * GIB, 2 * GIB, 0}, 0},
		{{40 * MIB, 16 * MIB, 0, 2 * GIB, SAMPLE_INFINITY, 0}, 0},
		/* What the kernel takes anyway. */
		{{40 * MIB, 16 * MIB, 0, 2 * GIB, 0, 3 * MIB}, 13 * MIB},
		{{2 * MIB, 16 * MIB, 0, 2 * GIB, 0, 3 * MIB}, 128 * KIB},
		{{4 * KIB, 16 * MIB, 0, 2 * GIB, 0, 3 * MIB}, 4 * KIB},
		{{40 * MIB, 16 * MIB, 0, 2 * GIB, 2 * GIB - 3 * MIB, 3 * MIB}, 0},
		{{0, 16 * MIB, 0, 2 * GIB, 0, 0}, 0},
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++)
		assert_int_equal(write_size(&cases[i].limits), cases[i].bytes);
}

static uint64_t dice(uint64_t *seed)
{
	*seed = *seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
	return *seed >> (*seed >> 58);
}

static void test_never_above_any_limit(void **state _unused_)
{
	uint64_t seed = 1;

	for (unsigned i = 0; i < 1000000; i++) {
		struct write_limits limits = {
			.wanted_bytes = dice(&seed),
			.most_bytes = dice(&seed),
			.slow_bytes = dice(&seed),
			.current_bytes = dice(&seed),
			.keep_bytes = dice(&seed),
			.excess_bytes = dice(&seed),
		};
		uint64_t bytes = write_size(&limits);

		assert_true(bytes <= limits.wanted_bytes && bytes <= limits.most_bytes);
		if (is_number(limits.current_bytes) && bytes > 0) {
			assert_true(bytes <=
				    saturating_sub(limits.current_bytes, limits.keep_bytes));
			assert_true(bytes <= max_u64(limits.current_bytes / 16, MIB));
		}
	}
}

/* Half as much after a deadline or a partial result, twice as much after each that was in time. */
static void test_slow(void **state _unused_)
{
	assert_int_equal(write_size_slow(0, 16 * MIB, WRITE_INTERRUPTED), 8 * MIB);
	assert_int_equal(write_size_slow(0, 16 * MIB, WRITE_PARTIAL), 8 * MIB);
	assert_int_equal(write_size_slow(8 * MIB, 200 * KIB, WRITE_INTERRUPTED), 128 * KIB);
	assert_int_equal(write_size_slow(8 * MIB, 8 * MIB, WRITE_FREED), 16 * MIB);
	assert_int_equal(write_size_slow(32 * MIB, 16 * MIB, WRITE_FREED), 0);
	assert_int_equal(write_size_slow(0, 16 * MIB, WRITE_FREED), 0);
	assert_int_equal(write_size_slow(8 * MIB, 8 * MIB, WRITE_REFUSED), 8 * MIB);
	assert_int_equal(write_size_slow(8 * MIB, 8 * MIB, WRITE_NOT_BEGUN), 8 * MIB);
}

/* On a kernel that always takes a batch too much, and on one that takes a tenth too much, what is
 * taken comes to what is wanted. */
static void test_excess_settles(void **state _unused_)
{
	for (unsigned kernel = 0; kernel < 2; kernel++) {
		uint64_t excess_bytes = 0, freed_bytes = 0;

		for (unsigned i = 0; i < 50; i++) {
			const struct write_limits limits = {
				.wanted_bytes = 16 * MIB,
				.most_bytes = 16 * MIB,
				.current_bytes = 2 * GIB,
				.excess_bytes = excess_bytes,
			};
			uint64_t asked_bytes = write_size(&limits);

			freed_bytes = asked_bytes + (kernel == 0 ? 5 * MIB : asked_bytes / 10);
			excess_bytes = write_size_excess(excess_bytes, asked_bytes, freed_bytes);
		}
		assert_in_range(freed_bytes, 16 * MIB - 64, 16 * MIB + 64);
	}
	assert_int_equal(write_size_excess(4 * MIB, MIB, MIB), 3 * MIB);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_each_limit),
		cmocka_unit_test(test_never_above_any_limit),
		cmocka_unit_test(test_slow),
		cmocka_unit_test(test_excess_settles),
	};

	return cmocka_run_group_tests_name("write-size", tests, NULL, NULL);
}
