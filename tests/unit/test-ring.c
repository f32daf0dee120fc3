/* SPDX-License-Identifier: MIT */
/*
 * The ring against pipes and files: results arrive, deadlines and cancels end what blocks, and the
 * loop goes on meanwhile. Compiled for each backend, TEST_RING. What is io_uring's alone:
 * test-ring-lock.c, the threads' alone: test-ring-pool.c.
 */
#include "ring.h"
#include "macro.h"

#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <string.h>
#include <cmocka.h>

#include "fixture.h"

#define MSEC        UINT64_C(1000)
#define PATIENCE    (60000 * MSEC) /* what should come has not come by then: failure */
#define TICK        (10 * MSEC)
#define NO_DEADLINE UINT64_MAX

struct loop {
	sd_event *event;
	struct ring *ring;
	sd_event_source *timer;
	unsigned n_ticks;
};

struct write_result {
	struct ring_request request;
	unsigned n_done;
	int result;
	uint64_t done_usec;
};

static int on_tick(sd_event_source *source, uint64_t usec _unused_, void *userdata)
{
	struct loop *loop = userdata;

	loop->n_ticks++;
	assert_true(sd_event_source_set_time_relative(source, TICK) >= 0);
	return 0;
}

static void loop_open(struct loop *loop)
{
	int uring_error;

	*loop = (struct loop){0};
	assert_true(sd_event_new(&loop->event) >= 0);
	assert_int_equal(ring_open(loop->event, TEST_RING, &loop->ring, &uring_error), 0);
	assert_int_equal(uring_error, TEST_RING == RING_THREADS ? -ECANCELED : 0);
	assert_true(sd_event_add_time_relative(loop->event, &loop->timer, CLOCK_MONOTONIC, TICK, 1,
					       on_tick, loop) >= 0);
	assert_true(sd_event_source_set_enabled(loop->timer, SD_EVENT_ON) >= 0);
}

static void loop_close(struct loop *loop)
{
	assert_int_equal(ring_in_flight(loop->ring), 0);
	assert_null(ring_close(loop->ring));
	sd_event_source_disable_unref(loop->timer);
	sd_event_unref(loop->event);
}

/* Runs the loop until so many writes are under way, or usec have passed. */
static void run(struct loop *loop, unsigned in_flight, uint64_t usec)
{
	uint64_t end_usec = fixture_now_usec() + usec;

	while (ring_in_flight(loop->ring) > in_flight && fixture_now_usec() < end_usec)
		assert_true(sd_event_run(loop->event, TICK) >= 0);
}

static void on_done(struct ring_request *request, int result)
{
	struct write_result *write_result = request->userdata;

	assert_ptr_equal(request, &write_result->request);
	write_result->n_done++;
	write_result->result = result;
	write_result->done_usec = fixture_now_usec();
}

static int start(struct loop *loop, struct write_result *ret, int fd, const char *text,
		 uint64_t deadline_usec)
{
	*ret = (struct write_result){
		.request =
			{
				.fd = fd,
				.len = strlen(text),
				.deadline_usec = deadline_usec,
				.done = on_done,
				.userdata = ret,
			},
	};
	strcpy(ret->request.text, text);
	return ring_write(loop->ring, &ret->request);
}

/* A pipe in which there is no room for another byte. */
static void make_full_pipe(int pipes[2])
{
	assert_int_equal(pipe2(pipes, O_CLOEXEC | O_NONBLOCK), 0);
	while (write(pipes[1], "0123456789abcdef", 16) > 0)
		;
	while (write(pipes[1], "x", 1) > 0)
		;
	assert_int_equal(fcntl(pipes[1], F_SETFL, 0), 0);
}

static void close_pipe(int pipes[2])
{
	close(pipes[0]);
	close(pipes[1]);
}

static bool is_cancelled(int result)
{
	return result == -EINTR || result == -ECANCELED;
}

static void test_write_completes(void **state)
{
	const struct fixture *fixture = *state;
	struct write_result one, two;
	struct loop loop;
	char text[64];
	int fd;

	fixture_write(fixture, "f", "");
	fd = open(fixture_path(fixture, "f"), O_WRONLY | O_CLOEXEC);
	loop_open(&loop);
	assert_int_equal(start(&loop, &one, fd, "16777216 swappiness=0", PATIENCE), 0);
	assert_int_equal(ring_in_flight(loop.ring), 1);
	run(&loop, 0, PATIENCE);
	assert_int_equal(one.n_done, 1);
	assert_int_equal(one.result, 21);
	fixture_read(fixture, "f", text, sizeof(text));
	assert_string_equal(text, "16777216 swappiness=0");
	/* Every write starts at offset 0. */
	assert_int_equal(start(&loop, &two, fd, "42", PATIENCE), 0);
	run(&loop, 0, PATIENCE);
	assert_int_equal(two.result, 2);
	fixture_read(fixture, "f", text, sizeof(text));
	assert_string_equal(text, "42777216 swappiness=0");
	assert_int_equal(one.n_done, 1);
	close(fd);
	loop_close(&loop);
}

