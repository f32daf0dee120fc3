/* SPDX-License-Identifier: MIT */
/*
 * Globs over cgroup paths. Pure: no state, no allocation, no locale.
 *
 *  "*"      any characters within one name, none included
 *  "?"      one character, never "/"
 *  "**"     any characters, "/" included; so "/a/" and "**" fits what is below /a, not /a itself
 *  "[a-z]"  one character of the set, never "/"; "[!a-z]" and "[^a-z]" one that is not in it;
 *           "]" right after the opening stands for itself
 * All else stands for itself, ":" and "@" included, and so does the backslash: systemd escapes unit
 * names with it ("\x2d"). A character is one of UTF-8; a byte that is not UTF-8 counts as one.
 */
#ifndef FGRECLAIM_PATH_GLOB_H
#define FGRECLAIM_PATH_GLOB_H

#include <stdbool.h>

/* True if the whole path fits. The time is at worst the product of the lengths of pattern, path and
 * longest name, whatever the number of stars. */
bool path_glob_match(const char *pattern, const char *path);

/* Says why a pattern could never mean what its author wanted, or returns NULL: it is fine. The text
 * is static. */
const char *path_glob_check(const char *pattern);

/* The same for a pattern that is compared with a single name. */
const char *path_glob_check_name(const char *pattern);

#endif
