/* SPDX-License-Identifier: MIT */
#include "stop.h"
#include "log.h"
#include "macro.h"

/* How long a stop, a second in all, waits for what is under way: reclaim looks at a cancel between two
 * batches, and what the kernel adds up cannot be cancelled at all. */
#define LATE_USEC          (700 * UINT64_C(1000))
#define LATE_ACCURACY_USEC (50 * UINT64_C(1000))

bool stop_is_idle(const struct stop *stop)
{
	return executor_is_idle(stop->executor) && !ticker_is_busy(stop->ticker) &&
	       !protector_is_busy(stop->protector);
}

static int exit_when_idle(sd_event_source *source _unused_, void *userdata)
{
	const struct stop *stop = userdata;

	return stop_is_idle(stop) ? sd_event_exit(stop->event, 0) : 0;
}

/* A thread that still reads keeps what it reads with; the process ends without it. */
static int on_late(sd_event_source *source _unused_, uint64_t usec _unused_, void *userdata)
{
	const struct stop *stop = userdata;

	if (!executor_is_idle(stop->executor) || ticker_is_busy(stop->ticker))
		log_warning("a %s under way does not end; leaving it to the kernel",
			    executor_is_idle(stop->executor) ? "read" : "write");
	else
		log_warning("systemd does not answer; the next start puts MemoryLow= back");
	return sd_event_exit(stop->event, 0);
}

int stop_when_idle(struct stop *stop)
{
	ticker_stop(stop->ticker);
	if (stop_is_idle(stop))
		return sd_event_exit(stop->event, 0);
	return sd_event_add_post(stop->event, NULL, exit_when_idle, stop);
}

int stop_begin(struct stop *stop)
{
	int r;

	executor_stop(stop->executor);
	/* Whatever hangs after this. */
	protector_end(stop->protector);
	r = stop_when_idle(stop);
	if (r >= 0)
		r = sd_event_add_time_relative(stop->event, &stop->late, CLOCK_MONOTONIC, LATE_USEC,
					       LATE_ACCURACY_USEC, on_late, stop);
	if (r < 0)
		return sd_event_exit(stop->event, r);
	sd_event_source_set_description(stop->late, "stop");
	return 0;
}

bool stop_is_begun(const struct stop *stop)
{
	return stop->late;
}

void stop_done(struct stop *stop)
{
	sd_event_source_disable_unref(stop->late);
}
