/* SPDX-License-Identifier: MIT */
/*
 * The configuration as a whole: files, classes, and faults with their lines. The sources are
 * included, not linked, so that each allocation can be made to fail in turn.
 */
#include <dirent.h>
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* Counts down; at 0 the allocation fails. Negative: never. */
static int allocations_left = -1;

static bool out_of_memory(void)
{
	return allocations_left >= 0 && allocations_left-- == 0;
}

#define calloc(n, size)            (out_of_memory() ? NULL : calloc(n, size))
#define strdup(s)                  (out_of_memory() ? NULL : strdup(s))
#define reallocarray(p, n, size)   (out_of_memory() ? NULL : reallocarray(p, n, size))
#define asprintf(ret, format, ...) (out_of_memory() ? -1 : asprintf(ret, format, __VA_ARGS__))

#include "../../agent/config.c"

#include "../../agent/config_files.c"

#undef calloc
#undef strdup
#undef reallocarray
#undef asprintf

#include "config-tree.h"

#define ETC "etc/fgreclaim/"
#define RUN "run/fgreclaim/"
#define LIB "usr/lib/fgreclaim/"

static struct config *must_load_tree(const struct tree *tree)
{
	struct config *config = NULL;
	struct config_error error;

	if (config_load(tree->root, NULL, &config, &error) < 0)
		fail_msg("%s", error.text);
	return config;
}

static const char *class_of(const struct config *config, const char *path)
{
	int32_t index = config_classify(config, path, NULL);

	return index < 0 ? "none" : config->policy.classes[index].name;
}

static void test_defaults(void **state)
{
	struct config *config = must_load_tree(*state);
	const struct config_match *match;
	struct class_params class;

	assert_int_equal(config->interval_usec, 5000000);
	assert_int_equal(config->write_deadline_usec, 500000);
	assert_int_equal(config->policy.cpu_budget_ppm, 10000);
	assert_true(config->dry_run);
	assert_int_equal(config->policy.write_max_bytes, 16 << 20);
	assert_int_equal(config->policy.concurrency, 2);
	assert_int_equal(config->policy.anon, ANON_AUTO);
	assert_int_equal(config->policy.n_classes, 1);
	class_params_init(&class, "default");
	assert_memory_equal(&config->policy.classes[0], &class, sizeof(class));
	assert_int_equal(config_classify(config, "/a/b", &match), 0);
	assert_string_equal(match->pattern, "/**");
	assert_string_equal(match->origin, "built in");
	assert_null(config_free(config));
	assert_null(config_free(NULL));
}

static void test_faults(void **state)
{
	static const struct {
		const char *text, *wanted;
	} cases[] = {
		{"[Agent]\nIntervall=5s\n", "2: Intervall: unknown key; did you mean Interval=?"},
		{"[Agent]\ninterval=5s\n", "2: interval: unknown key; did you mean Interval=?"},
		{"[Agent]\nWeight=5\n", "2: Weight: belongs into [Class NAME]"},
		{"[Class a]\nDryRun=no\n", "2: DryRun: belongs into [Agent]"},
		{"[Agent]\nFrobnicate=1\n", "2: Frobnicate: unknown key in [Agent]"},
		{"[Class a]\nFrobnicate=1\n", "2: Frobnicate: unknown key in [Class NAME]"},
		{"\nInterval=5s\n", "2: Interval: stands before the first [Section]"},
		{"[Class a]\nChurn=maybe\n", "2: Churn: \"maybe\" is not yes or no"},
		{"[Metrics]\nTextfile=/x\n",
		 "2: Textfile: \"/x\" is not an absolute path that ends in .prom, or empty"},
		{"[Metrics]\nTextfile=x.prom\n",
		 "2: Textfile: \"x.prom\" is not an absolute path that ends in .prom, or empty"},
		{"[Metrics]\nTopMemcgs=101\n", "2: TopMemcgs: \"101\" is not a number of 0 to 100"},
		{"[Agnet]\n",
		 "1: [Agnet]: unknown section; there are [Agent], [Swap], [Metrics] and "
		 "[Class NAME]"},
		{"[Classa]\n",
		 "1: [Classa]: unknown section; there are [Agent], [Swap], [Metrics] and "
		 "[Class NAME]"},
		{"[]\n",
		 "1: []: unknown section; there are [Agent], [Swap], [Metrics] and [Class NAME]"},
		{"[Class]\n", "1: [Class]: a class needs a name, as in [Class NAME]"},
		{"[Class  ]\n", "1: [Class]: a class needs a name, as in [Class NAME]"},
		{"[Class a b]\n", "1: [Class a b]: the name may have letters, digits, \"-\", \"_\" "
				  "and \".\""},
		{"#\n[Class a2345678901234567890123456789012345678901]\n",
		 "2: [Class a2345678901234567890123456789012345678901]: the name is longer than "
		 "40 bytes"},
		{"[Class a]\nMatch=a\n", "2: Match: \"a\": a cgroup path starts with \"/\""},
		{"[Class a]\nMatch=/b\nMatch=xattr:a\n",
		 "3: Match: \"xattr:a\": unknown prefix; there are unit:, user-unit:, container:, "
		 "pod: and qos:"},
		{"[Class a]\nMatch=qos:guarantee\n",
		 "2: Match: \"qos:guarantee\": not one of guaranteed, burstable, besteffort"},
		{"[Agent]\n DryRun=no\n",
		 "2: white space at the start: a value cannot go on in the next line"},
		{"[Agent]\nDryRun=no\nx\nInterval=0\n", "3: neither [Section] nor Key=value"},
		{"[Agent]\nDryRun: no\n", "2: neither [Section] nor Key=value"},
		{"[Agent]\nWeight=1\nInterval=0\n", "2: Weight: belongs into [Class NAME]"},
		{"[Class a]\nMatch=/a ;b\n", "2: \";\" or \"#\" after white space: a comment needs "
					     "a line of its own, and a glob can say \"?\" for the "
					     "character"},
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		char wanted[512];

		snprintf(wanted, sizeof(wanted), "x.conf:%s", cases[i].wanted);
		assert_refused(*state, cases[i].text, wanted);
	}
}

