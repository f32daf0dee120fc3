/* SPDX-License-Identifier: MIT */
/*
 * Plans carried out through the real ring, onto files and pipes in place of memory.reclaim: what
 * arrives there, results as the kernel gives them, deadlines, stopping, and the dry run. Compiled for
 * each backend, TEST_RING.
 */
#include "executor.h"
#include "hierarchy.h"
#include "macro.h"

#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>
#include <sys/eventfd.h>
#include <cmocka.h>

#include "fixture.h"

#define MIB      (UINT64_C(1) << 20)
#define PATIENCE UINT64_C(60000000)

struct bench {
	const struct fixture *fixture;
	sd_event *event;
	struct ring *ring; /* NULL: io_uring is refused here */
	struct config *config;
	struct hierarchy *hierarchy;
	struct lru_gen lru_gen;
	struct executor *executor;
	struct decision decisions[8];
	struct plan plan;
};

static void bench_open(struct bench *bench, void **state)
{
	const char *why;
	int uring_error;

	*bench = (struct bench){.fixture = *state};
	bench->plan = (struct plan){.decisions = bench->decisions,
				    .capacity = ARRAY_SIZE(bench->decisions)};
	fixture_add_cgroups(bench->fixture);
	for (char path[] = "/a"; path[1] <= 'd'; path[1]++) {
		fixture_add_memcg(bench->fixture, path);
		fixture_write(bench->fixture, fixture_memcg_file(path, "memory.current"),
			      "1073741824\n");
	}
	fixture_write(bench->fixture, "sys/kernel/debug/lru_gen", "");
	bench->config = fixture_config(bench->fixture, "[Agent]\nWriteMax=16M\nConcurrency=2\n"
						       "WriteDeadline=10s\nDryRun=no\n");
	assert_int_equal(hierarchy_open(bench->fixture->root, &bench->hierarchy, &why), 0);
	assert_int_equal(hierarchy_scan(bench->hierarchy, bench->config, 0), 0);
	lru_gen_open(&bench->lru_gen, bench->fixture->root);
	assert_true(sd_event_new(&bench->event) >= 0);
	ring_open(bench->event, TEST_RING, &bench->ring, &uring_error);
	assert_int_equal(executor_new(bench->ring, &bench->lru_gen, &bench->executor), 0);
	executor_configure(bench->executor, bench->config, false);
}

static void bench_close(struct bench *bench)
{
	assert_true(executor_is_idle(bench->executor));
	executor_free(bench->executor);
	ring_close(bench->ring);
	sd_event_unref(bench->event);
	lru_gen_close(&bench->lru_gen);
	hierarchy_close(bench->hierarchy);
	config_free(bench->config);
}

static void require_ring(struct bench *bench)
{
	if (bench->ring)
		return;
	bench_close(bench);
	skip();
}

static struct memcg *find(const struct bench *bench, const char *path)
{
	struct memcg *memcg = hierarchy_find(bench->hierarchy, path, strlen(path));

	assert_non_null(memcg);
	return memcg;
}

static void decide(struct bench *bench, const char *path, enum action_kind action, uint64_t bytes)
{
	bench->decisions[bench->plan.n_decisions++] = (struct decision){
		.memcg = find(bench, path)->index,
		.action = action,
		.reason = REASON_HEADROOM,
		.seq = 3,
		.bytes = bytes,
	};
}

static void start(struct bench *bench)
{
	size_t n;

	executor_start(bench->executor, &bench->plan, hierarchy_memcgs(bench->hierarchy, &n));
	bench->plan.n_decisions = 0;
}

/* Runs the loop until all is done; no more than two writes may ever be under way. */
static void run(struct bench *bench)
{
	uint64_t end_usec = fixture_now_usec() + PATIENCE;

	while (!executor_is_idle(bench->executor)) {
		assert_true(fixture_now_usec() < end_usec);
		assert_true(ring_in_flight(bench->ring) <= 2);
		assert_true(sd_event_run(bench->event, 10000) >= 0);
	}
}

static void assert_text(const struct bench *bench, const char *name, const char *wanted)
{
	char text[256];

	fixture_read(bench->fixture, name, text, sizeof(text));
	assert_string_equal(text, wanted);
}

