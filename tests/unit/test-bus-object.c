/* SPDX-License-Identifier: MIT */
/*
 * org.fgreclaim1 as others see it: its name, its methods and their errors, its properties. A bus of the
 * test's own asks; what stands behind the object is the test, too.
 */
#include "bus.h"
#include "bus_name.h"
#include "log.h"
#include "macro.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <cmocka.h>

#include "fake-bus.h"

struct bench {
	sd_event *event;
	struct fake_bus fake;
	struct control control;
	struct bus *bus;
	/* Behind the object: what was asked last, and what it answers. */
	char asked[128];
	int r;
	unsigned n_status;
	/* What came of a call. */
	sd_bus_message *reply;
};

static void fill_status(struct status *ret, void *userdata)
{
	struct bench *bench = userdata;
	char **paths = calloc(3, sizeof(*paths));

	paths[0] = strdup("/a");
	paths[1] = strdup("/b");
	*ret = (struct status){
		.version = strdup("1.2"),
		.paused = paths,
		.dry_run = true,
		.rss_bytes = UINT64_MAX,
		.looks = ++bench->n_status,
	};
}

static int on_pause(const char *cgroup, char **ret_path, void *userdata)
{
	struct bench *bench = userdata;

	snprintf(bench->asked, sizeof(bench->asked), "pause %s", cgroup);
	if (bench->r == 0 || bench->r == -EBUSY)
		*ret_path = strdup("/top");
	return bench->r;
}

static int on_resume(const char *cgroup, char **ret_path, void *userdata)
{
	struct bench *bench = userdata;
	int r = on_pause(cgroup, ret_path, userdata);

	snprintf(bench->asked, sizeof(bench->asked), "resume %s", cgroup);
	return r;
}

static int on_reload(char *ret_why, size_t size, void *userdata)
{
	struct bench *bench = userdata;

	snprintf(bench->asked, sizeof(bench->asked), "reload");
	if (bench->r < 0)
		snprintf(ret_why, size, "x.conf:7: wrong");
	return bench->r;
}

/* name_result: as of struct fake_bus. Runs until the name was asked for. */
static void bench_open(struct bench *bench, void **state, bool stand_in, uint32_t name_result)
{
	struct bus_settings settings = {.retry_usec = 1000, .stand_in = stand_in};

	*bench = (struct bench){
		.control =
			{
				.status = fill_status,
				.pause = on_pause,
				.resume = on_resume,
				.reload = on_reload,
				.userdata = bench,
			},
	};
	assert_true(sd_event_new(&bench->event) >= 0);
	fake_bus_open(&bench->fake, bench->event, *state);
	bench->fake.name_result = name_result;
	settings.event = bench->event;
	settings.control = &bench->control;
	assert_int_equal(bus_new(&settings, &bench->bus), 0);
	run_until(bench, bench->fake.n_names == 1);
}

static void bench_close(struct bench *bench)
{
	sd_bus_message_unref(bench->reply);
	bus_free(bench->bus);
	fake_bus_close(&bench->fake);
	sd_event_unref(bench->event);
}

static int on_reply(sd_bus_message *reply, void *userdata, sd_bus_error *error _unused_)
{
	((struct bench *)userdata)->reply = sd_bus_message_ref(reply);
	return 0;
}

/* Calls a method of the object at path, with texts as its arguments, and waits for what comes of it. */
static void call_at(struct bench *bench, const char *path, const char *interface,
		    const char *method, size_t n, const char *const *texts)
{
	sd_bus_message *call = NULL;

	bench->reply = sd_bus_message_unref(bench->reply);
	assert_true(sd_bus_message_new_method_call(bench->fake.client, &call, BUS_NAME, path,
						   interface, method) >= 0);
	for (size_t i = 0; i < n; i++)
		assert_true(sd_bus_message_append(call, "s", texts[i]) >= 0);
	assert_true(sd_bus_call_async(bench->fake.client, NULL, call, on_reply, bench, 0) >= 0);
	sd_bus_message_unref(call);
	run_until(bench, bench->reply);
}

static void call(struct bench *bench, const char *method, const char *argument)
{
	call_at(bench, BUS_PATH, BUS_INTERFACE, method, argument ? 1 : 0, &argument);
}

static void assert_text(struct bench *bench, const char *wanted)
{
	const char *text;

	assert_false(sd_bus_message_is_method_error(bench->reply, NULL));
	assert_true(sd_bus_message_read(bench->reply, "s", &text) > 0);
	assert_string_equal(text, wanted);
}

static void assert_error(struct bench *bench, const char *name, const char *part)
{
	assert_true(sd_bus_message_is_method_error(bench->reply, name));
	assert_non_null(strstr(sd_bus_message_get_error(bench->reply)->message, part));
}

