/* SPDX-License-Identifier: MIT */
/*
 * The connection, and what is asked and told through it; bus_object.c offers what is asked of us.
 * Nothing here waits for an answer: who is on the other side may be waiting for memory that we are about
 * to free.
 */
#include "bus.h"
#include "bus_object.h"
#include "log.h"
#include "macro.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <systemd/sd-bus.h>

#define LOGIND           "org.freedesktop.login1"
#define LOGIND_PATH      "/org/freedesktop/login1"
#define LOGIND_INTERFACE "org.freedesktop.login1.Manager"

#define SYSTEMD           "org.freedesktop.systemd1"
#define SYSTEMD_PATH      "/org/freedesktop/systemd1"
#define SYSTEMD_INTERFACE "org.freedesktop.systemd1.Manager"

#define RETRY_ACCURACY_USEC 1000000

/* A call of systemd that is under way. */
struct bus_call {
	struct bus *bus;
	struct bus_call *next;
	sd_bus_slot *slot;
	bool is_get;
	bus_answer_t answer;
	void *userdata;
};

struct bus {
	struct bus_settings settings;
	sd_bus *connection;
	sd_bus_slot *inhibit;   /* the call under way */
	sd_event_source *retry; /* to connect again */
	sd_event_source *quiet; /* asks whether all is quiet, while a sleep waits for us */
	struct bus_call *calls;
	struct bus_object *object; /* NULL: nothing is offered */
	int lock_fd;
	bool asleep;
};

static void drop_lock(struct bus *bus)
{
	close_fd(&bus->lock_fd);
	bus->lock_fd = -1;
}

static void wake(struct bus *bus)
{
	sd_event_source_set_enabled(bus->quiet, SD_EVENT_OFF);
	if (!bus->asleep)
		return;
	bus->asleep = false;
	bus->settings.wake(bus->settings.userdata);
}

/* --- the delay lock */

static int on_inhibited(sd_bus_message *reply, void *userdata, sd_bus_error *error _unused_)
{
	struct bus *bus = userdata;
	int fd, r;

	bus->inhibit = sd_bus_slot_unref(bus->inhibit);
	if (sd_bus_message_is_method_error(reply, NULL)) {
		log_debug("no delay lock: %s", sd_bus_message_get_error(reply)->name);
		return 0;
	}
	r = sd_bus_message_read(reply, "h", &fd);
	/* The descriptor in the message is closed with it. */
	if (r >= 0)
		fd = fcntl(fd, F_DUPFD_CLOEXEC, 3);
	if (r >= 0 && fd >= 0) {
		drop_lock(bus);
		bus->lock_fd = fd;
	}
	return 0;
}

/* Asks for it. A logind that does not run is not started for this. */
static void take_lock(struct bus *bus)
{
	sd_bus_message *call = NULL;
	int r;

	bus->inhibit = sd_bus_slot_unref(bus->inhibit);
	r = sd_bus_message_new_method_call(bus->connection, &call, LOGIND, LOGIND_PATH,
					   LOGIND_INTERFACE, "Inhibit");
	if (r >= 0)
		r = sd_bus_message_set_auto_start(call, false);
	if (r >= 0)
		r = sd_bus_message_append(call, "ssss", "sleep", "fgreclaimd",
					  "Reclaim that is under way ends first", "delay");
	if (r >= 0)
		r = sd_bus_call_async(bus->connection, &bus->inhibit, call, on_inhibited, bus, 0);
	if (r < 0)
		log_debug("no delay lock: %s", strerror(-r));
	sd_bus_message_unref(call);
}

bool bus_has_lock(const struct bus *bus)
{
	return bus->lock_fd >= 0;
}

/* --- what is told */

/* Lets the host sleep if nothing is under way; else asks again after the next event. */
static int ask(struct bus *bus)
{
	bool quiet = bus->settings.is_quiet(bus->settings.userdata);

	if (quiet)
		drop_lock(bus);
	return sd_event_source_set_enabled(bus->quiet, quiet ? SD_EVENT_OFF : SD_EVENT_ON);
}

static int on_event(sd_event_source *source _unused_, void *userdata)
{
	return ask(userdata);
}

static int on_prepare_for_sleep(sd_bus_message *signal, void *userdata,
				sd_bus_error *error _unused_)
{
	struct bus *bus = userdata;
	int begins;

	if (sd_bus_message_read(signal, "b", &begins) < 0)
		return 0;
	if (!begins) {
		wake(bus);
		take_lock(bus);
		return 0;
	}
	if (!bus->asleep) {
		bus->asleep = true;
		bus->settings.sleep(bus->settings.userdata);
	}
	return ask(bus);
}

