/* SPDX-License-Identifier: MIT */
#include "bus_log_control.h"
#include "log.h"
#include "macro.h"

#include <errno.h>
#include <string.h>

#define PATH      "/org/freedesktop/LogControl1"
#define INTERFACE "org.freedesktop.LogControl1"

static int get_level(sd_bus *connection _unused_, const char *path _unused_,
		     const char *interface _unused_, const char *property _unused_,
		     sd_bus_message *reply, void *userdata _unused_, sd_bus_error *error _unused_)
{
	return sd_bus_message_append(reply, "s", log_level());
}

static int get_target(sd_bus *connection _unused_, const char *path _unused_,
		      const char *interface _unused_, const char *property _unused_,
		      sd_bus_message *reply, void *userdata _unused_, sd_bus_error *error _unused_)
{
	return sd_bus_message_append(reply, "s", log_target());
}

static int get_identifier(sd_bus *connection _unused_, const char *path _unused_,
			  const char *interface _unused_, const char *property _unused_,
			  sd_bus_message *reply, void *userdata _unused_,
			  sd_bus_error *error _unused_)
{
	return sd_bus_message_append(reply, "s", LOG_IDENTIFIER);
}

static int set(sd_bus_message *value, int (*change)(const char *text), const char *what,
	       sd_bus_error *error)
{
	const char *text;
	int r = sd_bus_message_read(value, "s", &text);

	if (r < 0)
		return r;
	if (change(text) < 0)
		return sd_bus_error_setf(error, SD_BUS_ERROR_INVALID_ARGS, "no log %s: \"%s\"",
					 what, text);
	log_notice("log %s is %s now", what, text);
	return 0;
}

static int set_level(sd_bus *connection _unused_, const char *path _unused_,
		     const char *interface _unused_, const char *property _unused_,
		     sd_bus_message *value, void *userdata _unused_, sd_bus_error *error)
{
	return set(value, log_set_level, "level", error);
}

static int set_target(sd_bus *connection _unused_, const char *path _unused_,
		      const char *interface _unused_, const char *property _unused_,
		      sd_bus_message *value, void *userdata _unused_, sd_bus_error *error)
{
	return set(value, log_set_target, "target", error);
}

/* Who may set them is the bus's to say: see bus_object.c. */
static const sd_bus_vtable vtable[] = {
	SD_BUS_VTABLE_START(0),
	SD_BUS_WRITABLE_PROPERTY("LogLevel", "s", get_level, set_level, 0,
				 SD_BUS_VTABLE_UNPRIVILEGED),
	SD_BUS_WRITABLE_PROPERTY("LogTarget", "s", get_target, set_target, 0,
				 SD_BUS_VTABLE_UNPRIVILEGED),
	SD_BUS_PROPERTY("SyslogIdentifier", "s", get_identifier, 0, SD_BUS_VTABLE_PROPERTY_CONST),
	SD_BUS_VTABLE_END,
};

int bus_log_control_publish(sd_bus *connection)
{
	return sd_bus_add_object_vtable(connection, NULL, PATH, INTERFACE, vtable, NULL);
}
