/* SPDX-License-Identifier: MIT */
/*
 * Asks a running agent over the system bus: for fgreclaimctl, which may wait.
 */
#ifndef FGRECLAIM_BUS_CLIENT_H
#define FGRECLAIM_BUS_CLIENT_H

#include "bus_name.h"
#include "status.h"

#include <stdbool.h>

struct bus_client;

/* What kept the agent from answering. */
enum bus_client_why {
	BUS_CLIENT_NO_BUS,
	BUS_CLIENT_NO_AGENT, /* nobody has its name */
	BUS_CLIENT_DENIED,
	BUS_CLIENT_REFUSED, /* by the agent, as text says */
	BUS_CLIENT_FAILED,  /* likewise, or nobody answered in time */
};
struct bus_client_error {
	enum bus_client_why why;
	char name[128]; /* on the bus, see bus_name.h; empty: none */
	char text[1024];
};

/* Connects. -errno: there is no bus, and *ret_error says so. */
int bus_client_new(struct bus_client **ret, struct bus_client_error *ret_error);

/* NULL is allowed; returns NULL. */
struct bus_client *bus_client_free(struct bus_client *client);

/* *ret: to be freed with status_done(); what the agent does not tell is not known. -errno: *ret_error says
 * why. */
int bus_client_status(struct bus_client *client, struct status *ret,
		      struct bus_client_error *ret_error);

/* Calls a method. argument: NULL: it takes none. ret_text: gets a new string; NULL: it returns none.
 * -errno: *ret_error says why. */
int bus_client_call(struct bus_client *client, const char *method, const char *argument,
		    char **ret_text, struct bus_client_error *ret_error);

#endif
