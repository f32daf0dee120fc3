/* SPDX-License-Identifier: MIT */
/*
 * Whether we know ourselves, on a host and in a container: there the path is that of the namespace,
 * and the directory behind it is still the one that the host's tree has.
 */
#include "own_cgroup.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <sys/stat.h>
#include <cmocka.h>

#include "fixture.h"

#define POD "host/kubepods.slice/pod.slice/agent.scope"

static uint64_t inode_of(const struct fixture *fixture, const char *name)
{
	struct stat st;

	assert_int_equal(stat(fixture_path(fixture, name), &st), 0);
	return st.st_ino;
}

static void test_host(void **state)
{
	const struct fixture *fixture = *state;
	struct own_cgroup own;

	fixture_mkdir(fixture, "host/system.slice/agent.service");
	own_cgroup_look("1:cpu:/elsewhere\n0::/system.slice/agent.service\n",
			fixture_path(fixture, "host"), &own);
	assert_int_equal(own.id, inode_of(fixture, "host/system.slice/agent.service"));
	assert_true(own_cgroup_is(&own, own.id, "/system.slice/agent.service"));
	assert_false(own_cgroup_is(&own, inode_of(fixture, "host/system.slice"), "/system.slice"));
	own_cgroup_done(&own);
}

/* The container's mount begins at its own cgroup, and so does its path. */
static void test_container(void **state)
{
	const struct fixture *fixture = *state;
	struct own_cgroup own;

	fixture_mkdir(fixture, POD);
	own_cgroup_look("0::/\n", fixture_path(fixture, POD), &own);
	assert_true(own_cgroup_is(&own, inode_of(fixture, POD),
				  "/kubepods.slice/pod.slice/agent.scope"));
	assert_false(own_cgroup_is(&own, inode_of(fixture, "host"), "/"));
	own_cgroup_done(&own);
}

/* Without a mount of ours, or one that has the path: the host's path is what is left. */
static void test_by_path(void **state)
{
	const struct fixture *fixture = *state;
	struct own_cgroup own;

	for (int mounted = 0; mounted < 2; mounted++) {
		own_cgroup_look("0::/pod/agent.scope\n", mounted ? fixture->root : NULL, &own);
		assert_int_equal(own.id, 0);
		assert_true(own_cgroup_is(&own, 7, "/pod/agent.scope"));
		assert_false(own_cgroup_is(&own, 7, "/pod"));
		own_cgroup_done(&own);
	}
}

static void test_unknown(void **state)
{
	const struct fixture *fixture = *state;
	static const char *const texts[] = {"", "4:memory:/agent\n", "0::\n"};
	struct own_cgroup own;

	for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++) {
		own_cgroup_look(texts[i], fixture->root, &own);
		assert_int_equal(own.id, 0);
		assert_false(own_cgroup_is(&own, 0, "/"));
		own_cgroup_done(&own);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		FIXTURE_TEST(test_host),
		FIXTURE_TEST(test_container),
		FIXTURE_TEST(test_by_path),
		FIXTURE_TEST(test_unknown),
	};

	return cmocka_run_group_tests_name("own-cgroup", tests, NULL, NULL);
}