static void test_results_of_failure(void **state _unused_)
{
	struct write_result bad, full, broken;
	struct loop loop;
	int pipes[2], fd = open("/dev/full", O_WRONLY | O_CLOEXEC);

	assert_true(fd >= 0);
	assert_int_equal(pipe2(pipes, O_CLOEXEC), 0);
	close(pipes[0]);
	loop_open(&loop);
	assert_int_equal(start(&loop, &bad, -1, "1", PATIENCE), 0);
	assert_int_equal(start(&loop, &full, fd, "1", PATIENCE), 0);
	signal(SIGPIPE, SIG_IGN);
	assert_int_equal(start(&loop, &broken, pipes[1], "1", PATIENCE), 0);
	run(&loop, 0, PATIENCE);
	assert_int_equal(bad.result, -EBADF);
	assert_int_equal(full.result, -ENOSPC);
	assert_int_equal(broken.result, -EPIPE);
	close(fd);
	close(pipes[1]);
	loop_close(&loop);
}

static void test_deadline(void **state _unused_)
{
	struct write_result blocked;
	struct loop loop;
	uint64_t begun_usec, took_usec;
	int pipes[2];

	make_full_pipe(pipes);
	loop_open(&loop);
	begun_usec = fixture_now_usec();
	assert_int_equal(start(&loop, &blocked, pipes[1], "1", 300 * MSEC), 0);
	run(&loop, 0, PATIENCE);
	took_usec = blocked.done_usec - begun_usec;
	assert_int_equal(blocked.n_done, 1);
	assert_true(is_cancelled(blocked.result));
	assert_true(took_usec >= 300 * MSEC);
	/* 30 were due: the loop has not stood still. */
	assert_true(loop.n_ticks > 0);
	close_pipe(pipes);
	loop_close(&loop);
}

/* The deadline of a write that has ended must not hit the next one in its place. */
static void test_deadline_goes_with_its_write(void **state _unused_)
{
	struct write_result quick, blocked;
	struct loop loop;
	int pipes[2], fd = open("/dev/null", O_WRONLY | O_CLOEXEC);

	make_full_pipe(pipes);
	loop_open(&loop);
	/* On a busy host it may be met even so. */
	for (int tries = 0; tries == 0 || (quick.result < 0 && tries < 50); tries++) {
		assert_int_equal(start(&loop, &quick, fd, "1", 100 * MSEC), 0);
		run(&loop, 0, PATIENCE);
	}
	assert_int_equal(quick.result, 1);
	assert_int_equal(start(&loop, &blocked, pipes[1], "1", NO_DEADLINE), 0);
	run(&loop, 0, 300 * MSEC);
	assert_int_equal(blocked.n_done, 0);
	assert_int_equal(quick.n_done, 1);
	/* Room in the pipe: it goes on. */
	assert_true(read(pipes[0], (char[8192]){0}, 8192) > 0);
	run(&loop, 0, PATIENCE);
	assert_int_equal(blocked.result, 1);
	close(fd);
	close_pipe(pipes);
	loop_close(&loop);
}

static void test_cancel_all(void **state _unused_)
{
	struct write_result blocked[5];
	struct loop loop;
	int pipes[2];

	make_full_pipe(pipes);
	loop_open(&loop);
	ring_cancel_all(loop.ring);
	for (size_t i = 0; i < ARRAY_SIZE(blocked); i++)
		assert_int_equal(start(&loop, &blocked[i], pipes[1], "1", NO_DEADLINE), 0);
	run(&loop, 0, 50 * MSEC);
	assert_int_equal(ring_in_flight(loop.ring), ARRAY_SIZE(blocked));
	ring_cancel_all(loop.ring);
	ring_cancel_all(loop.ring);
	run(&loop, 0, PATIENCE);
	for (size_t i = 0; i < ARRAY_SIZE(blocked); i++) {
		assert_int_equal(blocked[i].n_done, 1);
		assert_true(is_cancelled(blocked[i].result));
	}
	close_pipe(pipes);
	loop_close(&loop);
}

static void test_cancel_one(void **state _unused_)
{
	struct write_result one, other;
	struct loop loop;
	int pipes[2];

	make_full_pipe(pipes);
	loop_open(&loop);
	assert_int_equal(start(&loop, &one, pipes[1], "1", NO_DEADLINE), 0);
	assert_int_equal(start(&loop, &other, pipes[1], "1", NO_DEADLINE), 0);
	ring_cancel(loop.ring, &other.request);
	while (other.n_done == 0)
		run(&loop, 0, 50 * MSEC);
	assert_true(is_cancelled(other.result));
	assert_int_equal(one.n_done, 0);
	ring_cancel(loop.ring, &other.request); /* has ended */
	assert_int_equal(ring_in_flight(loop.ring), 1);
	ring_cancel_all(loop.ring);
	run(&loop, 0, PATIENCE);
	assert_true(is_cancelled(one.result));
	close_pipe(pipes);
	loop_close(&loop);
}

