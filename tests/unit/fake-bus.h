/* SPDX-License-Identifier: MIT */
/*
 * A system bus with a logind on it, of the test's own: one socket, one client, on the event loop of
 * the test. It answers what a client of both asks at its start, and says what the test wants.
 */
#ifndef FGRECLAIM_TESTS_FAKE_BUS_H
#define FGRECLAIM_TESTS_FAKE_BUS_H

#include "fixture.h"

#include <stdbool.h>
#include <systemd/sd-bus.h>

struct fake_bus {
	sd_event *event;
	sd_event_source *listener;
	sd_bus *client;                                       /* NULL: nobody has come yet */
	bool refuse;                                          /* delay locks */
	unsigned n_clients;                                   /* that have come so far */
	unsigned n_inhibits;                                  /* delay locks that were asked for */
	unsigned n_names;                                     /* and names: the last one, */
	char name[64];                                        /* its flags, */
	uint32_t name_flags, name_result;                     /* and what it gets; 0: an error */
	int (*systemd)(sd_bus_message *call, void *userdata); /* answers for systemd; NULL: none */
	void *userdata;
	int lock_fd; /* our end of the last one, -1: none; see fake_bus_lock_is_held() */
};

/* Listens, and has $DBUS_SYSTEM_BUS_ADDRESS point to itself. */
void fake_bus_open(struct fake_bus *ret, sd_event *event, const struct fixture *fixture);

/* Goes away, as by a crash. */
void fake_bus_close(struct fake_bus *bus);

void fake_bus_prepare_for_sleep(struct fake_bus *bus, bool begins);

/* logind has another owner now; "": none. */
void fake_bus_change_owner(struct fake_bus *bus, const char *owner);

bool fake_bus_lock_is_held(const struct fake_bus *bus);

#define PATIENCE UINT64_C(60000000)

/* The loop of a bench, which has its event, goes on until a condition holds; fails after a minute. */
#define run_until(bench, condition)                                             \
	do {                                                                    \
		uint64_t end_usec = fixture_now_usec() + PATIENCE;              \
		while (!(condition)) {                                          \
			assert_true(fixture_now_usec() < end_usec);             \
			assert_true(sd_event_run((bench)->event, 100000) >= 0); \
		}                                                               \
	} while (0)

#endif
