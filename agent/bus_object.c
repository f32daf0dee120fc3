/* SPDX-License-Identifier: MIT */
/*
 * The agent's object on the bus: see bus_object.h.
 */
#include "bus_object.h"
#include "bus_ledger.h"
#include "bus_log_control.h"
#include "bus_name.h"
#include "log.h"
#include "macro.h"
#include "messages.h"

#include <errno.h>
#include <string.h>

#define WHY_MAX 1024

/* What org.freedesktop.DBus.RequestName answers: dbus.freedesktop.org, D-Bus Specification. */
#define NAME_IS_QUEUED_FOR 2

#define N_METHODS (3 + BUS_LEDGER_METHODS)

struct bus_object {
	struct status status; /* as of the call under way; first, since it is sd-bus's userdata */
	const struct control *control;
	bool stand_in;
	sd_bus_vtable vtable[1 + N_METHODS + STATUS_FIELDS_N + 1];
};

/* --- methods */

int bus_object_fail(sd_bus_error *error, int r, const char *cgroup, const char *above)
{
	if (r == -ENOENT)
		return sd_bus_error_setf(error, BUS_ERROR_NO_CGROUP, "no cgroup \"%s\"", cgroup);
	if (r == -ENOTUNIQ)
		return sd_bus_error_setf(error, BUS_ERROR_AMBIGUOUS,
					 "more than one cgroup is \"%s\"", cgroup);
	if (r == -EBUSY && above)
		return sd_bus_error_setf(error, BUS_ERROR_PAUSED_ABOVE, "paused with all of %s",
					 strcmp(above, "/") == 0 ? "the host" : above);
	return r;
}

static int answer(sd_bus_message *call, sd_bus_error *error,
		  int (*act)(const char *cgroup, char **ret_path, void *userdata), void *userdata)
{
	_cleanup_free_ char *path = NULL;
	const char *cgroup;
	int r = sd_bus_message_read(call, "s", &cgroup);

	if (r < 0)
		return r;
	r = act(cgroup, &path, userdata);
	if (r >= 0 && !path)
		r = -ENOMEM;
	return r < 0 ? bus_object_fail(error, r, cgroup, path)
		     : sd_bus_reply_method_return(call, "s", path);
}

static int on_pause(sd_bus_message *call, void *userdata, sd_bus_error *error)
{
	const struct bus_object *object = userdata;

	return answer(call, error, object->control->pause, object->control->userdata);
}

static int on_resume(sd_bus_message *call, void *userdata, sd_bus_error *error)
{
	const struct bus_object *object = userdata;

	return answer(call, error, object->control->resume, object->control->userdata);
}

static int on_reload(sd_bus_message *call, void *userdata, sd_bus_error *error)
{
	const struct bus_object *object = userdata;
	char why[WHY_MAX] = "";
	int r = object->control->reload(why, sizeof(why), object->control->userdata);

	if (r < 0)
		return sd_bus_error_set(error, BUS_ERROR_CONFIGURATION, why);
	return sd_bus_reply_method_return(call, NULL);
}

const struct control *bus_object_control(const struct bus_object *object)
{
	return object->control;
}

/* --- the object */

/* Whatever is asked of it is answered by the state of that moment. */
static int find(sd_bus *connection _unused_, const char *path, const char *interface _unused_,
		void *userdata, void **ret_found, sd_bus_error *error _unused_)
{
	struct bus_object *object = userdata;

	/* It is asked for what is below, too. */
	if (strcmp(path, BUS_PATH) != 0)
		return 0;
	status_done(&object->status);
	object->control->status(&object->status, object->control->userdata);
	*ret_found = object;
	return 1;
}

static const char *signature(char type)
{
	switch (type) {
	case 's':
		return "s";
	case 'b':
		return "b";
	case 'a':
		return "as";
	default:
		return "t";
	}
}

/* Methods are not for root alone as far as sd-bus goes: it would ask the bus who calls, and wait for
 * the answer. The bus's own policy says so. */
static void build_vtable(struct bus_object *object)
{
	sd_bus_vtable *next = object->vtable;

	*next++ = (sd_bus_vtable)SD_BUS_VTABLE_START(0);
	*next++ = (sd_bus_vtable)SD_BUS_METHOD_WITH_ARGS("Pause", SD_BUS_ARGS("s", cgroup),
							 SD_BUS_RESULT("s", path), on_pause,
							 SD_BUS_VTABLE_UNPRIVILEGED);
	*next++ = (sd_bus_vtable)SD_BUS_METHOD_WITH_ARGS("Resume", SD_BUS_ARGS("s", cgroup),
							 SD_BUS_RESULT("s", path), on_resume,
							 SD_BUS_VTABLE_UNPRIVILEGED);
	*next++ = (sd_bus_vtable)SD_BUS_METHOD_WITH_ARGS("Reload", SD_BUS_NO_ARGS, SD_BUS_NO_RESULT,
							 on_reload, SD_BUS_VTABLE_UNPRIVILEGED);
	next += bus_ledger_methods(next);
	for (size_t i = 0; i < STATUS_FIELDS_N; i++)
		*next++ = (sd_bus_vtable)SD_BUS_PROPERTY(status_fields[i].property,
							 signature(status_fields[i].type), NULL,
							 status_fields[i].offset, 0);
	*next = (sd_bus_vtable)SD_BUS_VTABLE_END;
}

static int on_named(sd_bus_message *reply, void *userdata _unused_, sd_bus_error *error _unused_)
{
	uint32_t result;

	if (sd_bus_message_is_method_error(reply, NULL))
		log_event(LOG_NOTICE, MESSAGE_DEGRADED,
			  "the system bus refuses the name " BUS_NAME
			  ": %s; fgreclaimctl cannot ask "
			  "this agent",
			  sd_bus_message_get_error(reply)->message);
	else if (sd_bus_message_read(reply, "u", &result) >= 0 && result == NAME_IS_QUEUED_FOR)
		log_event(LOG_NOTICE, MESSAGE_DEGRADED,
			  "another agent has the name " BUS_NAME " on the system bus: fgreclaimctl "
			  "asks that one as long as it runs");
	return 0;
}

int bus_object_publish(struct bus_object *object, sd_bus *connection)
{
	uint64_t flags = SD_BUS_NAME_QUEUE | (object->stand_in ? SD_BUS_NAME_ALLOW_REPLACEMENT
							       : SD_BUS_NAME_REPLACE_EXISTING);
	int r = sd_bus_add_fallback_vtable(connection, NULL, BUS_PATH, BUS_INTERFACE,
					   object->vtable, find, object);

	if (r >= 0)
		r = bus_log_control_publish(connection);
	if (r < 0)
		return r;
	return sd_bus_request_name_async(connection, NULL, BUS_NAME, flags, on_named, object);
}

/* --- life */

struct bus_object *bus_object_free(struct bus_object *object)
{
	if (!object)
		return NULL;
	status_done(&object->status);
	free(object);
	return NULL;
}

int bus_object_new(const struct control *control, bool stand_in, struct bus_object **ret)
{
	struct bus_object *object = calloc(1, sizeof(*object));

	if (!object)
		return -ENOMEM;
	object->control = control;
	object->stand_in = stand_in;
	build_vtable(object);
	*ret = object;
	return 0;
}