/* logind went, or a new one came: neither knows of a sleep that was announced before. */
static int on_owner_changed(sd_bus_message *signal, void *userdata, sd_bus_error *error _unused_)
{
	struct bus *bus = userdata;
	const char *name, *former, *owner;

	if (sd_bus_message_read(signal, "sss", &name, &former, &owner) < 0)
		return 0;
	drop_lock(bus);
	wake(bus);
	if (*owner)
		take_lock(bus);
	return 0;
}

/* --- what systemd is asked */

static struct bus_call *call_free(struct bus_call *call)
{
	for (struct bus_call **at = &call->bus->calls; *at; at = &(*at)->next)
		if (*at == call) {
			*at = call->next;
			break;
		}
	sd_bus_slot_unref(call->slot);
	free(call);
	return NULL;
}

static int on_answer(sd_bus_message *reply, void *userdata, sd_bus_error *error _unused_)
{
	struct bus_call *call = userdata;
	struct bus_answer answer = {.r = -sd_bus_message_get_errno(reply)};
	bus_answer_t tell = call->answer;
	void *whom = call->userdata;

	if (sd_bus_message_is_method_error(reply, NULL))
		answer.error = sd_bus_message_get_error(reply)->name;
	else if (call->is_get)
		answer.r = sd_bus_message_read(reply, "v", "t", &answer.value);
	answer.r = answer.r < 0 ? answer.r : 0;
	call_free(call);
	tell(&answer, whom);
	return 0;
}

/* Sends it. Takes over the message; r is what came of making it. */
static int call_systemd(struct bus *bus, sd_bus_message *message, int r, bool is_get,
			bus_answer_t answer, void *userdata)
{
	struct bus_call *call = r < 0 ? NULL : calloc(1, sizeof(*call));

	if (r >= 0 && !call)
		r = -ENOMEM;
	if (r >= 0) {
		*call = (struct bus_call){
			.bus = bus,
			.next = bus->calls,
			.is_get = is_get,
			.answer = answer,
			.userdata = userdata,
		};
		bus->calls = call;
		r = sd_bus_call_async(bus->connection, &call->slot, message, on_answer, call, 0);
		if (r < 0)
			call_free(call);
	}
	sd_bus_message_unref(message);
	return r < 0 ? r : 0;
}

/* The interface that has the properties of a unit's cgroup: by its type, as org.freedesktop.systemd1(5)
 * lists them. */
static int unit_interface(const char *unit, char *buf, size_t size)
{
	const char *type = strrchr(unit, '.');

	if (!type || type[1] < 'a' || type[1] > 'z')
		return -EINVAL;
	snprintf(buf, size, SYSTEMD ".%c%s", type[1] - 'a' + 'A', type + 2);
	return 0;
}

int bus_get_unit_property(struct bus *bus, const char *unit, const char *property,
			  bus_answer_t answer, void *userdata)
{
	_cleanup_free_ char *path = NULL;
	sd_bus_message *message = NULL;
	char interface[64];
	int r;

	if (!bus->connection)
		return -ENOTCONN;
	r = unit_interface(unit, interface, sizeof(interface));
	if (r >= 0)
		r = sd_bus_path_encode(SYSTEMD_PATH "/unit", unit, &path);
	if (r >= 0)
		r = sd_bus_message_new_method_call(bus->connection, &message, SYSTEMD, path,
						   "org.freedesktop.DBus.Properties", "Get");
	if (r >= 0)
		r = sd_bus_message_append(message, "ss", interface, property);
	return call_systemd(bus, message, r, true, answer, userdata);
}

int bus_set_unit_property(struct bus *bus, const char *unit, const char *property, uint64_t value,
			  bus_answer_t answer, void *userdata)
{
	sd_bus_message *message = NULL;
	int r;

	if (!bus->connection)
		return -ENOTCONN;
	r = sd_bus_message_new_method_call(bus->connection, &message, SYSTEMD, SYSTEMD_PATH,
					   SYSTEMD_INTERFACE, "SetUnitProperties");
	if (r >= 0)
		r = sd_bus_message_append(message, "sba(sv)", unit, true, 1, property, "t", value);
	return call_systemd(bus, message, r, false, answer, userdata);
}

/* --- the connection */

