/* SPDX-License-Identifier: MIT */
/*
 * Writes by threads of our own, for hosts where io_uring is refused: sysctl
 * kernel.io_uring_disabled, a container's seccomp filter, a kernel without it.
 *
 * A thread is made when a write finds none free, and stays. It takes the oldest write that waits,
 * does pwrite(2) and hands the result back under the lock; an eventfd wakes the loop.
 *
 * To end a write its thread is sent a signal whose handler does nothing but, for want of SA_RESTART,
 * to make a blocked system call return EINTR; memory.reclaim and lru_gen look at pending signals
 * between two batches (mm/memcontrol.c, mm/vmscan.c), as they do for io_uring's cancel. Two races:
 * - A signal that comes after the thread has looked at job->cancelled and before the kernel has
 *   begun to wait is handled, and lost: hence ring.c repeats it.
 * - A signal must not hit the thread's next write. So it is unblocked around pwrite() alone and sent
 *   under the lock: one that came too late is pending by the time the thread gets the lock to take
 *   its next job, and is handled as soon as it is unblocked again, before the next pwrite().
 *
 * A thread inside the kernel may never come back. Nobody waits for it: on close it is signalled, and
 * given up after CLOSE_TRIES; who goes last frees what they share. That is why a job has a copy of
 * its text.
 *
 * SIGURG, since it is ignored by default: a stray one harms no other program or library.
 */
#include "ring_ops.h"
#include "macro.h"
#include "write_text.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/eventfd.h>
#include <time.h>

#define CANCEL_SIGNAL SIGURG

/* A thread's frames are small; sanitizers and the C library want some room. */
#define STACK_BYTES ((size_t)256 * 1024)

/* On close: so often are threads signalled and waited for. */
#define CLOSE_TRIES 10
#define CLOSE_NSEC  (10 * 1000 * 1000)

enum job_state {
	JOB_FREE,
	JOB_QUEUED,
	JOB_RUNNING,
	JOB_ENDED, /* and next() has not told yet */
};

/* One write. All but cancelled is for who holds the lock; a running job's text, fd and len are its
 * thread's. */
struct job {
	enum job_state state;
	uint64_t user_data;
	uint64_t number; /* in the order of their coming */
	int fd;
	size_t len;
	char text[RING_TEXT_MAX];
	pthread_t thread; /* while running */
	atomic_bool cancelled;
	int result; /* once ended */
};

struct pool {
	struct ring_backend backend;
	pthread_mutex_t lock;
	pthread_cond_t wake; /* something is queued, or the pool is closing */
	pthread_cond_t gone; /* a thread has gone */
	bool closing;
	bool abandoned;                     /* by its owner: the last thread frees it */
	pthread_t threads[RING_WRITES_MAX]; /* all that were made */
	unsigned n_threads;
	unsigned n_alive, n_idle, n_queued;
	uint64_t n_jobs; /* so far */
	struct job jobs[RING_WRITES_MAX];
};

static struct pool *pool_of(struct ring_backend *backend)
{
	return (struct pool *)backend;
}

static void pool_free(struct pool *pool)
{
	close_fd(&pool->backend.fd);
	pthread_cond_destroy(&pool->gone);
	pthread_cond_destroy(&pool->wake);
	pthread_mutex_destroy(&pool->lock);
	free(pool);
}

/* --- in the threads */

static void on_cancel_signal(int signal _unused_)
{
}

static int write_job(struct job *job)
{
	sigset_t mask;
	int result = -ECANCELED;

	sigemptyset(&mask);
	sigaddset(&mask, CANCEL_SIGNAL);
	pthread_sigmask(SIG_UNBLOCK, &mask, NULL);
	if (!atomic_load(&job->cancelled))
		result = (int)write_text(job->fd, job->text, job->len);
	pthread_sigmask(SIG_BLOCK, &mask, NULL);
	return result;
}

static struct job *find_job(struct pool *pool, enum job_state state)
{
	struct job *oldest = NULL;

	for (size_t i = 0; i < RING_WRITES_MAX; i++) {
		struct job *job = &pool->jobs[i];

		if (job->state == state && (!oldest || job->number < oldest->number))
			oldest = job;
	}
	return oldest;
}

static void end_job(struct pool *pool, struct job *job, int result)
{
	job->state = JOB_ENDED;
	job->result = result;
	eventfd_write(pool->backend.fd, 1);
}

static void work(struct pool *pool)
{
	while (!pool->closing) {
		struct job *job = find_job(pool, JOB_QUEUED);
		int result;

		if (!job) {
			pool->n_idle++;
			pthread_cond_wait(&pool->wake, &pool->lock);
			pool->n_idle--;
			continue;
		}
		pool->n_queued--;
		job->state = JOB_RUNNING;
		job->thread = pthread_self();
		pthread_mutex_unlock(&pool->lock);
		result = write_job(job);
		pthread_mutex_lock(&pool->lock);
		end_job(pool, job, result);
	}
}

static void *run(void *arg)
{
	struct pool *pool = arg;
	bool last;

	pthread_mutex_lock(&pool->lock);
	work(pool);
	pool->n_alive--;
	last = pool->abandoned && pool->n_alive == 0;
	pthread_cond_signal(&pool->gone);
	pthread_mutex_unlock(&pool->lock);
	if (last)
		pool_free(pool);
	return NULL;
}

/* --- in the loop */

