/* SPDX-License-Identifier: MIT */
/*
 * org.freedesktop.LogControl1(5): what is logged, and where to, can be changed while the agent runs, as
 * systemctl service-log-level and service-log-target do.
 */
#ifndef FGRECLAIM_BUS_LOG_CONTROL_H
#define FGRECLAIM_BUS_LOG_CONTROL_H

#include <systemd/sd-bus.h>

/* Offers it as long as the connection lives. Errors: those of sd-bus. */
int bus_log_control_publish(sd_bus *connection);

#endif
