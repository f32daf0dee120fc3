/* SPDX-License-Identifier: MIT */
/*
 * What zram grows by: read from the files of several areas that come and go, and shared out.
 */
#include "zram_meter.h"
#include "arith.h"
#include "macro.h"

#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <cmocka.h>

#include "fixture.h"

#define UNKNOWN SAMPLE_UNKNOWN

static void write_stat(const struct fixture *fixture, unsigned number, uint64_t stored,
		       uint64_t used)
{
	char name[64];

	snprintf(name, sizeof(name), "sys/block/zram%u/mm_stat", number);
	fixture_printf(fixture, name, "%8" PRIu64 " 77 %8" PRIu64 " 0 0 0 0 0 0\n", stored, used);
}

/* As the ladder finds it. */
static void follow(struct zram_meter *meter, const struct fixture *fixture, const char *areas)
{
	struct swap_summary swap;

	fixture_printf(fixture, "proc/swaps", "Filename Type Size Used Priority\n%s", areas);
	swap_look(fixture->root, &swap);
	zram_meter_follow(meter, fixture->root, &swap);
}

static void assert_total(struct zram_meter *meter, uint64_t stored, uint64_t used)
{
	struct zram_total total;

	zram_meter_read(meter, &total);
	assert_int_equal(total.stored_bytes, stored);
	assert_int_equal(total.used_bytes, used);
}

#define ZRAM(n) "/dev/zram" #n " partition 1048576 0 100\n"

static void test_areas(void **state)
{
	const struct fixture *fixture = *state;
	struct zram_meter meter = {0};
	size_t kept;

	assert_total(&meter, 0, 0);
	follow(&meter, fixture, "/dev/sda2 partition 1048576 0 -2\n");
	assert_total(&meter, 0, 0);
	write_stat(fixture, 0, 1000, 300);
	write_stat(fixture, 12, 50, 20);
	follow(&meter, fixture, ZRAM(0) "/dev/sda2 partition 1048576 0 -2\n" ZRAM(12));
	assert_total(&meter, 1050, 320);
	/* Open once. */
	kept = fixture_count_descriptors();
	write_stat(fixture, 0, 2000, 301);
	follow(&meter, fixture, ZRAM(0) "/dev/sda2 partition 1048576 0 -2\n" ZRAM(12));
	assert_total(&meter, 2050, 321);
	assert_int_equal(fixture_count_descriptors(), kept);
	/* One that goes, and one that cannot be read. */
	follow(&meter, fixture, ZRAM(12));
	assert_total(&meter, 50, 20);
	assert_int_equal(fixture_count_descriptors(), kept - 1);
	fixture_write(fixture, "sys/block/zram12/mm_stat", "junk\n");
	assert_total(&meter, UNKNOWN, UNKNOWN);
	write_stat(fixture, 12, 60, 30);
	assert_total(&meter, 60, 30);
	/* More than there is room for. */
	for (unsigned i = 0; i < 9; i++)
		write_stat(fixture, i, 1, 1);
	follow(&meter, fixture, ZRAM(0) ZRAM(1) ZRAM(2) ZRAM(3) ZRAM(4) ZRAM(5) ZRAM(6) ZRAM(7));
	assert_total(&meter, 8, 8);
	follow(&meter, fixture,
	       ZRAM(0) ZRAM(1) ZRAM(2) ZRAM(3) ZRAM(4) ZRAM(5) ZRAM(6) ZRAM(7) ZRAM(8));
	assert_total(&meter, UNKNOWN, UNKNOWN);
	zram_meter_done(&meter);
}

static void test_shares(void **state _unused_)
{
	static const struct {
		struct zram_total before, after;
		uint64_t our_bytes, cost_bytes;
	} cases[] = {
		{{1000, 300}, {2000, 550}, 1000, 250},
		/* Others stored half of it. */
		{{1000, 300}, {3000, 800}, 1000, 250},
		/* Others took back meanwhile, as much or more: the average. */
		{{2000, 800}, {2000, 800}, 1000, 400},
		{{3000, 900}, {2000, 800}, 1000, 400},
		{{3000, 900}, {2000, 800}, 9000, 800},
		/* Of pages of one value zram keeps nothing. */
		{{1000, 300}, {2000, 300}, 1000, 0},
		/* What was stored anew filled holes. */
		{{1000, 300}, {2000, 250}, 1000, 0},
		{{1000, 300}, {2000, 550}, 0, 0},
		{{0, 0}, {0, 0}, 1000, 0},
		{{UNKNOWN, UNKNOWN}, {2000, 800}, 1000, UNKNOWN},
		{{1000, 300}, {UNKNOWN, UNKNOWN}, 1000, UNKNOWN},
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++)
		assert_int_equal(
			zram_cost_bytes(&cases[i].before, &cases[i].after, cases[i].our_bytes),
			cases[i].cost_bytes);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		FIXTURE_TEST(test_areas),
		cmocka_unit_test(test_shares),
	};

	return cmocka_run_group_tests_name("zram-meter", tests, NULL, NULL);
}
