/* SPDX-License-Identifier: MIT */
/*
 * fgreclaimctl report: what reclaim was worth, and what it cost, by cgroup and in all.
 */
#include "arith.h"
#include "ctl_rows.h"
#include "explain.h"

#include <inttypes.h>
#include <string.h>

DEFINE_CLEANUP(struct json_writer *, json_writer_free)
DEFINE_CLEANUP(struct bus_client *, bus_client_free)

/* What the rows are sorted by: the memory that is out, or would be, and else what was freed. */
static uint64_t worth(const struct ledger_row *row)
{
	uint64_t out_bytes = number_or(row->out_bytes, 0);

	return saturating_add(out_bytes, number_or(row->account[ACCOUNT_DRY_FREED_BYTES], 0));
}

static int compare_worth(const void *a, const void *b)
{
	const struct ledger_row *x = a, *y = b;
	uint64_t freed_x = number_or(x->account[ACCOUNT_FREED_BYTES], 0);
	uint64_t freed_y = number_or(y->account[ACCOUNT_FREED_BYTES], 0);

	if (worth(x) != worth(y))
		return worth(x) < worth(y) ? 1 : -1;
	if (freed_x != freed_y)
		return freed_x < freed_y ? 1 : -1;
	return strcmp(x->path, y->path);
}

static void print_bytes(const char *what, uint64_t bytes)
{
	char text[BYTES_TEXT_MAX];

	printf("%s%s", what, explain_bytes(bytes, text, sizeof(text)));
}

/* Thousandths of what usec are of. */
static void print_msec(const char *what, uint64_t usec)
{
	if (is_number(usec))
		printf("%s%" PRIu64 " ms", what, usec / 1000);
	else
		printf("%s-", what);
}

/* Of a dry run. What it cannot know is said. */
static void print_estimate(const uint64_t *account)
{
	print_bytes("  estimate   would have freed ", account[ACCOUNT_DRY_FREED_BYTES]);
	print_bytes("; ", account[ACCOUNT_DRY_RETURNED_BYTES]);
	print_bytes(" would have come back, of ", account[ACCOUNT_DRY_UNJUDGED_BYTES]);
	puts(" nobody can tell");
	if (is_number(account[ACCOUNT_DRY_AGINGS]) && account[ACCOUNT_DRY_AGINGS] > 0)
		printf("             without %" PRIu64
		       " agings, which a dry run does not make: what "
		       "they would show to be cold is not in it\n",
		       account[ACCOUNT_DRY_AGINGS]);
}

static void print_totals(const struct ledger_totals *totals)
{
	const uint64_t *account = totals->account;
	uint64_t span_sec = number_or(totals->span_msec, 0) / 1000;

	printf("%sIn %" PRIu64 " h %02" PRIu64 " min %02" PRIu64 " s%s%s\n",
	       ctl_colour(COLOUR_HEAD), span_sec / 3600, span_sec / 60 % 60, span_sec % 60,
	       totals->dry_run == 1 ? ", dry run now: nothing is reclaimed" : "",
	       ctl_colour(COLOUR_PLAIN));
	if (totals->dry_run == 1 || number_or(account[ACCOUNT_DRY_FREED_BYTES], 0) > 0)
		print_estimate(account);
	print_bytes("  freed      ", account[ACCOUNT_FREED_BYTES]);
	print_bytes(" of ", account[ACCOUNT_ASKED_BYTES]);
	print_bytes(" asked for; ", account[ACCOUNT_RETURNED_BYTES]);
	puts(" came back");
	print_bytes("  at present ", totals->out_bytes);
	print_bytes(" are out, swap takes ", totals->swap_cost_bytes);
	print_bytes(" of memory for it: net ", totals->net_bytes);
	putchar('\n');
	print_msec("  cost       ", account[ACCOUNT_CPU_USEC]);
	print_msec(" of CPU time for reclaim, ", totals->cpu_usec);
	print_msec(" with all else; tasks stalled ", account[ACCOUNT_STALL_USEC]);
	puts(" on memory");
}