/* Files take everything and free nothing: one write each, of one step. */
static void test_files(void **state)
{
	struct bench bench;

	bench_open(&bench, state);
	require_ring(&bench);
	find(&bench, "/b")->listing_id = 12;
	decide(&bench, "/a", ACTION_RECLAIM, 40 * MIB);
	decide(&bench, "/b", ACTION_AGE, 0);
	decide(&bench, "/c", ACTION_RECLAIM, 5);
	start(&bench);
	run(&bench);
	assert_text(&bench, fixture_memcg_file("/a", "memory.reclaim"), "16777216 swappiness=0");
	assert_text(&bench, fixture_memcg_file("/c", "memory.reclaim"), "5 swappiness=0");
	assert_text(&bench, fixture_memcg_file("/d", "memory.reclaim"), "");
	assert_text(&bench, "sys/kernel/debug/lru_gen", "+ 12 0 3 0 0");
	for (char path[] = "/a"; path[1] <= 'c'; path[1]++) {
		assert_int_equal(find(&bench, path)->outcome.writes, 1);
		assert_int_equal(find(&bench, path)->outcome.failures, 0);
		assert_int_equal(find(&bench, path)->outcome.freed_bytes, 0);
	}
	assert_int_equal(find(&bench, "/b")->outcome.agings, 1);
	assert_true(find(&bench, "/b")->outcome.aging_usec > 0);
	assert_int_equal(find(&bench, "/b")->outcome.aging_usec,
			 find(&bench, "/b")->outcome.write_usec);
	bench_close(&bench);
}

static void make_full_pipe(int pipes[2])
{
	assert_int_equal(pipe2(pipes, O_CLOEXEC | O_NONBLOCK), 0);
	while (write(pipes[1], "x", 1) > 0)
		;
	assert_int_equal(fcntl(pipes[1], F_SETFL, 0), 0);
}

/* Results as the kernel itself gives them; descriptors in place of memory.reclaim. */
static void test_results(void **state)
{
	struct bench bench;
	int pipes[2];

	bench_open(&bench, state);
	require_ring(&bench);
	make_full_pipe(pipes);
	find(&bench, "/a")->reclaim_fd = open("/dev/full", O_WRONLY | O_CLOEXEC); /* ENOSPC */
	find(&bench, "/b")->reclaim_fd = eventfd(0, EFD_CLOEXEC); /* EINVAL: under 8 bytes */
	find(&bench, "/c")->reclaim_fd = pipes[1];                /* until its deadline */
	find(&bench, "/d")->reclaim_fd = open("/dev/null", O_WRONLY | O_CLOEXEC);
	for (char path[] = "/a"; path[1] <= 'd'; path[1]++)
		if (path[1] != 'c')
			decide(&bench, path, ACTION_RECLAIM, 4096);
	start(&bench);
	run(&bench);
	bench.config->write_deadline_usec = 100000;
	decide(&bench, "/c", ACTION_RECLAIM, 4096);
	start(&bench);
	run(&bench);
	for (char path[] = "/a"; path[1] <= 'd'; path[1]++) {
		assert_int_equal(find(&bench, path)->outcome.writes, 1);
		assert_int_equal(find(&bench, path)->outcome.failures, path[1] < 'c');
	}
	assert_int_equal(executor_totals(bench.executor)->failures, 2);
	close(pipes[0]);
	bench_close(&bench);
}

/* Blocked writers end by their deadline, and the next in the queue have their turn. */
static void test_deadlines(void **state)
{
	uint64_t begun_usec = fixture_now_usec();
	struct bench bench;
	int pipes[2];

	bench_open(&bench, state);
	require_ring(&bench);
	bench.config->write_deadline_usec = 1000000;
	make_full_pipe(pipes);
	for (char path[] = "/a"; path[1] <= 'c'; path[1]++) {
		find(&bench, path)->reclaim_fd = dup(pipes[1]);
		decide(&bench, path, ACTION_RECLAIM, 40 * MIB);
	}
	decide(&bench, "/d", ACTION_RECLAIM, 40 * MIB);
	start(&bench);
	run(&bench);
	assert_true(fixture_now_usec() - begun_usec >= 2000000);
	for (char path[] = "/a"; path[1] <= 'c'; path[1]++) {
		assert_int_equal(find(&bench, path)->outcome.writes, 1);
		assert_int_equal(find(&bench, path)->outcome.failures, 0);
		assert_true(find(&bench, path)->outcome.write_usec >= 1000000);
		assert_int_equal(find(&bench, path)->outcome.aging_usec, 0);
	}
	assert_text(&bench, fixture_memcg_file("/d", "memory.reclaim"), "16777216 swappiness=0");
	close(pipes[0]);
	close(pipes[1]);
	bench_close(&bench);
}

