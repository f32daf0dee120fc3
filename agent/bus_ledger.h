/* SPDX-License-Identifier: MIT */
/*
 * The methods of org.fgreclaim1(5) that tell of cgroups: ListCgroups, ExplainCgroup, ReportCgroups.
 *
 * A cgroup is a{sv}, its keys those of ledger.h: what is not known is left out, and new keys may come
 * without another signature. Lists come page by page, by the id after which to go on, so that no message
 * grows with the host, and no call keeps the loop for more than some milliseconds.
 */
#ifndef FGRECLAIM_BUS_LEDGER_H
#define FGRECLAIM_BUS_LEDGER_H

#include <stddef.h>
#include <systemd/sd-bus.h>

#define BUS_LEDGER_METHODS 3

/* Puts them into a vtable of bus_object.c. Returns how many that were. */
size_t bus_ledger_methods(sd_bus_vtable *vtable);

#endif
