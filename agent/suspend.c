/* SPDX-License-Identifier: MIT */
/*
 * What is done when the bus tells of a sleep (bus.c). A host without a bus sleeps as well: there the
 * freezer interrupts what is under way, as a cancel does, and the gap of CLOCK_BOOTTIME between two
 * looks starts history over, if it is a long one.
 */
#include "suspend.h"
#include "bus.h"
#include "log.h"
#include "macro.h"

#include <errno.h>

struct suspend {
	struct suspend_settings settings;
	struct bus *bus;
};

static void on_sleep(void *userdata)
{
	struct suspend *suspend = userdata;

	log_notice("the host is about to sleep: pausing");
	ticker_stop(suspend->settings.ticker);
	executor_stop(suspend->settings.executor);
}

static bool is_quiet(void *userdata)
{
	const struct suspend *suspend = userdata;

	return executor_is_idle(suspend->settings.executor);
}

static void on_wake(void *userdata)
{
	struct suspend *suspend = userdata;

	log_notice("the host is awake: going on");
	pass_rebase(suspend->settings.pass);
	executor_resume(suspend->settings.executor);
	ticker_resume(suspend->settings.ticker);
}

struct suspend *suspend_free(struct suspend *suspend)
{
	if (!suspend)
		return NULL;
	bus_free(suspend->bus);
	free(suspend);
	return NULL;
}

DEFINE_CLEANUP(struct suspend *, suspend_free)

int suspend_new(const struct suspend_settings *settings, struct suspend **ret)
{
	_cleanup_(suspend_free_ptr) struct suspend *suspend = calloc(1, sizeof(*suspend));
	struct bus_settings bus = {
		.event = settings->event,
		.retry_usec = settings->retry_usec,
		.sleep = on_sleep,
		.is_quiet = is_quiet,
		.wake = on_wake,
		.userdata = suspend,
	};
	int r;

	if (!suspend)
		return -ENOMEM;
	suspend->settings = *settings;
	r = bus_new(&bus, &suspend->bus);
	if (r < 0)
		return r;
	*ret = TAKE_PTR(suspend);
	return 0;
}
