/* SPDX-License-Identifier: MIT */
/*
 * MemoryLow= of units, by asking a systemd of the test's own, and back: at the end, after a crash, for
 * units that stop meanwhile, with others who set it too, with a systemd that says no, and without a bus.
 * The last test plays random histories; SEED=n repeats one.
 */
#include "protector.h"
#include "macro.h"

#include <errno.h>
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <cmocka.h>

#include "fake-bus.h"
#include "hierarchy-tree.h"

#define MIB(n)  ((uint64_t)(n) << 20)
#define JOURNAL "run/fgreclaim/protect"
#define NOTES   "run/fgreclaim/drop-ins"

#define RETRY_USEC 1000

/* What systemd knows of a unit. */
struct unit {
	const char *name, *path;
	bool transient; /* forgotten once it stops */
	bool runs;
	uint64_t low_bytes; /* MemoryLow=; UINT64_MAX: infinity */
};

struct host {
	struct tree tree;
	sd_event *event;
	struct fake_bus bus;
	struct protector *protector;
	struct unit units[3];
	bool refuses, silent;
	unsigned n_sets;
	uint64_t now_usec;
};

enum { DB, SCOPE, SLICE };

/* --- systemd */

static struct unit *unit_of(struct host *host, const char *name)
{
	size_t i = 0;

	while (i + 1 < ARRAY_SIZE(host->units) && strcmp(host->units[i].name, name) != 0)
		i++;
	assert_string_equal(host->units[i].name, name);
	return &host->units[i];
}

static void realize(struct host *host, const struct unit *unit)
{
	if (!unit->runs)
		return;
	if (unit->low_bytes == UINT64_MAX)
		fixture_write(host->tree.fixture, fixture_memcg_file(unit->path, "memory.low"),
			      "max\n");
	else
		fixture_printf(host->tree.fixture, fixture_memcg_file(unit->path, "memory.low"),
			       "%" PRIu64 "\n", unit->low_bytes);
}

/* As systemctl set-property does. */
static void set_property(struct host *host, size_t i, uint64_t bytes)
{
	host->units[i].low_bytes = bytes;
	realize(host, &host->units[i]);
}

static void start_unit(struct host *host, size_t i)
{
	if (host->units[i].runs)
		return;
	add(&host->tree, host->units[i].path);
	host->units[i].runs = true;
	realize(host, &host->units[i]);
}

static void stop_unit(struct host *host, size_t i)
{
	if (!host->units[i].runs)
		return;
	drop(&host->tree, host->units[i].path);
	host->units[i].runs = false;
	if (host->units[i].transient)
		host->units[i].low_bytes = 0;
}

static const char *drop_in(const struct unit *unit)
{
	static char name[256];

	snprintf(name, sizeof(name), "run/systemd/system.control/%s.d/50-MemoryLow.conf",
		 unit->name);
	return name;
}

static int on_set(struct host *host, sd_bus_message *call)
{
	const char *name, *property;
	uint64_t value;
	int runtime;
	struct unit *unit;

	assert_true(sd_bus_message_read(call, "sba(sv)", &name, &runtime, 1, &property, "t",
					&value) > 0);
	assert_true(runtime);
	assert_string_equal(property, "MemoryLow");
	host->n_sets++;
	unit = unit_of(host, name);
	if (unit->transient && !unit->runs)
		return sd_bus_reply_method_errorf(call, "org.freedesktop.systemd1.NoSuchUnit", "-");
	unit->low_bytes = value;
	realize(host, unit);
	fixture_write(host->tree.fixture, drop_in(unit), "");
	return sd_bus_reply_method_return(call, NULL);
}

static int on_get(struct host *host, sd_bus_message *call)
{
	_cleanup_free_ char *name = NULL;
	const char *interface, *property;
	struct unit *unit;

	assert_true(sd_bus_message_read(call, "ss", &interface, &property) > 0);
	assert_true(sd_bus_path_decode(sd_bus_message_get_path(call),
				       "/org/freedesktop/systemd1/unit", &name) > 0);
	unit = unit_of(host, name);
	assert_string_equal(interface, unit == &host->units[DB] ? "org.freedesktop.systemd1.Service"
				       : unit == &host->units[SCOPE]
					       ? "org.freedesktop.systemd1.Scope"
					       : "org.freedesktop.systemd1.Slice");
	return sd_bus_reply_method_return(call, "v", "t", unit->low_bytes);
}

