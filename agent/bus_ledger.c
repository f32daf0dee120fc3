/* SPDX-License-Identifier: MIT */
#include "bus_ledger.h"
#include "arith.h"
#include "bus_object.h"
#include "class_wait.h"
#include "macro.h"

#include <string.h>

DEFINE_CLEANUP(sd_bus_message *, sd_bus_message_unref)

/* Which fields of a row are told. */
struct row_teller {
	sd_bus_message *reply;
	size_t first, n;
};

/* --- values */

static int append_field(sd_bus_message *reply, const struct field *field, const void *of)
{
	const void *at = (const char *)of + field->offset;

	if (field->type == 's') {
		const char *text = *(const char *const *)at;

		return text ? sd_bus_message_append(reply, "{sv}", field->key, "s", text) : 0;
	}
	if (!is_number(*(const uint64_t *)at))
		return 0;
	return sd_bus_message_append(reply, "{sv}", field->key, "t", *(const uint64_t *)at);
}

static int append_fields(sd_bus_message *reply, const struct field *fields, size_t n,
			 const void *of)
{
	int r = 0;

	for (size_t i = 0; i < n && r >= 0; i++)
		r = append_field(reply, &fields[i], of);
	return r;
}

static int tell_row(const struct ledger_row *row, void *whom)
{
	const struct row_teller *teller = whom;
	sd_bus_message *reply = teller->reply;
	int r = sd_bus_message_open_container(reply, 'a', "{sv}");

	/* Whose they are is told in any case. */
	if (r >= 0 && teller->first > 0)
		r = append_fields(reply, ledger_fields, LEDGER_NAME_N, row);
	if (r >= 0)
		r = append_fields(reply, ledger_fields + teller->first, teller->n, row);
	return r < 0 ? r : sd_bus_message_close_container(reply);
}

static int append_texts(sd_bus_message *reply, const char *key, const char *const *texts, size_t n)
{
	int r = sd_bus_message_open_container(reply, 'e', "sv");

	if (r >= 0)
		r = sd_bus_message_append(reply, "s", key);
	if (r >= 0)
		r = sd_bus_message_open_container(reply, 'v', "as");
	if (r >= 0)
		r = sd_bus_message_open_container(reply, 'a', "s");
	for (size_t i = 0; i < n && r >= 0; i++)
		r = sd_bus_message_append(reply, "s", texts[i]);
	for (int i = 0; i < 3 && r >= 0; i++)
		r = sd_bus_message_close_container(reply);
	return r;
}

/* --- methods */

/* Cgroups from the one after id on, and the id to go on after. */
static int append_page(const struct control *control, sd_bus_message *reply, uint64_t id,
		       uint64_t span_usec, struct row_teller *teller)
{
	int r = sd_bus_message_open_container(reply, 'a', "a{sv}");

	teller->reply = reply;
	if (r >= 0)
		r = control->cgroups(&id, span_usec, tell_row, teller, control->userdata);
	if (r >= 0)
		r = sd_bus_message_close_container(reply);
	return r < 0 ? r : sd_bus_message_append(reply, "t", id);
}

static int append_waiting(sd_bus_message *reply, const struct control *control)
{
	char texts[CLASSES_MAX][CLASS_WAIT_TEXT_MAX];
	const char *names[CLASSES_MAX], *lines[CLASSES_MAX];
	const struct config *config;
	uint64_t waiting = control->waiting(&config, control->userdata);
	size_t n = 0;
	int r = sd_bus_message_open_container(reply, 'a', "{sv}");

	for (size_t i = 0; i < config->policy.n_classes; i++) {
		if (!(waiting & UINT64_C(1) << i))
			continue;
		names[n] = config->policy.classes[i].name;
		lines[n] = class_wait_explain(config, i, texts[n], sizeof(texts[n]));
		n++;
	}
	if (r >= 0)
		r = append_texts(reply, "waiting_classes", names, n);
	if (r >= 0)
		r = append_texts(reply, "waiting", lines, n);
	return r < 0 ? r : sd_bus_message_close_container(reply);
}

