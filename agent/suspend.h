/* SPDX-License-Identifier: MIT */
/*
 * The host sleeps: no write is under way by then, none is begun before it is awake, and then history
 * starts over instead of being made up for.
 */
#ifndef FGRECLAIM_SUSPEND_H
#define FGRECLAIM_SUSPEND_H

#include "executor.h"
#include "ticker.h"

/* How often a system bus that is not there is looked for. */
#define SUSPEND_RETRY_USEC (60 * UINT64_C(1000000))

struct suspend;

struct suspend_settings {
	sd_event *event;
	uint64_t retry_usec; /* SUSPEND_RETRY_USEC, but in tests */
	struct pass *pass;
	struct ticker *ticker;
	struct executor *executor;
};

/* Errors: -ENOMEM and others of sd-event. All that is given must stay. */
int suspend_new(const struct suspend_settings *settings, struct suspend **ret);

/* NULL is allowed; returns NULL. */
struct suspend *suspend_free(struct suspend *suspend);

#endif
