/* SPDX-License-Identifier: MIT */
/*
 * What the system bus tells: that the host is about to sleep, and that it is awake again.
 *
 * logind announces a sleep with the signal PrepareForSleep(true) and waits, for five seconds or so,
 * as long as somebody holds a delay lock: systemd-inhibit(1), org.freedesktop.login1(5). The lock is
 * held from the start and given back once nothing is under way any more. A bus or a logind that is
 * not there is no error, and may come, go and come again.
 */
#ifndef FGRECLAIM_BUS_H
#define FGRECLAIM_BUS_H

#include <stdbool.h>
#include <stdint.h>
#include <systemd/sd-event.h>

struct bus;

struct bus_settings {
	sd_event *event;
	uint64_t retry_usec; /* after this long a bus that is not there is looked for again */

	void (*sleep)(void *userdata); /* begin nothing more, and end what is under way */
	bool (*is_quiet)(
		void *userdata); /* it has ended; asked at once, and after each event until then */
	/* Awake, or nobody is left who would tell when. After each sleep, and never without one. */
	void (*wake)(void *userdata);
	void *userdata;
};

/* Errors: -ENOMEM and others of sd-event. */
int bus_new(const struct bus_settings *settings, struct bus **ret);

/* NULL is allowed; returns NULL. */
struct bus *bus_free(struct bus *bus);

/* True while a delay lock is held. */
bool bus_has_lock(const struct bus *bus);

#endif