static void test_long_lines(void **state)
{
	char text[512], wanted[512];

	snprintf(text, sizeof(text), "[Class a]\nMatch=/%0191d\n", 0);
	config_free(must_load(*state, text));
	snprintf(text, sizeof(text), "[Class a]\nMatch=/%0192d\n", 0);
	assert_refused(*state, text, "x.conf:2: longer than 198 bytes");
	/* Far longer than inih's room for the name of a section, and of a key. */
	snprintf(text, sizeof(text), "[Class %0100d]\n", 0);
	snprintf(wanted, sizeof(wanted),
		 "x.conf:1: [Class %0100d]: the name is longer than 40 bytes", 0);
	assert_refused(*state, text, wanted);
	snprintf(text, sizeof(text), "[Agent]\n%0100d=1\n", 0);
	snprintf(wanted, sizeof(wanted), "x.conf:2: %0100d: unknown key in [Agent]", 0);
	assert_refused(*state, text, wanted);
	snprintf(text, sizeof(text),
		 "[Class a234567890123456789012345678901234567890]\nWeight=7\n");
	config_free(must_load(*state, text));
}

static void test_too_many_classes(void **state)
{
	char text[4096] = "";

	for (int i = 0; i < CLASSES_MAX; i++)
		sprintf(text + strlen(text), "[Class c%d]\n", i);
	strcat(text, "[Class c7]\nWeight=3\n");
	config_free(must_load(*state, text));
	strcat(text, "[Class more]\n");
	assert_refused(*state, text, "x.conf:67: [Class more]: there are more than 64 classes");
}

static void test_paths(void **state)
{
	const struct tree *tree = *state;
	struct config *config = NULL;
	struct config_error error;
	char path[128];

	tree_path(tree, "none.conf", path, sizeof(path));
	assert_int_equal(config_load("", path, &config, &error), -ENOENT);
	assert_non_null(strstr(error.text, "/none.conf: No such file or directory"));
	assert_int_equal(config_load("", tree->root, &config, &error), -EISDIR);
	assert_non_null(strstr(error.text, ": Is a directory"));
	assert_int_equal(config_load("", "/dev/zero", &config, &error), -ENOTSUP);
	assert_string_equal(error.text, "/dev/zero: not a regular file");
	assert_null(config);
	/* A path that is given is taken as it is, and alone. */
	tree_write_text(tree, ETC "fgreclaimd.conf.d/a.conf", "[Agent]\nConcurrency=5\n");
	tree_write_text(tree, "my.conf", "[Agent]\nDryRun=no\n");
	tree_path(tree, "my.conf", path, sizeof(path));
	assert_int_equal(config_load(tree->root, path, &config, &error), 0);
	assert_false(config->dry_run);
	assert_int_equal(config->policy.concurrency, 2);
	config_free(config);
	/* Control characters of a file name do not reach the terminal. */
	tree_write_text(tree, "a\nb\033.conf", "x\n");
	tree_path(tree, "a\nb\033.conf", path, sizeof(path));
	assert_int_equal(config_load("", path, &config, &error), -EINVAL);
	assert_non_null(strstr(error.text, "/a?b?.conf:1: neither"));
	/* Nor is a file read that may not be read. */
	if (geteuid() == 0)
		return;
	assert_int_equal(chmod(path, 0), 0);
	assert_int_equal(config_load("", path, &config, &error), -EACCES);
	assert_non_null(strstr(error.text, ": Permission denied"));
}