static void test_name(void **state)
{
	struct bench bench;

	bench_open(&bench, state, false, 1);
	assert_string_equal(bench.fake.name, "org.fgreclaim1");
	assert_int_equal(bench.fake.name_flags, 2); /* replace another, wait for one that stays */
	/* The bus goes and comes again. */
	fake_bus_close(&bench.fake);
	fake_bus_open(&bench.fake, bench.event, *state);
	run_until(&bench, bench.fake.n_names == 1);
	call(&bench, "Pause", "");
	assert_text(&bench, "/top");
	bench_close(&bench);
	bench_open(&bench, state, true, 1);
	assert_int_equal(bench.fake.name_flags, 1); /* be replaced */
	bench_close(&bench);
}

/* Others have the name, or it is not to be had: said, and no end of anything. */
static void test_no_name(void **state)
{
	static const char *const said[] = {"refuses the name org.fgreclaim1: not for you", "",
					   "another agent has the name"};
	struct bench bench;
	char text[1024];

	for (uint32_t result = 0; result < ARRAY_SIZE(said); result++) {
		int stderr_fd = fixture_log_begin(*state);

		bench_open(&bench, state, false, result);
		call(&bench, "Resume", "x");
		assert_text(&bench, "/top");
		fixture_log_end(*state, stderr_fd, text, sizeof(text));
		assert_true(*said[result] ? strstr(text, said[result]) != NULL : *text == '\0');
		bench_close(&bench);
	}
}

static void test_methods(void **state)
{
	static const struct {
		int r;
		const char *error, *part;
	} failures[] = {
		{-ENOENT, "org.fgreclaim1.NoSuchCgroup", "no cgroup \"a b\""},
		{-ENOTUNIQ, "org.fgreclaim1.AmbiguousCgroup", "more than one cgroup is \"a b\""},
		{-EBUSY, "org.fgreclaim1.PausedAbove", "paused with all of /top"},
		{-ENOMEM, "org.freedesktop.DBus.Error.NoMemory", ""},
	};
	struct bench bench;

	bench_open(&bench, state, false, 1);
	call(&bench, "Pause", "a.service");
	assert_text(&bench, "/top");
	assert_string_equal(bench.asked, "pause a.service");
	call(&bench, "Resume", "");
	assert_text(&bench, "/top");
	assert_string_equal(bench.asked, "resume ");
	call(&bench, "Reload", NULL);
	assert_false(sd_bus_message_is_method_error(bench.reply, NULL));
	assert_string_equal(bench.asked, "reload");
	for (size_t i = 0; i < ARRAY_SIZE(failures); i++) {
		bench.r = failures[i].r;
		call(&bench, i % 2 ? "Pause" : "Resume", "a b");
		assert_error(&bench, failures[i].error, failures[i].part);
	}
	bench.r = -EINVAL;
	call(&bench, "Reload", NULL);
	assert_error(&bench, "org.fgreclaim1.BadConfiguration", "x.conf:7: wrong");
	/* Not as they are to be called. */
	bench.asked[0] = '\0';
	call(&bench, "Reload", "x");
	assert_error(&bench, SD_BUS_ERROR_INVALID_ARGS, "");
	call(&bench, "Pause", NULL);
	assert_error(&bench, SD_BUS_ERROR_INVALID_ARGS, "");
	call(&bench, "Erase", NULL);
	assert_error(&bench, SD_BUS_ERROR_UNKNOWN_METHOD, "");
	call_at(&bench, BUS_PATH "/x", BUS_INTERFACE, "Reload", 0, NULL);
	assert_error(&bench, SD_BUS_ERROR_UNKNOWN_OBJECT, "");
	assert_string_equal(bench.asked, "");
	bench_close(&bench);
}

