/* SPDX-License-Identifier: MIT */
/*
 * The screen of fgreclaimctl top. The only file that meets ncurses: what is shown comes in, keys go out.
 *
 * A terminal may be of any size, may change it, and may go away: then top_wait() says so, once and for
 * all.
 */
#ifndef FGRECLAIM_TOP_H
#define FGRECLAIM_TOP_H

#include "ledger.h"
#include "status.h"

/* What rows are sorted by, the largest first; paths the other way. */
enum top_order {
	TOP_BY_PATH,
	TOP_BY_CURRENT,
	TOP_BY_WORKING_SET,
	TOP_BY_COLD,
	TOP_BY_ANON_BACK,
	TOP_BY_FILE_BACK,
	_TOP_ORDER_MAX,
};

#define TOP_HISTORY 6

/* A decision, and when it was first seen. */
struct top_decision {
	uint64_t usec; /* CLOCK_MONOTONIC; 0: none */
	char text[LEDGER_TEXT_MAX];
};

/* All that is shown. */
struct top_view {
	const struct status *status;   /* NULL: nobody answers, */
	const char *why_not;           /* for this reason */
	const struct ledger_row *rows; /* sorted */
	size_t n, selected;
	enum top_order order;
	const struct ledger_row *detail; /* of the selected one, with its generations; NULL: none */
	const struct top_decision *history; /* of it, the newest first: TOP_HISTORY of them */
	uint64_t now_usec;
};

enum top_event {
	TOP_NONE, /* the time is over, or the terminal has another size now */
	TOP_QUIT,
	TOP_GONE, /* the terminal has */
	TOP_MOVE, /* *ret_by rows down, or up below 0 */
	TOP_SORT, /* by enum top_order *ret_by */
};

/* Takes the terminal over. -ENOTTY: there is none, or none that is known. */
int top_open(void);
void top_close(void);

void top_draw(const struct top_view *view);

/* Waits for what somebody does, or for so long. */
enum top_event top_wait(uint64_t usec, int *ret_by);

#endif