static void test_stop(void **state)
{
	struct bench bench;
	int pipes[2];

	bench_open(&bench, state);
	require_ring(&bench);
	bench.config->write_deadline_usec = 60 * PATIENCE;
	make_full_pipe(pipes);
	find(&bench, "/a")->reclaim_fd = dup(pipes[1]);
	find(&bench, "/b")->reclaim_fd = pipes[1];
	for (char path[] = "/a"; path[1] <= 'd'; path[1]++)
		decide(&bench, path, ACTION_RECLAIM, MIB);
	start(&bench);
	assert_int_equal(ring_in_flight(bench.ring), 2);
	executor_stop(bench.executor);
	run(&bench);
	assert_text(&bench, fixture_memcg_file("/c", "memory.reclaim"), "");
	assert_int_equal(find(&bench, "/c")->references, 0);
	close(pipes[0]);
	bench_close(&bench);
}

/* The cgroup goes while the write in it is blocked: found gone, and freed, when that ends. */
static void test_vanished_memcg(void **state)
{
	struct memcg *memcg;
	struct bench bench;
	int pipes[2];

	bench_open(&bench, state);
	require_ring(&bench);
	bench.config->write_deadline_usec = 100000;
	make_full_pipe(pipes);
	memcg = find(&bench, "/a");
	memcg->reclaim_fd = pipes[1];
	decide(&bench, "/a", ACTION_RECLAIM, MIB);
	start(&bench);
	fixture_remove(bench.fixture, fixture_memcg_file("/a", ""));
	assert_int_equal(hierarchy_scan(bench.hierarchy, bench.config, 1), 0);
	assert_int_equal(memcg->scan, MEMCG_VANISHED);
	assert_true(memcg->busy);
	run(&bench);
	close(pipes[0]);
	bench_close(&bench);
}

static void plan_everything(struct bench *bench)
{
	for (char path[] = "/a"; path[1] <= 'd'; path[1]++)
		decide(bench, path, path[1] == 'a' ? ACTION_AGE : ACTION_RECLAIM, 3 * MIB);
	start(bench);
}

static void assert_untouched(const struct bench *bench)
{
	for (char path[] = "/a"; path[1] <= 'd'; path[1]++) {
		assert_text(bench, fixture_memcg_file(path, "memory.reclaim"), "");
		assert_int_equal(find(bench, path)->outcome.writes, 0);
		assert_true(find(bench, path)->references == 0 && !find(bench, path)->busy);
	}
	assert_text(bench, "sys/kernel/debug/lru_gen", "");
}

static void test_dry_run(void **state)
{
	struct bench bench;

	bench_open(&bench, state);
	executor_configure(bench.executor, bench.config, true);
	plan_everything(&bench);
	assert_true(executor_is_idle(bench.executor));
	assert_untouched(&bench);
	assert_int_equal(executor_totals(bench.executor)->writes, 0);
	assert_int_equal(executor_totals(bench.executor)->freed_bytes, 0);
	assert_true(executor_totals(bench.executor)->dry_bytes >= 9 * MIB);

	/* Without a ring there are dry runs only, whatever the configuration says. */
	executor_free(bench.executor);
	assert_int_equal(executor_new(NULL, &bench.lru_gen, &bench.executor), 0);
	executor_configure(bench.executor, bench.config, false);
	plan_everything(&bench);
	assert_untouched(&bench);
	executor_stop(bench.executor);
	bench_close(&bench);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		FIXTURE_TEST(test_files),          FIXTURE_TEST(test_results),
		FIXTURE_TEST(test_deadlines),      FIXTURE_TEST(test_stop),
		FIXTURE_TEST(test_vanished_memcg), FIXTURE_TEST(test_dry_run),
	};

	return cmocka_run_group_tests_name(ring_choice_to_string(TEST_RING), tests, NULL, NULL);
}
