/* SPDX-License-Identifier: MIT */
/*
 * Pauses: of the host, of a cgroup and what is below it; by a path or the end of one. What is queued
 * and under way there ends, memory.low is put back at once, what goes on starts over.
 */
#include "pause.h"
#include "macro.h"
#include "protector.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "fake-ring.h"
#include "hierarchy-tree.h"

#define MIB (UINT64_C(1) << 20)

struct bench {
	struct tree tree;
	struct lru_gen lru_gen;
	struct features features;
	struct pass pass;
	struct ring ring;
	struct executor *executor;
	struct protector *protector;
	struct pause pause;
	unsigned n_changes;
	uint64_t now_usec;
};

/* As the manager does. */
static void on_changed(void *userdata)
{
	struct bench *bench = userdata;

	bench->n_changes++;
	protector_apply(bench->protector, false);
}

static void bench_open(struct bench *bench, void **state)
{
	static const char *const paths[] = {"/a",  "/a/x.service", "/a/y.service",
					    "/ab", "/b",           "/b/x.service"};
	struct protector_settings settings = {.root = ((struct fixture *)*state)->root};

	*bench = (struct bench){.lru_gen = {.read_fd = -1, .write_fd = -1}};
	tree_open(&bench->tree, state);
	config_free(bench->tree.config);
	bench->tree.config = fixture_config(bench->tree.fixture,
					    "[Agent]\nWriteMax=16M\nConcurrency=4\nDryRun=no\n");
	fixture_mkdir(bench->tree.fixture, "run");
	for (size_t i = 0; i < ARRAY_SIZE(paths); i++) {
		fixture_add_memcg(bench->tree.fixture, paths[i]);
		fixture_write(bench->tree.fixture, fixture_memcg_file(paths[i], "memory.low"),
			      "0\n");
		fixture_write(bench->tree.fixture, fixture_memcg_file(paths[i], "memory.current"),
			      "1073741824\n");
	}
	scan(&bench->tree, ++bench->now_usec);
	fake_ring_init(&bench->ring, bench->tree.fixture);
	assert_int_equal(executor_new(&bench->ring, &bench->lru_gen, &bench->executor), 0);
	executor_configure(bench->executor, bench->tree.config, false);
	settings.hierarchy = bench->tree.hierarchy;
	assert_int_equal(protector_new(&settings, &bench->protector), 0);
	assert_int_equal(pass_init(&bench->pass, bench->tree.fixture->root, bench->tree.hierarchy,
				   &bench->lru_gen, &bench->features),
			 0);
	bench->pause = (struct pause){
		.pass = &bench->pass,
		.executor = bench->executor,
		.changed = on_changed,
		.userdata = bench,
	};
}

static void bench_close(struct bench *bench)
{
	protector_end(bench->protector);
	protector_free(bench->protector);
	fake_ring_complete_all(&bench->ring);
	executor_free(bench->executor);
	pause_done(&bench->pause);
	pass_done(&bench->pass);
	tree_close(&bench->tree);
}

static void look(struct bench *bench)
{
	struct plan plan;

	bench->now_usec += 5000000;
	assert_int_equal(
		pass_look(&bench->pass, bench->tree.config, bench->now_usec, 5000000, &plan), 0);
}

/* 40 MiB of a memcg, to be taken in steps of 16. */
static void reclaim(struct bench *bench, const char *const *paths, size_t n)
{
	struct decision decisions[8];
	struct plan plan = {.decisions = decisions, .capacity = 8, .n_decisions = n};
	struct memcg *const *memcgs;
	size_t n_memcgs;

	for (size_t i = 0; i < n; i++)
		decisions[i] = (struct decision){
			.memcg = find(&bench->tree, paths[i])->index,
			.action = ACTION_RECLAIM,
			.reason = REASON_HEADROOM,
			.bytes = 40 * MIB,
		};
	memcgs = hierarchy_memcgs(bench->tree.hierarchy, &n_memcgs);
	executor_start(bench->executor, &plan, memcgs);
}

static void assert_begins(struct bench *bench, const char *cgroup, int wanted,
			  const char *wanted_path)
{
	char *path = NULL;

	assert_int_equal(pause_begin(&bench->pause, cgroup, &path), wanted);
	if (wanted_path)
		assert_string_equal(path, wanted_path);
	else
		assert_null(path);
	free(path);
}

static void assert_ends(struct bench *bench, const char *cgroup, int wanted,
			const char *wanted_path)
{
	char *path = NULL;

	assert_int_equal(pause_end(&bench->pause, cgroup, &path), wanted);
	if (wanted_path)
		assert_string_equal(path, wanted_path);
	else
		assert_null(path);
	free(path);
}

