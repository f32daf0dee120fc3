/* SPDX-License-Identifier: MIT */
/*
 * The watchdog is fed while the loop runs, and not while a write does not end. A socket stands for
 * the service manager.
 */
#include "watchdog.h"
#include "macro.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <sys/socket.h>
#include <cmocka.h>

#include "fixture.h"

#define PATIENCE UINT64_C(60000000)

/* How often it was fed since the last call. */
static unsigned count_feeds(int fd)
{
	unsigned n = 0;
	char text[64];
	ssize_t len;

	while ((len = recv(fd, text, sizeof(text) - 1, 0)) >= 0) {
		text[len] = '\0';
		assert_string_equal(text, "WATCHDOG=1");
		n++;
	}
	assert_int_equal(errno, EAGAIN);
	return n;
}

static int on_time(sd_event_source *source, uint64_t usec _unused_, void *userdata)
{
	++*(unsigned *)userdata;
	return sd_event_source_set_time_relative(source, 1000);
}

/* Ten times as long as the manager would wait to be fed; how often it was. A socket holds ten
 * messages, and the eleventh would wait. */
static unsigned run_for_long(sd_event *event, int fd, const unsigned *n_times)
{
	uint64_t end_usec = fixture_now_usec() + PATIENCE;
	unsigned n_feeds = 0;

	for (unsigned until = *n_times + 200; *n_times < until;) {
		assert_true(fixture_now_usec() < end_usec);
		assert_true(sd_event_run(event, 10000) >= 0);
		n_feeds += count_feeds(fd);
	}
	return n_feeds;
}

static void test_starves_while_a_write_stalls(void **state)
{
	struct watchdog watchdog;
	sd_event_source *timer = NULL;
	sd_event *event = NULL;
	unsigned n_times = 0;
	int fd = fixture_open_notify_socket(*state);

	setenv("WATCHDOG_USEC", "20000", true);
	unsetenv("WATCHDOG_PID");
	assert_true(sd_event_new(&event) >= 0);
	assert_true(sd_event_add_time_relative(event, &timer, CLOCK_MONOTONIC, 1000, 1, on_time,
					       &n_times) >= 0);
	assert_true(sd_event_source_set_enabled(timer, SD_EVENT_ON) >= 0);
	watchdog_begin(&watchdog, event);
	assert_true(run_for_long(event, fd, &n_times) > 1);
	watchdog_note(&watchdog, false);
	assert_true(run_for_long(event, fd, &n_times) > 1);
	watchdog_note(&watchdog, true);
	assert_int_equal(run_for_long(event, fd, &n_times), 0);
	watchdog_note(&watchdog, false);
	assert_true(run_for_long(event, fd, &n_times) > 1);

	sd_event_source_disable_unref(timer);
	sd_event_unref(event);
	close(fd);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		FIXTURE_TEST(test_starves_while_a_write_stalls),
	};

	return cmocka_run_group_tests_name("watchdog", tests, NULL, NULL);
}
