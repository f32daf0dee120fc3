/* SPDX-License-Identifier: MIT */
/*
 * How late the event loop is: what a signal, the end of a write or the watchdog has to wait for until
 * the loop takes notice. Measured by a timer that does nothing else, and only while something is at
 * work, since an idle host is not to be woken for it.
 */
#ifndef FGRECLAIM_LOOP_LAG_H
#define FGRECLAIM_LOOP_LAG_H

#include "histogram.h"

#include <stdbool.h>
#include <systemd/sd-event.h>

struct loop_lag;

/* is_at_work: whether to go on measuring. Errors: -ENOMEM and others of sd-event. */
int loop_lag_new(sd_event *event, bool (*is_at_work)(void *userdata), void *userdata,
		 struct loop_lag **ret);

/* NULL is allowed; returns NULL. */
struct loop_lag *loop_lag_free(struct loop_lag *lag);

/* Something begins: measures once, and from then on as long as it is at work. */
void loop_lag_watch(struct loop_lag *lag);

/* All that was measured. */
const struct histogram *loop_lag_seen(const struct loop_lag *lag);

#endif