static int on_list(sd_bus_message *call, void *userdata, sd_bus_error *error _unused_)
{
	_cleanup_(sd_bus_message_unref_ptr) sd_bus_message *reply = NULL;
	const struct control *control = bus_object_control(userdata);
	struct row_teller teller = {.n = LEDGER_LIST_N};
	uint64_t id;
	int r = sd_bus_message_read(call, "t", &id);

	if (r >= 0)
		r = sd_bus_message_new_method_return(call, &reply);
	if (r >= 0)
		r = append_waiting(reply, control);
	if (r >= 0)
		r = append_page(control, reply, id, 0, &teller);
	return r < 0 ? r : sd_bus_send(NULL, reply, NULL);
}

static int on_report(sd_bus_message *call, void *userdata, sd_bus_error *error _unused_)
{
	_cleanup_(sd_bus_message_unref_ptr) sd_bus_message *reply = NULL;
	const struct control *control = bus_object_control(userdata);
	struct row_teller teller = {
		.first = LEDGER_REPORT_FIRST,
		.n = LEDGER_FIELDS_N - LEDGER_REPORT_FIRST,
	};
	struct ledger_totals totals;
	uint64_t span_usec, id;
	int r = sd_bus_message_read(call, "tt", &span_usec, &id);

	if (r < 0)
		return r;
	control->totals(span_usec, &totals, control->userdata);
	r = sd_bus_message_new_method_return(call, &reply);
	if (r >= 0)
		r = sd_bus_message_open_container(reply, 'a', "{sv}");
	if (r >= 0)
		r = append_fields(reply, ledger_totals_fields, LEDGER_TOTALS_N, &totals);
	if (r >= 0)
		r = sd_bus_message_close_container(reply);
	if (r >= 0)
		r = append_page(control, reply, id, max_u64(span_usec, 1), &teller);
	return r < 0 ? r : sd_bus_send(NULL, reply, NULL);
}

static int on_explain(sd_bus_message *call, void *userdata, sd_bus_error *error)
{
	_cleanup_(sd_bus_message_unref_ptr) sd_bus_message *reply = NULL;
	const struct control *control = bus_object_control(userdata);
	struct row_teller teller = {.n = LEDGER_REPORT_FIRST};
	const char *cgroup;
	int r = sd_bus_message_read(call, "s", &cgroup);

	if (r < 0)
		return r;
	r = sd_bus_message_new_method_return(call, &reply);
	if (r < 0)
		return r;
	teller.reply = reply;
	r = control->explain(cgroup, tell_row, &teller, control->userdata);
	return r < 0 ? bus_object_fail(error, r, cgroup, NULL) : sd_bus_send(NULL, reply, NULL);
}

size_t bus_ledger_methods(sd_bus_vtable *vtable)
{
	vtable[0] = (sd_bus_vtable)SD_BUS_METHOD_WITH_ARGS(
		"ListCgroups", SD_BUS_ARGS("t", after),
		SD_BUS_RESULT("a{sv}", about, "aa{sv}", cgroups, "t", next), on_list,
		SD_BUS_VTABLE_UNPRIVILEGED);
	vtable[1] = (sd_bus_vtable)SD_BUS_METHOD_WITH_ARGS(
		"ReportCgroups", SD_BUS_ARGS("t", since_us, "t", after),
		SD_BUS_RESULT("a{sv}", totals, "aa{sv}", cgroups, "t", next), on_report,
		SD_BUS_VTABLE_UNPRIVILEGED);
	vtable[2] = (sd_bus_vtable)SD_BUS_METHOD_WITH_ARGS(
		"ExplainCgroup", SD_BUS_ARGS("s", cgroup), SD_BUS_RESULT("a{sv}", explanation),
		on_explain, SD_BUS_VTABLE_UNPRIVILEGED);
	return BUS_LEDGER_METHODS;
}