static int on_call(sd_bus_message *call, void *userdata)
{
	struct host *host = userdata;
	bool is_get = sd_bus_message_is_method_call(call, NULL, "Get");

	if (host->silent)
		return 1;
	if (host->refuses && !is_get)
		return sd_bus_reply_method_errorf(call, SD_BUS_ERROR_ACCESS_DENIED, "no");
	return is_get ? on_get(host, call) : on_set(host, call);
}

/* --- the agent */

/* All that can happen at once. */
static void pump(struct host *host)
{
	for (int quiet = 0; quiet < 3;)
		quiet = sd_event_run(host->event, 0) > 0 ? 0 : quiet + 1;
}

/* What was refused is asked for again. */
static void wait_for_retry(struct host *host)
{
	usleep(2 * RETRY_USEC);
	pump(host);
}

static bool has_journal(struct host *host)
{
	return access(fixture_path(host->tree.fixture, JOURNAL), F_OK) == 0;
}

static void look(struct host *host)
{
	scan(&host->tree, ++host->now_usec);
}

/* Up to where signals are taken. */
static void start_only(struct host *host)
{
	const char *why;
	struct protector_settings settings = {
		.root = host->tree.fixture->root,
		.event = host->event,
		.retry_usec = RETRY_USEC,
	};

	assert_int_equal(hierarchy_open(host->tree.fixture->root, &host->tree.hierarchy, &why), 0);
	settings.hierarchy = host->tree.hierarchy;
	look(host);
	assert_int_equal(protector_new(&settings, &host->protector), 0);
	protector_recover(host->protector);
}

static void start(struct host *host)
{
	start_only(host);
	pump(host);
}

/* As kill -9: nothing is put back. */
static void crash(struct host *host)
{
	host->protector = protector_free(host->protector);
	host->tree.hierarchy = hierarchy_close(host->tree.hierarchy);
	pump(host);
}

static void stop(struct host *host)
{
	protector_end(host->protector);
	pump(host);
	crash(host);
}

/* One look of the agent that wants so much for a unit. */
static void tick(struct host *host, size_t i, uint64_t bytes)
{
	look(host);
	if (host->units[i].runs)
		find(&host->tree, host->units[i].path)->state.protect.low_bytes = bytes;
	protector_apply(host->protector, false);
	pump(host);
}

static void ticks(struct host *host, size_t i, uint64_t bytes)
{
	for (int n = 0; n < 3; n++)
		tick(host, i, bytes);
}

static void host_open(struct host *host, void **state)
{
	*host = (struct host){
		.units = {{"db.service", "/system.slice/db.service", false, false, MIB(8)},
			  {"docker-1.scope", "/system.slice/docker-1.scope", true, false, 0},
			  {"system.slice", "/system.slice", false, true, 0}},
	};
	tree_open(&host->tree, state);
	host->tree.hierarchy = hierarchy_close(host->tree.hierarchy);
	fixture_mkdir(host->tree.fixture, "run/systemd/system");
	assert_true(sd_event_new(&host->event) >= 0);
	fake_bus_open(&host->bus, host->event, host->tree.fixture);
	host->bus.systemd = on_call;
	host->bus.userdata = host;
	add(&host->tree, "/system.slice");
	realize(host, &host->units[SLICE]);
	start_unit(host, DB);
	start_unit(host, SCOPE);
	start(host);
}

static void host_close(struct host *host)
{
	if (host->protector)
		stop(host);
	fake_bus_close(&host->bus);
	sd_event_unref(host->event);
	config_free(host->tree.config);
}

static void test_follows_and_restores(void **state)
{
	struct host host;

	host_open(&host, state);
	/* Nobody asks for protection: there is no connection. */
	tick(&host, DB, 0);
	assert_int_equal(host.bus.n_clients, 0);
	ticks(&host, DB, MIB(50));
	assert_int_equal(host.units[DB].low_bytes, MIB(50));
	assert_true(has_journal(&host));
	assert_int_equal(host.n_sets, 1);
	tick(&host, DB, MIB(60) + 1);
	assert_int_equal(host.units[DB].low_bytes, MIB(60));
	/* Never below what the administrator has given. */
	tick(&host, DB, MIB(3));
	assert_int_equal(host.units[DB].low_bytes, MIB(8));
	ticks(&host, DB, MIB(40));
	/* Another class by now. */
	tick(&host, DB, 0);
	assert_int_equal(host.units[DB].low_bytes, MIB(8));
	assert_false(has_journal(&host));
	ticks(&host, DB, MIB(40));
	ticks(&host, SLICE, MIB(70));
	stop(&host);
	assert_int_equal(host.units[DB].low_bytes, MIB(8));
	assert_int_equal(host.units[SLICE].low_bytes, 0);
	assert_false(has_journal(&host));
	host_close(&host);
}

