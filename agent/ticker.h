/* SPDX-License-Identifier: MIT */
/*
 * One pass after the other, on sd-event: when to look, and within which CPU time.
 *
 * Files are read beside the loop, which stays free for signals, for the ends of writes and for the
 * watchdog. Only one pass is under way at a time, and nobody else may scan the tree meanwhile.
 *
 * All that this process does costs CPU time, which is measured. When passes take more than their part
 * of CpuBudget the interval grows until they no longer do; when passes and writes together take more
 * than all of it, idle memory waits.
 */
#ifndef FGRECLAIM_TICKER_H
#define FGRECLAIM_TICKER_H

#include "pass.h"

#include <systemd/sd-event.h>

/* A reading that takes longer is worth a word to the administrator. */
#define TICKER_SLOW_USEC (20 * UINT64_C(1000000))

struct ticker;

struct ticker_settings {
	sd_event *event;
	struct pass *pass;
	uint64_t slow_usec; /* TICKER_SLOW_USEC, but in tests */
	bool hurry;         /* of a recorded tree: instead of waiting, an interval is made up */

	void (*begin)(void *userdata);                            /* a pass is about to begin */
	void (*planned)(const struct plan *plan, void *userdata); /* it has ended */
	void *userdata;
};

/* The first pass begins as soon as the loop runs. One that cannot be begun, for want of descriptors,
 * threads or memory, is put off; an error at its end ends the loop. Errors: -ENOMEM and others of sd-event. */
int ticker_new(const struct ticker_settings *settings, const struct config *config,
	       struct ticker **ret);

/* Must not be busy. NULL is allowed; returns NULL. */
struct ticker *ticker_free(struct ticker *ticker);

/* config must stay until the next call. */
void ticker_configure(struct ticker *ticker, const struct config *config);

/* No further pass begins, and one under way is not planned for. */
void ticker_stop(struct ticker *ticker);

/* Undoes that: the next pass begins an interval from now, and one that was under way by then is not
 * planned for. Only after ticker_stop(). */
void ticker_resume(struct ticker *ticker);

/* A reading is under way. It cannot be ended from outside. */
bool ticker_is_busy(const struct ticker *ticker);

/* CPU time of all passes. */
uint64_t ticker_spent_usec(const struct ticker *ticker);

/* Passes that were planned for, the one whose planned is being called included. */
unsigned ticker_n_passes(const struct ticker *ticker);

#endif
