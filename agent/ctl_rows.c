/* SPDX-License-Identifier: MIT */
/*
 * fgreclaimctl list, as it is shown.
 */
#include "ctl_rows.h"
#include "arith.h"
#include "explain.h"
#include "memcg_class.h"

#include <inttypes.h>
#include <string.h>

#define ASKED_MAX 160

DEFINE_CLEANUP(struct json_writer *, json_writer_free)

void ctl_print_rate(uint64_t mpps)
{
	if (is_number(mpps))
		printf(" %7" PRIu64 ".%" PRIu64, mpps / 1000, mpps / 100 % 10);
	else
		printf(" %9s", "-");
}

/* Whose path does not say what it is: nobody knows a container by its path. */
static bool needs_name(const struct ledger_row *row)
{
	static const char *const plain[] = {"root", "other", "slice", "unit"};

	for (size_t i = 0; i < ARRAY_SIZE(plain); i++)
		if (strcmp(row->kind, plain[i]) == 0)
			return false;
	return true;
}

static void print_row(const struct ledger_row *row, bool why)
{
	char current[BYTES_TEXT_MAX], workset[BYTES_TEXT_MAX], cold[BYTES_TEXT_MAX];
	char asked[ASKED_MAX];

	printf("%9s %9s %9s", explain_bytes(row->current_bytes, current, sizeof(current)),
	       explain_bytes(row->working_set_bytes, workset, sizeof(workset)),
	       explain_bytes(row->cold_bytes, cold, sizeof(cold)));
	ctl_print_rate(row->anon_refault_mpps);
	ctl_print_rate(row->file_refault_mpps);
	printf("  %-16.16s %s", row->class ?: "-", row->path);
	if (needs_name(row))
		printf(" [%s]", row->name);
	printf(": %s%s%s\n", ctl_colour(ctl_row_colour(row)), row->sentence,
	       ctl_colour(COLOUR_PLAIN));
	if (!why)
		return;
	printf("%51s%s\n", "", row->match ?: "no Match= fits");
	if (row->protect_sentence)
		printf("%51s%s\n", "", row->protect_sentence);
	if (*memcg_class_explain(row->asked_class, row->asked_class_refused, asked, sizeof(asked)))
		printf("%51s%s\n", "", asked);
}

/* Of the newest look at any of them. */
static uint64_t least_age_msec(const struct cgroup_rows *rows)
{
	uint64_t least_msec = SAMPLE_UNKNOWN;

	for (size_t i = 0; i < rows->n; i++)
		least_msec = min_u64(least_msec, rows->rows[i].age_msec);
	return least_msec;
}

void ctl_rows_print(const struct ctl_rows *rows, bool why)
{
	uint64_t age_msec = least_age_msec(&rows->rows);

	if (rows->capability)
		printf("capability: %s\n", rows->capability);
	printf("%s%9s %9s %9s %9s %9s  %-16s %s%s\n", ctl_colour(COLOUR_HEAD), "CURRENT", "WORKSET",
	       "COLD", "ANON BACK", "FILE BACK", "CLASS", "CGROUP: DECISION",
	       ctl_colour(COLOUR_PLAIN));
	for (size_t i = 0; i < rows->rows.n; i++)
		print_row(&rows->rows.rows[i], why);
	puts("WORKSET and COLD are anon. BACK: pages per second that return after they were "
	     "evicted.");
	if (rows->from_daemon && is_number(age_msec))
		printf("As fgreclaimd decided %" PRIu64 ".%" PRIu64 " s ago.\n", age_msec / 1000,
		       age_msec / 100 % 10);
	for (char **line = rows->rows.waiting; line && *line; line++)
		puts(*line);
	ctl_print_dying(rows->dying);
}

void ctl_put_field(struct json_writer *writer, const struct field *field, const void *of)
{
	const void *at = (const char *)of + field->offset;

	if (field->type == 's')
		json_put_text(writer, field->key, *(const char *const *)at);
	else
		json_put_u64(writer, field->key, *(const uint64_t *)at);
}

/* What Protect=auto would set memory.low to; null without it. */
static void put_protection(struct json_writer *writer, const struct ledger_row *row)
{
	if (!row->protect_reason) {
		json_put_null(writer, "protect");
		return;
	}
	json_begin_object(writer, "protect");
	json_put_u64(writer, "low_bytes", row->protect_low_bytes);
	json_put_u64(writer, "working_set_bytes", row->protect_working_set_bytes);
	json_put_text(writer, "reason", row->protect_reason);
	json_put_text(writer, "sentence", row->protect_sentence);
	json_end(writer);
}

static void put_row(struct json_writer *writer, const struct ledger_row *row)
{
	json_begin_object(writer, NULL);
	json_put_text(writer, "path", row->path);
	json_put_text(writer, "name", row->name);
	json_put_text(writer, "kind", row->kind);
	json_put_u64(writer, "id", row->id);
	json_put_text(writer, "class", row->class);
	json_put_text(writer, "match", row->match);
	json_put_text(writer, "asked_class", row->asked_class);
	json_put_text(writer, "asked_class_refused", row->asked_class_refused);
	json_put_u64(writer, "current_bytes", row->current_bytes);
	json_put_u64(writer, "working_set_bytes", row->working_set_bytes);
	json_put_u64(writer, "cold_bytes", row->cold_bytes);
	json_begin_object(writer, "refaults_per_second");
	json_put_milli(writer, "anon", row->anon_refault_mpps);
	json_put_milli(writer, "file", row->file_refault_mpps);
	json_end(writer);
	json_put_u64(writer, "tier_return_ppm", row->tier_return_ppm);
	json_put_text(writer, "action", row->action);
	json_put_text(writer, "reason", row->reason);
	json_put_text(writer, "sentence", row->sentence);
	put_protection(writer, row);
	json_put_u64(writer, "age_ms", row->age_msec);
	json_put_u64(writer, "dying_descendants", row->dying_descendants);
	json_end(writer);
}

int ctl_rows_print_json(const struct ctl_rows *rows)
{
	_cleanup_(json_writer_free_ptr) struct json_writer *writer = NULL;
	int r = json_writer_new(stdout, &writer);

	if (r < 0)
		return r;
	json_begin_object(writer, NULL);
	json_begin_array(writer, "cgroups");
	for (size_t i = 0; i < rows->rows.n; i++)
		put_row(writer, &rows->rows.rows[i]);
	json_end(writer);
	json_begin_array(writer, "waiting_classes");
	for (char **name = rows->rows.waiting_classes; name && *name; name++)
		json_put_text(writer, NULL, *name);
	json_end(writer);
	json_put_bool(writer, "of_daemon", rows->from_daemon);
	json_end(writer);
	return json_writer_finish(writer);
}
