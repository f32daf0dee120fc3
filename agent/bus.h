/* SPDX-License-Identifier: MIT */
/*
 * What the system bus tells: that the host is about to sleep, and that it is awake again; what systemd
 * is asked through it; and what is asked of us.
 *
 * logind announces a sleep with the signal PrepareForSleep(true) and waits, for five seconds or so,
 * as long as somebody holds a delay lock: systemd-inhibit(1), org.freedesktop.login1(5). The lock is
 * held from the start and given back once nothing is under way any more. A bus or a logind that is
 * not there is no error, and may come, go and come again.
 */
#ifndef FGRECLAIM_BUS_H
#define FGRECLAIM_BUS_H

#include "control.h"

#include <stdbool.h>
#include <stdint.h>
#include <systemd/sd-event.h>

struct bus;

struct bus_settings {
	sd_event *event;
	uint64_t retry_usec; /* after this long a bus that is not there is looked for again */

	/* begin nothing more, and end what is under way; NULL: logind is left alone, and so are these */
	void (*sleep)(void *userdata);
	bool (*is_quiet)(
		void *userdata); /* it has ended; asked at once, and after each event until then */
	/* Awake, or nobody is left who would tell when. After each sleep, and never without one. */
	void (*wake)(void *userdata);
	void *userdata;

	/* What is offered on it: org.fgreclaim1(5). NULL: nothing; has to stay. stand_in: its name is
	 * given up to an agent that is none, as that of a recorded tree is. */
	const struct control *control;
	bool stand_in;
};

/* Errors: -ENOMEM and others of sd-event. */
int bus_new(const struct bus_settings *settings, struct bus **ret);

/* Looks for the bus now, where it is not there yet, and not with one of the next events: for who has no
 * time left for them. Errors: those of sd-bus, as when there is none. */
int bus_connect(struct bus *bus);

/* NULL is allowed; returns NULL. */
struct bus *bus_free(struct bus *bus);

/* True while a delay lock is held. */
bool bus_has_lock(const struct bus *bus);

/* What came of a call. */
struct bus_answer {
	int r;             /* 0, or -errno */
	const char *error; /* its name on the bus; NULL: none. Valid during the call. */
	uint64_t value;    /* of a property; UINT64_MAX: "infinity" */
};
typedef void (*bus_answer_t)(const struct bus_answer *answer, void *userdata);

#define BUS_NO_SUCH_UNIT "org.freedesktop.systemd1.NoSuchUnit"

/*
 * Asks the host's systemd for a property of a unit that is a number of 64 bits, and sets it until the
 * next boot, as systemctl set-property --runtime does. The answer comes from the event loop, also when
 * the bus goes away or nobody answers within 25 s; not after bus_free().
 *
 * Errors, and then no answer: -ENOTCONN: there is no bus now; -EINVAL: no unit's name; -ENOMEM.
 */
int bus_get_unit_property(struct bus *bus, const char *unit, const char *property,
			  bus_answer_t answer, void *userdata);
int bus_set_unit_property(struct bus *bus, const char *unit, const char *property, uint64_t value,
			  bus_answer_t answer, void *userdata);

#endif
