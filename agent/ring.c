/* SPDX-License-Identifier: MIT */
/*
 * What both backends have in common.
 *
 * - A deadline is a timer on the event loop that asks the backend for the end of the write. Reclaim
 *   looks at that between two batches, so that the write ends with EINTR some time later (measured:
 *   up to 1.6 s on a thrashing memcg). The text stays in use until then: a request is over when its
 *   own completion has come, and not before.
 * - A cancel that meets its write just as a thread takes that up can be lost (measured with
 *   io_uring: a few in a thousand), so it is repeated until the completion has come.
 * - user_data is slot and generation: a completion that comes twice or late is dropped.
 */
#include "ring_ops.h"
#include "macro.h"

#include <errno.h>
#include <string.h>
#include <sys/epoll.h>

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
	struct ring_backend *backend;
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
	struct ring_backend *backend = slot->ring->backend;

	if (sd_event_source_set_time_relative(slot->deadline, CANCEL_AGAIN_USEC) >= 0)
		sd_event_source_set_enabled(slot->deadline, SD_EVENT_ONESHOT);
	backend->ops->cancel(backend, slot_user_data(slot));
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

/* done functions submit again, so take one completion at a time; and no more than there are slots,
 * so that others on the loop have their turn. The rest keeps the descriptor readable. */
static int on_completion(sd_event_source *source _unused_, int fd _unused_,
			 uint32_t revents _unused_, void *userdata)
{
	struct ring *ring = userdata;
	struct ring_backend *backend = ring->backend;
	uint64_t user_data;
	int result;

	for (unsigned n = 0;
	     n < RING_WRITES_MAX && backend->ops->next(backend, &user_data, &result); n++) {
		struct slot *slot = slot_from_user_data(ring, user_data);

		if (slot)
			slot_finish(slot, result);
	}
	return 0;
}

struct ring *ring_close(struct ring *ring)
{
	if (!ring)
		return NULL;
	for (size_t i = 0; i < RING_WRITES_MAX; i++)
		sd_event_source_disable_unref(ring->slots[i].deadline);
	sd_event_source_disable_unref(ring->io);
	if (ring->backend)
		ring->backend->ops->close(ring->backend);
	sd_event_unref(ring->event);
	free(ring);
	return NULL;
}

DEFINE_CLEANUP(struct ring *, ring_close)

static int add_deadline(struct ring *ring, struct slot *slot)
{
	int r = sd_event_add_time_relative(ring->event, &slot->deadline, CLOCK_MONOTONIC, 0,
					   DEADLINE_ACCURACY_USEC, on_deadline, slot);

	if (r < 0)
		return r;
	slot->ring = ring;
	sd_event_source_set_enabled(slot->deadline, SD_EVENT_OFF);
	sd_event_source_set_description(slot->deadline, "ring-deadline");
	return 0;
}

int ring_open_on(sd_event *event, const struct ring_ops *ops, struct ring **ret)
{
	_cleanup_(ring_close_ptr) struct ring *ring = calloc(1, sizeof(*ring));
	int r;

	if (!ring)
		return -ENOMEM;
	ring->event = sd_event_ref(event);
	r = ops->open(&ring->backend);
	for (size_t i = 0; r >= 0 && i < RING_WRITES_MAX; i++)
		r = add_deadline(ring, &ring->slots[i]);
	if (r >= 0)
		r = sd_event_add_io(event, &ring->io, ring->backend->fd, EPOLLIN, on_completion,
				    ring);
	if (r < 0)
		return r;
	sd_event_source_set_description(ring->io, "ring-completion");
	*ret = TAKE_PTR(ring);
	return 0;
}

int ring_open(sd_event *event, enum ring_choice choice, struct ring **ret, int *ret_uring_error)
{
	int r = -ECANCELED;

	if (choice != RING_THREADS)
		r = ring_open_on(event, &ring_ops_uring, ret);
	*ret_uring_error = r < 0 ? r : 0;
	if (r >= 0 || choice == RING_IO_URING)
		return r;
	return ring_open_on(event, &ring_ops_threads, ret);
}

int ring_write(struct ring *ring, struct ring_request *request)
{
	struct slot *slot = NULL;
	int r;

	for (size_t i = 0; i < RING_WRITES_MAX && !slot; i++)
		if (!ring->slots[i].request)
			slot = &ring->slots[i];
	if (!slot)
		return -EBUSY;
	r = ring->backend->ops->write(ring->backend, slot_user_data(slot), request);
	if (r < 0)
		return r;
	slot->request = request;
	ring->in_flight++;
	r = sd_event_source_set_time_relative(slot->deadline, request->deadline_usec);
	if (r >= 0)
		r = sd_event_source_set_enabled(slot->deadline, SD_EVENT_ONESHOT);
	if (r < 0)
		slot_cancel(slot); /* What cannot be stopped in time is stopped now. */
	return 0;
}

void ring_cancel_all(struct ring *ring)
{
	for (size_t i = 0; i < RING_WRITES_MAX; i++)
		if (ring->slots[i].request)
			slot_cancel(&ring->slots[i]);
}

void ring_cancel(struct ring *ring, const struct ring_request *request)
{
	for (size_t i = 0; i < RING_WRITES_MAX; i++)
		if (ring->slots[i].request == request)
			slot_cancel(&ring->slots[i]);
}

unsigned ring_in_flight(const struct ring *ring)
{
	return ring->in_flight;
}
