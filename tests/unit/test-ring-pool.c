/* SPDX-License-Identifier: MIT */
/*
 * The threads from inside: none to be had, a signal that gets lost, one that comes too late, and a
 * thread that the kernel does not give back.
 *
 * Includes the sources, with doors in place of three calls.
 */
#include "agent/ring.c"

#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>

static int door_create(pthread_t *ret, const pthread_attr_t *attr, void *(*begin)(void *),
		       void *arg);
static int door_kill(pthread_t thread, int signal);
static ssize_t door_pwrite(int fd, const void *buf, size_t len, off_t offset);

#define pthread_create door_create
#define pthread_kill   door_kill
#define pwrite         door_pwrite
#include "agent/write_text.c"
#include "agent/ring_threads.c"
#undef pthread_create
#undef pthread_kill
#undef pwrite

#include <fcntl.h>
#include <limits.h>
#include <semaphore.h>
#include <setjmp.h>
#include <stdarg.h>
#include <cmocka.h>

#include "fixture.h"

#define PATIENCE    UINT64_C(60000000)
#define NO_DEADLINE UINT64_MAX

/* What the doors do. */
static unsigned threads_most; /* so many threads can be made */
static unsigned signals_lost; /* so many signals get lost */
static unsigned signals_sent;
static atomic_bool stuck; /* pwrite() does not come back before release is posted */
static sem_t release;

struct bench {
	sd_event *event;
	struct ring *ring;
	struct pool *pool;
	int pipes[2]; /* full */
};

static int door_create(pthread_t *ret, const pthread_attr_t *attr, void *(*begin)(void *),
		       void *arg)
{
	if (threads_most == 0)
		return EAGAIN;
	threads_most--;
	return pthread_create(ret, attr, begin, arg);
}

static int door_kill(pthread_t thread, int signal)
{
	signals_sent++;
	if (signals_lost == 0)
		return pthread_kill(thread, signal);
	signals_lost--;
	return 0;
}

static ssize_t door_pwrite(int fd, const void *buf, size_t len, off_t offset)
{
	if (!stuck)
		return pwrite(fd, buf, len, offset);
	/* As in uninterruptible sleep: signals do not matter. */
	while (sem_wait(&release) < 0)
		;
	return (ssize_t)len;
}

static void bench_open(struct bench *bench)
{
	threads_most = UINT_MAX;
	signals_lost = 0;
	signals_sent = 0;
	stuck = false;
	*bench = (struct bench){0};
	assert_int_equal(sem_init(&release, 0, 0), 0);
	assert_true(sd_event_new(&bench->event) >= 0);
	assert_int_equal(ring_open_on(bench->event, &ring_ops_threads, &bench->ring), 0);
	bench->pool = pool_of(bench->ring->backend);
	assert_int_equal(pipe2(bench->pipes, O_CLOEXEC | O_NONBLOCK), 0);
	while (write(bench->pipes[1], "x", 1) > 0)
		;
	assert_int_equal(fcntl(bench->pipes[1], F_SETFL, 0), 0);
}

static void bench_close(struct bench *bench)
{
	ring_close(bench->ring);
	close(bench->pipes[0]);
	close(bench->pipes[1]);
	sd_event_unref(bench->event);
	sem_destroy(&release);
}

static void on_done(struct ring_request *request, int result)
{
	*(int *)request->userdata = result;
}

#define PENDING 12345

static int start(struct bench *bench, struct ring_request *request, uint64_t deadline_usec,
		 int *ret_result)
{
	*ret_result = PENDING;
	*request = (struct ring_request){
		.fd = bench->pipes[1],
		.text = "1",
		.len = 1,
		.deadline_usec = deadline_usec,
		.done = on_done,
		.userdata = ret_result,
	};
	return ring_write(bench->ring, request);
}

static void wait_for(struct bench *bench, const int *result)
{
	uint64_t end_usec = fixture_now_usec() + PATIENCE;

	while (*result == PENDING) {
		assert_true(fixture_now_usec() < end_usec);
		assert_true(sd_event_run(bench->event, 10000) >= 0);
	}
}

/* Until so many threads have taken a write up: they are in the kernel, or on their way there. */
static void wait_until_running(struct bench *bench, unsigned n)
{
	uint64_t end_usec = fixture_now_usec() + PATIENCE;
	unsigned running = 0;

	while (running < n) {
		assert_true(fixture_now_usec() < end_usec);
		running = 0;
		pthread_mutex_lock(&bench->pool->lock);
		for (size_t i = 0; i < RING_WRITES_MAX; i++)
			running += bench->pool->jobs[i].state == JOB_RUNNING;
		pthread_mutex_unlock(&bench->pool->lock);
	}
}

