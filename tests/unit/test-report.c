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
#include <sys/socket.h>
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
#include "summary.h"

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

static const struct memcg_state in_trouble = {
	.refault_mpps = {1500, 40999},
	.last = {.current_bytes = (512 << 20) - 4096},
	.advice = {.limit_bytes = 512 << 20, .own_bytes = 300 << 20},
};

#define ADVICE_FIELDS(kind)                                                    \
	"|PRIORITY=5|MESSAGE_ID=" MESSAGE_ADVICE "|FGRECLAIM_CGROUP=/lxc/web|" \
	"FGRECLAIM_ADVICE=" kind "|FGRECLAIM_REFAULTS_PER_SECOND=42|"          \
	"FGRECLAIM_LIMIT_BYTES=536870912|FGRECLAIM_OWN_BYTES=314572800|"       \
	"FGRECLAIM_CURRENT_BYTES=536866816\n"

static void test_advice(void **state _unused_)
{
	char name[] = "/lxc/web";
	struct memcg memcg = {.name = name, .state = in_trouble};

	report_advice(&memcg);
	assert_said("");
	memcg.state.advice.due = ADVICE_THRASHES;
	report_advice(&memcg);
	assert_said(
		"MESSAGE=/lxc/web: thrashes at its limit of 512M: 42 pages come back each second. "
		"Reclaim cannot help; a higher limit or less to cache would" ADVICE_FIELDS(
			"thrashes"));
	memcg.state.advice.due = ADVICE_CROWDED;
	report_advice(&memcg);
	assert_said("MESSAGE=/lxc/web: memory of its own, 300M, crowds out its files at the limit "
		    "of 512M: 42 pages come back each second. Reclaim cannot help; a smaller cache "
		    "of its own (a database's) or a higher limit would" ADVICE_FIELDS("crowded"));
	memcg.state.advice.due = ADVICE_CORNERED;
	report_advice(&memcg);
	assert_said(
		"MESSAGE=/lxc/web: 300M of its limit of 512M are memory of its own, which "
		"cannot be swapped: when that grows, the kernel kills. A smaller cache of its "
		"own (a database's), a higher limit or swap would help" ADVICE_FIELDS("cornered"));
	/* On stderr, the line alone. */
	to_journal = false;
	report_advice(&memcg);
	assert_said("");
}

#define INFO(line) "MESSAGE=" line "|PRIORITY=6\n"
#define COST       "own cost: 1500 ms of CPU time in 60 s, 2.500% of one core, 300 ms of it for "

#define WAITS                                                                                    \
	"MESSAGE=longest write since the start: 512 ms, most after a deadline: 12 ms; the loop " \
	"was late by up to 31 ms, 99 times in 100 by 2 ms at most|PRIORITY=6|"                   \
	"FGRECLAIM_WRITE_MOST_USEC=512345|FGRECLAIM_WRITE_LATE_MOST_USEC=12345|"                 \
	"FGRECLAIM_LOOP_LAG_P99_USEC=2000|FGRECLAIM_LOOP_LAG_MOST_USEC=31500\n"

static struct summary_totals totals_of_a_minute(void)
{
	return (struct summary_totals){
		.savings = {.returned_bytes = 30 << 20,
			    .held_bytes = {10 << 20, 50 << 20},
			    .unpriced_bytes = 10 << 20},
		.swap = {.held_bytes = 4 << 20, .swapped_bytes = 20 << 20},
		.executor = {.writes = 9,
			     .failures = 1,
			     .agings = 2,
			     .asked_bytes = 128 << 20,
			     .freed_bytes = 100 << 20,
			     .took_most_usec = 512345,
			     .late_most_usec = 12345},
		.cost = {.cpu_usec = 1500000, .rss_bytes = 5 << 20},
		.looking_usec = 300000,
		.lag_p99_usec = 2000,
		.lag_most_usec = 31500,
		.dying = 0,
		.now_usec = 60000000,
	};
}

