/* SPDX-License-Identifier: MIT */
/*
 * What the client's calls share: for bus_client.c and bus_client_ledger.c.
 */
#ifndef FGRECLAIM_BUS_CLIENT_PARTS_H
#define FGRECLAIM_BUS_CLIENT_PARTS_H

#include "bus_client.h"

#include <systemd/sd-bus.h>

struct bus_client {
	sd_bus *connection;
};

/* A call of the agent's object that is yet to get its arguments. An agent that does not run is not
 * started for it. */
int bus_client_begin(struct bus_client *client, const char *interface, const char *method,
		     sd_bus_message **ret);

/* Makes it. r: what came of its making, below 0: it is not made. -errno: *ret_error says why. */
int bus_client_end(struct bus_client *client, int r, sd_bus_message *message,
		   sd_bus_message **ret_reply, struct bus_client_error *ret_error);

/* Puts an error of our own, as of a reply that is not understood, into words. Returns r. */
int bus_client_tell(int r, struct bus_client_error *ret);

#endif
