/* SPDX-License-Identifier: MIT */
/*
 * io_uring from inside: it takes nothing but writes and cancels, a cancel that gets lost is
 * repeated, and threads take over where a seccomp filter refuses it.
 *
 * Includes the sources, to put requests into the ring that its interface does not offer.
 */
#include "agent/ring.c"
#include "agent/ring_uring.c"

#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <setjmp.h>
#include <stdarg.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <cmocka.h>

#include "fixture.h"

/* What should come has not come by then: failure. */
#define PATIENCE UINT64_C(60000000)

static struct io_uring *inside(struct ring *ring)
{
	return &uring_of(ring->backend)->uring;
}

/* False where the host refuses io_uring: nothing to test. */
static bool open_ring(sd_event **ret_event, struct ring **ret)
{
	assert_true(sd_event_new(ret_event) >= 0);
	if (ring_open_on(*ret_event, &ring_ops_uring, ret) >= 0)
		return true;
	sd_event_unref(*ret_event);
	return false;
}

static int submit_and_wait(struct ring *ring, uint8_t opcode, uint8_t flags)
{
	struct io_uring_sqe *sqe = io_uring_get_sqe(inside(ring));
	struct __kernel_timespec patience = {.tv_sec = 5};
	struct io_uring_cqe *cqe;
	int result;

	if (!sqe)
		return -ENOBUFS;
	io_uring_prep_rw(opcode, sqe, AT_FDCWD, "/dev/null", 0, 0);
	sqe->flags = flags;
	sqe->user_data = CANCEL_USER_DATA;
	if (io_uring_submit(inside(ring)) < 0)
		return -ENOMSG;
	if (io_uring_wait_cqe_timeout(inside(ring), &cqe, &patience) < 0)
		return -ETIME;
	result = cqe->res;
	io_uring_cqe_seen(inside(ring), cqe);
	return result;
}

static void test_refuses_all_but_writes(void **state _unused_)
{
	sd_event *event = NULL;
	struct ring *ring = NULL;
	int fd = -1;

	if (!open_ring(&event, &ring))
		skip();
	for (uint8_t opcode = 0; opcode <= IORING_OP_SOCKET; opcode++)
		if (opcode != IORING_OP_WRITE && opcode != IORING_OP_ASYNC_CANCEL)
			assert_int_equal(submit_and_wait(ring, opcode, 0), -EACCES);
	assert_int_equal(submit_and_wait(ring, IORING_OP_WRITE, IOSQE_ASYNC), -EBADF);
	assert_int_equal(submit_and_wait(ring, IORING_OP_WRITE, IOSQE_IO_DRAIN), -EACCES);
	assert_int_equal(uring_register(uring_of(ring->backend), IORING_REGISTER_EVENTFD, &fd, 1),
			 -EACCES);
	ring_close(ring);
	sd_event_unref(event);
}

static void ignore(struct ring_request *request _unused_, int result _unused_)
{
}

/* Never inline, from the start of the file; and nothing that is late or foreign finds a slot. */
static void test_what_is_submitted(void **state _unused_)
{
	struct ring_request request = {
		.fd = -1, .text = "1", .len = 1, .done = ignore, .deadline_usec = UINT64_MAX};
	const struct io_uring_sqe *sqe;
	sd_event *event = NULL;
	struct ring *ring = NULL;
	uint64_t user_data;

	if (!open_ring(&event, &ring))
		skip();
	sqe = &inside(ring)->sq.sqes[0];
	assert_int_equal(ring_write(ring, &request), 0);
	assert_int_equal(sqe->opcode, IORING_OP_WRITE);
	assert_int_equal(sqe->flags, IOSQE_ASYNC);
	assert_int_equal(sqe->off, 0);
	assert_int_equal(sqe->len, 1);
	user_data = sqe->user_data;
	assert_ptr_equal(slot_from_user_data(ring, user_data), &ring->slots[0]);
	assert_ptr_equal(ring->slots[0].request, &request);
	assert_null(slot_from_user_data(ring, user_data + 1));
	assert_null(slot_from_user_data(ring, user_data + (UINT64_C(1) << 32)));
	assert_null(slot_from_user_data(ring, RING_WRITES_MAX));
	assert_null(slot_from_user_data(ring, CANCEL_USER_DATA));
	while (ring_in_flight(ring) > 0)
		assert_true(sd_event_run(event, 1000000) > 0);
	/* The same slot again: what comes late for the former write does not hit this one. */
	assert_int_equal(ring_write(ring, &request), 0);
	assert_null(slot_from_user_data(ring, user_data));
	while (ring_in_flight(ring) > 0)
		assert_true(sd_event_run(event, 1000000) > 0);
	ring_close(ring);
	sd_event_unref(event);
}

