/* SPDX-License-Identifier: MIT */
/*
 * The scan of the tree: which directories are memcgs, names of all kinds, identity by inode, what
 * is omitted. Trees that change meanwhile: test-hierarchy-churn.c.
 */
#include "hierarchy.h"
#include "macro.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>
#include <sys/xattr.h>
#include <cmocka.h>

#include "hierarchy-tree.h"

#define SEC UINT64_C(1000000)

static void test_no_tree(void **state)
{
	const struct fixture *fixture = *state;
	struct hierarchy *hierarchy = NULL;
	const char *why = NULL;

	assert_int_equal(hierarchy_open(fixture->root, &hierarchy, &why), -ENODEV);
	assert_true(why && *why);
	/* A directory that is no cgroup2 tree: version 1 has one directory a controller there. */
	fixture_mkdir(fixture, "sys/fs/cgroup/memory");
	why = NULL;
	assert_int_equal(hierarchy_open(fixture->root, &hierarchy, &why), -ENODEV);
	assert_non_null(strstr(why, "cgroup v2"));
	/* One without the memory controller: a hybrid host. */
	fixture_write(fixture, "sys/fs/cgroup/cgroup.controllers", "cpu io pids\n");
	assert_int_equal(hierarchy_open(fixture->root, &hierarchy, &why), -ENODEV);
	assert_non_null(strstr(why, "memory controller"));
	/* A file in place of the directory. */
	fixture_remove(fixture, "sys/fs/cgroup");
	fixture_write(fixture, "sys/fs/cgroup", "");
	why = NULL;
	assert_int_equal(hierarchy_open(fixture->root, &hierarchy, &why), -ENOTDIR);
	assert_true(why && *why);
	assert_null(hierarchy);
}

static void test_nested(void **state)
{
	struct tree tree;

	tree_open(&tree, state);
	add(&tree, "/system.slice");
	add(&tree, "/system.slice/mongod.service");
	add(&tree, "/system.slice/mongod.service/sub");
	add(&tree, "/user.slice");
	scan(&tree, 7 * SEC);
	check(&tree);
	assert_int_equal(count(&tree), 5);
	assert_ptr_equal(find(&tree, "/system.slice/mongod.service")->parent,
			 find(&tree, "/system.slice"));
	assert_true(find(&tree, "/system.slice/mongod.service/sub")->leaf);
	assert_false(find(&tree, "/system.slice/mongod.service")->leaf);
	assert_true(find(&tree, "/user.slice")->leaf);
	assert_int_equal(find(&tree, "/user.slice")->first_seen_usec, 7 * SEC);
	assert_true(find(&tree, "/")->omitted);
	assert_false(find(&tree, "/system.slice/mongod.service")->omitted);
	/* A child less: its parent is a leaf from then on. */
	drop(&tree, "/system.slice/mongod.service/sub");
	scan(&tree, 9 * SEC);
	check(&tree);
	assert_true(find(&tree, "/system.slice/mongod.service")->leaf);
	assert_int_equal(find(&tree, "/user.slice")->first_seen_usec, 7 * SEC);
	tree_close(&tree);
}

static void test_names(void **state)
{
	static const char *const names[] = {
		"/a b",
		"/ ",
		"/a:b",
		"/kubepods-besteffort.slice:cri-containerd:0a1b",
		"/app-gnome-firefox\\x2dw-2504.scope",
		"/getty@tty1.service",
		"/\xc3\xa4\xe2\x82\xac",
		"/\xff\xfe",
		"/-",
		"/--root=x",
		"/...",
		"/.hidden",
		"/%s%n",
		"/*",
		"/[a]",
		"/\t\x1b[31m",
		"/a",
		"/a.slice",
		"/a-b",
		"/a0",
		"/aa",
	};
	char longest[257];
	struct tree tree;

	tree_open(&tree, state);
	longest[0] = '/';
	memset(longest + 1, 'n', 255);
	longest[256] = '\0';
	add(&tree, longest);
	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		char child[64];

		add(&tree, names[i]);
		snprintf(child, sizeof(child), "%s/a", names[i]);
		add(&tree, child);
	}
	scan(&tree, 1);
	check(&tree);
	assert_int_equal(count(&tree), 2 + 2 * ARRAY_SIZE(names));
	assert_non_null(find(&tree, longest));
	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		assert_string_equal(find(&tree, names[i])->path, names[i]);
	tree_close(&tree);
}

/* As bytes of a longer text, with no NUL behind them. */
static void test_find(void **state)
{
	static const char *const missing[] = {"", "a", "/b", "/a/", "/a/b/c", "//", "/aa", "/a/bb"};
	struct tree tree;

	tree_open(&tree, state);
	assert_null(find(&tree, "/"));
	add(&tree, "/a");
	add(&tree, "/a/b");
	scan(&tree, 1);
	for (size_t i = 0; i < ARRAY_SIZE(missing); i++)
		assert_null(find(&tree, missing[i]));
	assert_string_equal(hierarchy_find(tree.hierarchy, "/a/b/c", 4)->path, "/a/b");
	assert_string_equal(hierarchy_find(tree.hierarchy, "/a/b/c", 2)->path, "/a");
	assert_string_equal(hierarchy_find(tree.hierarchy, "/a/b/c", 1)->path, "/");
	assert_null(hierarchy_find(tree.hierarchy, "/a/b/c", 3));
	tree_close(&tree);
}

