/* SPDX-License-Identifier: MIT */
/*
 * The only file that meets liburing.
 *
 * - Every write carries IOSQE_ASYNC: it must never run inline in io_uring_enter(2), whatever a
 *   kernel thinks of the file.
 * - A deadline is a timer on the event loop that asks for IORING_OP_ASYNC_CANCEL. The kernel then
 *   sets a notify signal on the worker, which reclaim looks at between two batches, so that the
 *   write ends with EINTR some time later (measured: up to 1.6 s on a thrashing memcg). The text
 *   stays in use until then: a request is over when its own completion has come, and not before.
 * - user_data is slot and generation: a completion that comes twice or late is dropped.
 * - The ring is locked to WRITE and ASYNC_CANCEL before it is enabled, since a seccomp filter does
 *   not see what is submitted through it. (liburing 2.3 declares the helpers for that in its header
 *   but does not export them, hence io_uring_register() by number.)
 */
#include "ring.h"
#include "macro.h"

#include <errno.h>
#include <liburing.h>
#include <stdbool.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/syscall.h>

#define RING_ENTRIES (2 * RING_WRITES_MAX) /* a write and its cancel for each slot */

/* user_data of cancel requests themselves: nobody waits for their completion. */
#define CANCEL_USER_DATA UINT64_MAX

/* A cancel that meets its write just as a worker takes that up can be lost (measured: a few in a
 * thousand), so it is repeated until the completion has come. */
#define CANCEL_AGAIN_USEC 100000

/* A deadline may be this late, so that wake-ups coalesce. */
#define DEADLINE_ACCURACY_USEC 10000

struct slot {
	struct ring *ring;
	struct ring_request *request; /* NULL: free */
	uint32_t generation;
	sd_event_source *deadline;
};

struct ring {
	struct io_uring uring;
	bool uring_ready;
	sd_event *event;
	sd_event_source *io;
	struct slot slots[RING_WRITES_MAX];
	unsigned in_flight;
};

static uint64_t slot_user_data(const struct slot *slot)
{
	return (uint64_t)(slot - slot->ring->slots) | (uint64_t)slot->generation << 32;
}

static struct slot *slot_from_user_data(struct ring *ring, uint64_t user_data)
{
	uint32_t index = (uint32_t)user_data;
	struct slot *slot;

	if (index >= RING_WRITES_MAX)
		return NULL;
	slot = &ring->slots[index];
	return slot->request && slot->generation == user_data >> 32 ? slot : NULL;
}

static void slot_cancel(struct slot *slot)
{
	struct io_uring_sqe *sqe = io_uring_get_sqe(&slot->ring->uring);

	if (sd_event_source_set_time_relative(slot->deadline, CANCEL_AGAIN_USEC) >= 0)
		sd_event_source_set_enabled(slot->deadline, SD_EVENT_ONESHOT);
	if (!sqe)
		return;
	io_uring_prep_cancel64(sqe, slot_user_data(slot), 0);
	io_uring_sqe_set_data64(sqe, CANCEL_USER_DATA);
	io_uring_submit(&slot->ring->uring);
}

static int on_deadline(sd_event_source *source _unused_, uint64_t usec _unused_, void *userdata)
{
	struct slot *slot = userdata;

	if (slot->request)
		slot_cancel(slot);
	return 0;
}

static void slot_finish(struct slot *slot, int result)
{
	struct ring_request *request = TAKE_PTR(slot->request);

	slot->generation++;
	slot->ring->in_flight--;
	sd_event_source_set_enabled(slot->deadline, SD_EVENT_OFF);
	request->done(request, result);
}

static int on_completion(sd_event_source *source _unused_, int fd _unused_,
			 uint32_t revents _unused_, void *userdata)
{
	struct ring *ring = userdata;
	struct io_uring_cqe *cqe;

	/* done functions submit again, so take one completion at a time. */
	while (io_uring_peek_cqe(&ring->uring, &cqe) == 0) {
		struct slot *slot = slot_from_user_data(ring, io_uring_cqe_get_data64(cqe));
		int result = cqe->res;

		io_uring_cqe_seen(&ring->uring, cqe);
		if (slot)
			slot_finish(slot, result);
	}
	return 0;
}

static int ring_register(struct ring *ring, unsigned opcode, void *arg, unsigned n)
{
	if (syscall(SYS_io_uring_register, ring->uring.ring_fd, opcode, arg, n) < 0)
		return -errno;
	return 0;
}

