/* SPDX-License-Identifier: MIT */
#include "macro.h"

#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <cmocka.h>

#include "fake-bus.h"

#define LOGIND_PATH      "/org/freedesktop/login1"
#define LOGIND_INTERFACE "org.freedesktop.login1.Manager"

/* The lock is one end of a pipe: when the last copy of it is closed, the other end says so. */
static int inhibit(struct fake_bus *bus, sd_bus_message *call)
{
	const char *what, *who, *why, *mode;
	int fds[2], r;

	assert_true(sd_bus_message_read(call, "ssss", &what, &who, &why, &mode) >= 0);
	assert_string_equal(what, "sleep");
	assert_string_equal(mode, "delay");
	assert_false(sd_bus_message_get_auto_start(call));
	bus->n_inhibits++;
	if (bus->refuse)
		return sd_bus_reply_method_errorf(call, SD_BUS_ERROR_ACCESS_DENIED, "no");
	assert_int_equal(pipe2(fds, O_CLOEXEC | O_NONBLOCK), 0);
	close_fd(&bus->lock_fd);
	bus->lock_fd = fds[0];
	r = sd_bus_reply_method_return(call, "h", fds[1]);
	close(fds[1]);
	return r;
}

static int request_name(struct fake_bus *bus, sd_bus_message *call)
{
	const char *name;

	assert_true(sd_bus_message_read(call, "su", &name, &bus->name_flags) >= 0);
	snprintf(bus->name, sizeof(bus->name), "%s", name);
	bus->n_names++;
	if (bus->name_result == 0)
		return sd_bus_reply_method_errorf(call, SD_BUS_ERROR_ACCESS_DENIED, "not for you");
	return sd_bus_reply_method_return(call, "u", bus->name_result);
}

static int on_message(sd_bus_message *call, void *userdata, sd_bus_error *error _unused_)
{
	struct fake_bus *bus = userdata;

	if (sd_bus_message_is_method_call(call, "org.freedesktop.DBus", "Hello"))
		return sd_bus_reply_method_return(call, "s", ":1.7");
	if (sd_bus_message_is_method_call(call, "org.freedesktop.DBus", "AddMatch"))
		return sd_bus_reply_method_return(call, NULL);
	if (sd_bus_message_is_method_call(call, "org.freedesktop.DBus", "RequestName"))
		return request_name(bus, call);
	if (sd_bus_message_is_method_call(call, LOGIND_INTERFACE, "Inhibit"))
		return inhibit(bus, call);
	if (bus->systemd &&
	    (sd_bus_message_is_method_call(call, "org.freedesktop.DBus.Properties", "Get") ||
	     sd_bus_message_is_method_call(call, "org.freedesktop.systemd1.Manager",
					   "SetUnitProperties")))
		return bus->systemd(call, bus->userdata);
	return 0;
}

static int on_client(sd_event_source *source _unused_, int fd, uint32_t revents _unused_,
		     void *userdata)
{
	struct fake_bus *bus = userdata;
	int client_fd = accept4(fd, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
	const sd_id128_t id = {.bytes = {1}};

	assert_true(client_fd >= 0);
	bus->client = sd_bus_close_unref(bus->client);
	bus->n_clients++;
	assert_true(sd_bus_new(&bus->client) >= 0);
	assert_true(sd_bus_set_fd(bus->client, client_fd, client_fd) >= 0);
	assert_true(sd_bus_set_server(bus->client, true, id) >= 0);
	assert_true(sd_bus_negotiate_fds(bus->client, true) >= 0);
	assert_true(sd_bus_set_sender(bus->client, "org.freedesktop.login1") >= 0);
	assert_true(sd_bus_add_filter(bus->client, NULL, on_message, bus) >= 0);
	assert_true(sd_bus_start(bus->client) >= 0);
	assert_true(sd_bus_attach_event(bus->client, bus->event, 0) >= 0);
	return 0;
}

void fake_bus_open(struct fake_bus *ret, sd_event *event, const struct fixture *fixture)
{
	struct sockaddr_un address = {.sun_family = AF_UNIX};
	char text[256];
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);

	*ret = (struct fake_bus){.event = event, .lock_fd = -1, .name_result = 1};
	snprintf(address.sun_path, sizeof(address.sun_path), "%s/bus", fixture->root);
	snprintf(text, sizeof(text), "unix:path=%s", address.sun_path);
	assert_int_equal(setenv("DBUS_SYSTEM_BUS_ADDRESS", text, true), 0);
	unlink(address.sun_path);
	assert_int_equal(bind(fd, (const struct sockaddr *)&address, sizeof(address)), 0);
	assert_int_equal(listen(fd, 5), 0);
	assert_true(sd_event_add_io(event, &ret->listener, fd, EPOLLIN, on_client, ret) >= 0);
	assert_true(sd_event_source_set_io_fd_own(ret->listener, true) >= 0);
}

void fake_bus_close(struct fake_bus *bus)
{
	sd_event_source_disable_unref(bus->listener);
	sd_bus_close_unref(bus->client);
	close_fd(&bus->lock_fd);
	*bus = (struct fake_bus){.lock_fd = -1};
}

void fake_bus_prepare_for_sleep(struct fake_bus *bus, bool begins)
{
	assert_true(sd_bus_emit_signal(bus->client, LOGIND_PATH, LOGIND_INTERFACE,
				       "PrepareForSleep", "b", begins) >= 0);
}

void fake_bus_change_owner(struct fake_bus *bus, const char *owner)
{
	sd_bus_message *signal = NULL;

	assert_true(sd_bus_message_new_signal(bus->client, &signal, "/org/freedesktop/DBus",
					      "org.freedesktop.DBus", "NameOwnerChanged") >= 0);
	assert_true(sd_bus_message_set_sender(signal, "org.freedesktop.DBus") >= 0);
	assert_true(sd_bus_message_append(signal, "sss", "org.freedesktop.login1", ":1.2", owner) >=
		    0);
	assert_true(sd_bus_send(bus->client, signal, NULL) >= 0);
	sd_bus_message_unref(signal);
}

bool fake_bus_lock_is_held(const struct fake_bus *bus)
{
	char byte;

	return bus->lock_fd >= 0 && read(bus->lock_fd, &byte, 1) < 0 && errno == EAGAIN;
}
