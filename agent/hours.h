/* SPDX-License-Identifier: MIT */
/*
 * Hours=: windows of the week in which reclaim may run, by the local wall clock.
 *
 * What the clock on the wall shows decides, and nothing is remembered: where it jumps, forwards or
 * back, by hand or for summer time, the very next look goes by what it shows then. An hour that
 * summer time leaves out is in no window, one that comes twice is twice in its own.
 */
#ifndef FGRECLAIM_HOURS_H
#define FGRECLAIM_HOURS_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <time.h>

#define HOURS_WINDOWS_MAX 8

/* From begin to end, in minutes since midnight, on each day of first to last, Monday being 0; both
 * may run over the end of the week. One that ends on the next day is of the day on which it begins. */
struct hours_window {
	uint8_t first_day;
	uint8_t last_day;
	uint16_t begin_min;
	uint16_t end_min; /* up to 1440; not above begin: on the next day */
};

/* No window: always. */
struct hours {
	uint8_t n;
	struct hours_window windows[HOURS_WINDOWS_MAX];
};

/* "[DAY[..DAY] ]HH:MM-HH:MM", several separated by ","; empty: no window. Returns 0 or -EINVAL; *ret
 * is touched on success only. */
int hours_parse(const char *s, struct hours *ret);

/* The same text, such that hours_parse() reads it back. */
void hours_print(const struct hours *hours, FILE *f);

/* Whether reclaim may run at what the wall clock shows. */
bool hours_contain(const struct hours *hours, const struct tm *shown);

#endif
