/* SPDX-License-Identifier: MIT */
/*
 * The service manager's watchdog: fed by the event loop, as long as the kernel gives our writes back.
 */
#ifndef FGRECLAIM_WATCHDOG_H
#define FGRECLAIM_WATCHDOG_H

#include <stdbool.h>
#include <systemd/sd-event.h>

struct watchdog {
	sd_event *event;
	bool stalled;
};

/* Without a watchdog (no $WATCHDOG_USEC) nothing is fed. */
void watchdog_begin(struct watchdog *ret, sd_event *event);

/* Says so when that changes. A loop that runs while a write does not end is not healthy: then the
 * watchdog is left to bite, unless it ends after all. */
void watchdog_note(struct watchdog *watchdog, bool stalled);

#endif
