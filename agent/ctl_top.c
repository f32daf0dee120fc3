/* SPDX-License-Identifier: MIT */
/*
 * fgreclaimctl top: what the daemon tells, again and again, on a screen.
 */
#include "arith.h"
#include "clock.h"
#include "ctl_rows.h"
#include "top.h"

#include <string.h>

struct top {
	uint64_t interval_usec;
	struct bus_client *client;
	struct status status;
	struct cgroup_rows rows, detail; /* the latter has one, or none */
	bool answered;
	struct bus_client_error error;
	enum top_order order;
	char *selected; /* path; NULL: the first */
	struct top_decision history[TOP_HISTORY];
};

/* --- asking */

static void forget(struct top *top)
{
	status_done(&top->status);
	cgroup_rows_done(&top->rows);
	cgroup_rows_done(&top->detail);
	top->answered = false;
}

static uint64_t value_of(const struct ledger_row *row, enum top_order order)
{
	switch (order) {
	case TOP_BY_CURRENT:
		return row->current_bytes;
	case TOP_BY_WORKING_SET:
		return row->working_set_bytes;
	case TOP_BY_COLD:
		return row->cold_bytes;
	case TOP_BY_ANON_BACK:
		return row->anon_refault_mpps;
	case TOP_BY_FILE_BACK:
		return row->file_refault_mpps;
	default:
		return 0;
	}
}

/* The largest first; what is not known last; equals, and all by path, as they came: in the order of the
 * tree. */
static int compare(const void *a, const void *b, void *userdata)
{
	const struct ledger_row *x = a, *y = b;
	enum top_order order = *(enum top_order *)userdata;
	uint64_t of_x = value_of(x, order), of_y = value_of(y, order);

	if (is_number(of_x) != is_number(of_y))
		return is_number(of_x) ? -1 : 1;
	if (of_x != of_y)
		return of_x > of_y ? -1 : 1;
	return cgroup_rows_compare(x, y);
}

static size_t find_selected(const struct top *top)
{
	for (size_t i = 0; top->selected && i < top->rows.n; i++)
		if (strcmp(top->rows.rows[i].path, top->selected) == 0)
			return i;
	return 0;
}

static void sort(struct top *top)
{
	if (top->rows.n > 0)
		qsort_r(top->rows.rows, top->rows.n, sizeof(*top->rows.rows), compare, &top->order);
}

/* A decision is news when its sentence without its numbers is: they change each time. */
static bool is_news(const struct top *top, const struct ledger_row *row)
{
	const char *former = top->history[0].text, *now = row->sentence;
	size_t len = strcspn(now, "0123456789");

	return top->history[0].usec == 0 || strncmp(former, now, len) != 0;
}

static void remember(struct top *top, const struct ledger_row *row)
{
	struct top_decision *newest = &top->history[0];

	if (is_news(top, row)) {
		memmove(top->history + 1, top->history,
			sizeof(top->history) - sizeof(*top->history));
		newest->usec = clock_usec(CLOCK_MONOTONIC);
	}
	snprintf(newest->text, sizeof(newest->text), "%s", row->sentence);
}

/* The cgroup may have gone since: then there is no detail. */
static void ask_detail(struct top *top)
{
	struct bus_client_error error;

	cgroup_rows_done(&top->detail);
	if (top->rows.n == 0)
		return;
	if (bus_client_explain(top->client, top->rows.rows[find_selected(top)].path, &top->detail,
			       &error) >= 0)
		remember(top, top->detail.rows);
}

static void ask(struct top *top)
{
	int r = 0;

	forget(top);
	if (!top->client)
		r = bus_client_new(&top->client, &top->error);
	if (r >= 0)
		r = bus_client_status(top->client, &top->status, &top->error);
	if (r >= 0)
		r = bus_client_list(top->client, &top->rows, &top->error);
	if (r < 0) {
		forget(top);
		/* The bus may be another one next time. */
		top->client = bus_client_free(top->client);
		return;
	}
	top->answered = true;
	sort(top);
	ask_detail(top);
}

/* --- the screen */

static void draw(const struct top *top)
{
	const struct top_view view = {
		.status = top->answered ? &top->status : NULL,
		.why_not = top->error.why == BUS_CLIENT_NO_AGENT
				   ? "fgreclaimd does not run, or is not on the system bus"
				   : top->error.text,
		.rows = top->rows.rows,
		.n = top->rows.n,
		.selected = find_selected(top),
		.order = top->order,
		.detail = top->detail.n > 0 ? &top->detail.rows[0] : NULL,
		.history = top->history,
		.now_usec = clock_usec(CLOCK_MONOTONIC),
	};

	top_draw(&view);
}

static void move(struct top *top, int by)
{
	size_t at = find_selected(top), last = top->rows.n - 1;
	size_t to = by < 0 ? saturating_sub(at, (uint64_t)-by) : min_u64(at + (size_t)by, last);

	if (top->rows.n == 0 || to == at)
		return;
	free(top->selected);
	top->selected = strdup(top->rows.rows[to].path);
	memset(top->history, 0, sizeof(top->history));
	ask_detail(top);
}

/* Returns the exit code. */
static int run(struct top *top)
{
	uint64_t due_usec = 0, now_usec;
	enum top_event event;
	int by = 0;

	for (;;) {
		now_usec = clock_usec(CLOCK_MONOTONIC);
		if (now_usec >= due_usec) {
			ask(top);
			due_usec = clock_usec(CLOCK_MONOTONIC) + top->interval_usec;
		}
		draw(top);
		event = top_wait(saturating_sub(due_usec, clock_usec(CLOCK_MONOTONIC)), &by);
		if (event == TOP_QUIT)
			return EXIT_SUCCESS;
		if (event == TOP_GONE)
			return EXIT_FAILURE;
		if (event == TOP_MOVE)
			move(top, by);
		if (event == TOP_SORT) {
			top->order = (enum top_order)by;
			sort(top);
		}
	}
}

int ctl_top(const struct ctl *ctl)
{
	struct top top = {.interval_usec = ctl->wait_usec, .order = TOP_BY_CURRENT};
	int status;

	if (top_open() < 0)
		return ctl_fail("top needs a terminal; list shows the same without");
	status = run(&top);
	top_close();
	forget(&top);
	bus_client_free(top.client);
	free(top.selected);
	return status;
}