static void test_summary(void **state _unused_)
{
	struct summary_totals start = {0}, totals = totals_of_a_minute(), next = totals;
	struct summary summary = {0};

	summary_say(&summary, &start, &totals, false);
	assert_said(INFO(
		"freed 100M of 128M asked for, 2 agings, 9 writes, 1 without effect") "MESSAGE="
										      "saved at "
										      "present: "
										      "58.0M, of "
										      "100M freed "
										      "since the "
										      "start: "
										      "30.0M came "
										      "back, 10.0M "
										      "have no "
										      "cgroup or "
										      "no place in "
										      "swap any "
										      "more, 2.0M "
										      "are what "
										      "swap "
										      "takes in "
										      "memory|"
										      "PRIORITY=6|"
										      "FGRECLAIM_"
										      "FREED_BYTES="
										      "104857600|"
										      "FGRECLAIM_"
										      "RETURNED_"
										      "BYTES="
										      "31457280|"
										      "FGRECLAIM_"
										      "GONE_BYTES="
										      "10485760|"
										      "FGRECLAIM_"
										      "SWAP_COST_"
										      "BYTES="
										      "2097152|"
										      "FGRECLAIM_"
										      "NET_BYTES="
										      "60817408\n"
										      "MESSAGE"
										      "=" COST
										      "looking and "
										      "deciding; "
										      "memory: "
										      "5.0M|"
										      "PRIORITY=6|"
										      "FGRECLAIM_"
										      "CPU_USEC="
										      "1500000|"
										      "FGRECLAIM_"
										      "LOOKING_"
										      "USEC=300000|"
										      "FGRECLAIM_"
										      "WALL_USEC="
										      "60000000|"
										      "FGRECLAIM_"
										      "RSS_BYTES="
										      "5242880"
										      "\n" WAITS);
	/* A minute in which nothing was done. */
	next.now_usec += 60000000;
	next.cost.cpu_usec += 1000;
	summary_say(&summary, &totals, &next, false);
	assert_said("");
	/* At the end all is said, whatever there was since; what is unknown is no field. */
	next.swap.held_bytes = SAMPLE_UNKNOWN;
	next.cost.rss_bytes = SAMPLE_UNKNOWN;
	summary_say(&summary, &start, &next, true);
	assert_non_null(strstr(said, "freed 100M of 128M"));
	assert_non_null(strstr(said, "saved at present: -, of 100M freed"));
	assert_null(strstr(said, "NET_BYTES"));
	assert_non_null(strstr(said, "own cost: 1501 ms of CPU time in 120 s, 1.250% of one"));
	assert_non_null(strstr(said, "memory: -|"));
	assert_null(strstr(said, "RSS_BYTES"));
	said[0] = '\0';
	next.executor.cost_bytes = 3 << 20;
	summary_say(&summary, &start, &next, true);
	assert_non_null(strstr(said, "freed 100M of 128M asked for, 3.0M of it stay as swap in "
				     "memory, 2 agings"));
	said[0] = '\0';
	/* A dry run has a cost and no savings. */
	totals = (struct summary_totals){.executor = {.dry_bytes = 1 << 20}, .now_usec = 1000000};
	summary_say(&summary, &start, &totals, false);
	assert_non_null(strstr(said, INFO("dry run: would have asked for 1.0M")));
	assert_non_null(strstr(said, "own cost: 0 ms of CPU time in 1 s, 0.000% of one core"));
	assert_null(strstr(said, "saved"));
	assert_null(strstr(said, "longest write"));
}