/* Each that is paused, a blank behind it. */
static const char *who_is_paused(struct bench *bench)
{
	static const char *const paths[] = {
		"/",   "/a", "/a/new", "/a/x.service", "/a/y.service",
		"/ab", "/b", "/b/new", "/b/x.service",
	};
	static char text[256];

	text[0] = '\0';
	for (size_t i = 0; i < ARRAY_SIZE(paths); i++) {
		const struct memcg *memcg = find(&bench->tree, paths[i]);

		if (memcg && memcg->paused)
			strcat(strcat(text, paths[i]), " ");
	}
	return text;
}

static void test_which(void **state)
{
	struct bench bench;

	bench_open(&bench, state);
	assert_begins(&bench, "/none", -ENOENT, NULL);
	assert_begins(&bench, "x.service", -ENOTUNIQ, NULL);
	assert_begins(&bench, ".service", -ENOENT, NULL); /* not from the start of a name */
	assert_begins(&bench, "/x.service", -ENOENT, NULL);
	assert_ends(&bench, "/none", -ENOENT, NULL);
	assert_int_equal(bench.n_changes, 0);
	assert_string_equal(who_is_paused(&bench), "");

	assert_begins(&bench, "b/x.service/", 0, "/b/x.service");
	assert_string_equal(who_is_paused(&bench), "/b/x.service ");
	assert_begins(&bench, "/a", 0, "/a");
	assert_string_equal(who_is_paused(&bench), "/a /a/x.service /a/y.service /b/x.service ");
	assert_int_equal(bench.n_changes, 2);
	/* Once more, and what it holds for anyway. */
	assert_begins(&bench, "/a", 0, "/a");
	assert_begins(&bench, "y.service", 0, "/a");
	assert_int_equal(bench.n_changes, 2);
	assert_ends(&bench, "y.service", -EBUSY, "/a");
	assert_ends(&bench, "/ab", 0, "/ab");
	assert_int_equal(bench.n_changes, 2);
	/* Of two such names the one that is paused is meant. */
	assert_ends(&bench, "x.service", 0, "/b/x.service");
	assert_string_equal(who_is_paused(&bench), "/a /a/x.service /a/y.service ");
	assert_begins(&bench, "", 0, "/");
	assert_int_equal(bench.pause.set.n, 1);
	assert_ends(&bench, "/a", -EBUSY, "/");
	assert_ends(&bench, "", 0, "/");
	assert_string_equal(who_is_paused(&bench), "");
	assert_null(bench.pause.set.paths[0]);
	/* What is below ends with it. */
	assert_begins(&bench, "/a/x.service", 0, "/a/x.service");
	assert_begins(&bench, "/b", 0, "/b");
	assert_ends(&bench, "/a", 0, "/a");
	assert_string_equal(who_is_paused(&bench), "/b /b/x.service ");
	assert_ends(&bench, "/", 0, "/");
	assert_string_equal(who_is_paused(&bench), "");
	bench_close(&bench);
}

/* A pause holds for the path, whoever has it. */
static void test_comes_and_goes(void **state)
{
	struct bench bench;

	bench_open(&bench, state);
	assert_begins(&bench, "/b", 0, "/b");
	drop(&bench.tree, "/b");
	add(&bench.tree, "/a/new");
	look(&bench);
	assert_string_equal(who_is_paused(&bench), "");
	add(&bench.tree, "/b");
	add(&bench.tree, "/b/new");
	look(&bench);
	assert_string_equal(who_is_paused(&bench), "/b /b/new ");
	hierarchy_classify(bench.tree.hierarchy, bench.tree.config); /* a reload */
	assert_string_equal(who_is_paused(&bench), "/b /b/new ");
	drop(&bench.tree, "/b");
	look(&bench);
	assert_ends(&bench, "b", 0, "/b");
	assert_ends(&bench, "b", -ENOENT, NULL);
	bench_close(&bench);
}

