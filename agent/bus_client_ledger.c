/* SPDX-License-Identifier: MIT */
#include "bus_client_ledger.h"
#include "array.h"
#include "bus_client_parts.h"
#include "macro.h"

#include <string.h>

DEFINE_CLEANUP(sd_bus_message *, sd_bus_message_unref)

/* More than this is no host but an agent that does not end. */
#define PAGES_MAX 65536

static void free_texts(char **texts)
{
	for (size_t i = 0; texts && texts[i]; i++)
		free(texts[i]);
	free(texts);
}

void cgroup_rows_done(struct cgroup_rows *rows)
{
	for (size_t i = 0; i < rows->n_replies; i++)
		sd_bus_message_unref(rows->replies[i]);
	free_texts(rows->waiting_classes);
	free_texts(rows->waiting);
	free(rows->replies);
	free(rows->rows);
	*rows = (struct cgroup_rows){0};
}

/* --- one dictionary */

static const struct field *find_field(const struct field *fields, size_t n, const char *key)
{
	for (size_t i = 0; i < n; i++)
		if (strcmp(fields[i].key, key) == 0)
			return &fields[i];
	return NULL;
}

static void forget_all(const struct field *fields, size_t n, void *of)
{
	for (size_t i = 0; i < n; i++)
		if (fields[i].type == 't')
			*(uint64_t *)((char *)of + fields[i].offset) = SAMPLE_UNKNOWN;
}

/* A value of another type than ours has changed its meaning, and is an error. */
static int read_value(sd_bus_message *reply, const struct field *field, void *of)
{
	const char types[] = {field->type, '\0'};

	return sd_bus_message_read(reply, "v", types, (char *)of + field->offset);
}

static int read_fields(sd_bus_message *reply, const struct field *fields, size_t n, void *of)
{
	const struct field *field;
	const char *key;
	int r = sd_bus_message_enter_container(reply, 'a', "{sv}");

	forget_all(fields, n, of);
	while (r >= 0 && (r = sd_bus_message_enter_container(reply, 'e', "sv")) > 0) {
		r = sd_bus_message_read(reply, "s", &key);
		if (r < 0)
			return r;
		field = find_field(fields, n, key);
		r = field ? read_value(reply, field, of) : sd_bus_message_skip(reply, "v");
		if (r >= 0)
			r = sd_bus_message_exit_container(reply);
	}
	return r < 0 ? r : sd_bus_message_exit_container(reply);
}

static int read_row(sd_bus_message *reply, struct cgroup_rows *rows)
{
	struct ledger_row *row;
	int r = array_reserve(rows->rows, rows->capacity, rows->n + 1);

	if (r < 0)
		return r;
	row = &rows->rows[rows->n];
	*row = (struct ledger_row){.dying_descendants = SAMPLE_UNKNOWN};
	r = read_fields(reply, ledger_fields, LEDGER_FIELDS_N, row);
	/* What comes from outside may lack anything; these every row is to have. */
	if (r >= 0 && (!row->path || !*row->path))
		return -EBADMSG;
	row->name = row->name ?: row->path;
	row->sentence = row->sentence ?: "-";
	row->action = row->action ?: "none";
	row->reason = row->reason ?: "none";
	row->kind = row->kind ?: "other";
	rows->n += r >= 0;
	return r;
}

/* --- pages */

static int keep_reply(struct cgroup_rows *rows, sd_bus_message *reply)
{
	int r = array_reserve(rows->replies, rows->replies_capacity, rows->n_replies + 1);

	if (r >= 0)
		rows->replies[rows->n_replies++] = sd_bus_message_ref(reply);
	return r;
}

/* Cgroups, and the id to go on after. */
static int read_page(sd_bus_message *reply, struct cgroup_rows *rows, uint64_t *ret_next)
{
	int r = keep_reply(rows, reply);

	if (r >= 0)
		r = sd_bus_message_enter_container(reply, 'a', "a{sv}");
	while (r >= 0 && (r = sd_bus_message_at_end(reply, false)) == 0)
		r = read_row(reply, rows);
	if (r >= 0)
		r = sd_bus_message_exit_container(reply);
	return r < 0 ? r : sd_bus_message_read(reply, "t", ret_next);
}

static int read_texts(sd_bus_message *reply, char ***texts)
{
	int r = sd_bus_message_enter_container(reply, 'v', "as");

	free_texts(*texts);
	*texts = NULL;
	if (r >= 0)
		r = sd_bus_message_read_strv(reply, texts);
	return r < 0 ? r : sd_bus_message_exit_container(reply);
}

