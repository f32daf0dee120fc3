/* SPDX-License-Identifier: MIT */
/*
 * Match= by name: units, containers, pods, QoS classes, by paths as hosts have them; and what is
 * refused. Paths: test-path-glob.c.
 */
#include "cgroup_match.h"
#include "macro.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#define ID    "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"
#define ID2   "fedcba9876543210fedcba9876543210fedcba9876543210fedcba9876543210"
#define UID   "2c48913c-b29f-11e7-9350-020968147796"
#define UID_  "2c48913c_b29f_11e7_9350_020968147796"
#define USER  "/user.slice/user-1000.slice/user@1000.service"
#define BURST "/kubepods.slice/kubepods-burstable.slice/kubepods-burstable-pod" UID_ ".slice"

static const struct {
	bool fits;
	const char *pattern, *path;
} cases[] = {
	/* --- units, and all that is within them */
	{true, "unit:mongod.service", "/system.slice/mongod.service"},
	{true, "unit:mongod.service", "/system.slice/mongod.service/sub/sub"},
	{true, "unit:mongod.service", "/db.slice/db-prod.slice/mongod.service"},
	{false, "unit:mongod.service", "/system.slice"},
	{false, "unit:mongod.service", "/system.slice/mongod.service.d"},
	{false, "unit:mongod.service", "/system.slice/mongod@a.service"},
	{true, "unit:mongod@*.service", "/system.slice/system-mongod.slice/mongod@a.service/x"},
	{true, "unit:getty@tty?.service", "/system.slice/system-getty.slice/getty@tty1.service"},
	{true, "unit:dev-disk-by\\x2duuid-[0-9]E.swap",
	 "/system.slice/dev-disk-by\\x2duuid-5E.swap"},
	{false, "unit:dev-disk-by-uuid-5E.swap", "/system.slice/dev-disk-by\\x2duuid-5E.swap"},
	{true, "unit:memory.service", "/system.slice/_memory.service"},
	{true, "unit:*", "/system.slice/a.socket"},
	{false, "unit:*", "/system.slice"},
	{false, "unit:*", "/docker/" ID},
	/* The first unit: what is below it is its own affair, whatever it is called. */
	{false, "unit:b.service", "/system.slice/a.service/b.service"},
	{false, "unit:a.service", "/system.slice/stray/a.service"},
	{false, "unit:mongod.service", "/docker/" ID "/system.slice/mongod.service"},
	{false, "unit:mongod.service",
	 "/system.slice/docker-" ID ".scope/system.slice/mongod.service"},
	{true, "unit:docker-*.scope",
	 "/system.slice/docker-" ID ".scope/system.slice/mongod.service"},
	/* --- slices: by dashes too */
	{true, "unit:my-foo.slice", "/my.slice/my-foo.slice"},
	{true, "unit:my-foo.slice", "/my.slice/my-foo.slice/my-foo-group.slice/a.service/b"},
	{true, "unit:my.slice", "/my.slice/my-foo.slice/a.service"},
	{false, "unit:my-foo.slice", "/my.slice/my-foobar.slice/a.service"},
	{true, "unit:my-*.slice", "/my.slice/my-foo.slice/a.service"},
	{false, "unit:my-*.slice", "/my.slice/my-a.service"},
	{false, "unit:my*.service", "/my.slice/other.service"},
	{false, "unit:inner.slice", "/system.slice/a.service/inner.slice/b.service"},
	/* --- users: their units are another manager's */
	{true, "unit:user@1000.service", USER "/app.slice/app-gnome-firefox\\x2dw-2504.scope"},
	{true, "unit:user-1000.slice", USER "/app.slice/a.service"},
	{false, "unit:mongod.service", USER "/app.slice/mongod.service"},
	{false, "unit:app.slice", USER "/app.slice/a.service"},
	{true, "user-unit:mongod.service", USER "/app.slice/mongod.service/x"},
	{true, "user-unit:app.slice", USER "/app.slice/a.service"},
	{true, "user-unit:app-gnome-firefox\\x2dw-*.scope",
	 USER "/app.slice/app-gnome-firefox\\x2dw-2504.scope"},
	{true, "user-unit:init.scope", USER "/init.scope"},
	{false, "user-unit:init.scope", "/init.scope"},
	{false, "user-unit:user@1000.service", USER "/app.slice/a.service"},
	{false, "user-unit:*", "/user.slice/user-1000.slice/session-3.scope"},
	{true, "unit:session-3.scope", "/user.slice/user-1000.slice/session-3.scope"},
	{true, "user-unit:libpod-*.scope", USER "/user.slice/libpod-" ID ".scope/container"},
	/* --- containers */
	{true, "container:*", "/system.slice/docker-" ID ".scope"},
	{true, "container:" ID, "/docker/" ID "/init.scope/x"},
	{true, "container:0123456789ab*", "/docker/" ID},
	{false, "container:0123456789ab", "/docker/" ID},
	{true, "container:docker/*", "/system.slice/docker-" ID ".scope/a"},
	{false, "container:podman/*", "/system.slice/docker-" ID ".scope"},
	{true, "container:podman/" ID, "/machine.slice/libpod-" ID ".scope/container"},
	{false, "container:podman/*", "/machine.slice/libpod-conmon-" ID ".scope"},
	{true, "container:cri-o/*", "/kubepods.slice/kubepods-pod" UID_ ".slice/crio-" ID ".scope"},
	{true, "container:containerd/0123*",
	 "/system.slice/containerd.service/kubepods-burstable-pod" UID_
	 ".slice:cri-containerd:" ID},
	{true, "container:lxc/web", "/lxc.payload.web/system.slice/a.service"},
	{false, "container:lxc/web", "/lxc.monitor.web"},
	{true, "container:nspawn/web", "/machine.slice/systemd-nspawn@web.service/payload"},
	{false, "container:docker/*", "/docker/0123456789ab"},
	{false, "container:*", "/docker"},
	{false, "container:*", BURST},
	/* Anybody can call a cgroup of his own so. */
	{false, "container:*", USER "/user.slice/libpod-" ID ".scope/container"},
	{false, "container:lxc/web", USER "/app.slice/a.service/lxc.payload.web"},
	/* --- pods */
	{true, "pod:" UID, BURST},
	{true, "pod:" UID, BURST "/cri-containerd-" ID ".scope/x"},
	{true, "pod:2c48913c-*", "/kubepods/burstable/pod" UID "/" ID},
	{true, "pod:*", "/kubepods/pod" UID},
	{true, "pod:" ID, "/machine.slice/machine-libpod_pod_" ID ".slice/libpod-" ID2 ".scope"},
	{false, "pod:*", "/kubepods.slice/kubepods-burstable.slice"},
	{false, "pod:*", "/system.slice/docker-" ID ".scope"},
	{false, "pod:*", USER "/kubepods/pod" UID},
	{true, "qos:burstable", BURST "/cri-containerd-" ID ".scope"},
	{true, "qos:burstable", "/kubepods/burstable"},
	{true, "qos:besteffort", "/kubepods/besteffort/pod" UID "/" ID},
	{true, "qos:guaranteed", "/kubepods.slice/kubepods-pod" UID_ ".slice"},
	{false, "qos:guaranteed", BURST},
	{false, "qos:guaranteed", "/kubepods.slice"},
	{false, "qos:guaranteed", "/system.slice/a.service"},
	{false, "qos:guaranteed", USER "/kubepods/pod" UID},
	/* --- and paths still */
	{true, "/system.slice/*.service", "/system.slice/mongod.service"},
	{true, "/system.slice:docker:*", "/system.slice:docker:" ID},
};

