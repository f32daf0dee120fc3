/* SPDX-License-Identifier: MIT */
/*
 * What stands behind a ring: who carries the writes out. ring.c keeps slots, deadlines and results;
 * a backend starts a write, is asked to end it, and tells when it has ended. Everything is called
 * from the thread of the event loop.
 */
#ifndef FGRECLAIM_RING_OPS_H
#define FGRECLAIM_RING_OPS_H

#include "ring.h"

#include <stdbool.h>

struct ring_ops;

/* The head of every backend's own struct. */
struct ring_backend {
	const struct ring_ops *ops;
	int fd; /* readable as long as next() has something to tell */
};

struct ring_ops {
	const char *name;

	/* For RING_WRITES_MAX writes at a time. Errors: why this host does not allow it. */
	int (*open)(struct ring_backend **ret);

	/* Never waits longer than a moment, even if a write never ends. */
	void (*close)(struct ring_backend *backend);

	/* Starts a write of request->text at offset 0. user_data names it, and no other write that
	 * next() has not told the end of. On an error next() will not tell of it. */
	int (*write)(struct ring_backend *backend, uint64_t user_data,
		     const struct ring_request *request);

	/* Asks for its end. May get lost when the write is just about to begin: ask again until
	 * next() tells. */
	void (*cancel)(struct ring_backend *backend, uint64_t user_data);

	/* The next write that has ended: true, and bytes written or -errno; -ECANCELED for one that
	 * was never begun. */
	bool (*next)(struct ring_backend *backend, uint64_t *ret_user_data, int *ret_result);
};

extern const struct ring_ops ring_ops_uring;   /* io_uring: ring_uring.c */
extern const struct ring_ops ring_ops_threads; /* a thread for each write: ring_threads.c */

/* A ring on this backend. Errors: those of its open(), -ENOMEM and those of sd_event_add_io(3). */
int ring_open_on(sd_event *event, const struct ring_ops *ops, struct ring **ret);

#endif