static int threads_open(struct ring_backend **ret)
{
	const struct sigaction action = {.sa_handler = on_cancel_signal};
	pthread_condattr_t attr;
	struct pool *pool;
	int fd;

	if (sigaction(CANCEL_SIGNAL, &action, NULL) < 0)
		return -errno;
	fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	if (fd < 0)
		return -errno;
	pool = calloc(1, sizeof(*pool));
	if (!pool) {
		close(fd);
		return -ENOMEM;
	}
	pool->backend = (struct ring_backend){.ops = &ring_ops_threads, .fd = fd};
	pthread_mutex_init(&pool->lock, NULL);
	pthread_cond_init(&pool->wake, NULL);
	pthread_condattr_init(&attr);
	pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
	pthread_cond_init(&pool->gone, &attr);
	pthread_condattr_destroy(&attr);
	*ret = &pool->backend;
	return 0;
}

static int add_thread(struct pool *pool)
{
	sigset_t all, former;
	pthread_attr_t attr;
	int r;

	/* A thread inherits its mask; signals are for the loop. */
	sigfillset(&all);
	pthread_attr_init(&attr);
	pthread_attr_setstacksize(&attr, STACK_BYTES);
	pthread_sigmask(SIG_SETMASK, &all, &former);
	r = pthread_create(&pool->threads[pool->n_threads], &attr, run, pool);
	pthread_sigmask(SIG_SETMASK, &former, NULL);
	pthread_attr_destroy(&attr);
	if (r != 0)
		return -r;
	pool->n_threads++;
	pool->n_alive++;
	return 0;
}

/* Under the lock. */
static int queue(struct pool *pool, uint64_t user_data, const struct ring_request *request)
{
	struct job *job = find_job(pool, JOB_FREE);

	if (!job)
		return -EBUSY;
	/* Where no further thread can be had, those there are do one write after the other. */
	if (pool->n_idle <= pool->n_queued && pool->n_threads < RING_WRITES_MAX) {
		int r = add_thread(pool);

		if (r < 0 && pool->n_threads == 0)
			return r;
	}
	job->state = JOB_QUEUED;
	job->user_data = user_data;
	job->number = pool->n_jobs++;
	job->fd = request->fd;
	job->len = request->len;
	memcpy(job->text, request->text, request->len);
	atomic_store(&job->cancelled, false);
	pool->n_queued++;
	pthread_cond_signal(&pool->wake);
	return 0;
}

static int threads_write(struct ring_backend *backend, uint64_t user_data,
			 const struct ring_request *request)
{
	struct pool *pool = pool_of(backend);
	int r;

	pthread_mutex_lock(&pool->lock);
	r = queue(pool, user_data, request);
	pthread_mutex_unlock(&pool->lock);
	return r;
}

static void cancel_job(struct pool *pool, struct job *job)
{
	if (job->state == JOB_QUEUED) {
		pool->n_queued--;
		end_job(pool, job, -ECANCELED);
	} else if (job->state == JOB_RUNNING) {
		atomic_store(&job->cancelled, true);
		pthread_kill(job->thread, CANCEL_SIGNAL);
	}
}

static void threads_cancel(struct ring_backend *backend, uint64_t user_data)
{
	struct pool *pool = pool_of(backend);

	pthread_mutex_lock(&pool->lock);
	for (size_t i = 0; i < RING_WRITES_MAX; i++)
		if (pool->jobs[i].user_data == user_data)
			cancel_job(pool, &pool->jobs[i]);
	pthread_mutex_unlock(&pool->lock);
}

static bool threads_next(struct ring_backend *backend, uint64_t *ret_user_data, int *ret_result)
{
	struct pool *pool = pool_of(backend);
	struct job *job;
	eventfd_t count;

	pthread_mutex_lock(&pool->lock);
	job = find_job(pool, JOB_ENDED);
	if (job) {
		*ret_user_data = job->user_data;
		*ret_result = job->result;
		job->state = JOB_FREE;
	} else {
		eventfd_read(pool->backend.fd, &count);
	}
	pthread_mutex_unlock(&pool->lock);
	return job;
}

/* Under the lock: tells all threads to go, and waits for them, a moment. */
static void end_threads(struct pool *pool)
{
	pool->closing = true;
	for (unsigned i = 0; i < CLOSE_TRIES && pool->n_alive > 0; i++) {
		struct timespec until;

		for (size_t k = 0; k < RING_WRITES_MAX; k++)
			cancel_job(pool, &pool->jobs[k]);
		pthread_cond_broadcast(&pool->wake);
		clock_gettime(CLOCK_MONOTONIC, &until);
		until.tv_nsec += CLOSE_NSEC;
		until.tv_sec += until.tv_nsec / 1000000000;
		until.tv_nsec %= 1000000000;
		while (pool->n_alive > 0 &&
		       pthread_cond_timedwait(&pool->gone, &pool->lock, &until) == 0)
			;
	}
}

static void threads_close(struct ring_backend *backend)
{
	struct pool *pool = pool_of(backend);
	bool all_gone;

	pthread_mutex_lock(&pool->lock);
	end_threads(pool);
	all_gone = pool->n_alive == 0;
	pool->abandoned = !all_gone;
	for (unsigned i = 0; i < pool->n_threads && !all_gone; i++)
		pthread_detach(pool->threads[i]);
	pthread_mutex_unlock(&pool->lock);
	/* From here on an abandoned pool is its threads'. */
	if (!all_gone)
		return;
	for (unsigned i = 0; i < pool->n_threads; i++)
		pthread_join(pool->threads[i], NULL);
	pool_free(pool);
}

const struct ring_ops ring_ops_threads = {
	.name = "threads",
	.open = threads_open,
	.close = threads_close,
	.write = threads_write,
	.cancel = threads_cancel,
	.next = threads_next,
};
