/* SPDX-License-Identifier: MIT */
/*
 * Windows of the week: see hours.h.
 */
#include "hours.h"
#include "macro.h"

#include <errno.h>
#include <stddef.h>
#include <string.h>

#define DAYS        7
#define DAY_MINUTES (24 * 60)
#define DAY_LETTERS 3

static const char day_names[DAYS][DAY_LETTERS + 1] = {"Mon", "Tue", "Wed", "Thu",
						      "Fri", "Sat", "Sun"};

static bool take_text(const char **p, const char *text)
{
	size_t len = strlen(text);

	if (strncmp(*p, text, len) != 0)
		return false;
	*p += len;
	return true;
}

static bool take_day(const char **p, uint8_t *ret)
{
	for (uint8_t day = 0; day < DAYS; day++)
		if (take_text(p, day_names[day])) {
			*ret = day;
			return true;
		}
	return false;
}

/* Two digits, from 00 to most. */
static bool take_two(const char **p, unsigned most, unsigned *ret)
{
	unsigned value = 0;

	for (int i = 0; i < 2; i++, (*p)++) {
		if (**p < '0' || **p > '9')
			return false;
		value = value * 10 + (unsigned)(**p - '0');
	}
	*ret = value;
	return value <= most;
}

/* "00:00" to "24:00". */
static bool take_time(const char **p, uint16_t *ret)
{
	unsigned hour, minute;

	if (!take_two(p, 24, &hour) || !take_text(p, ":") || !take_two(p, 59, &minute))
		return false;
	*ret = (uint16_t)(hour * 60 + minute);
	return *ret <= DAY_MINUTES;
}

static bool take_window(const char **p, struct hours_window *ret)
{
	*ret = (struct hours_window){.last_day = DAYS - 1};
	if (take_day(p, &ret->first_day)) {
		ret->last_day = ret->first_day;
		if (take_text(p, "..") && !take_day(p, &ret->last_day))
			return false;
		if (!take_text(p, " "))
			return false;
	}
	/* Of "08:00-08:00" nobody knows whether it is all or nothing. */
	return take_time(p, &ret->begin_min) && take_text(p, "-") && take_time(p, &ret->end_min) &&
	       ret->begin_min < DAY_MINUTES && ret->begin_min != ret->end_min;
}

int hours_parse(const char *s, struct hours *ret)
{
	struct hours hours = {0};

	while (*s) {
		if (hours.n == HOURS_WINDOWS_MAX || !take_window(&s, &hours.windows[hours.n++]))
			return -EINVAL;
		if (!*s)
			break;
		if (!take_text(&s, ","))
			return -EINVAL;
		while (*s == ' ')
			s++;
		if (!*s)
			return -EINVAL;
	}
	*ret = hours;
	return 0;
}

void hours_print(const struct hours *hours, FILE *f)
{
	for (uint8_t i = 0; i < hours->n; i++) {
		const struct hours_window *w = &hours->windows[i];

		fputs(i ? ", " : "", f);
		if (w->first_day == w->last_day)
			fprintf(f, "%s ", day_names[w->first_day]);
		else if (w->first_day != 0 || w->last_day != DAYS - 1)
			fprintf(f, "%s..%s ", day_names[w->first_day], day_names[w->last_day]);
		fprintf(f, "%02d:%02d-%02d:%02d", w->begin_min / 60, w->begin_min % 60,
			w->end_min / 60, w->end_min % 60);
	}
}

static bool has_day(const struct hours_window *window, int day)
{
	if (window->first_day <= window->last_day)
		return day >= window->first_day && day <= window->last_day;
	return day >= window->first_day || day <= window->last_day;
}

bool hours_contain(const struct hours *hours, const struct tm *shown)
{
	int day = (shown->tm_wday + DAYS - 1) % DAYS; /* tm_wday counts from Sunday */
	int minute = shown->tm_hour * 60 + shown->tm_min;

	for (uint8_t i = 0; i < hours->n; i++) {
		const struct hours_window *w = &hours->windows[i];
		bool overnight = w->end_min < w->begin_min;

		if (has_day(w, day) && minute >= w->begin_min && (overnight || minute < w->end_min))
			return true;
		if (overnight && has_day(w, (day + DAYS - 1) % DAYS) && minute < w->end_min)
			return true;
	}
	return hours->n == 0;
}