static void test_writes_end(void **state)
{
	static const char *const paths[] = {"/a/x.service", "/b/x.service", "/a/y.service"};
	struct bench bench;

	bench_open(&bench, state);
	bench.ring.freed_bytes = 16 * MIB;
	reclaim(&bench, paths, 2);
	assert_int_equal(bench.ring.n_requests, 2);
	assert_begins(&bench, "/a", 0, "/a");
	assert_true(bench.ring.ended[0]);
	assert_false(bench.ring.ended[1]);
	fake_ring_complete_all(&bench.ring);
	assert_string_equal(bench.ring.log, "/a/x.service: 16777216 swappiness=0;"
					    "/b/x.service: 16777216 swappiness=0;"
					    "/b/x.service: 16777216 swappiness=0;"
					    "/b/x.service: 8388608 swappiness=0;");
	assert_int_equal(find(&bench.tree, paths[0])->outcome.failures, 0);
	/* A plan of before, and one that was queued behind others. */
	reclaim(&bench, paths, 3);
	assert_int_equal(bench.ring.n_requests, 1);
	assert_begins(&bench, "", 0, "/");
	fake_ring_complete_all(&bench.ring);
	assert_int_equal(bench.ring.n_writes, 5);
	reclaim(&bench, paths, 3);
	assert_int_equal(bench.ring.n_writes, 5);
	assert_true(executor_is_idle(bench.executor));
	assert_ends(&bench, "", 0, "/");
	reclaim(&bench, paths, 3);
	assert_int_equal(bench.ring.n_requests, 3);
	bench_close(&bench);
}

static void test_queued_is_dropped(void **state)
{
	static const char *const paths[] = {"/b/x.service", "/a/x.service", "/a/y.service"};
	struct bench bench;

	bench_open(&bench, state);
	config_free(bench.tree.config);
	bench.tree.config =
		fixture_config(bench.tree.fixture, "[Agent]\nConcurrency=1\nDryRun=no\n");
	executor_configure(bench.executor, bench.tree.config, false);
	reclaim(&bench, paths, 3);
	assert_int_equal(bench.ring.n_requests, 1);
	assert_begins(&bench, "/a", 0, "/a");
	assert_ends(&bench, "/a", 0, "/a");
	fake_ring_complete_all(&bench.ring);
	assert_null(strstr(bench.ring.log, "/a"));
	bench_close(&bench);
}

static const char *low_of(struct bench *bench, const char *path)
{
	static char text[64];

	fixture_read(bench->tree.fixture, fixture_memcg_file(path, "memory.low"), text,
		     sizeof(text));
	return text;
}

/* At once, not with the next look. */
static void test_low_is_put_back(void **state)
{
	struct bench bench;

	bench_open(&bench, state);
	find(&bench.tree, "/a/x.service")->state.protect.low_bytes = 50 * MIB;
	find(&bench.tree, "/ab")->state.protect.low_bytes = 40 * MIB;
	protector_apply(bench.protector, false);
	assert_string_equal(low_of(&bench, "/a/x.service"), "52428800\n");
	assert_begins(&bench, "/a", 0, "/a");
	assert_string_equal(low_of(&bench, "/a/x.service"), "0\n");
	assert_string_equal(low_of(&bench, "/ab"), "41943040\n");
	assert_begins(&bench, "", 0, "/");
	assert_string_equal(low_of(&bench, "/ab"), "0\n");
	bench_close(&bench);
}

/* Only those that go on, and they as after a long absence. */
static void test_history_starts_over(void **state)
{
	struct bench bench;

	bench_open(&bench, state);
	assert_begins(&bench, "/a", 0, "/a");
	assert_false(find(&bench.tree, "/a/x.service")->state.rebase);
	assert_ends(&bench, "/a", 0, "/a");
	assert_true(find(&bench.tree, "/a/x.service")->state.rebase);
	assert_false(find(&bench.tree, "/ab")->state.rebase);
	bench_close(&bench);
}

/* In the log, once each, at notice. */
static void test_is_said(void **state)
{
	struct bench bench;
	char text[1024];
	int stderr_fd;

	bench_open(&bench, state);
	stderr_fd = fixture_log_begin(bench.tree.fixture);
	assert_begins(&bench, "/a/x.service", 0, "/a/x.service");
	assert_begins(&bench, "/a/x.service", 0, "/a/x.service");
	assert_begins(&bench, "", 0, "/");
	assert_ends(&bench, "", 0, "/");
	assert_ends(&bench, "", 0, "/");
	fixture_log_end(bench.tree.fixture, stderr_fd, text, sizeof(text));
	assert_string_equal(text, "fgreclaimd: /a/x.service: paused: nothing is reclaimed or "
				  "protected until fgreclaimctl resume\n"
				  "fgreclaimd: the host: paused: nothing is reclaimed or protected "
				  "until fgreclaimctl resume\n"
				  "fgreclaimd: the host: goes on after a pause\n");
	bench_close(&bench);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		FIXTURE_TEST(test_which),           FIXTURE_TEST(test_comes_and_goes),
		FIXTURE_TEST(test_writes_end),      FIXTURE_TEST(test_queued_is_dropped),
		FIXTURE_TEST(test_low_is_put_back), FIXTURE_TEST(test_history_starts_over),
		FIXTURE_TEST(test_is_said),
	};

	return cmocka_run_group_tests_name("pause", tests, NULL, NULL);
}
