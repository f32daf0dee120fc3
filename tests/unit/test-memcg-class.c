/* SPDX-License-Identifier: MIT */
/*
 * Classes that cgroups ask for: followed where that lowers what the agent does, and not otherwise.
 */
#include "memcg_class.h"
#include "pass.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/xattr.h>
#include <cmocka.h>

#include "hierarchy-tree.h"

static const char text[] = "[Class plain]\nMatch=/a**\n"
			   "[Class strict]\nRefaultLimit=0.1%/min\nWeight=400\nFloor=50%\n"
			   "[Class file]\nReclaim=file\n"
			   "[Class off]\nReclaim=none\nFloor=0\n"
			   "[Class loose]\nFloor=10%\n"
			   "[Class night]\nRefaultLimit=0.1%/min\nWeight=400\nFloor=50%\n"
			   "Hours=22:00-06:00\n";

/* False: this file system has no user xattrs. */
static bool ask(const struct tree *tree, const char *path, const char *class)
{
	return setxattr(fixture_path(tree->fixture, fixture_memcg_file(path, "")),
			"user.fgreclaim.class", class, strlen(class), 0) == 0;
}

static const char *class_of(const struct tree *tree, const char *path)
{
	int32_t class = find(tree, path)->class_index;

	return class < 0 ? "" : tree->config->policy.classes[class].name;
}

static bool open_tree(struct tree *tree, void **state)
{
	tree_open(tree, state);
	config_free(tree->config);
	tree->config = fixture_config(tree->fixture, text);
	add(tree, "/a");
	add(tree, "/a/b");
	add(tree, "/a/b/c");
	add(tree, "/x");
	scan(tree, 1);
	if (ask(tree, "/a/b", "strict"))
		return true;
	tree_close(tree);
	return false;
}

static void assert_explained(const struct tree *tree, const char *path, const char *wanted)
{
	const struct memcg *memcg = find(tree, path);
	char buf[256];

	assert_string_equal(
		memcg_class_explain(memcg->asked_class, memcg->refused, buf, sizeof(buf)), wanted);
}

static void test_lowers(void **state)
{
	struct tree tree;

	if (!open_tree(&tree, state))
		skip();
	scan(&tree, 2);
	assert_string_equal(class_of(&tree, "/a"), "plain");
	assert_string_equal(class_of(&tree, "/a/b"), "strict");
	assert_string_equal(class_of(&tree, "/a/b/c"), "strict"); /* holds for all below */
	assert_explained(&tree, "/a/b", "user.fgreclaim.class=strict");
	assert_explained(&tree, "/a/b/c", "");
	/* Taken back while the agent runs. */
	assert_int_equal(removexattr(fixture_path(tree.fixture, fixture_memcg_file("/a/b", "")),
				     "user.fgreclaim.class"),
			 0);
	scan(&tree, 3);
	assert_string_equal(class_of(&tree, "/a/b/c"), "plain");
	tree_close(&tree);
}

/* From inside nothing can be raised, not even what was lowered further up. */
static void test_never_raises(void **state)
{
	static const struct {
		const char *class, *why;
	} refused[] = {
		{"loose", "user.fgreclaim.class=loose, not followed: it would raise Weight="},
		{"plain", "user.fgreclaim.class=plain, not followed: it would raise Weight="},
		{"none", "user.fgreclaim.class=none, not followed: there is no such class"},
		{"0123456789012345678901234567890123456789x",
		 "user.fgreclaim.class=?, not followed: there is no such class"},
	};
	struct tree tree;

	if (!open_tree(&tree, state))
		skip();
	for (size_t i = 0; i < sizeof(refused) / sizeof(refused[0]); i++) {
		assert_true(ask(&tree, "/a/b/c", refused[i].class));
		scan(&tree, 2 + i);
		assert_string_equal(class_of(&tree, "/a/b/c"), "strict");
		assert_explained(&tree, "/a/b/c", refused[i].why);
	}
	assert_true(ask(&tree, "/a/b/c", "off"));
	assert_true(ask(&tree, "/x", "off"));
	scan(&tree, 10);
	assert_string_equal(class_of(&tree, "/a/b/c"), "off");
	assert_string_equal(class_of(&tree, "/x"), "");
	assert_non_null(find(&tree, "/x")->refused);
	/* Reclaim=none is the lowest. */
	assert_true(ask(&tree, "/a/b", "off"));
	assert_true(ask(&tree, "/a/b/c", "file"));
	scan(&tree, 11);
	assert_string_equal(class_of(&tree, "/a/b/c"), "off");
	tree_close(&tree);
}

/* Hours= of the class that the path fits hold beside those of the one asked for. */
static void test_hours(void **state)
{
	struct tree tree;

	if (!open_tree(&tree, state))
		skip();
	assert_true(ask(&tree, "/a/b/c", "night"));
	scan(&tree, 2);
	assert_string_equal(class_of(&tree, "/a/b/c"), "night");
	assert_int_equal(find(&tree, "/a/b/c")->class_bits, 1 | 1 << 1 | 1 << 5);
	assert_int_equal(find(&tree, "/a/b")->class_bits, 1 | 1 << 1);
	assert_int_equal(find(&tree, "/x")->class_bits, 0);
	tree_close(&tree);
}

static void test_reload(void **state)
{
	struct tree tree;

	if (!open_tree(&tree, state))
		skip();
	config_free(tree.config);
	tree.config = fixture_config(tree.fixture, "[Class other]\nMatch=/**\nFloor=60%\n");
	hierarchy_classify(tree.hierarchy, tree.config);
	assert_string_equal(class_of(&tree, "/a/b"), "other");
	assert_explained(&tree, "/a/b",
			 "user.fgreclaim.class=strict, not followed: there is no such class");
	tree_close(&tree);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		FIXTURE_TEST(test_lowers),
		FIXTURE_TEST(test_never_raises),
		FIXTURE_TEST(test_hours),
		FIXTURE_TEST(test_reload),
	};

	return cmocka_run_group_tests_name("memcg-class", tests, NULL, NULL);
}