/* The kernel loses a cancel now and then, as its worker begins; here it is made to go astray. */
static void test_lost_cancel_is_repeated(void **state _unused_)
{
	struct ring_request request = {
		.text = "1", .len = 1, .done = ignore, .deadline_usec = UINT64_MAX};
	uint64_t end_usec = fixture_now_usec() + PATIENCE;
	sd_event *event = NULL;
	struct ring *ring = NULL;
	int pipes[2];

	if (!open_ring(&event, &ring))
		skip();
	assert_int_equal(pipe2(pipes, O_CLOEXEC | O_NONBLOCK), 0);
	while (write(pipes[1], "x", 1) > 0)
		;
	assert_int_equal(fcntl(pipes[1], F_SETFL, 0), 0);
	request.fd = pipes[1];
	assert_int_equal(ring_write(ring, &request), 0);
	ring->slots[0].generation++;
	ring_cancel_all(ring);
	ring->slots[0].generation--;
	while (ring_in_flight(ring) > 0 && fixture_now_usec() < end_usec)
		assert_true(sd_event_run(event, 10000) >= 0);
	assert_int_equal(ring_in_flight(ring), 0);
	close(pipes[0]);
	close(pipes[1]);
	ring_close(ring);
	sd_event_unref(event);
}

static void note(struct ring_request *request, int result)
{
	*(int *)request->userdata = result;
}

/* What a write of one byte returns through a ring of this choice, or -errno of opening it. */
static int write_through(enum ring_choice choice, int *ret_uring_error)
{
	int result = 0;
	struct ring_request request = {
		.fd = open("/dev/null", O_WRONLY | O_CLOEXEC),
		.text = "1",
		.len = 1,
		.done = note,
		.userdata = &result,
		.deadline_usec = UINT64_MAX,
	};
	struct ring *ring = NULL;
	sd_event *event = NULL;
	int r = sd_event_new(&event);

	if (r >= 0)
		r = ring_open(event, choice, &ring, ret_uring_error);
	if (r >= 0)
		r = ring_write(ring, &request);
	while (r >= 0 && ring_in_flight(ring) > 0)
		r = sd_event_run(event, 1000000);
	ring_close(ring);
	sd_event_unref(event);
	close(request.fd);
	return r < 0 ? r : result;
}

#define NO_FILTER 255

/* In a child whose filter refuses io_uring_setup(2): 1 if all went as it should. */
static int write_under_filter(uint32_t error)
{
	struct sock_filter filter[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_io_uring_setup, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | error),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog program = {.len = ARRAY_SIZE(filter), .filter = filter};
	int status, uring_error = 0;
	pid_t pid = fork();

	assert_true(pid >= 0);
	if (pid == 0) {
		if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0 ||
		    prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) < 0)
			_exit(NO_FILTER);
		/* Insisted on, it is refused; else threads do the write. */
		if (write_through(RING_IO_URING, &uring_error) != -(int)error ||
		    uring_error != -(int)error)
			_exit(2);
		if (write_through(RING_AUTO, &uring_error) != 1 || uring_error != -(int)error)
			_exit(3);
		if (write_through(RING_THREADS, &uring_error) != 1 || uring_error != -ECANCELED)
			_exit(4);
		_exit(1);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFEXITED(status));
	return WEXITSTATUS(status);
}

static void test_threads_where_io_uring_is_refused(void **state _unused_)
{
	int r = write_under_filter(EPERM);

	if (r == NO_FILTER)
		skip();
	assert_int_equal(r, 1);
	assert_int_equal(write_under_filter(ENOSYS), 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		FIXTURE_TEST(test_refuses_all_but_writes),
		FIXTURE_TEST(test_what_is_submitted),
		FIXTURE_TEST(test_lost_cancel_is_repeated),
		FIXTURE_TEST(test_threads_where_io_uring_is_refused),
	};

	return cmocka_run_group_tests_name("ring-lock", tests, NULL, NULL);
}
