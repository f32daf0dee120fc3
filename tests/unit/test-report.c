/* SPDX-License-Identifier: MIT */
/*
 * What people are told, and how often. log.c is included, not linked, so that the journal is here.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#define SD_JOURNAL_SUPPRESS_LOCATION
#include <systemd/sd-journal.h>

static int journal_sendv(const struct iovec *entry, int n);

#undef sd_journal_sendv
#define sd_journal_sendv journal_sendv
#include "../../agent/log.c"

#include "class_wait.h"
#include "hierarchy-tree.h"
#include "messages.h"
#include "report.h"

/* All entries above debug, a line for each with "|" between its fields. */
static char said[16384];

static int journal_sendv(const struct iovec *entry, int n)
{
	size_t len = strlen(said);

	if (strcmp(entry[1].iov_base, "PRIORITY=7") == 0)
		return 0;
	for (int i = 0; i < n; i++)
		len += (size_t)snprintf(said + len, sizeof(said) - len, "%.*s%s",
					(int)entry[i].iov_len, (const char *)entry[i].iov_base,
					i + 1 < n ? "|" : "\n");
	assert_true(len < sizeof(said));
	return 0;
}

static int setup(void **state)
{
	said[0] = '\0';
	to_journal = true;
	return fixture_setup(state);
}

#define REPORT_TEST(f) cmocka_unit_test_setup_teardown(f, setup, fixture_teardown)

/* What was said since the last call. */
static void assert_said(const char *wanted)
{
	assert_string_equal(said, wanted);
	said[0] = '\0';
}

static void tell_classes(struct report_classes *classes, const struct tree *tree)
{
	size_t n;
	struct memcg *const *memcgs = hierarchy_memcgs(tree->hierarchy, &n);

	report_classes(classes, tree->config, memcgs, n);
}

#define NOTICE(line) "MESSAGE=" line "|PRIORITY=5|MESSAGE_ID=" MESSAGE_CONFIG "\n"

static void test_waiting_classes(void **state)
{
	struct report_classes classes = {0};
	char wanted[1024];
	struct tree tree;

	tree_open(&tree, state);
	config_free(tree.config);
	tree.config = fixture_config(*state, "[Class a]\nMatch=/a\n[Class wild]\nMatch=/x\n"
					     "Match=/w/**\n[Class unit]\nMatch=unit:u*.service\n"
					     "[Class none]\nWeight=1\n[Class shadow]\nMatch=/a\n");
	add(&tree, "/a");
	scan(&tree, 1);
	tell_classes(&classes, &tree);
	snprintf(
		wanted, sizeof(wanted),
		NOTICE("class wild: no cgroup belongs to it yet, see %1$s/test.conf:4") NOTICE(
			"class unit: no cgroup belongs to it yet, see %1$s/test.conf:7")
			NOTICE("class none: no cgroup belongs to it, it has no Match=") NOTICE(
				"class shadow: no cgroup belongs to it yet, see %1$s/test.conf:11"),
		((const struct fixture *)*state)->root);
	assert_said(wanted);
	/* Not at each tick. */
	scan(&tree, 2);
	tell_classes(&classes, &tree);
	assert_said("");
	/* A directory below; the class that never waited loses its own and says nothing. */
	add(&tree, "/w");
	add(&tree, "/w/b");
	drop(&tree, "/a");
	scan(&tree, 3);
	tell_classes(&classes, &tree);
	assert_said(NOTICE("class wild: its first cgroup is /w/b"));
	add(&tree, "/system.slice");
	add(&tree, "/system.slice/u1.service");
	drop(&tree, "/w/b");
	scan(&tree, 4);
	tell_classes(&classes, &tree);
	assert_said(NOTICE("class unit: its first cgroup is /system.slice/u1.service"));
	add(&tree, "/w/c");
	scan(&tree, 5);
	tell_classes(&classes, &tree);
	assert_said("");
	/* The same configuration loaded anew. */
	classes = (struct report_classes){0};
	tell_classes(&classes, &tree);
	assert_non_null(strstr(said, "class a: no cgroup belongs to it yet"));
	assert_null(strstr(said, "wild"));
	tree_close(&tree);
}

static void test_advice(void **state _unused_)
{
	char name[] = "/lxc/web";
	struct memcg memcg = {
		.name = name,
		.state =
			{
				.refault_mpps = {1500, 40999},
				.last = {.current_bytes = (512 << 20) - 4096},
				.advice = {.limit_bytes = 512 << 20,
					   .since_usec = 1,
					   .told_usec = 2},
			},
	};

	report_advice(&memcg);
	assert_said("");
	memcg.state.advice.due = true;
	report_advice(&memcg);
	assert_said(
		"MESSAGE=/lxc/web: thrashes at its limit of 512M: 42 pages come back each second. "
		"Reclaim cannot help; a higher limit or less to cache would|PRIORITY=5|"
		"MESSAGE_ID=" MESSAGE_ADVICE "|FGRECLAIM_CGROUP=/lxc/web|"
		"FGRECLAIM_REFAULTS_PER_SECOND=42|FGRECLAIM_LIMIT_BYTES=536870912|"
		"FGRECLAIM_CURRENT_BYTES=536866816\n");
	/* On stderr, the line alone. */
	to_journal = false;
	report_advice(&memcg);
	assert_said("");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		REPORT_TEST(test_advice),
		REPORT_TEST(test_waiting_classes),
	};

	return cmocka_run_group_tests_name("report", tests, NULL, NULL);
}
