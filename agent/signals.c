/* SPDX-License-Identifier: MIT */
#include "signals.h"
#include "macro.h"

#include <errno.h>
#include <signal.h>

int signals_add(sd_event *event, sd_event_signal_handler_t handler, void *userdata)
{
	static const int signals[] = {SIGTERM, SIGINT, SIGHUP};
	sigset_t mask;
	int r = 0;

	sigemptyset(&mask);
	for (size_t i = 0; i < ARRAY_SIZE(signals); i++)
		sigaddset(&mask, signals[i]);
	if (sigprocmask(SIG_BLOCK, &mask, NULL) < 0)
		return -errno;
	for (size_t i = 0; i < ARRAY_SIZE(signals) && r >= 0; i++)
		r = sd_event_add_signal(event, NULL, signals[i], handler, userdata);
	return r;
}
