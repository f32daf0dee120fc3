/* SPDX-License-Identifier: MIT */
/*
 * sd_notify(3): readiness, one line of status, reload, stop.
 */
#include "notify.h"
#include "clock.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdarg.h>
#include <systemd/sd-daemon.h>

#define STATUS_MAX 256

void notify_ready(void)
{
	sd_notify(false, "READY=1");
}

void notify_reloading(void)
{
	sd_notifyf(false, "RELOADING=1\nMONOTONIC_USEC=%" PRIu64, clock_usec(CLOCK_MONOTONIC));
}

void notify_stopping(void)
{
	sd_notify(false, "STOPPING=1");
}

void notify_status(const char *format, ...)
{
	char status[STATUS_MAX];
	va_list ap;

	va_start(ap, format);
	vsnprintf(status, sizeof(status), format, ap);
	va_end(ap);
	sd_notifyf(false, "STATUS=%s", status);
}

void notify_failed(int error, const char *why)
{
	sd_notifyf(false, "STATUS=%s\nERRNO=%d", why, error < 0 ? -error : error);
}
