/* SPDX-License-Identifier: MIT */
/*
 * fgreclaimctl: colours, for eyes only. NO_COLOR: no-color.org.
 */
#include "ctl_rows.h"

#include <string.h>

bool ctl_colours_wanted(void)
{
	const char *no = getenv("NO_COLOR"), *term = getenv("TERM");

	return isatty(STDOUT_FILENO) && !(no && *no) && term && strcmp(term, "dumb") != 0;
}

const char *ctl_colour(enum ctl_colour colour)
{
	static const char *const sequences[_COLOUR_MAX] = {
		[COLOUR_PLAIN] = "\033[0m",
		[COLOUR_HEAD] = "\033[1m",
		[COLOUR_ACTS] = "\033[32m",
		[COLOUR_HELD] = "\033[33m",
	};
	static int known = -1;

	if (known < 0)
		known = ctl_colours_wanted();
	return known ? sequences[colour] : "";
}

enum ctl_colour ctl_row_colour(const struct ledger_row *row)
{
	if (strcmp(row->action, "none") != 0)
		return COLOUR_ACTS;
	return strncmp(row->reason, "hold-", strlen("hold-")) == 0 ? COLOUR_HELD : COLOUR_PLAIN;
}