static int read_waiting(sd_bus_message *reply, struct cgroup_rows *rows)
{
	const char *key;
	int r = sd_bus_message_enter_container(reply, 'a', "{sv}");

	while (r >= 0 && (r = sd_bus_message_enter_container(reply, 'e', "sv")) > 0) {
		r = sd_bus_message_read(reply, "s", &key);
		if (r < 0)
			return r;
		if (strcmp(key, "waiting_classes") == 0)
			r = read_texts(reply, &rows->waiting_classes);
		else if (strcmp(key, "waiting") == 0)
			r = read_texts(reply, &rows->waiting);
		else
			r = sd_bus_message_skip(reply, "v");
		if (r >= 0)
			r = sd_bus_message_exit_container(reply);
	}
	return r < 0 ? r : sd_bus_message_exit_container(reply);
}

/* A slash is below all other characters. */
int cgroup_rows_compare(const struct ledger_row *a, const struct ledger_row *b)
{
	const char *x = a->path, *y = b->path;

	while (*x && *x == *y)
		x++, y++;
	if (*x == *y)
		return 0;
	if (!*x || !*y)
		return *x ? 1 : -1;
	if (*x == '/' || *y == '/')
		return *x == '/' ? -1 : 1;
	return (unsigned char)*x < (unsigned char)*y ? -1 : 1;
}

static int compare(const void *a, const void *b)
{
	return cgroup_rows_compare(a, b);
}

static void sort(struct cgroup_rows *rows)
{
	if (rows->n > 0)
		qsort(rows->rows, rows->n, sizeof(*rows->rows), compare);
}

/* since_usec: NULL: a list, not a report. */
static int ask_pages(struct bus_client *client, const uint64_t *since_usec,
		     struct cgroup_rows *rows, struct bus_client_error *ret_error)
{
	const char *method = since_usec ? "ReportCgroups" : "ListCgroups";
	uint64_t id = 0, next = 1;
	int r = 0;

	for (unsigned page = 0; next != 0; page++, id = next) {
		_cleanup_(sd_bus_message_unref_ptr) sd_bus_message *message = NULL, *reply = NULL;

		r = bus_client_begin(client, BUS_INTERFACE, method, &message);
		if (r >= 0 && since_usec)
			r = sd_bus_message_append(message, "t", *since_usec);
		if (r >= 0)
			r = sd_bus_message_append(message, "t", id);
		r = bus_client_end(client, r, message, &reply, ret_error);
		if (r < 0)
			return r;
		r = since_usec ? read_fields(reply, ledger_totals_fields, LEDGER_TOTALS_N,
					     &rows->totals)
			       : read_waiting(reply, rows);
		if (r >= 0)
			r = read_page(reply, rows, &next);
		if (r >= 0 && ((next != 0 && next <= id) || page >= PAGES_MAX))
			r = -EBADMSG;
		if (r < 0)
			return bus_client_tell(r, ret_error);
	}
	sort(rows);
	return 0;
}

static int finish(int r, struct cgroup_rows *rows, struct cgroup_rows *ret)
{
	if (r < 0)
		cgroup_rows_done(rows);
	else
		*ret = *rows;
	return r;
}

int bus_client_list(struct bus_client *client, struct cgroup_rows *ret,
		    struct bus_client_error *ret_error)
{
	struct cgroup_rows rows = {0};

	return finish(ask_pages(client, NULL, &rows, ret_error), &rows, ret);
}

int bus_client_report(struct bus_client *client, uint64_t since_usec, struct cgroup_rows *ret,
		      struct bus_client_error *ret_error)
{
	struct cgroup_rows rows = {0};

	return finish(ask_pages(client, &since_usec, &rows, ret_error), &rows, ret);
}

int bus_client_explain(struct bus_client *client, const char *cgroup, struct cgroup_rows *ret,
		       struct bus_client_error *ret_error)
{
	_cleanup_(sd_bus_message_unref_ptr) sd_bus_message *message = NULL, *reply = NULL;
	struct cgroup_rows rows = {0};
	int r = bus_client_begin(client, BUS_INTERFACE, "ExplainCgroup", &message);

	if (r >= 0)
		r = sd_bus_message_append(message, "s", cgroup);
	r = bus_client_end(client, r, message, &reply, ret_error);
	if (r < 0)
		return r;
	r = keep_reply(&rows, reply);
	if (r >= 0)
		r = read_row(reply, &rows);
	if (r < 0)
		bus_client_tell(r, ret_error);
	return finish(r, &rows, ret);
}
