/* SPDX-License-Identifier: MIT */
#include "loop_lag.h"
#include "arith.h"
#include "clock.h"
#include "macro.h"

#include <errno.h>

/* Twenty times a second. */
#define PERIOD_USEC UINT64_C(50000)

/* To the microsecond: 0 would be a quarter of a second. */
#define ACCURACY_USEC 1

struct loop_lag {
	sd_event_source *timer;
	bool (*is_at_work)(void *userdata);
	void *userdata;
	bool armed;
	struct histogram seen;
};

static int arm(struct loop_lag *lag)
{
	int r = sd_event_source_set_time_relative(lag->timer, PERIOD_USEC);

	if (r >= 0)
		r = sd_event_source_set_enabled(lag->timer, SD_EVENT_ONESHOT);
	lag->armed = r >= 0;
	return r;
}

/* What would have been due while this was late was late, too. */
static void enter(struct loop_lag *lag, uint64_t late_usec)
{
	for (; late_usec >= PERIOD_USEC; late_usec -= PERIOD_USEC)
		histogram_enter(&lag->seen, late_usec);
	histogram_enter(&lag->seen, late_usec);
}

static int on_time(sd_event_source *source _unused_, uint64_t usec, void *userdata)
{
	struct loop_lag *lag = userdata;

	lag->armed = false;
	enter(lag, saturating_sub(clock_usec(CLOCK_MONOTONIC), usec));
	return lag->is_at_work(lag->userdata) ? arm(lag) : 0;
}

struct loop_lag *loop_lag_free(struct loop_lag *lag)
{
	if (!lag)
		return NULL;
	sd_event_source_disable_unref(lag->timer);
	free(lag);
	return NULL;
}

DEFINE_CLEANUP(struct loop_lag *, loop_lag_free)

int loop_lag_new(sd_event *event, bool (*is_at_work)(void *userdata), void *userdata,
		 struct loop_lag **ret)
{
	_cleanup_(loop_lag_free_ptr) struct loop_lag *lag = calloc(1, sizeof(*lag));
	int r;

	if (!lag)
		return -ENOMEM;
	lag->is_at_work = is_at_work;
	lag->userdata = userdata;
	r = sd_event_add_time_relative(event, &lag->timer, CLOCK_MONOTONIC, 0, ACCURACY_USEC,
				       on_time, lag);
	if (r < 0)
		return r;
	sd_event_source_set_enabled(lag->timer, SD_EVENT_OFF);
	sd_event_source_set_description(lag->timer, "loop-lag");
	*ret = TAKE_PTR(lag);
	return 0;
}

void loop_lag_watch(struct loop_lag *lag)
{
	if (!lag->armed)
		arm(lag);
}

const struct histogram *loop_lag_seen(const struct loop_lag *lag)
{
	return &lag->seen;
}
