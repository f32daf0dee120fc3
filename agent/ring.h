/* SPDX-License-Identifier: MIT */
/*
 * Writes that may block for long, off the event loop.
 *
 * memory.reclaim and lru_gen block their writer until the kernel is done. From the ring they run in
 * other threads, have a deadline and can be cancelled; the loop goes on meanwhile. The threads are
 * the kernel's (io_uring), or our own where io_uring is refused: both behave alike (ring_ops.h).
 * One thread uses a ring, the one that runs the event loop.
 */
#ifndef FGRECLAIM_RING_H
#define FGRECLAIM_RING_H

#include "config.h"

#include <stddef.h>
#include <stdint.h>
#include <systemd/sd-event.h>

#define RING_TEXT_MAX   128
#define RING_WRITES_MAX 16

struct ring;
struct ring_request;

/* Called from the event loop when a write has ended: bytes written or -errno. -EINTR and -ECANCELED
 * are what a deadline or a cancel leaves. The request is the owner's again. */
typedef void (*ring_done_t)(struct ring_request *request, int result);

/* One write; belongs to the caller and must stay where it is until done is called. */
struct ring_request {
	int fd;
	char text[RING_TEXT_MAX];
	size_t len;
	uint64_t deadline_usec; /* from now on; the kernel looks at it between two batches only */
	ring_done_t done;
	void *userdata;
};

/* Up to RING_WRITES_MAX writes run at the same time; how many, is the caller's choice.
 *
 * RING_AUTO tries io_uring first. *ret_uring_error, also set on failure: 0 where io_uring does the
 * writing, -ECANCELED where it was not tried, else why it is refused: -EPERM or -ENOSYS for sysctl
 * kernel.io_uring_disabled, a seccomp filter or the kernel's configuration, others of
 * io_uring_setup(2). Errors: the same for RING_IO_URING; -ENOMEM and others of sd_event_add_io(3). */
int ring_open(sd_event *event, enum ring_choice choice, struct ring **ret, int *ret_uring_error);

/* Drain first: what has not ended by now is given up, and its done function is not called. NULL is
 * allowed; returns NULL. */
struct ring *ring_close(struct ring *ring);

/* Starts a write. -EBUSY: no room now, try again after a completion. -EAGAIN: no thread can be made
 * for it now. */
int ring_write(struct ring *ring, struct ring_request *request);

/* Asks for the end of every write under way, or of one; their done functions are called as they end. */
void ring_cancel_all(struct ring *ring);
void ring_cancel(struct ring *ring, const struct ring_request *request);

/* Writes under way. */
unsigned ring_in_flight(const struct ring *ring);

#endif
