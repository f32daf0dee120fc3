/* SPDX-License-Identifier: MIT */
/*
 * fgreclaimctl explain: the daemon's last decision about one cgroup.
 */
#include "arith.h"
#include "ctl_rows.h"
#include "explain.h"

#include <inttypes.h>
#include <string.h>

DEFINE_CLEANUP(struct json_writer *, json_writer_free)
DEFINE_CLEANUP(struct bus_client *, bus_client_free)

static void print_bytes(const char *what, uint64_t bytes)
{
	char text[BYTES_TEXT_MAX];

	printf("%s%s", what, explain_bytes(bytes, text, sizeof(text)));
}

static void print(const struct ledger_row *row)
{
	printf("%s%s%s", ctl_colour(COLOUR_HEAD), row->path, ctl_colour(COLOUR_PLAIN));
	if (row->class)
		printf(" (%s)", row->class);
	printf(": %s%s%s\n", ctl_colour(ctl_row_colour(row)), row->explanation ?: row->sentence,
	       ctl_colour(COLOUR_PLAIN));
	print_bytes("  holds      ", row->current_bytes);
	print_bytes(", at most so far ", row->peak_bytes);
	print_bytes("; in swap ", row->swap_bytes);
	print_bytes("; anon in use ", row->working_set_bytes);
	print_bytes(", cold ", row->cold_bytes);
	putchar('\n');
	if (row->protect_sentence)
		printf("  memory.low %s\n", row->protect_sentence);
	printf("  class      by %s\n", row->match ?: "no Match=");
	if (is_number(row->look_age_msec))
		printf("  decided    %" PRIu64 ".%" PRIu64 " s ago", row->look_age_msec / 1000,
		       row->look_age_msec / 100 % 10);
	else
		printf("  decided    not yet");
	if (row->law)
		printf(", by the law %s", row->law);
	putchar('\n');
}

static int print_json(const struct ledger_row *row)
{
	_cleanup_(json_writer_free_ptr) struct json_writer *writer = NULL;
	int r = json_writer_new(stdout, &writer);

	if (r < 0)
		return r;
	json_begin_object(writer, NULL);
	for (size_t i = 0; i < LEDGER_REPORT_FIRST; i++)
		ctl_put_field(writer, &ledger_fields[i], row);
	json_end(writer);
	return json_writer_finish(writer);
}

int ctl_explain(const struct ctl *ctl)
{
	_cleanup_(bus_client_free_ptr) struct bus_client *client = NULL;
	struct bus_client_error error;
	struct cgroup_rows rows;
	int r = bus_client_new(&client, &error);

	if (r >= 0)
		r = bus_client_explain(client, ctl->argument, &rows, &error);
	if (r < 0)
		return ctl_bus_fail(&error, "explain");
	if (ctl->json)
		r = print_json(rows.rows);
	else
		print(rows.rows);
	cgroup_rows_done(&rows);
	return r < 0 ? ctl_fail("%s", strerror(-r)) : EXIT_SUCCESS;
}
