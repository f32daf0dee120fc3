/* SPDX-License-Identifier: MIT */
/*
 * The agent on the system bus: org.fgreclaim1(5). For bus.c, which has the connection.
 *
 * Who may do what is the bus's to say, by conf/org.fgreclaim1.conf: all may read, root may act.
 */
#ifndef FGRECLAIM_BUS_OBJECT_H
#define FGRECLAIM_BUS_OBJECT_H

#include "control.h"

#include <stdbool.h>
#include <systemd/sd-bus.h>

struct bus_object;

/* control must stay. stand_in: give the name up for whoever is none. Errors: -ENOMEM. */
int bus_object_new(const struct control *control, bool stand_in, struct bus_object **ret);

/* After its connections. NULL is allowed; returns NULL. */
struct bus_object *bus_object_free(struct bus_object *object);

/* For who adds methods: the userdata of a method is the object. */
const struct control *bus_object_control(const struct bus_object *object);

/* Puts what is wrong with the cgroup that was named, r of a function of struct control, into words.
 * above: NULL, or what it is paused with. Returns what a method has to. */
int bus_object_fail(sd_bus_error *error, int r, const char *cgroup, const char *above);

/* Offers it on a connection, and asks for the name, as long as the connection lives. Errors: those of
 * sd-bus. */
int bus_object_publish(struct bus_object *object, sd_bus *connection);

#endif
