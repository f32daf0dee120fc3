/* SPDX-License-Identifier: MIT */
/*
 * Work that may block for long, off the event loop: one job at a time, in a thread of its own.
 *
 * The job is handed over by pthread_create(3) and back by pthread_join(3); in between it is the
 * thread's alone. So there is nothing to lock, and a thread's CPU time is the job's.
 */
#ifndef FGRECLAIM_WORKER_H
#define FGRECLAIM_WORKER_H

#include <stdbool.h>
#include <systemd/sd-event.h>

struct worker;

/* Called in the thread. May block; signals are not delivered there. */
typedef void (*worker_work_t)(void *job);

/* Called from the event loop when the work is done: the job is the owner's again. */
typedef void (*worker_done_t)(void *userdata);

/* done and userdata are for every job. Errors: -ENOMEM, others of eventfd(2) and
 * sd_event_add_io(3). */
int worker_new(sd_event *event, worker_done_t done, void *userdata, struct worker **ret);

/* Must not be busy: a thread cannot be taken back. NULL is allowed; returns NULL. */
struct worker *worker_free(struct worker *worker);

/* Errors: -EBUSY, and -EAGAIN or -ENOMEM where no thread can be made now; done is not called
 * then. */
int worker_begin(struct worker *worker, worker_work_t work, void *job);
bool worker_is_busy(const struct worker *worker);

#endif