static void test_summary_of_cgroups(void **state _unused_)
{
	struct summary_totals former = {.changes = {2, 7}}, totals = {.changes = {5, 8}};
	struct summary summary = {0};

	summary_say(&summary, &former, &totals, false);
	assert_said(INFO("3 cgroups appeared, 1 vanished"));
	former = totals;
	totals.dying = 1999;
	summary_say(&summary, &former, &totals, false);
	assert_said("");
	totals.dying = 2012;
	summary_say(&summary, &former, &totals, false);
	assert_said(INFO("2012 dying cgroups: removed, but memory or something else of theirs is "
			 "left"));
	/* Again when they have doubled, not each minute; and when they had become few. */
	totals.dying = 4023;
	summary_say(&summary, &former, &totals, false);
	assert_said("");
	totals.dying = 4024;
	summary_say(&summary, &former, &totals, false);
	assert_non_null(strstr(said, "4024 dying"));
	said[0] = '\0';
	totals.dying = SAMPLE_UNKNOWN;
	summary_say(&summary, &former, &totals, false);
	totals.dying = 2000;
	summary_say(&summary, &former, &totals, false);
	assert_non_null(strstr(said, "2000 dying"));
}

/* The whole way, from a tree and its files. */
static void test_summary_of_a_tree(void **state)
{
	struct executor_totals totals = {.writes = 1, .freed_bytes = 8 << 20};
	const struct fixture *fixture = *state;
	struct histogram lag = {0};
	struct summary summary;
	struct memcg *memcg;
	struct tree tree;

	tree_open(&tree, state);
	add(&tree, "/a");
	fixture_write(fixture, fixture_memcg_file("", "cgroup.stat"),
		      "nr_dying_descendants 3000\n");
	scan(&tree, 1);
	summary_init(&summary);
	memcg = find(&tree, "/a");
	memcg->state.last.refault_pages[LRU_FILE] = 10;
	summary_tell(&summary, tree.hierarchy, &totals, fixture->root, 0, &lag, false);
	savings_book(memcg, LRU_FILE, 8 << 20, 0);
	memcg->state.last.refault_pages[LRU_FILE] += (2 << 20) / (uint64_t)sysconf(_SC_PAGESIZE);
	summary_tell(&summary, tree.hierarchy, &totals, fixture->root, 0, &lag, false);
	/* Not once a tick. */
	assert_said("");
	for (unsigned i = 0; i < 199; i++)
		histogram_enter(&lag, 1000);
	histogram_enter(&lag, 31500);
	summary_tell(&summary, tree.hierarchy, &totals, fixture->root, 0, &lag, true);
	assert_non_null(strstr(said, "saved at present: 6.0M, of 8.0M freed since the start: 2.0M "
				     "came back, 0B have"));
	assert_non_null(strstr(said, "own cost: "));
	assert_non_null(strstr(said, "by up to 31 ms, 99 times in 100 by 2 ms at most"));
	assert_non_null(strstr(said, "3000 dying cgroups"));
	tree_close(&tree);
}

/* users.md 65: min_ttl_ms, with which the kernel kills early, is nothing that we touch; it is said when
 * it is set, and not again. */
static void test_min_ttl(void **state)
{
	const struct fixture *fixture = *state;
	struct lru_gen lru_gen = {.read_fd = -1, .write_fd = -1};
	struct feature_host host = {
		.root = fixture->root,
		.why_not = "none",
		.lru_gen = &lru_gen,
	};
	struct features former, features;

	fixture_write(fixture, "sys/kernel/mm/lru_gen/min_ttl_ms", "0\n");
	features_probe(&former, &host);
	report_features(&former);
	assert_null(strstr(said, "min_ttl"));
	said[0] = '\0';
	features = former;
	fixture_write(fixture, "sys/kernel/mm/lru_gen/min_ttl_ms", "1000\n");
	assert_true(features_refresh(&features, &host));
	report_changes(&former, &features);
	assert_said("MESSAGE=lru_gen/min_ttl_ms is 1000: rather than reclaim what was used within "
		    "that time the kernel kills. Remedy: echo 0 >/sys/kernel/mm/lru_gen/"
		    "min_ttl_ms|PRIORITY=5|MESSAGE_ID=" MESSAGE_DEGRADED "\n");
	former = features;
	assert_false(features_refresh(&features, &host));
	report_changes(&former, &features);
	assert_said("");
	report_features(&features);
	assert_non_null(strstr(said, "min_ttl_ms is 1000"));
	feature_files_close(&host.files);
}