/* Each of the table, as of the moment, and none that can be set. */
static void test_properties(void **state)
{
	static const char *const interface = BUS_INTERFACE;
	_cleanup_free_ char *introspection = NULL;
	const char *xml;
	struct bench bench;
	char wanted[128];
	uint64_t number;
	int dry_run;

	bench_open(&bench, state, false, 1);
	call_at(&bench, BUS_PATH, "org.freedesktop.DBus.Introspectable", "Introspect", 0, NULL);
	assert_true(sd_bus_message_read(bench.reply, "s", &xml) > 0);
	introspection = strdup(xml);
	assert_non_null(introspection);
	for (size_t i = 0; i < STATUS_FIELDS_N; i++) {
		const char *texts[] = {interface, status_fields[i].property};

		snprintf(wanted, sizeof(wanted),
			 "<property name=\"%s\" type=\"%s%c\" access=\"read\">",
			 status_fields[i].property, status_fields[i].type == 'a' ? "a" : "",
			 status_fields[i].type == 'a' ? 's' : status_fields[i].type);
		assert_non_null(strstr(introspection, wanted));
		call_at(&bench, BUS_PATH, "org.freedesktop.DBus.Properties", "Get", 2, texts);
		assert_false(sd_bus_message_is_method_error(bench.reply, NULL));
	}
	number = bench.n_status;
	call_at(&bench, BUS_PATH, "org.freedesktop.DBus.Properties", "Get", 2,
		(const char *[]){interface, "Looks"});
	assert_true(sd_bus_message_read(bench.reply, "v", "t", &number) > 0);
	assert_int_equal(number, bench.n_status);
	call_at(&bench, BUS_PATH, "org.freedesktop.DBus.Properties", "Get", 2,
		(const char *[]){interface, "RSSBytes"});
	assert_true(sd_bus_message_read(bench.reply, "v", "t", &number) > 0);
	assert_true(number == UINT64_MAX);
	call_at(&bench, BUS_PATH, "org.freedesktop.DBus.Properties", "Get", 2,
		(const char *[]){interface, "DryRun"});
	assert_true(sd_bus_message_read(bench.reply, "v", "b", &dry_run) > 0);
	assert_true(dry_run);
	/* One state for all of them. */
	number = bench.n_status;
	call_at(&bench, BUS_PATH, "org.freedesktop.DBus.Properties", "GetAll", 1, &interface);
	assert_false(sd_bus_message_is_method_error(bench.reply, NULL));
	assert_int_equal(bench.n_status, number + 1);
	bench_close(&bench);
}

static void set_text(struct bench *bench, const char *property, const char *text)
{
	sd_bus_message *message = NULL;

	bench->reply = sd_bus_message_unref(bench->reply);
	assert_true(sd_bus_message_new_method_call(bench->fake.client, &message, BUS_NAME,
						   "/org/freedesktop/LogControl1",
						   "org.freedesktop.DBus.Properties", "Set") >= 0);
	assert_true(sd_bus_message_append(message, "ssv", "org.freedesktop.LogControl1", property,
					  "s", text) >= 0);
	assert_true(sd_bus_call_async(bench->fake.client, NULL, message, on_reply, bench, 0) >= 0);
	sd_bus_message_unref(message);
	run_until(bench, bench->reply);
}

static void assert_log(struct bench *bench, const char *property, const char *wanted)
{
	const char *text;

	call_at(bench, "/org/freedesktop/LogControl1", "org.freedesktop.DBus.Properties", "Get", 2,
		(const char *[]){"org.freedesktop.LogControl1", property});
	assert_true(sd_bus_message_read(bench->reply, "v", "s", &text) > 0);
	assert_string_equal(text, wanted);
}

static void test_log_control(void **state)
{
	struct bench bench;
	char text[1024];
	int stderr_fd;

	bench_open(&bench, state, false, 1);
	assert_log(&bench, "SyslogIdentifier", "fgreclaimd");
	assert_log(&bench, "LogTarget", "console");
	assert_log(&bench, "LogLevel", "notice");
	set_text(&bench, "LogLevel", "loud");
	assert_error(&bench, SD_BUS_ERROR_INVALID_ARGS, "no log level: \"loud\"");
	set_text(&bench, "LogTarget", "kmsg");
	assert_error(&bench, SD_BUS_ERROR_INVALID_ARGS, "no log target: \"kmsg\"");
	stderr_fd = fixture_log_begin(*state);
	log_debug("one");
	set_text(&bench, "LogLevel", "debug");
	assert_log(&bench, "LogLevel", "debug");
	log_debug("two");
	set_text(&bench, "LogLevel", "err");
	log_warning("three");
	log_event(LOG_ERR, NULL, "four");
	fixture_log_end(*state, stderr_fd, text, sizeof(text));
	assert_string_equal(text, "fgreclaimd: log level is debug now\nfgreclaimd: two\n"
				  "fgreclaimd: four\n");
	set_text(&bench, "LogLevel", "notice");
	set_text(&bench, "LogTarget", "console");
	assert_false(sd_bus_message_is_method_error(bench.reply, NULL));
	bench_close(&bench);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		FIXTURE_TEST(test_name),        FIXTURE_TEST(test_no_name),
		FIXTURE_TEST(test_methods),     FIXTURE_TEST(test_properties),
		FIXTURE_TEST(test_log_control),
	};

	return cmocka_run_group_tests_name("bus-object", tests, NULL, NULL);
}