static void disconnect(struct bus *bus)
{
	bus->inhibit = sd_bus_slot_unref(bus->inhibit);
	bus->connection = sd_bus_close_unref(bus->connection);
	drop_lock(bus);
}

static void try_again_later(struct bus *bus)
{
	int r = sd_event_source_set_time_relative(bus->retry, bus->settings.retry_usec);

	if (r >= 0)
		r = sd_event_source_set_enabled(bus->retry, SD_EVENT_ONESHOT);
	if (r < 0)
		log_debug("no timer for the bus: %s", strerror(-r));
}

static int on_disconnected(sd_bus_message *signal _unused_, void *userdata,
			   sd_bus_error *error _unused_)
{
	struct bus *bus = userdata;

	log_debug("the system bus has gone");
	wake(bus);
	/* Not here and now: the connection is in the middle of telling us. */
	try_again_later(bus);
	return 0;
}

static int connect_bus(struct bus *bus)
{
	int r = sd_bus_open_system(&bus->connection);

	if (r >= 0)
		r = sd_bus_attach_event(bus->connection, bus->settings.event,
					SD_EVENT_PRIORITY_NORMAL);
	if (r >= 0)
		r = sd_bus_match_signal_async(bus->connection, NULL, "org.freedesktop.DBus.Local",
					      NULL, "org.freedesktop.DBus.Local", "Disconnected",
					      on_disconnected, NULL, bus);
	if (r >= 0 && bus->settings.sleep)
		r = sd_bus_match_signal_async(bus->connection, NULL, LOGIND, LOGIND_PATH,
					      LOGIND_INTERFACE, "PrepareForSleep",
					      on_prepare_for_sleep, NULL, bus);
	if (r >= 0 && bus->settings.sleep)
		r = sd_bus_add_match_async(bus->connection, NULL,
					   "type='signal',sender='org.freedesktop.DBus',"
					   "path='/org/freedesktop/DBus',"
					   "interface='org.freedesktop.DBus',"
					   "member='NameOwnerChanged',arg0='" LOGIND "'",
					   on_owner_changed, NULL, bus);
	if (r >= 0 && bus->object)
		r = bus_object_publish(bus->object, bus->connection);
	return r;
}

static int connect_anew(struct bus *bus)
{
	int r;

	disconnect(bus);
	r = connect_bus(bus);
	if (r < 0) {
		log_debug("no system bus: %s", strerror(-r));
		disconnect(bus);
	} else if (bus->settings.sleep) {
		take_lock(bus);
	}
	return r;
}

static int on_retry(sd_event_source *source _unused_, uint64_t usec _unused_, void *userdata)
{
	struct bus *bus = userdata;

	if (connect_anew(bus) < 0)
		try_again_later(bus);
	return 0;
}

int bus_connect(struct bus *bus)
{
	int r = bus->connection ? 0 : connect_anew(bus);

	return r < 0 ? r : sd_event_source_set_enabled(bus->retry, SD_EVENT_OFF);
}

/* --- life */

struct bus *bus_free(struct bus *bus)
{
	if (!bus)
		return NULL;
	while (bus->calls)
		call_free(bus->calls);
	disconnect(bus);
	bus_object_free(bus->object);
	sd_event_source_disable_unref(bus->retry);
	sd_event_source_disable_unref(bus->quiet);
	free(bus);
	return NULL;
}

DEFINE_CLEANUP(struct bus *, bus_free)

int bus_new(const struct bus_settings *settings, struct bus **ret)
{
	_cleanup_(bus_free_ptr) struct bus *bus = calloc(1, sizeof(*bus));
	int r;

	if (!bus)
		return -ENOMEM;
	bus->settings = *settings;
	bus->lock_fd = -1;
	r = settings->control ? bus_object_new(settings->control, settings->stand_in, &bus->object)
			      : 0;
	if (r >= 0)
		r = sd_event_add_post(settings->event, &bus->quiet, on_event, bus);
	if (r >= 0)
		r = sd_event_source_set_enabled(bus->quiet, SD_EVENT_OFF);
	if (r >= 0)
		r = sd_event_add_time_relative(settings->event, &bus->retry, CLOCK_MONOTONIC, 0,
					       RETRY_ACCURACY_USEC, on_retry, bus);
	if (r < 0)
		return r;
	sd_event_source_set_description(bus->quiet, "bus-quiet");
	sd_event_source_set_description(bus->retry, "bus-retry");
	*ret = TAKE_PTR(bus);
	return 0;
}
