/* SPDX-License-Identifier: MIT */
/*
 * Writes by io_uring. The only file that meets liburing.
 *
 * - Every write carries IOSQE_ASYNC: it must never run inline in io_uring_enter(2), whatever a
 *   kernel thinks of the file.
 * - IORING_OP_ASYNC_CANCEL sets a notify signal on the worker, which reclaim looks at between two
 *   batches.
 * - The ring is locked to WRITE and ASYNC_CANCEL before it is enabled, since a seccomp filter does
 *   not see what is submitted through it. (liburing 2.3 declares the helpers for that in its header
 *   but does not export them, hence io_uring_register() by number.)
 */
#include "ring_ops.h"
#include "macro.h"

#include <errno.h>
#include <liburing.h>
#include <sys/syscall.h>

#define RING_ENTRIES (2 * RING_WRITES_MAX) /* a write and its cancel for each slot */

/* user_data of cancel requests themselves: nobody waits for their completion. */
#define CANCEL_USER_DATA UINT64_MAX

struct uring {
	struct ring_backend backend;
	struct io_uring uring;
	bool ready;
};

static struct uring *uring_of(struct ring_backend *backend)
{
	return (struct uring *)backend;
}

static int uring_register(struct uring *uring, unsigned opcode, void *arg, unsigned n)
{
	if (syscall(SYS_io_uring_register, uring->uring.ring_fd, opcode, arg, n) < 0)
		return -errno;
	return 0;
}

static int uring_lock(struct uring *uring)
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
	r = io_uring_register_iowq_max_workers(&uring->uring, limits);
	if (r < 0)
		return r;
	r = uring_register(uring, IORING_REGISTER_RESTRICTIONS, restrictions,
			   ARRAY_SIZE(restrictions));
	if (r < 0)
		return r;
	return uring_register(uring, IORING_REGISTER_ENABLE_RINGS, NULL, 0);
}

static void uring_close(struct ring_backend *backend)
{
	struct uring *uring = uring_of(backend);

	if (uring->ready)
		io_uring_queue_exit(&uring->uring);
	free(uring);
}

DEFINE_CLEANUP(struct ring_backend *, uring_close)

static int uring_open(struct ring_backend **ret)
{
	struct uring *uring = calloc(1, sizeof(*uring));
	_cleanup_(uring_close_ptr) struct ring_backend *backend = uring ? &uring->backend : NULL;
	int r;

	if (!uring)
		return -ENOMEM;
	r = io_uring_queue_init(RING_ENTRIES, &uring->uring, IORING_SETUP_R_DISABLED);
	if (r < 0)
		return r;
	uring->ready = true;
	r = uring_lock(uring);
	if (r < 0)
		return r;
	*backend = (struct ring_backend){.ops = &ring_ops_uring, .fd = uring->uring.ring_fd};
	*ret = TAKE_PTR(backend);
	return 0;
}

static void uring_cancel(struct ring_backend *backend, uint64_t user_data)
{
	struct io_uring *uring = &uring_of(backend)->uring;
	struct io_uring_sqe *sqe = io_uring_get_sqe(uring);

	if (sqe) {
		io_uring_prep_cancel64(sqe, user_data, 0);
		io_uring_sqe_set_data64(sqe, CANCEL_USER_DATA);
	}
	io_uring_submit(uring);
}

static int uring_write(struct ring_backend *backend, uint64_t user_data,
		       const struct ring_request *request)
{
	struct io_uring *uring = &uring_of(backend)->uring;
	struct io_uring_sqe *sqe = io_uring_get_sqe(uring);

	if (!sqe)
		return -EBUSY;
	io_uring_prep_write(sqe, request->fd, request->text, (unsigned)request->len, 0);
	io_uring_sqe_set_flags(sqe, IOSQE_ASYNC);
	io_uring_sqe_set_data64(sqe, user_data);
	/* What could not be submitted goes out with the next submit: then rather not at all. */
	if (io_uring_submit(uring) < 0)
		uring_cancel(backend, user_data);
	return 0;
}

static bool uring_next(struct ring_backend *backend, uint64_t *ret_user_data, int *ret_result)
{
	struct io_uring *uring = &uring_of(backend)->uring;
	struct io_uring_cqe *cqe;

	while (io_uring_peek_cqe(uring, &cqe) == 0) {
		*ret_user_data = io_uring_cqe_get_data64(cqe);
		*ret_result = cqe->res;
		io_uring_cqe_seen(uring, cqe);
		if (*ret_user_data != CANCEL_USER_DATA)
			return true;
	}
	return false;
}

const struct ring_ops ring_ops_uring = {
	.name = "io_uring",
	.open = uring_open,
	.close = uring_close,
	.write = uring_write,
	.cancel = uring_cancel,
	.next = uring_next,
};