/* systemd has been asked to protect more, and has not answered yet. */
static void open_with_a_change(struct host *host, void **state)
{
	host_open(host, state);
	ticks(host, DB, MIB(50));
	look(host);
	find(&host->tree, host->units[DB].path)->state.protect.low_bytes = MIB(60);
	protector_apply(host->protector, false);
	assert_true(protector_is_busy(host->protector));
}

/* The agent ends while systemd has not answered yet. */
static void test_change_under_way(void **state)
{
	struct host host;

	open_with_a_change(&host, state);
	stop(&host);
	assert_int_equal(host.n_sets, 3);
	assert_int_equal(host.units[DB].low_bytes, MIB(8));
	assert_false(has_journal(&host));
	host_close(&host);
}

/* Paused, while systemd has not answered yet: put back without another look. */
static void test_paused_meanwhile(void **state)
{
	struct host host;

	open_with_a_change(&host, state);
	find(&host.tree, host.units[DB].path)->paused = true;
	protector_apply(host.protector, false);
	pump(&host);
	assert_int_equal(host.n_sets, 3);
	assert_int_equal(host.units[DB].low_bytes, MIB(8));
	assert_false(has_journal(&host));
	host_close(&host);
}

/* What is left in systemd's folder, and was not there before us, is written down: once. */
static void test_drop_ins_are_noted(void **state)
{
	struct host host;
	char notes[256];

	host_open(&host, state);
	fixture_write(host.tree.fixture, drop_in(&host.units[SLICE]), "");
	for (int n = 0; n < 2; n++) {
		ticks(&host, DB, MIB(50));
		ticks(&host, SLICE, MIB(70));
		stop(&host);
		assert_int_equal(host.units[DB].low_bytes, MIB(8));
		start(&host);
	}
	fixture_read(host.tree.fixture, NOTES, notes, sizeof(notes));
	assert_string_equal(notes, "db.service 8388608\n");
	host_close(&host);
}

static void test_infinity(void **state)
{
	struct host host;

	host_open(&host, state);
	set_property(&host, SLICE, UINT64_MAX);
	ticks(&host, SLICE, MIB(50));
	assert_int_equal(host.units[SLICE].low_bytes, UINT64_MAX);
	assert_int_equal(host.n_sets, 0);
	host_close(&host);
}

static void test_crash(void **state)
{
	struct host host;

	host_open(&host, state);
	ticks(&host, DB, MIB(50));
	ticks(&host, SCOPE, MIB(30));
	crash(&host);
	assert_int_equal(host.units[DB].low_bytes, MIB(50));
	start(&host);
	tick(&host, DB, 0);
	assert_int_equal(host.units[DB].low_bytes, MIB(8));
	assert_int_equal(host.units[SCOPE].low_bytes, 0);
	assert_false(has_journal(&host));
	/* Ended before the first look, too. */
	ticks(&host, DB, MIB(50));
	crash(&host);
	start(&host);
	stop(&host);
	assert_int_equal(host.units[DB].low_bytes, MIB(8));
	assert_false(has_journal(&host));
	/* And before the bus was looked for. */
	start(&host);
	ticks(&host, DB, MIB(50));
	crash(&host);
	start_only(&host);
	protector_end(host.protector);
	assert_true(protector_is_busy(host.protector));
	pump(&host);
	assert_false(protector_is_busy(host.protector));
	assert_int_equal(host.units[DB].low_bytes, MIB(8));
	assert_false(has_journal(&host));
	crash(&host);
	host_close(&host);
}

