/* SPDX-License-Identifier: MIT */
/*
 * The end: what is under way is asked to end, and not waited for for long.
 */
#ifndef FGRECLAIM_STOP_H
#define FGRECLAIM_STOP_H

#include "executor.h"
#include "protector.h"
#include "ticker.h"

struct stop {
	sd_event *event;
	struct ticker *ticker;
	struct executor *executor;
	struct protector *protector;
	sd_event_source *late; /* NULL: not begun */
};

/* Neither a read nor a write is under way, or queued, and no answer of systemd is due. */
bool stop_is_idle(const struct stop *stop);

/* No further pass begins, and the loop ends once all is idle. 0, or an error of sd-event. */
int stop_when_idle(struct stop *stop);

/* The same, but writes are cancelled and what protects cgroups is put back, and the loop ends within a
 * second in any case. To be called once. */
int stop_begin(struct stop *stop);
bool stop_is_begun(const struct stop *stop);

void stop_done(struct stop *stop);

#endif
