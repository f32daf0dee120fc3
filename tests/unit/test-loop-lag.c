/* SPDX-License-Identifier: MIT */
/*
 * The loop is measured while something is at work; and one that is held up shows it, by all that
 * would have been due meanwhile.
 */
#include "loop_lag.h"
#include "macro.h"

#include <setjmp.h>
#include <stdarg.h>
#include <cmocka.h>

#include "fixture.h"

#define PATIENCE UINT64_C(60000000)
#define HELD_UP  UINT64_C(400000)

static unsigned work; /* that is left to do; one less whenever somebody asks */
static unsigned asked;

static bool is_at_work(void *userdata _unused_)
{
	asked++;
	return work > 0 && --work > 0;
}

static void run_until_asked(sd_event *event, unsigned times)
{
	uint64_t end_usec = fixture_now_usec() + PATIENCE;

	asked = 0;
	while (asked < times) {
		assert_true(fixture_now_usec() < end_usec);
		assert_true(sd_event_run(event, 10000) >= 0);
	}
}

static void test_only_at_work(void **state _unused_)
{
	const struct histogram *seen;
	struct loop_lag *lag;
	sd_event *event;

	assert_true(sd_event_new(&event) >= 0);
	assert_int_equal(loop_lag_new(event, is_at_work, NULL, &lag), 0);
	seen = loop_lag_seen(lag);
	/* Nothing has begun, and nothing is waited for. */
	assert_int_equal(sd_event_run(event, 0), 0);
	work = 3;
	loop_lag_watch(lag);
	loop_lag_watch(lag); /* no second timer */
	run_until_asked(event, 3);
	/* A loop that was held up counts for more. */
	assert_true(seen->n >= 3);
	/* The work is done. */
	assert_int_equal(sd_event_run(event, 200000), 0);
	loop_lag_watch(lag);
	run_until_asked(event, 1);
	assert_null(loop_lag_free(lag));
	sd_event_unref(event);
}

static void test_held_up(void **state _unused_)
{
	const struct histogram *seen;
	struct loop_lag *lag;
	sd_event *event;

	assert_true(sd_event_new(&event) >= 0);
	assert_int_equal(loop_lag_new(event, is_at_work, NULL, &lag), 0);
	seen = loop_lag_seen(lag);
	work = 0;
	loop_lag_watch(lag);
	usleep(HELD_UP);
	run_until_asked(event, 1);
	/* It was due after some fifty milliseconds, and as often again. */
	assert_true(seen->most_usec >= HELD_UP / 2);
	assert_true(seen->n >= 4);
	assert_true(histogram_quantile_usec(seen, 500000) >= HELD_UP / 4);
	assert_null(loop_lag_free(lag));
	sd_event_unref(event);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_only_at_work),
		cmocka_unit_test(test_held_up),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