/* The host is out of threads: refused, and taken as soon as there is one. */
static void test_no_thread(void **state _unused_)
{
	struct ring_request request;
	struct bench bench;
	int result;

	bench_open(&bench);
	threads_most = 0;
	for (unsigned i = 0; i < 2 * RING_WRITES_MAX; i++)
		assert_int_equal(start(&bench, &request, NO_DEADLINE, &result), -EAGAIN);
	assert_int_equal(ring_in_flight(bench.ring), 0);
	threads_most = 1;
	assert_int_equal(start(&bench, &request, 1000, &result), 0);
	wait_for(&bench, &result);
	assert_true(result == -EINTR || result == -ECANCELED);
	bench_close(&bench);
}

/* One thread can be had: writes wait for each other, and their deadlines hold for them as well. */
static void test_one_thread(void **state _unused_)
{
	struct ring_request request, late, next;
	int result, late_result, next_result;
	struct bench bench;

	bench_open(&bench);
	threads_most = 1;
	assert_int_equal(start(&bench, &request, NO_DEADLINE, &result), 0);
	wait_until_running(&bench, 1);
	assert_int_equal(start(&bench, &late, 1000, &late_result), 0);
	assert_int_equal(start(&bench, &next, NO_DEADLINE, &next_result), 0);
	wait_for(&bench, &late_result);
	assert_int_equal(late_result, -ECANCELED);
	assert_int_equal(result, PENDING);
	assert_int_equal(next_result, PENDING);
	/* Room in the pipe for both. */
	assert_true(read(bench.pipes[0], (char[8192]){0}, 8192) > 0);
	wait_for(&bench, &result);
	wait_for(&bench, &next_result);
	assert_int_equal(result, 1);
	assert_int_equal(next_result, 1);
	bench_close(&bench);
}

/* Signals that come between the look at the flag and the wait are lost; the next one is not. */
static void test_lost_signals_are_repeated(void **state _unused_)
{
	struct ring_request request;
	struct bench bench;
	int result;

	bench_open(&bench);
	signals_lost = 2;
	assert_int_equal(start(&bench, &request, NO_DEADLINE, &result), 0);
	wait_until_running(&bench, 1);
	ring_cancel_all(bench.ring);
	wait_for(&bench, &result);
	assert_true(result == -EINTR || result == -ECANCELED);
	assert_true(signals_sent == 1 || signals_lost == 0);
	bench_close(&bench);
}

/* A signal for a write that has ended meanwhile does not end the next one of that thread. */
static void test_late_signal_hits_nobody(void **state _unused_)
{
	struct ring_request request;
	struct bench bench;
	int result;

	bench_open(&bench);
	assert_int_equal(start(&bench, &request, NO_DEADLINE, &result), 0);
	assert_true(read(bench.pipes[0], (char[8192]){0}, 8192) > 0);
	wait_for(&bench, &result);
	assert_int_equal(result, 1);
	for (unsigned round = 0; round < 100; round++) {
		assert_int_equal(pthread_kill(bench.pool->threads[0], CANCEL_SIGNAL), 0);
		assert_int_equal(start(&bench, &request, NO_DEADLINE, &result), 0);
		wait_for(&bench, &result);
		assert_int_equal(result, 1);
	}
	assert_int_equal(bench.pool->n_threads, 1);
	bench_close(&bench);
}

/* Closing does not wait for a thread that the kernel keeps; what they share goes with the thread. */
static void test_stuck_thread_is_left_behind(void **state _unused_)
{
	uint64_t end_usec = fixture_now_usec() + PATIENCE;
	struct ring_request requests[2];
	int results[2];
	struct bench bench;
	int shared_fd;

	bench_open(&bench);
	shared_fd = bench.pool->backend.fd;
	stuck = true;
	for (unsigned i = 0; i < 2; i++)
		assert_int_equal(start(&bench, &requests[i], 1000, &results[i]), 0);
	wait_until_running(&bench, 2);
	/* Their deadlines pass, and the loop goes on. */
	while (signals_sent < 2) {
		assert_true(fixture_now_usec() < end_usec);
		assert_true(sd_event_run(bench.event, 1000) >= 0);
	}
	bench.ring = ring_close(bench.ring);
	assert_int_equal(results[0], PENDING);
	assert_int_equal(results[1], PENDING);
	/* The requests are no longer anybody's: the threads have their copies. */
	memset(requests, 0xff, sizeof(requests));
	sem_post(&release);
	sem_post(&release);
	while (fcntl(shared_fd, F_GETFD) >= 0) {
		assert_true(fixture_now_usec() < end_usec);
		usleep(1000);
	}
	bench_close(&bench);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		FIXTURE_TEST(test_no_thread),
		FIXTURE_TEST(test_one_thread),
		FIXTURE_TEST(test_lost_signals_are_repeated),
		FIXTURE_TEST(test_late_signal_hits_nobody),
		FIXTURE_TEST(test_stuck_thread_is_left_behind),
	};

	return cmocka_run_group_tests_name("ring-pool", tests, NULL, NULL);
}
