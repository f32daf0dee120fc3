/* SPDX-License-Identifier: MIT */
/*
 * One thread for each job. Making it costs some tens of microseconds, once in a tick; for that it
 * needs neither a queue nor a way to be told to end.
 */
#include "worker.h"
#include "macro.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <sys/eventfd.h>

struct worker {
	worker_done_t done;
	void *userdata;
	sd_event_source *source;
	int fd; /* eventfd: written by the thread when the work is done */
	bool busy;

	/* The thread's while it is busy. */
	pthread_t thread;
	worker_work_t work;
	void *job;
};

static void *run(void *arg)
{
	struct worker *worker = arg;

	worker->work(worker->job);
	eventfd_write(worker->fd, 1);
	return NULL;
}

static int on_done(sd_event_source *source _unused_, int fd, uint32_t revents _unused_,
		   void *userdata)
{
	struct worker *worker = userdata;
	eventfd_t count;

	if (eventfd_read(fd, &count) < 0)
		return 0;
	pthread_join(worker->thread, NULL);
	worker->busy = false;
	worker->done(worker->userdata);
	return 0;
}

struct worker *worker_free(struct worker *worker)
{
	if (!worker)
		return NULL;
	sd_event_source_disable_unref(worker->source);
	close_fd(&worker->fd);
	free(worker);
	return NULL;
}

DEFINE_CLEANUP(struct worker *, worker_free)

int worker_new(sd_event *event, worker_done_t done, void *userdata, struct worker **ret)
{
	_cleanup_(worker_free_ptr) struct worker *worker = calloc(1, sizeof(*worker));
	int r;

	if (!worker)
		return -ENOMEM;
	worker->done = done;
	worker->userdata = userdata;
	worker->fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	if (worker->fd < 0)
		return -errno;
	r = sd_event_add_io(event, &worker->source, worker->fd, EPOLLIN, on_done, worker);
	if (r < 0)
		return r;
	sd_event_source_set_description(worker->source, "worker");
	*ret = TAKE_PTR(worker);
	return 0;
}

int worker_begin(struct worker *worker, worker_work_t work, void *job)
{
	sigset_t all, former;
	int r;

	if (worker->busy)
		return -EBUSY;
	worker->work = work;
	worker->job = job;
	/* A thread inherits its mask; signals are for the loop. */
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &former);
	r = pthread_create(&worker->thread, NULL, run, worker);
	pthread_sigmask(SIG_SETMASK, &former, NULL);
	worker->busy = r == 0;
	return -r;
}

bool worker_is_busy(const struct worker *worker)
{
	return worker->busy;
}
