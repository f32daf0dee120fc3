/* SPDX-License-Identifier: MIT */
#include "bus_client_parts.h"
#include "macro.h"
#include "sample.h"

#include <errno.h>
#include <string.h>

DEFINE_CLEANUP(sd_bus_message *, sd_bus_message_unref)

/* --- what went wrong */

static enum bus_client_why why_of(const char *name)
{
	static const struct {
		const char *name;
		enum bus_client_why why;
	} known[] = {
		{SD_BUS_ERROR_SERVICE_UNKNOWN, BUS_CLIENT_NO_AGENT},
		{SD_BUS_ERROR_NAME_HAS_NO_OWNER, BUS_CLIENT_NO_AGENT},
		{SD_BUS_ERROR_ACCESS_DENIED, BUS_CLIENT_DENIED},
		{BUS_ERROR_NO_CGROUP, BUS_CLIENT_REFUSED},
		{BUS_ERROR_AMBIGUOUS, BUS_CLIENT_REFUSED},
		{BUS_ERROR_PAUSED_ABOVE, BUS_CLIENT_REFUSED},
		{BUS_ERROR_CONFIGURATION, BUS_CLIENT_REFUSED},
	};

	for (size_t i = 0; i < ARRAY_SIZE(known); i++)
		if (strcmp(known[i].name, name) == 0)
			return known[i].why;
	return BUS_CLIENT_FAILED;
}

/* Returns r. */
static int tell(int r, const sd_bus_error *error, struct bus_client_error *ret)
{
	*ret = (struct bus_client_error){.why = BUS_CLIENT_FAILED};
	if (error && error->name) {
		ret->why = why_of(error->name);
		snprintf(ret->name, sizeof(ret->name), "%s", error->name);
	}
	snprintf(ret->text, sizeof(ret->text), "%s",
		 error && error->message ? error->message : strerror(-r));
	return r;
}

int bus_client_tell(int r, struct bus_client_error *ret)
{
	return tell(r, NULL, ret);
}

/* --- calls */

int bus_client_begin(struct bus_client *client, const char *interface, const char *method,
		     sd_bus_message **ret)
{
	int r = sd_bus_message_new_method_call(client->connection, ret, BUS_NAME, BUS_PATH,
					       interface, method);

	return r < 0 ? r : sd_bus_message_set_auto_start(*ret, false);
}

int bus_client_end(struct bus_client *client, int r, sd_bus_message *message,
		   sd_bus_message **ret_reply, struct bus_client_error *ret_error)
{
	_cleanup_(sd_bus_error_free) sd_bus_error error = SD_BUS_ERROR_NULL;

	if (r >= 0)
		r = sd_bus_call(client->connection, message, 0, &error, ret_reply);
	return r < 0 ? tell(r, &error, ret_error) : 0;
}

/* argument: NULL: none. */
static int call(struct bus_client *client, const char *interface, const char *method,
		const char *argument, sd_bus_message **ret_reply,
		struct bus_client_error *ret_error)
{
	_cleanup_(sd_bus_message_unref_ptr) sd_bus_message *message = NULL;
	int r = bus_client_begin(client, interface, method, &message);

	if (r >= 0 && argument)
		r = sd_bus_message_append(message, "s", argument);
	return bus_client_end(client, r, message, ret_reply, ret_error);
}

int bus_client_call(struct bus_client *client, const char *method, const char *argument,
		    char **ret_text, struct bus_client_error *ret_error)
{
	_cleanup_(sd_bus_message_unref_ptr) sd_bus_message *reply = NULL;
	const char *text;
	int r = call(client, BUS_INTERFACE, method, argument, &reply, ret_error);

	if (r < 0 || !ret_text)
		return r;
	r = sd_bus_message_read(reply, "s", &text);
	if (r < 0)
		return tell(r, NULL, ret_error);
	*ret_text = strdup(text);
	return *ret_text ? 0 : tell(-ENOMEM, NULL, ret_error);
}

static int read_text(sd_bus_message *reply, char **field)
{
	const char *text;
	int r = sd_bus_message_read(reply, "v", "s", &text);

	if (r < 0)
		return r;
	free(*field);
	*field = strdup(text);
	return *field ? 0 : -ENOMEM;
}

static int read_texts(sd_bus_message *reply, char ***field)
{
	int r = sd_bus_message_enter_container(reply, 'v', "as");

	if (r >= 0 && !*field)
		r = sd_bus_message_read_strv(reply, field);
	return r < 0 ? r : sd_bus_message_exit_container(reply);
}

/* A property of another type than ours has changed its meaning, and is an error. */
static int read_field(sd_bus_message *reply, const struct status_field *field,
		      struct status *status)
{
	void *at = (char *)status + field->offset;

	switch (field->type) {
	case 's':
		return read_text(reply, at);
	case 'a':
		return read_texts(reply, at);
	case 'b':
		return sd_bus_message_read(reply, "v", "b", at);
	default:
		return sd_bus_message_read(reply, "v", "t", at);
	}
}

static int read_property(sd_bus_message *reply, struct status *status)
{
	const struct status_field *field = NULL;
	const char *name;
	int r = sd_bus_message_read(reply, "s", &name);

	if (r < 0)
		return r;
	for (size_t i = 0; i < STATUS_FIELDS_N && !field; i++)
		if (strcmp(status_fields[i].property, name) == 0)
			field = &status_fields[i];
	return field ? read_field(reply, field, status) : sd_bus_message_skip(reply, "v");
}

static int read_properties(sd_bus_message *reply, struct status *status)
{
	int r = sd_bus_message_enter_container(reply, 'a', "{sv}");

	while (r >= 0 && (r = sd_bus_message_enter_container(reply, 'e', "sv")) > 0) {
		r = read_property(reply, status);
		if (r >= 0)
			r = sd_bus_message_exit_container(reply);
	}
	return r;
}

int bus_client_status(struct bus_client *client, struct status *ret,
		      struct bus_client_error *ret_error)
{
	_cleanup_(sd_bus_message_unref_ptr) sd_bus_message *reply = NULL;
	_cleanup_(status_done) struct status status = {0};
	int r = call(client, "org.freedesktop.DBus.Properties", "GetAll", BUS_INTERFACE, &reply,
		     ret_error);

	if (r < 0)
		return r;
	for (size_t i = 0; i < STATUS_FIELDS_N; i++)
		if (status_fields[i].type == 't')
			*(uint64_t *)((char *)&status + status_fields[i].offset) = SAMPLE_UNKNOWN;
	r = read_properties(reply, &status);
	if (r < 0)
		return tell(r, NULL, ret_error);
	*ret = status;
	status = (struct status){0};
	return 0;
}

/* --- life */

struct bus_client *bus_client_free(struct bus_client *client)
{
	if (!client)
		return NULL;
	sd_bus_flush_close_unref(client->connection);
	free(client);
	return NULL;
}

int bus_client_new(struct bus_client **ret, struct bus_client_error *ret_error)
{
	struct bus_client *client = calloc(1, sizeof(*client));
	int r = client ? sd_bus_open_system(&client->connection) : -ENOMEM;

	if (r < 0) {
		free(client);
		tell(r, NULL, ret_error);
		ret_error->why = BUS_CLIENT_NO_BUS;
		return r;
	}
	*ret = client;
	return 0;
}