static void test_match(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		const char *why = cgroup_match_check(cases[i].pattern);

		if (why)
			fail_msg("%s: %s", cases[i].pattern, why);
		if (cgroup_match_fits(cases[i].pattern, cases[i].path) != cases[i].fits)
			fail_msg("%s %s: not %d", cases[i].pattern, cases[i].path, cases[i].fits);
	}
}

static void test_refused(void **state)
{
	static const struct {
		const char *pattern, *why;
	} bad[] = {
		{"unit:", "no name"},
		{"unit:mongod", "no unit that has a cgroup"},
		{"unit:mongod*.timer", "no unit that has a cgroup"},
		{"unit:mongod.timer", "no unit that has a cgroup"},
		{"unit:getty@.service", "no unit that has a cgroup"},
		{"unit:a--b.slice", "no unit that has a cgroup"},
		{"unit:-.slice", "root slice"},
		{"unit:/system.slice/mongod.service", "contains \"/\""},
		{"unit:[a.service", "not closed"},
		{"user-unit:firefox", "no unit that has a cgroup"},
		{"container:", "no name"},
		{"container:docker/", "no name"},
		{"container:dokcer/*", "unknown runtime"},
		{"container:unknown/*", "unknown runtime"},
		{"container:/docker/x", "unknown runtime"},
		{"container:docker/x/y", "contains \"/\""},
		{"pod:", "no name"},
		{"pod:" UID_, "\"-\" between"},
		{"pod:[", "not closed"},
		{"qos:", "not one of"},
		{"qos:none", "not one of"},
		{"qos:burst*", "not one of"},
		{"Unit:mongod.service", "starts with \"/\""},
		{"slice:system.slice", "unknown prefix"},
		{"mongod.service", "starts with \"/\""},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(bad); i++) {
		const char *why = cgroup_match_check(bad[i].pattern);

		if (!why || !strstr(why, bad[i].why))
			fail_msg("%s: %s", bad[i].pattern, why ? why : "passed");
	}
}

/* Names longer than any file's, which only a made-up path can have. */
static void test_long_names(void **state)
{
	char path[600] = "/lxc/";

	(void)state;
	memset(path + 5, 'n', 255);
	assert_true(cgroup_match_fits("container:lxc/n*", path));
	path[5 + 255] = 'n';
	assert_false(cgroup_match_fits("container:lxc/n*", path));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_match),
		cmocka_unit_test(test_refused),
		cmocka_unit_test(test_long_names),
	};

	return cmocka_run_group_tests_name("cgroup-match", tests, NULL, NULL);
}