static void print_cell_msec(uint64_t usec)
{
	if (is_number(usec))
		printf(" %9" PRIu64, usec / 1000);
	else
		printf(" %9s", "-");
}

/* dry: the estimates in place of what was measured. */
static void print_row(const struct ledger_row *row, bool dry)
{
	uint64_t freed_bytes = row->account[dry ? ACCOUNT_DRY_FREED_BYTES : ACCOUNT_FREED_BYTES];
	uint64_t returned_bytes =
		row->account[dry ? ACCOUNT_DRY_RETURNED_BYTES : ACCOUNT_RETURNED_BYTES];
	const uint64_t cells[] = {freed_bytes, returned_bytes, row->out_bytes, row->net_bytes};
	char text[BYTES_TEXT_MAX];

	for (size_t i = 0; i < ARRAY_SIZE(cells); i++)
		printf("%s%9s", i > 0 ? " " : "", explain_bytes(cells[i], text, sizeof(text)));
	print_cell_msec(row->account[ACCOUNT_CPU_USEC]);
	print_cell_msec(row->account[ACCOUNT_STALL_USEC]);
	printf("  %-16.16s %s\n", row->class ?: "-", row->path);
}

static void print(const struct cgroup_rows *rows)
{
	bool dry = rows->totals.dry_run == 1;

	print_totals(&rows->totals);
	if (rows->n == 0) {
		puts("No cgroup belongs to a class.");
		return;
	}
	printf("%s%9s %9s %9s %9s %9s %9s  %-16s %s%s\n", ctl_colour(COLOUR_HEAD),
	       dry ? "~FREED" : "FREED", dry ? "~RETURNED" : "RETURNED", "OUT", "NET", "CPU ms",
	       "STALL ms", "CLASS", "CGROUP", ctl_colour(COLOUR_PLAIN));
	for (size_t i = 0; i < rows->n; i++)
		print_row(&rows->rows[i], dry);
	if (dry)
		puts("~: would have been, as estimated.");
	puts("FREED, RETURNED, CPU and STALL of that time; OUT and NET at present. Stalls are all "
	     "that "
	     "there were,\nwhoever's doing they are. What has gone since counts above and not "
	     "here.");
}

/* --- JSON */

static int print_json(const struct cgroup_rows *rows)
{
	_cleanup_(json_writer_free_ptr) struct json_writer *writer = NULL;
	int r = json_writer_new(stdout, &writer);

	if (r < 0)
		return r;
	json_begin_object(writer, NULL);
	json_begin_object(writer, "totals");
	for (size_t i = 0; i < LEDGER_TOTALS_N; i++)
		ctl_put_field(writer, &ledger_totals_fields[i], &rows->totals);
	json_end(writer);
	json_begin_array(writer, "cgroups");
	for (size_t i = 0; i < rows->n; i++) {
		json_begin_object(writer, NULL);
		for (size_t f = 0; f < LEDGER_FIELDS_N; f++)
			if (f < LEDGER_NAME_N || f >= LEDGER_REPORT_FIRST)
				ctl_put_field(writer, &ledger_fields[f], &rows->rows[i]);
		json_end(writer);
	}
	json_end(writer);
	json_end(writer);
	return json_writer_finish(writer);
}

int ctl_report(const struct ctl *ctl)
{
	_cleanup_(bus_client_free_ptr) struct bus_client *client = NULL;
	struct bus_client_error error;
	struct cgroup_rows rows;
	int r = bus_client_new(&client, &error);

	if (r >= 0)
		r = bus_client_report(client, ctl->since_usec, &rows, &error);
	if (r < 0)
		return ctl_bus_fail(&error, "report");
	if (rows.n > 0)
		qsort(rows.rows, rows.n, sizeof(*rows.rows), compare_worth);
	if (ctl->json)
		r = print_json(&rows);
	else
		print(&rows);
	cgroup_rows_done(&rows);
	return r < 0 ? ctl_fail("%s", strerror(-r)) : EXIT_SUCCESS;
}