static void test_what_is_no_memcg(void **state)
{
	const struct fixture *fixture = *state;
	struct tree tree;

	tree_open(&tree, state);
	add(&tree, "/a");
	/* No memory controller there, so none below, whatever files say. */
	fixture_mkdir(fixture, fixture_memcg_file("/no-memory", ""));
	add(&tree, "/no-memory/below");
	/* Links would lead out of the tree, or round in it. */
	assert_int_equal(symlink(".", fixture_path(fixture, fixture_memcg_file("/a", "loop"))), 0);
	fixture_write(fixture, fixture_memcg_file("", "a-file"), "");
	scan(&tree, 1);
	check(&tree);
	assert_int_equal(count(&tree), 2);
	assert_true(find(&tree, "/a")->leaf);
	/* The controller is enabled, and disabled again: its files come and go without an event,
	 * the write that does it has one. */
	add(&tree, "/no-memory");
	fixture_write(fixture, fixture_memcg_file("", "cgroup.subtree_control"), "+memory");
	scan(&tree, 2);
	assert_int_equal(count(&tree), 4);
	fixture_remove(fixture, fixture_memcg_file("/no-memory", "memory.current"));
	fixture_write(fixture, fixture_memcg_file("", "cgroup.subtree_control"), "-memory");
	scan(&tree, 3);
	assert_int_equal(count(&tree), 2);
	check(&tree);
	tree_close(&tree);
}

/* What no event tells of is found a minute later, and at once when the clock went backwards. */
static void test_untold(void **state)
{
	const struct fixture *fixture = *state;
	struct tree tree;

	tree_open(&tree, state);
	fixture_mkdir(fixture, fixture_memcg_file("/late", ""));
	scan(&tree, 100 * SEC);
	assert_int_equal(count(&tree), 1);
	add(&tree, "/late");
	scan(&tree, 159 * SEC);
	assert_int_equal(count(&tree), 1);
	scan(&tree, 160 * SEC);
	assert_int_equal(count(&tree), 2);
	fixture_remove(fixture, fixture_memcg_file("/late", "memory.current"));
	scan(&tree, 161 * SEC);
	assert_int_equal(count(&tree), 2);
	scan(&tree, 99 * SEC);
	assert_int_equal(count(&tree), 1);
	check(&tree);
	tree_close(&tree);
}

static void test_vanished_and_recreated(void **state)
{
	const struct fixture *fixture = *state;
	struct memcg *held;
	struct tree tree;
	uint64_t former_id;
	char aside[FIXTURE_PATH_MAX];

	tree_open(&tree, state);
	add(&tree, "/a");
	add(&tree, "/b");
	scan(&tree, 1 * SEC);
	find(&tree, "/a")->state.last_usec = 1;
	former_id = find(&tree, "/a")->id;
	held = memcg_ref(find(&tree, "/b"));
	/* Out of the tree, but not freed, so that no new directory gets its inode. */
	strcpy(aside, fixture_path(fixture, "aside"));
	assert_int_equal(rename(fixture_path(fixture, fixture_memcg_file("/a", "")), aside), 0);
	add(&tree, "/a");
	drop(&tree, "/b");
	scan(&tree, 2 * SEC);
	check(&tree);
	assert_int_equal(count(&tree), 2);
	assert_true(find(&tree, "/a")->id != former_id);
	assert_int_equal(find(&tree, "/a")->first_seen_usec, 2 * SEC);
	assert_int_equal(find(&tree, "/a")->state.last_usec, 0);
	/* Held by a write under way: there still, though in no scan. */
	assert_int_equal(held->scan, MEMCG_VANISHED);
	assert_string_equal(held->path, "/b");
	scan(&tree, 3 * SEC);
	memcg_unref(held);
	tree_close(&tree);
}

/* The same cgroup under another name is another one to the administrator. */
static void test_renamed(void **state)
{
	char to[FIXTURE_PATH_MAX];
	struct tree tree;

	tree_open(&tree, state);
	add(&tree, "/a");
	scan(&tree, 1 * SEC);
	strcpy(to, fixture_path(*state, fixture_memcg_file("/z", "")));
	assert_int_equal(rename(fixture_path(*state, fixture_memcg_file("/a", "")), to), 0);
	scan(&tree, 2 * SEC);
	check(&tree);
	assert_null(find(&tree, "/a"));
	assert_int_equal(find(&tree, "/z")->first_seen_usec, 2 * SEC);
	tree_close(&tree);
}