static int ring_lock(struct ring *ring)
{
	struct io_uring_restriction restrictions[] = {
		{.opcode = IORING_RESTRICTION_SQE_OP, .sqe_op = IORING_OP_WRITE},
		{.opcode = IORING_RESTRICTION_SQE_OP, .sqe_op = IORING_OP_ASYNC_CANCEL},
		{.opcode = IORING_RESTRICTION_SQE_FLAGS_ALLOWED, .sqe_flags = IOSQE_ASYNC},
	};
	unsigned limits[2] = {RING_WRITES_MAX, 1};
	int r;

	/* Limits belong to the submitting task, restrictions to the ring; both before it is
	 * enabled. */
	r = io_uring_register_iowq_max_workers(&ring->uring, limits);
	if (r < 0)
		return r;
	r = ring_register(ring, IORING_REGISTER_RESTRICTIONS, restrictions,
			  ARRAY_SIZE(restrictions));
	if (r < 0)
		return r;
	return ring_register(ring, IORING_REGISTER_ENABLE_RINGS, NULL, 0);
}

struct ring *ring_close(struct ring *ring)
{
	if (!ring)
		return NULL;
	for (size_t i = 0; i < RING_WRITES_MAX; i++)
		sd_event_source_disable_unref(ring->slots[i].deadline);
	sd_event_source_disable_unref(ring->io);
	if (ring->uring_ready)
		io_uring_queue_exit(&ring->uring);
	sd_event_unref(ring->event);
	free(ring);
	return NULL;
}

DEFINE_CLEANUP(struct ring *, ring_close)

int ring_open(sd_event *event, struct ring **ret)
{
	_cleanup_(ring_close_ptr) struct ring *ring = calloc(1, sizeof(*ring));
	int r;

	if (!ring)
		return -ENOMEM;
	ring->event = sd_event_ref(event);
	r = io_uring_queue_init(RING_ENTRIES, &ring->uring, IORING_SETUP_R_DISABLED);
	if (r < 0)
		return r;
	ring->uring_ready = true;
	r = ring_lock(ring);
	if (r < 0)
		return r;
	for (size_t i = 0; i < RING_WRITES_MAX; i++) {
		struct slot *slot = &ring->slots[i];

		slot->ring = ring;
		r = sd_event_add_time_relative(event, &slot->deadline, CLOCK_MONOTONIC, 0,
					       DEADLINE_ACCURACY_USEC, on_deadline, slot);
		if (r < 0)
			return r;
		sd_event_source_set_enabled(slot->deadline, SD_EVENT_OFF);
		sd_event_source_set_description(slot->deadline, "ring-deadline");
	}
	r = sd_event_add_io(event, &ring->io, ring->uring.ring_fd, EPOLLIN, on_completion, ring);
	if (r < 0)
		return r;
	sd_event_source_set_description(ring->io, "ring-completion");
	*ret = TAKE_PTR(ring);
	return 0;
}

int ring_write(struct ring *ring, struct ring_request *request)
{
	struct slot *slot = NULL;
	struct io_uring_sqe *sqe;
	int r;

	for (size_t i = 0; i < RING_WRITES_MAX && !slot; i++)
		if (!ring->slots[i].request)
			slot = &ring->slots[i];
	if (!slot)
		return -EBUSY;
	sqe = io_uring_get_sqe(&ring->uring);
	if (!sqe)
		return -EBUSY;
	io_uring_prep_write(sqe, request->fd, request->text, (unsigned)request->len, 0);
	io_uring_sqe_set_flags(sqe, IOSQE_ASYNC);
	slot->request = request;
	io_uring_sqe_set_data64(sqe, slot_user_data(slot));
	ring->in_flight++;

	r = sd_event_source_set_time_relative(slot->deadline, request->deadline_usec);
	if (r >= 0)
		r = sd_event_source_set_enabled(slot->deadline, SD_EVENT_ONESHOT);
	if (io_uring_submit(&ring->uring) < 0 || r < 0) {
		/* Not submitted (or not to be stopped): the entry goes out with the next submit. */
		slot_cancel(slot);
	}
	return 0;
}

void ring_cancel_all(struct ring *ring)
{
	for (size_t i = 0; i < RING_WRITES_MAX; i++)
		if (ring->slots[i].request)
			slot_cancel(&ring->slots[i]);
}

unsigned ring_in_flight(const struct ring *ring)
{
	return ring->in_flight;
}