/* The journal gets all, until somebody wants less of it. */
static void test_log_level(void **state)
{
	(void)state;
	assert_string_equal(log_target(), "journal");
	assert_string_equal(log_level(), "debug");
	assert_int_equal(log_set_level("warning"), 0);
	log_notice("one");
	log_warning("two");
	assert_said("MESSAGE=two|PRIORITY=4\n");
	assert_int_equal(log_set_target("console"), 0);
	assert_string_equal(log_level(), "notice");
	log_warning("three");
	assert_said("");
	assert_int_equal(log_set_target("journal"), 0);
	assert_string_equal(log_level(), "warning");
	assert_int_equal(log_set_level("debug"), 0);
	assert_int_equal(log_set_level("loud"), -EINVAL);
	assert_int_equal(log_set_target("null"), -EINVAL);
	assert_string_equal(log_level(), "debug");
}

static void assert_status(int fd, const struct tree *tree, bool dry_run, const char *wanted)
{
	const struct features features = {.capability = CAPABILITY_TIERS};
	const struct executor_totals totals = {.freed_bytes = 8 << 20, .dry_bytes = 4096};
	struct report_pace pace = {0};
	char text[256] = "";
	size_t n;
	struct memcg *const *memcgs = hierarchy_memcgs(tree->hierarchy, &n);

	report_status(&pace, &features, dry_run, memcgs, n, &totals);
	assert_true(recv(fd, text, sizeof(text) - 1, 0) > 0);
	assert_string_equal(text, wanted);
	report_status(&pace, &features, dry_run, memcgs, n, &totals); /* too soon */
	assert_true(recv(fd, text, sizeof(text) - 1, 0) < 0);
}

/* The line of systemctl status; what is paused is in it. */
static void test_status(void **state)
{
	struct tree tree;
	int fd = fixture_open_notify_socket(*state);

	tree_open(&tree, state);
	add(&tree, "/a");
	add(&tree, "/b");
	scan(&tree, 1);
	assert_status(fd, &tree, false, "STATUS=tiers: 2 of 3 memcgs, 8.0M freed, 0 held back");
	assert_status(fd, &tree, true,
		      "STATUS=tiers, dry run: 2 of 3 memcgs, would have asked for 4.0K");
	find(&tree, "/a")->paused = true;
	find(&tree, "/b")->state.hold_until_usec = 7;
	assert_status(fd, &tree, false,
		      "STATUS=tiers: 2 of 3 memcgs, 8.0M freed, 1 held back, 1 paused");
	assert_status(fd, &tree, true,
		      "STATUS=tiers, dry run: 2 of 3 memcgs, would have asked for 4.0K, 1 paused");
	find(&tree, "/")->paused = find(&tree, "/b")->paused = true;
	assert_status(fd, &tree, false,
		      "STATUS=paused; tiers: 2 of 3 memcgs, 8.0M freed, 1 held back");
	assert_status(fd, &tree, true,
		      "STATUS=paused; tiers, dry run: 2 of 3 memcgs, would have asked for 4.0K");
	unsetenv("NOTIFY_SOCKET");
	close(fd);
	tree_close(&tree);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		REPORT_TEST(test_min_ttl),
		REPORT_TEST(test_status),
		REPORT_TEST(test_log_level),
		REPORT_TEST(test_advice),
		REPORT_TEST(test_waiting_classes),
		REPORT_TEST(test_summary),
		REPORT_TEST(test_summary_of_cgroups),
		REPORT_TEST(test_summary_of_a_tree),
	};

	return cmocka_run_group_tests_name("report", tests, NULL, NULL);
}
