/* SPDX-License-Identifier: MIT */
#ifndef FGRECLAIM_SIGNALS_H
#define FGRECLAIM_SIGNALS_H

#include <systemd/sd-event.h>

/* Blocks SIGTERM, SIGINT and SIGHUP for the process, and has the loop call the handler for each. To be
 * called before there are other threads. Errors: those of sigprocmask(2) and of sd-event. */
int signals_add(sd_event *event, sd_event_signal_handler_t handler, void *userdata);

#endif
