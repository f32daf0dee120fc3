/* SPDX-License-Identifier: MIT */
/*
 * Names of cgroups as text for others. The kernel takes any byte in a name but "/", newline and
 * NUL.
 */
#ifndef FGRECLAIM_ESCAPE_H
#define FGRECLAIM_ESCAPE_H

#include <stdbool.h>
#include <stddef.h>

/* A new string of valid UTF-8: bytes that are no UTF-8 as \xNN; with controls, control characters
 * too, since a terminal would obey them. The backslash itself stays as it is: systemd's names are
 * full of it. NULL: no memory. */
char *escape_text(const char *bytes, size_t len, bool controls);

#endif