/* The value outlives the cgroup, and has to be put back all the same. */
static void test_unit_stops(void **state)
{
	struct host host;

	host_open(&host, state);
	ticks(&host, DB, MIB(50));
	ticks(&host, SCOPE, MIB(30));
	stop_unit(&host, DB);
	stop_unit(&host, SCOPE);
	tick(&host, DB, 0);
	assert_int_equal(host.units[DB].low_bytes, MIB(8));
	assert_int_equal(host.units[SCOPE].low_bytes, 0);
	assert_false(has_journal(&host));
	/* systemd may make an empty cgroup for a unit that does not run, without what it says. */
	start_unit(&host, DB);
	ticks(&host, DB, MIB(50));
	stop_unit(&host, DB);
	add(&host.tree, host.units[DB].path);
	fixture_write(host.tree.fixture, fixture_memcg_file(host.units[DB].path, "memory.low"),
		      "0\n");
	ticks(&host, DB, 0);
	assert_int_equal(host.units[DB].low_bytes, MIB(8));
	drop(&host.tree, host.units[DB].path);
	/* And made anew between two looks: what was there before us is still known. */
	start_unit(&host, DB);
	start_unit(&host, SCOPE);
	ticks(&host, DB, MIB(50));
	ticks(&host, SCOPE, MIB(30));
	stop_unit(&host, DB);
	start_unit(&host, DB);
	stop_unit(&host, SCOPE);
	start_unit(&host, SCOPE);
	tick(&host, DB, MIB(50));
	ticks(&host, SCOPE, MIB(30));
	assert_int_equal(host.units[DB].low_bytes, MIB(50));
	assert_int_equal(host.units[SCOPE].low_bytes, MIB(30));
	stop(&host);
	assert_int_equal(host.units[DB].low_bytes, MIB(8));
	assert_int_equal(host.units[SCOPE].low_bytes, 0);
	host_close(&host);
}

/* users.md 40: systemctl set-property during a run is not undone; daemon-reload changes nothing. */
static void test_foreign(void **state)
{
	struct host host;

	host_open(&host, state);
	ticks(&host, DB, MIB(50));
	set_property(&host, DB, MIB(7));
	ticks(&host, DB, MIB(60));
	assert_int_equal(host.units[DB].low_bytes, MIB(7));
	stop(&host);
	assert_int_equal(host.units[DB].low_bytes, MIB(7));
	/* Just before the end, while the unit is down, and after a crash. */
	start(&host);
	ticks(&host, DB, MIB(50));
	set_property(&host, DB, MIB(9));
	stop(&host);
	assert_int_equal(host.units[DB].low_bytes, MIB(9));
	start(&host);
	ticks(&host, DB, MIB(50));
	stop_unit(&host, DB);
	set_property(&host, DB, MIB(11));
	tick(&host, DB, 0);
	assert_int_equal(host.units[DB].low_bytes, MIB(11));
	start_unit(&host, DB);
	ticks(&host, DB, MIB(50));
	crash(&host);
	set_property(&host, DB, MIB(12));
	start(&host);
	ticks(&host, DB, 0);
	assert_int_equal(host.units[DB].low_bytes, MIB(12));
	assert_false(has_journal(&host));
	host_close(&host);
}

/* users.md 45: systemd, or polkit, says no: what is set stays as it is, and is put back once it may. */
static void test_refused(void **state)
{
	struct host host;

	host_open(&host, state);
	host.refuses = true;
	ticks(&host, DB, MIB(50));
	assert_int_equal(host.units[DB].low_bytes, MIB(8));
	assert_int_equal(host.n_sets, 0);
	host.refuses = false;
	wait_for_retry(&host);
	tick(&host, DB, MIB(50));
	assert_int_equal(host.units[DB].low_bytes, MIB(50));
	host.refuses = true;
	wait_for_retry(&host);
	tick(&host, DB, MIB(60));
	stop(&host);
	assert_int_equal(host.units[DB].low_bytes, MIB(50));
	assert_true(has_journal(&host));
	host.refuses = false;
	start(&host);
	stop(&host);
	assert_int_equal(host.units[DB].low_bytes, MIB(8));
	assert_false(has_journal(&host));
	host_close(&host);
}

/* A systemd that does not answer keeps nobody, and nothing is asked of it twice. */
static void test_silent(void **state)
{
	struct host host;

	host_open(&host, state);
	host.silent = true;
	ticks(&host, DB, MIB(50));
	assert_true(protector_is_busy(host.protector));
	assert_true(has_journal(&host));
	protector_end(host.protector);
	pump(&host);
	assert_true(protector_is_busy(host.protector));
	crash(&host);
	host.silent = false;
	start(&host);
	stop(&host);
	assert_int_equal(host.units[DB].low_bytes, MIB(8));
	assert_false(has_journal(&host));
	host_close(&host);
}