static void test_no_slot_left(void **state _unused_)
{
	struct write_result blocked[RING_WRITES_MAX], more;
	struct loop loop;
	int pipes[2], fd = open("/dev/null", O_WRONLY | O_CLOEXEC);

	make_full_pipe(pipes);
	loop_open(&loop);
	for (size_t i = 0; i < RING_WRITES_MAX; i++)
		assert_int_equal(start(&loop, &blocked[i], pipes[1], "1", NO_DEADLINE), 0);
	assert_int_equal(start(&loop, &more, fd, "1", PATIENCE), -EBUSY);
	assert_int_equal(ring_in_flight(loop.ring), RING_WRITES_MAX);
	ring_cancel_all(loop.ring);
	run(&loop, 0, PATIENCE);
	assert_int_equal(more.n_done, 0);
	for (size_t i = 0; i < RING_WRITES_MAX; i++)
		assert_int_equal(blocked[i].n_done, 1);
	assert_int_equal(start(&loop, &more, fd, "1", PATIENCE), 0);
	run(&loop, 0, PATIENCE);
	assert_int_equal(more.result, 1);
	close(fd);
	close_pipe(pipes);
	loop_close(&loop);
}

/* A cancel that comes right behind its write, before the kernel has a worker, can get lost. */
static void test_cancel_at_once(void **state _unused_)
{
	struct write_result blocked[RING_WRITES_MAX];
	struct loop loop;
	int pipes[2];

	make_full_pipe(pipes);
	for (unsigned round = 0; round < 50; round++) {
		loop_open(&loop);
		for (size_t i = 0; i < RING_WRITES_MAX; i++)
			assert_int_equal(start(&loop, &blocked[i], pipes[1], "1", NO_DEADLINE), 0);
		ring_cancel_all(loop.ring);
		run(&loop, 0, PATIENCE);
		for (size_t i = 0; i < RING_WRITES_MAX; i++)
			assert_int_equal(blocked[i].n_done, 1);
		loop_close(&loop);
	}
	close_pipe(pipes);
}

struct chain {
	struct ring_request request;
	struct ring *ring;
	unsigned left;
};

static void on_link_done(struct ring_request *request, int result)
{
	struct chain *chain = request->userdata;

	assert_int_equal(result, 1);
	if (--chain->left > 0)
		assert_int_equal(ring_write(chain->ring, request), 0);
}

static void test_done_submits_again(void **state _unused_)
{
	struct chain chains[RING_WRITES_MAX];
	struct loop loop;
	int fd = open("/dev/null", O_WRONLY | O_CLOEXEC);

	loop_open(&loop);
	for (size_t i = 0; i < RING_WRITES_MAX; i++) {
		struct ring_request request = {.fd = fd,
					       .text = "1",
					       .len = 1,
					       .deadline_usec = PATIENCE,
					       .done = on_link_done,
					       .userdata = &chains[i]};

		chains[i] = (struct chain){.request = request, .ring = loop.ring, .left = 100};
		assert_int_equal(ring_write(loop.ring, &chains[i].request), 0);
	}
	run(&loop, 0, PATIENCE);
	for (size_t i = 0; i < RING_WRITES_MAX; i++)
		assert_int_equal(chains[i].left, 0);
	close(fd);
	loop_close(&loop);
}

static void test_open_and_close(void **state _unused_)
{
	size_t before = fixture_count_descriptors();
	struct loop loop;

	for (unsigned i = 0; i < 50; i++) {
		loop_open(&loop);
		loop_close(&loop);
	}
	assert_int_equal(fixture_count_descriptors(), before);
	assert_null(ring_close(NULL));
}

static bool is_offered(void)
{
	struct ring *ring = NULL;
	sd_event *event = NULL;
	int r, uring_error;

	assert_true(sd_event_new(&event) >= 0);
	r = ring_open(event, TEST_RING, &ring, &uring_error);
	ring_close(ring);
	sd_event_unref(event);
	return r >= 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		FIXTURE_TEST(test_write_completes),
		FIXTURE_TEST(test_results_of_failure),
		FIXTURE_TEST(test_deadline),
		FIXTURE_TEST(test_deadline_goes_with_its_write),
		FIXTURE_TEST(test_cancel_all),
		FIXTURE_TEST(test_no_slot_left),
		FIXTURE_TEST(test_cancel_one),
		FIXTURE_TEST(test_cancel_at_once),
		FIXTURE_TEST(test_done_submits_again),
		FIXTURE_TEST(test_open_and_close),
	};

	if (!is_offered()) {
		puts("1..0 # SKIP io_uring is refused here");
		return 0;
	}
	return cmocka_run_group_tests_name(ring_choice_to_string(TEST_RING), tests, NULL, NULL);
}
