/* SPDX-License-Identifier: MIT */
/*
 * Writes that may block for long, off the event loop: one restricted io_uring on sd-event.
 *
 * memory.reclaim and lru_gen block their writer until the kernel is done. From the ring they run in
 * worker threads of the kernel's, have a deadline and can be cancelled; the loop goes on meanwhile.
 * One thread uses a ring, the one that runs the event loop.
 */
#ifndef FGRECLAIM_RING_H
#define FGRECLAIM_RING_H

#include <stddef.h>
#include <stdint.h>
#include <systemd/sd-event.h>

#define RING_TEXT_MAX   128
#define RING_WRITES_MAX 16

struct ring;
struct ring_request;

/* Called from the event loop when a write has ended: bytes written or -errno. -EINTR and -ECANCELED
 * are what a deadline or ring_cancel_all() leaves. The request is the owner's again. */
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

/* Up to RING_WRITES_MAX writes run at the same time; how many, is the caller's choice. Errors:
 * -EPERM or -ENOSYS where io_uring is refused (sysctl kernel.io_uring_disabled, a seccomp filter,
 * the kernel's configuration), others of io_uring_setup(2) and sd_event_add_io(3). */
int ring_open(sd_event *event, struct ring **ret);

/* Cancels nothing and waits for nothing: drain first. NULL is allowed; returns NULL. */
struct ring *ring_close(struct ring *ring);

/* Starts a write. -EBUSY: no room now, try again after a completion. */
int ring_write(struct ring *ring, struct ring_request *request);

/* Asks for the end of every write under way; their done functions are called as they end. */
void ring_cancel_all(struct ring *ring);

/* Writes under way. */
unsigned ring_in_flight(const struct ring *ring);

#endif