static int mark(const struct tree *tree, const char *path, const char *value)
{
	return setxattr(fixture_path(tree->fixture, fixture_memcg_file(path, "")),
			"user.fgreclaim.omit", value, strlen(value), 0);
}

static void test_omitted(void **state)
{
	struct tree tree;

	tree_open(&tree, state);
	add(&tree, "/init.scope");
	add(&tree, "/a");
	add(&tree, "/a/init.scope");
	add(&tree, "/b");
	add(&tree, "/system.slice");
	add(&tree, "/system.slice/dbus.service");
	add(&tree, "/system.slice/ssh.service");
	add(&tree, "/system.slice/sshguard.service");
	scan(&tree, 1);
	assert_true(find(&tree, "/init.scope")->omitted);
	assert_true(find(&tree, "/system.slice/dbus.service")->omitted);
	assert_true(find(&tree, "/system.slice/ssh.service")->omitted);
	assert_false(find(&tree, "/system.slice/sshguard.service")->omitted);
	assert_false(find(&tree, "/system.slice")->omitted);
	assert_false(find(&tree, "/a/init.scope")->omitted);
	assert_false(find(&tree, "/a")->omitted);
	if (mark(&tree, "/a", "1") < 0) {
		tree_close(&tree);
		skip(); /* no user xattrs in this file system */
	}
	assert_int_equal(mark(&tree, "/b", "0"), 0);
	scan(&tree, 2);
	assert_true(find(&tree, "/a")->omitted);
	assert_true(find(&tree, "/a/init.scope")->omitted); /* a mark holds for all below */
	assert_false(find(&tree, "/b")->omitted);
	/* Looked at each time, so that it can be set and taken back while the agent runs. */
	assert_int_equal(mark(&tree, "/a", "0"), 0);
	assert_int_equal(mark(&tree, "/b", "1"), 0);
	scan(&tree, 3);
	assert_false(find(&tree, "/a")->omitted);
	assert_false(find(&tree, "/a/init.scope")->omitted);
	assert_true(find(&tree, "/b")->omitted);
	tree_close(&tree);
}

/* What a person gets to see of a name cannot command a terminal. */
static void test_name_for_people(void **state)
{
	struct tree tree;

	tree_open(&tree, state);
	add(&tree, "/a\x1b[2J");
	add(&tree, "/app\\x2dw-é");
	scan(&tree, 1);
	assert_string_equal(find(&tree, "/a\x1b[2J")->name, "/a\\x1b[2J");
	assert_string_equal(find(&tree, "/app\\x2dw-é")->name, "/app\\x2dw-é");
	tree_close(&tree);
}

static void assert_changes(const struct tree *tree, uint64_t appeared, uint64_t vanished)
{
	struct hierarchy_changes changes = hierarchy_changes(tree->hierarchy);

	assert_int_equal(changes.appeared, appeared);
	assert_int_equal(changes.vanished, vanished);
}

static void test_changes(void **state)
{
	char to[FIXTURE_PATH_MAX];
	struct tree tree;

	tree_open(&tree, state);
	add(&tree, "/a");
	add(&tree, "/a/b");
	/* They were there before. */
	scan(&tree, 1 * SEC);
	assert_changes(&tree, 0, 0);
	add(&tree, "/c");
	add(&tree, "/c/d");
	scan(&tree, 2 * SEC);
	assert_changes(&tree, 2, 0);
	/* Nor does the walk of everything find them anew. */
	scan(&tree, 200 * SEC);
	assert_changes(&tree, 2, 0);
	drop(&tree, "/a");
	scan(&tree, 201 * SEC);
	assert_changes(&tree, 2, 2);
	/* It lost its memory controller. */
	fixture_remove(*state, fixture_memcg_file("/c/d", "memory.current"));
	fixture_write(*state, fixture_memcg_file("/c", "cgroup.subtree_control"), "-memory");
	scan(&tree, 202 * SEC);
	assert_changes(&tree, 2, 3);
	strcpy(to, fixture_path(*state, fixture_memcg_file("/z", "")));
	assert_int_equal(rename(fixture_path(*state, fixture_memcg_file("/c", "")), to), 0);
	scan(&tree, 203 * SEC);
	assert_changes(&tree, 3, 4);
	/* What came and went between two scans was never seen. */
	add(&tree, "/e");
	drop(&tree, "/e");
	scan(&tree, 204 * SEC);
	assert_changes(&tree, 3, 4);
	tree_close(&tree);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		FIXTURE_TEST(test_no_tree),
		FIXTURE_TEST(test_nested),
		FIXTURE_TEST(test_names),
		FIXTURE_TEST(test_find),
		FIXTURE_TEST(test_what_is_no_memcg),
		FIXTURE_TEST(test_untold),
		FIXTURE_TEST(test_vanished_and_recreated),
		FIXTURE_TEST(test_renamed),
		FIXTURE_TEST(test_changes),
		FIXTURE_TEST(test_omitted),
		FIXTURE_TEST(test_name_for_people),
	};

	return cmocka_run_group_tests_name("hierarchy", tests, NULL, NULL);
}