static void test_bus_goes_and_comes(void **state)
{
	struct host host;

	host_open(&host, state);
	ticks(&host, DB, MIB(50));
	fake_bus_close(&host.bus);
	pump(&host);
	ticks(&host, DB, MIB(60));
	assert_false(protector_is_busy(host.protector));
	assert_int_equal(host.units[DB].low_bytes, MIB(50));
	fake_bus_open(&host.bus, host.event, host.tree.fixture);
	host.bus.systemd = on_call;
	host.bus.userdata = &host;
	wait_for_retry(&host);
	ticks(&host, DB, MIB(60));
	assert_int_equal(host.units[DB].low_bytes, MIB(60));
	stop(&host);
	assert_int_equal(host.units[DB].low_bytes, MIB(8));
	host_close(&host);
}

static void test_dry_run(void **state)
{
	struct host host;

	host_open(&host, state);
	look(&host);
	find(&host.tree, host.units[DB].path)->state.protect.low_bytes = MIB(50);
	protector_apply(host.protector, true);
	pump(&host);
	assert_int_equal(host.n_sets, 0);
	ticks(&host, DB, MIB(50));
	protector_apply(host.protector, true);
	pump(&host);
	assert_int_equal(host.units[DB].low_bytes, MIB(8));
	assert_false(has_journal(&host));
	host_close(&host);
}

/* --- random histories */

static uint64_t dice_state;

static uint64_t roll(uint64_t n)
{
	dice_state = dice_state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
	return (dice_state >> 33) % n;
}

static void step(struct host *host, uint64_t *theirs)
{
	size_t i = roll(ARRAY_SIZE(host->units));

	switch (roll(7)) {
	case 0:
		crash(host);
		start(host);
		break;
	case 1:
		stop(host);
		start(host);
		break;
	case 2: /* set-property: no value that we could have set */
		if (host->units[i].transient && !host->units[i].runs)
			break;
		theirs[i] = MIB(1000 + roll(1000)) + 4096;
		set_property(host, i, theirs[i]);
		break;
	case 3:
		if (i == SLICE)
			break;
		stop_unit(host, i);
		if (host->units[i].transient)
			theirs[i] = 0;
		break;
	case 4:
		start_unit(host, i);
		break;
	case 5: /* a class loses Protect=auto */
		tick(host, i, 0);
		break;
	default:
		tick(host, i, MIB(1 + roll(500)));
	}
}

static void test_random_histories(void **state)
{
	const char *given = getenv("SEED");
	uint64_t seed = given ? strtoull(given, NULL, 10) : (uint64_t)time(NULL);
	uint64_t theirs[] = {MIB(8), 0, 0};
	struct host host;

	printf("# SEED=%" PRIu64 "\n", seed);
	host_open(&host, state);
	for (uint64_t at = 0; at < 400; at++) {
		dice_state = seed + at;
		for (uint64_t n = 1 + roll(16); n > 0; n--)
			step(&host, theirs);
		if (roll(2)) {
			crash(&host);
			start(&host);
		}
		stop(&host);
		for (size_t i = 0; i < ARRAY_SIZE(host.units); i++)
			if (host.units[i].low_bytes != theirs[i])
				fail_msg("%s: %" PRIu64 " is left, not %" PRIu64 " (SEED=%" PRIu64
					 ", history %" PRIu64 ")",
					 host.units[i].name, host.units[i].low_bytes, theirs[i],
					 seed, at);
		assert_false(has_journal(&host));
		start(&host);
	}
	host_close(&host);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		FIXTURE_TEST(test_follows_and_restores),
		FIXTURE_TEST(test_change_under_way),
		FIXTURE_TEST(test_paused_meanwhile),
		FIXTURE_TEST(test_drop_ins_are_noted),
		FIXTURE_TEST(test_infinity),
		FIXTURE_TEST(test_crash),
		FIXTURE_TEST(test_unit_stops),
		FIXTURE_TEST(test_foreign),
		FIXTURE_TEST(test_refused),
		FIXTURE_TEST(test_silent),
		FIXTURE_TEST(test_bus_goes_and_comes),
		FIXTURE_TEST(test_dry_run),
		FIXTURE_TEST(test_random_histories),
	};

	return cmocka_run_group_tests_name("protect-units", tests, NULL, NULL);
}
