/* SPDX-License-Identifier: MIT */
/*
 * users.md 14, 56: the host sleeps and wakes, with logind, without, and with one that comes and goes.
 * A bus of the test's own tells so.
 */
#include "bus.h"
#include "macro.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include "fake-bus.h"

struct bench {
	sd_event *event;
	struct fake_bus fake;
	struct bus *bus;
	bool quiet;
	unsigned n_sleeps, n_wakes, n_asked;
};

static void on_sleep(void *userdata)
{
	struct bench *bench = userdata;

	assert_int_equal(bench->n_sleeps, bench->n_wakes);
	bench->n_sleeps++;
}

static bool is_quiet(void *userdata)
{
	struct bench *bench = userdata;

	bench->n_asked++;
	return bench->quiet;
}

static void on_wake(void *userdata)
{
	struct bench *bench = userdata;

	bench->n_wakes++;
	assert_int_equal(bench->n_sleeps, bench->n_wakes);
}

/* With no bus to be found yet. */
static void bench_open(struct bench *bench, const struct fixture *fixture)
{
	struct bus_settings settings = {
		.retry_usec = 1000,
		.sleep = on_sleep,
		.is_quiet = is_quiet,
		.wake = on_wake,
		.userdata = bench,
	};

	*bench = (struct bench){.fake.lock_fd = -1};
	setenv("DBUS_SYSTEM_BUS_ADDRESS", "unix:path=/nonexistent/bus", true);
	assert_true(sd_event_new(&bench->event) >= 0);
	settings.event = bench->event;
	assert_int_equal(bus_new(&settings, &bench->bus), 0);
	if (fixture)
		fake_bus_open(&bench->fake, bench->event, fixture);
}

static void bench_close(struct bench *bench)
{
	bus_free(bench->bus);
	fake_bus_close(&bench->fake);
	sd_event_unref(bench->event);
}

/* The lock is held as long as something is under way, and taken again after the sleep. */
static void test_sleep_waits_for_what_is_under_way(void **state)
{
	struct bench bench;

	bench_open(&bench, *state);
	run_until(&bench, bus_has_lock(bench.bus));
	assert_true(fake_bus_lock_is_held(&bench.fake));
	fake_bus_prepare_for_sleep(&bench.fake, true);
	run_until(&bench, bench.n_asked >= 1);
	assert_int_equal(bench.n_sleeps, 1);
	assert_true(fake_bus_lock_is_held(&bench.fake));
	/* Something else happens; and once more, when all has ended. */
	fake_bus_change_owner(&bench.fake, ":1.9");
	run_until(&bench, bench.n_wakes == 1);
	run_until(&bench, bus_has_lock(bench.bus) && bench.fake.n_inhibits == 2);
	fake_bus_prepare_for_sleep(&bench.fake, true);
	bench.quiet = true;
	run_until(&bench, !bus_has_lock(bench.bus));
	assert_int_equal(bench.n_sleeps, 2);
	assert_int_equal(bench.n_wakes, 1);
	assert_false(fake_bus_lock_is_held(&bench.fake));
	fake_bus_prepare_for_sleep(&bench.fake, false);
	run_until(&bench, bench.n_wakes == 2 && bus_has_lock(bench.bus));
	assert_true(fake_bus_lock_is_held(&bench.fake));
	bench_close(&bench);
}

/* Announced twice, and an end without a beginning: as once, and as none. */
static void test_odd_announcements(void **state)
{
	struct bench bench;

	bench_open(&bench, *state);
	bench.quiet = true;
	run_until(&bench, bus_has_lock(bench.bus));
	fake_bus_prepare_for_sleep(&bench.fake, false);
	run_until(&bench, bench.fake.n_inhibits == 2);
	assert_int_equal(bench.n_wakes, 0);
	fake_bus_prepare_for_sleep(&bench.fake, true);
	fake_bus_prepare_for_sleep(&bench.fake, true);
	fake_bus_prepare_for_sleep(&bench.fake, false);
	run_until(&bench, bench.n_wakes == 1);
	assert_int_equal(bench.n_sleeps, 1);
	bench_close(&bench);
}

/* A logind that gives no lock still tells of sleeps. */
static void test_no_lock(void **state)
{
	struct bench bench;

	bench_open(&bench, *state);
	bench.fake.refuse = true;
	run_until(&bench, bench.fake.n_inhibits == 1);
	fake_bus_prepare_for_sleep(&bench.fake, true);
	run_until(&bench, bench.n_sleeps == 1);
	assert_false(bus_has_lock(bench.bus));
	fake_bus_prepare_for_sleep(&bench.fake, false);
	run_until(&bench, bench.n_wakes == 1);
	bench_close(&bench);
}

/* Nobody is left who would tell of the end of a sleep: so it has ended. */
static void test_bus_goes_and_comes(void **state)
{
	struct bench bench;

	bench_open(&bench, *state);
	run_until(&bench, bus_has_lock(bench.bus));
	fake_bus_prepare_for_sleep(&bench.fake, true);
	run_until(&bench, bench.n_sleeps == 1);
	fake_bus_close(&bench.fake);
	run_until(&bench, bench.n_wakes == 1 && !bus_has_lock(bench.bus));
	fake_bus_open(&bench.fake, bench.event, *state);
	run_until(&bench, bus_has_lock(bench.bus));
	assert_int_equal(bench.fake.n_clients, 1);
	/* logind is stopped, and started again. */
	fake_bus_prepare_for_sleep(&bench.fake, true);
	run_until(&bench, bench.n_sleeps == 2);
	fake_bus_change_owner(&bench.fake, "");
	run_until(&bench, bench.n_wakes == 2);
	assert_false(bus_has_lock(bench.bus));
	fake_bus_change_owner(&bench.fake, ":1.11");
	run_until(&bench, bus_has_lock(bench.bus));
	bench_close(&bench);
}

static int on_time(sd_event_source *source _unused_, uint64_t usec _unused_, void *userdata)
{
	*(bool *)userdata = true;
	return 0;
}

static void test_no_bus(void **state _unused_)
{
	bool passed = false;
	struct bench bench;

	bench_open(&bench, NULL);
	assert_true(sd_event_add_time_relative(bench.event, NULL, CLOCK_MONOTONIC, 50000, 1,
					       on_time, &passed) >= 0);
	run_until(&bench, passed);
	assert_false(bus_has_lock(bench.bus));
	assert_int_equal(bench.n_sleeps, 0);
	bench_close(&bench);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		FIXTURE_TEST(test_sleep_waits_for_what_is_under_way),
		FIXTURE_TEST(test_odd_announcements),
		FIXTURE_TEST(test_no_lock),
		FIXTURE_TEST(test_bus_goes_and_comes),
		FIXTURE_TEST(test_no_bus),
	};

	return cmocka_run_group_tests_name("bus", tests, NULL, NULL);
}
