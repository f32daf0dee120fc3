/* SPDX-License-Identifier: MIT */
#include "watchdog.h"
#include "log.h"
#include "messages.h"

void watchdog_begin(struct watchdog *ret, sd_event *event)
{
	*ret = (struct watchdog){.event = event};
	sd_event_set_watchdog(event, true);
}

void watchdog_note(struct watchdog *watchdog, bool stalled)
{
	if (stalled == watchdog->stalled)
		return;
	watchdog->stalled = stalled;
	sd_event_set_watchdog(watchdog->event, !stalled);
	if (stalled)
		log_event(LOG_WARNING, MESSAGE_STALLED,
			  "a write does not end, long after it was cancelled: the watchdog is left "
			  "to bite");
	else
		log_event(LOG_NOTICE, MESSAGE_STALLED, "the write has ended: going on");
}