static void test_drop_ins(void **state)
{
	const struct tree *tree = *state;
	const struct config_match *match;
	struct config_error error;
	struct config *config;

	tree_write_text(tree, LIB "fgreclaimd.conf", "[Agent]\nConcurrency=9\n");
	tree_write_text(tree, ETC "fgreclaimd.conf",
			"[Agent]\nInterval=7s\n[Class b]\nMatch=/b\nWeight=5\n"
			"[Class a]\nMatch=/a\nMatch=/ab*\n");
	tree_write_text(tree, LIB "fgreclaimd.conf.d/50-x.conf",
			"[Class b]\nMatch=/ab**\n[Class c]\nMatch=/**\n");
	tree_write_text(tree, RUN "fgreclaimd.conf.d/60-y.conf",
			"[Agent]\nInterval=8s\n[Class a]\nMatch=\nMatch=/new\n");
	tree_write_text(tree, LIB "fgreclaimd.conf.d/70-z.conf", "[Agent]\nInterval=9s\n");
	tree_link(tree, ETC "fgreclaimd.conf.d/70-z.conf", "/dev/null");
	config = must_load_tree(tree);
	assert_int_equal(config->policy.concurrency, 2);
	assert_int_equal(config->interval_usec, 8000000);
	assert_int_equal(config->policy.classes[0].weight, 5);
	assert_int_equal(config->n_matches, 4);
	/* By first appearance of the class, not by the line: b before a before c. */
	assert_string_equal(class_of(config, "/b"), "b");
	assert_string_equal(class_of(config, "/abc/d"), "b");
	assert_string_equal(class_of(config, "/a"), "c");
	assert_string_equal(class_of(config, "/new"), "a");
	assert_int_equal(config_classify(config, "/abc", &match), 0);
	assert_string_equal(match->pattern, "/ab**");
	assert_non_null(strstr(match->origin, LIB "fgreclaimd.conf.d/50-x.conf:2"));
	config_free(config);
	/* A section does not go on in the next file. */
	tree_write_text(tree, RUN "fgreclaimd.conf.d/99.conf", "Weight=5\n");
	assert_int_equal(config_load(tree->root, NULL, &config, &error), -EINVAL);
	assert_non_null(strstr(error.text, "99.conf:1: Weight: stands before the first [Section]"));
	/* One bad file and nothing is loaded. */
	tree_write_text(tree, RUN "fgreclaimd.conf.d/99.conf", "[Class b]\nWeight=0\n");
	assert_int_equal(config_load(tree->root, NULL, &config, &error), -EINVAL);
}

static void test_unclassified(void **state)
{
	struct config *config = must_load(*state, "[Class a]\n[Class b]\nMatch=/b\n");
	const struct config_match *match = config->matches;

	assert_int_equal(config_classify(config, "/b", NULL), 1);
	assert_int_equal(config_classify(config, "/a", &match), -1);
	assert_null(match);
	config_free(config);
}

/* Each allocation fails once; the sanitizer sees to it that nothing is lost. */
static void test_no_memory(void **state)
{
	const struct tree *tree = *state;
	struct config *config = NULL;
	struct config_error error;
	int n, r = -ENOMEM;

	tree_write_text(tree, ETC "fgreclaimd.conf", "[Class a]\nMatch=/a\nMatch=/b\nMatch=\n");
	tree_write_text(tree, LIB "fgreclaimd.conf.d/1.conf", "[Class b]\nMatch=/c\n");
	for (n = 0; r == -ENOMEM; n++) {
		error.text[0] = '\0';
		allocations_left = n;
		r = config_load(tree->root, NULL, &config, &error);
		allocations_left = -1;
		if (r == -ENOMEM)
			assert_string_equal(error.text, "Cannot allocate memory");
	}
	assert_int_equal(r, 0);
	assert_true(n > 20);
	config_free(config);
	tree_write_text(tree, ETC "fgreclaimd.conf", "");
	tree_write_text(tree, LIB "fgreclaimd.conf.d/1.conf", "");
	for (n = 0, r = -ENOMEM; r == -ENOMEM; n++) {
		allocations_left = n;
		r = config_load(tree->root, NULL, &config, &error);
		allocations_left = -1;
	}
	assert_int_equal(r, 0);
	config_free(config);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TREE_TEST(test_defaults),     TREE_TEST(test_faults),
		TREE_TEST(test_long_lines),   TREE_TEST(test_too_many_classes),
		TREE_TEST(test_paths),        TREE_TEST(test_drop_ins),
		TREE_TEST(test_unclassified), TREE_TEST(test_no_memory),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
