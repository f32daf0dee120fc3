/* SPDX-License-Identifier: MIT */
/*
 * What the service manager is told. Without one (no $NOTIFY_SOCKET) all of this does nothing.
 */
#ifndef FGRECLAIM_NOTIFY_H
#define FGRECLAIM_NOTIFY_H

#include "macro.h"

void notify_ready(void);
void notify_reloading(void);
void notify_stopping(void);
void notify_status(const char *format, ...) _printf_(1, 2);
void notify_failed(int error, const char *why);

#endif
