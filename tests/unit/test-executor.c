/* SPDX-License-Identifier: MIT */
/*
 * Plans carried out against a fake ring and kernel (fake-ring.h): texts, steps, order, what counts
 * as freed and what as a failure, and that a memcg which vanishes meanwhile is freed once.
 * With the real ring: test-executor-ring.c.
 */
#include "executor.h"
#include "hierarchy.h"
#include "log.h"
#include "macro.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>
#include <cmocka.h>

#include "fake-ring.h"

#define MIB  (UINT64_C(1) << 20)
#define PAGE ((uint64_t)sysconf(_SC_PAGESIZE))

struct bench {
	const struct fixture *fixture;
	struct config *config;
	struct hierarchy *hierarchy;
	struct lru_gen lru_gen;
	struct ring ring;
	struct executor *executor;
	struct decision decisions[8];
	struct plan plan;
};

/* Four memcgs, /a to /d, of 1 GiB each. */
static void bench_open(struct bench *bench, void **state)
{
	struct memcg *const *memcgs;
	const char *why;
	size_t n;

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
	bench->config =
		fixture_config(bench->fixture, "[Agent]\nWriteMax=16M\nConcurrency=2\nDryRun=no\n");
	assert_int_equal(hierarchy_open(bench->fixture->root, &bench->hierarchy, &why), 0);
	assert_int_equal(hierarchy_scan(bench->hierarchy, bench->config, 0), 0);
	lru_gen_open(&bench->lru_gen, bench->fixture->root);
	fake_ring_init(&bench->ring, bench->fixture);
	assert_int_equal(executor_new(&bench->ring, &bench->lru_gen, &bench->executor), 0);
	executor_configure(bench->executor, bench->config, false);
	memcgs = hierarchy_memcgs(bench->hierarchy, &n);
	for (size_t i = 0; i < n; i++)
		memcgs[i]->listing_id = 1000 + i;
}

static void bench_close(struct bench *bench)
{
	assert_true(executor_is_idle(bench->executor));
	assert_null(executor_free(bench->executor));
	lru_gen_close(&bench->lru_gen);
	hierarchy_close(bench->hierarchy);
	config_free(bench->config);
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
		.node = 1,
		.seq = 7,
		.swappiness = action == ACTION_RECLAIM ? SWAPPINESS_FILE_ONLY : SWAPPINESS_ANON,
		.bytes = bytes,
	};
}

static void start(struct bench *bench)
{
	size_t n;

	executor_start(bench->executor, &bench->plan, hierarchy_memcgs(bench->hierarchy, &n));
	bench->plan.n_decisions = 0;
}

static void test_steps(void **state)
{
	struct bench bench;
	const struct outcome *outcome;

	bench_open(&bench, state);
	outcome = &find(&bench, "/a")->outcome;
	bench.ring.freed_bytes = 16 * MIB;
	decide(&bench, "/a", ACTION_RECLAIM, 40 * MIB);
	start(&bench);
	assert_true(find(&bench, "/a")->busy);
	fake_ring_complete_all(&bench.ring);
	assert_string_equal(bench.ring.log, "/a: 16777216 swappiness=0;/a: 16777216 swappiness=0;"
					    "/a: 8388608 swappiness=0;");
	assert_false(find(&bench, "/a")->busy);
	assert_int_equal(outcome->writes, 3);
	assert_int_equal(outcome->failures, 0);
	assert_int_equal(outcome->asked_bytes, 40 * MIB);
	assert_int_equal(outcome->freed_bytes, 40 * MIB);
	assert_int_equal(find(&bench, "/a")->freed.held_bytes[LRU_FILE], 40 * MIB);
	assert_int_equal(executor_totals(bench.executor)->writes, 3);
	assert_int_equal(executor_totals(bench.executor)->asked_bytes, 40 * MIB);
	assert_int_equal(executor_totals(bench.executor)->freed_bytes, 40 * MIB);
	bench_close(&bench);
}

/* users.md 55: what was done is said after the fact, with what came of it; EAGAIN is no more than that
 * (6), and nothing of it is above debug. */
static void test_said_after_the_fact(void **state)
{
	struct bench bench;
	char text[4096];
	int stderr_fd;

	bench_open(&bench, state);
	stderr_fd = fixture_log_begin(bench.fixture);
	for (int round = 0; round < 2; round++) {
		/* The second time with debug shown. */
		setenv("SYSTEMD_LOG_LEVEL", round ? "debug" : "info", true);
		log_open();
		bench.ring.result = -EAGAIN;
		bench.ring.freed_bytes = MIB;
		/* One that was told EAGAIN before is asked for less. */
		decide(&bench, round ? "/b" : "/a", ACTION_RECLAIM, 2 * MIB);
		start(&bench);
		fixture_read(bench.fixture, FIXTURE_LOG, text, sizeof(text));
		assert_string_equal(text, "");
		fake_ring_complete_all(&bench.ring);
		fixture_read(bench.fixture, FIXTURE_LOG, text, sizeof(text));
		assert_string_equal(text, round ? "fgreclaimd: /b: reclaimed file: freed 1024 of "
						  "2048 kB, partly done: Resource temporarily "
						  "unavailable\n"
						: "");
	}
	unsetenv("SYSTEMD_LOG_LEVEL");
	fixture_log_end(bench.fixture, stderr_fd, text, sizeof(text));
	bench_close(&bench);
}

/* Of two places one is for each of two classes, as long as both have something to do. */
static void test_classes_share_the_places(void **state)
{
	struct bench bench;
	struct config *config;

	bench_open(&bench, state);
	config = fixture_config(bench.fixture,
				"[Agent]\nConcurrency=2\nDryRun=no\n[Class many]\nMatch=/[abc]\n"
				"[Class one]\nMatch=/d\n");
	hierarchy_classify(bench.hierarchy, config);
	executor_configure(bench.executor, config, false);
	decide(&bench, "/a", ACTION_RECLAIM, MIB);
	decide(&bench, "/b", ACTION_RECLAIM, MIB);
	decide(&bench, "/c", ACTION_RECLAIM, MIB);
	decide(&bench, "/d", ACTION_RECLAIM, MIB);
	start(&bench);
	assert_string_equal(bench.ring.log, "/a: 1048576 swappiness=0;/d: 1048576 swappiness=0;");
	fake_ring_complete(&bench.ring);
	assert_int_equal(bench.ring.n_writes, 3);
	/* The one class is done: the other has both. */
	fake_ring_complete(&bench.ring);
	assert_true(find(&bench, "/b")->busy && find(&bench, "/c")->busy);
	fake_ring_complete_all(&bench.ring);
	assert_int_equal(bench.ring.n_writes, 4);
	config_free(bench.config);
	bench.config = config;
	bench_close(&bench);
}

/* A write that the kernel does not give back, long after its deadline, is noticed. */
static void test_a_write_that_never_ends(void **state)
{
	uint64_t deadline_usec, now_usec = fixture_now_usec();
	struct bench bench;

	bench_open(&bench, state);
	deadline_usec = bench.config->write_deadline_usec;
	decide(&bench, "/a", ACTION_AGE, 0);
	start(&bench);
	assert_false(executor_is_stalled(bench.executor, now_usec + deadline_usec));
	assert_false(executor_is_stalled(bench.executor,
					 now_usec + deadline_usec + EXECUTOR_STALL_USEC));
	now_usec = fixture_now_usec() + 1;
	assert_true(executor_is_stalled(bench.executor,
					now_usec + deadline_usec + EXECUTOR_STALL_USEC));
	fake_ring_complete_all(&bench.ring);
	assert_false(executor_is_stalled(bench.executor, UINT64_MAX));
	bench_close(&bench);
}

/* The longest of all writes, and how long one went on after its deadline. */
static void test_how_long_writes_take(void **state)
{
	const struct executor_totals *totals;
	uint64_t late_usec;
	struct bench bench;

	bench_open(&bench, state);
	totals = executor_totals(bench.executor);
	decide(&bench, "/a", ACTION_AGE, 0);
	start(&bench);
	fake_ring_complete_all(&bench.ring);
	assert_int_equal(totals->late_most_usec, 0);

	bench.config->write_deadline_usec = 10000;
	decide(&bench, "/a", ACTION_AGE, 0);
	start(&bench);
	usleep(25000);
	fake_ring_complete_all(&bench.ring);
	assert_true(totals->took_most_usec >= 25000);
	late_usec = totals->late_most_usec;
	assert_int_equal(late_usec, totals->took_most_usec - 10000);

	/* One in time changes nothing of that. */
	bench.config->write_deadline_usec = 60000000;
	decide(&bench, "/a", ACTION_AGE, 0);
	start(&bench);
	fake_ring_complete_all(&bench.ring);
	assert_int_equal(totals->late_most_usec, late_usec);
	bench_close(&bench);
}

static void test_nothing_freed(void **state)
{
	struct bench bench;

	bench_open(&bench, state);
	decide(&bench, "/a", ACTION_RECLAIM, 40 * MIB);
	bench.decisions[0].swappiness = SWAPPINESS_DEFAULT;
	start(&bench);
	fake_ring_complete_all(&bench.ring);
	assert_string_equal(bench.ring.log, "/a: 16777216;");
	assert_int_equal(find(&bench, "/a")->outcome.writes, 1);
	assert_int_equal(find(&bench, "/a")->outcome.asked_bytes, 16 * MIB);
	assert_int_equal(find(&bench, "/a")->outcome.freed_bytes, 0);
	bench_close(&bench);
}

/* pgsteal or the fall of memory.current, whichever says more; of that no more than was asked for, the
 * rest was given up by the memcg itself; and never a number that wrapped. */
static void test_what_was_freed(void **state)
{
	const struct {
		uint64_t fallen_bytes, stolen_pages, freed_bytes;
	} cases[] = {
		{0, 256, 256 * PAGE},  /* the cgroup grew by as much meanwhile */
		{1 * MIB, 0, 1 * MIB}, /* memory.stat lags */
		{1 * MIB, 512, 512 * PAGE},
		{4 * MIB, 512, 512 * PAGE},
		{4 * MIB, 0, 1 * MIB},
		{(uint64_t)(-8 * (int64_t)MIB), 16, 16 * PAGE},
		{(uint64_t)(-8 * (int64_t)MIB), 0, 0},
	};
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		const struct outcome *outcome;
		struct bench bench;

		bench_open(&bench, state);
		outcome = &find(&bench, "/a")->outcome;
		decide(&bench, "/a", ACTION_RECLAIM, 1 * MIB);
		start(&bench);
		fixture_printf(bench.fixture, fixture_memcg_file("/a", "memory.current"), "%ju\n",
			       (uintmax_t)(1024 * MIB - cases[i].fallen_bytes));
		bench.ring.stolen_pages = cases[i].stolen_pages;
		fake_ring_complete_all(&bench.ring);
		assert_int_equal(outcome->freed_bytes, cases[i].freed_bytes);
		assert_int_equal(outcome->stolen_pages[LRU_FILE], cases[i].stolen_pages);
		assert_int_equal(outcome->stolen_pages[LRU_ANON], 0);
		assert_int_equal(outcome->scanned_pages, 2 * cases[i].stolen_pages);
		bench_close(&bench);
	}
}

/* Where the kernel takes long over memory.stat, it is not waited for: memory.current tells. */
static void test_dear_counters_are_not_waited_for(void **state)
{
	static const uint64_t cpu_usec[] = {20000, 20001}, stolen_pages[] = {512, 0};
	for (size_t i = 0; i < ARRAY_SIZE(cpu_usec); i++) {
		struct memcg *memcg;
		struct bench bench;

		bench_open(&bench, state);
		memcg = find(&bench, "/a");
		memcg->cost.cpu_usec = cpu_usec[i];
		decide(&bench, "/a", ACTION_RECLAIM, 1 * MIB);
		start(&bench);
		fixture_printf(bench.fixture, fixture_memcg_file("/a", "memory.current"), "%ju\n",
			       (uintmax_t)(1023 * MIB));
		bench.ring.stolen_pages = 512;
		fake_ring_complete_all(&bench.ring);
		assert_int_equal(memcg->outcome.stolen_pages[LRU_FILE], stolen_pages[i]);
		assert_int_equal(memcg->outcome.freed_bytes, i == 0 ? 512 * PAGE : 1 * MIB);
		bench_close(&bench);
	}
}

static void test_results(void **state)
{
	static const struct {
		enum action_kind action;
		int result;
		uint64_t freed_bytes;
		unsigned failures, writes;
	} cases[] = {
		{ACTION_RECLAIM, 0, 0, 0, 1},
		{ACTION_RECLAIM, -EAGAIN, 4096, 0, 1}, /* some, though not all: no failure */
		{ACTION_RECLAIM, -EAGAIN, 0, 1, 1},
		{ACTION_RECLAIM, -EINTR, 4096, 0, 1},
		{ACTION_RECLAIM, -EINTR, 0, 0, 1},     /* the deadline: too slow, no fault */
		{ACTION_RECLAIM, -ECANCELED, 0, 0, 1}, /* the deadline: never begun */
		{ACTION_RECLAIM, -EINVAL, 0, 1, 1},
		{ACTION_RECLAIM, -ENODEV, 0, 0, 1}, /* gone */
		{ACTION_RECLAIM, -ENOENT, 0, 0, 1},
		{ACTION_RECLAIM, -EIO, 0, 1, 1},
		{ACTION_AGE, -EINVAL, 0, 0, 1}, /* the generations have moved on */
		{ACTION_AGE, -ERANGE, 0, 0, 1},
		{ACTION_EVICT, -EINVAL, 0, 0, 1},
		{ACTION_EVICT, -ERANGE, 0, 0, 1},
		{ACTION_EVICT, -EEXIST, 0, 0, 1},
		{ACTION_EVICT, -EIO, 0, 1, 1},
		{ACTION_AGE, -EINTR, 0, 0, 1},
	};
	struct bench bench;

	bench_open(&bench, state);
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct outcome *outcome = &find(&bench, "/a")->outcome;

		*outcome = (struct outcome){0};
		bench.ring.result = cases[i].result;
		bench.ring.freed_bytes = cases[i].freed_bytes;
		decide(&bench, "/a", cases[i].action, 40 * MIB);
		start(&bench);
		fake_ring_complete_all(&bench.ring);
		assert_int_equal(outcome->writes, cases[i].writes);
		assert_int_equal(outcome->failures, cases[i].failures);
		assert_int_equal(outcome->freed_bytes, cases[i].freed_bytes);
		assert_int_equal(outcome->agings, 0);
		assert_int_equal(outcome->refused_agings,
				 cases[i].action == ACTION_AGE && cases[i].result == -ERANGE);
		/* What no worker has begun says nothing about the memcg's yield either. */
		assert_int_equal(outcome->asked_bytes > 0,
				 cases[i].action != ACTION_AGE && cases[i].result != -ECANCELED);
		assert_true(executor_is_idle(bench.executor) && !find(&bench, "/a")->busy);
	}
	bench_close(&bench);
}

static void reclaim_once(struct bench *bench, int result, uint64_t freed_bytes,
			 uint64_t asked_bytes)
{
	bench->ring.result = result;
	bench->ring.freed_bytes = freed_bytes;
	decide(bench, "/a", ACTION_RECLAIM, asked_bytes);
	start(bench);
	fake_ring_complete_all(&bench->ring);
}

/* Success three times in a row and nothing freed: not a kernel to ask again. What EAGAIN admits,
 * what is too little to show, and what is freed in between do not count. */
static void test_lies(void **state)
{
	struct bench bench;

	bench_open(&bench, state);
	for (int i = 0; i < 5; i++) {
		reclaim_once(&bench, -EAGAIN, 0, 4 * MIB);
		reclaim_once(&bench, 0, 0, MIB / 2);
	}
	reclaim_once(&bench, 0, 0, 4 * MIB);
	reclaim_once(&bench, 0, 0, 4 * MIB);
	reclaim_once(&bench, 0, 4096, 4 * MIB);
	reclaim_once(&bench, 0, 0, 4 * MIB);
	reclaim_once(&bench, 0, 0, 4 * MIB);
	assert_false(executor_reclaim_lies(bench.executor));
	reclaim_once(&bench, 0, 0, 4 * MIB);
	assert_true(executor_reclaim_lies(bench.executor));
	bench_close(&bench);
}

static void test_lru_gen(void **state)
{
	struct bench bench;

	bench_open(&bench, state);
	find(&bench, "/a")->listing_id = 31;
	find(&bench, "/b")->listing_id = 32;
	decide(&bench, "/a", ACTION_AGE, 0);
	decide(&bench, "/b", ACTION_EVICT, 8 * MIB);
	start(&bench);
	/* The id is that of the listing from which the plan was made, whatever comes after. */
	find(&bench, "/b")->listing_id = 33;
	fake_ring_complete_all(&bench.ring);
	assert_string_equal(bench.ring.log,
			    PAGE == 4096 ? "lru_gen: + 31 1 7 1 0;lru_gen: - 32 1 7 200 2048;"
					 : bench.ring.log);
	assert_int_equal(find(&bench, "/a")->outcome.agings, 1);
	assert_int_equal(find(&bench, "/a")->outcome.asked_bytes, 0);
	assert_int_equal(find(&bench, "/b")->outcome.agings, 0);
	assert_int_equal(find(&bench, "/b")->outcome.asked_bytes, 8 * MIB);
	assert_int_equal(executor_totals(bench.executor)->agings, 1);
	/* Not in the listing of this pass: nobody to be named. */
	find(&bench, "/c")->listing_id = LISTING_ID_NONE;
	decide(&bench, "/c", ACTION_AGE, 0);
	start(&bench);
	assert_true(executor_is_idle(bench.executor));
	assert_int_equal(find(&bench, "/c")->outcome.failures, 0);
	bench_close(&bench);
}

/* Writes to lru_gen would wait for each other inside the kernel, and the id of the second be another
 * memcg's by then. */
static void test_one_write_to_lru_gen_at_a_time(void **state)
{
	struct bench bench;

	bench_open(&bench, state);
	decide(&bench, "/a", ACTION_AGE, 0);
	decide(&bench, "/b", ACTION_AGE, 0);
	decide(&bench, "/c", ACTION_RECLAIM, MIB);
	decide(&bench, "/d", ACTION_EVICT, MIB);
	start(&bench);
	assert_int_equal(bench.ring.n_requests, 2);
	assert_true(find(&bench, "/a")->busy && find(&bench, "/c")->busy);
	/* Gone before its turn: never written. */
	fixture_remove(bench.fixture, fixture_memcg_file("/b", "memory.current"));
	fake_ring_complete_all(&bench.ring);
	assert_int_equal(bench.ring.n_writes, 3);
	assert_int_equal(find(&bench, "/b")->outcome.writes, 0);
	assert_int_equal(find(&bench, "/d")->outcome.writes, 1);
	bench_close(&bench);
}

/* Its generations are those of that pass's listing; a write under way goes on to its end. */
static void test_eviction_ends_with_its_pass(void **state)
{
	struct bench bench;

	bench_open(&bench, state);
	bench.ring.freed_bytes = 16 * MIB;
	bench.ring.stolen_pages = 16 * MIB / PAGE;
	decide(&bench, "/a", ACTION_EVICT, 40 * MIB);
	decide(&bench, "/b", ACTION_RECLAIM, 40 * MIB);
	start(&bench);
	start(&bench);
	fake_ring_complete_all(&bench.ring);
	assert_int_equal(find(&bench, "/a")->outcome.writes, 1);
	assert_int_equal(find(&bench, "/b")->outcome.writes, 3);
	bench_close(&bench);
}

static void store(struct bench *bench, const char *path, uint64_t bytes, uint64_t stored_bytes,
		  uint64_t used_bytes)
{
	uint64_t pages = bytes / PAGE;

	fixture_printf(bench->fixture, fixture_memcg_file(path, "memory.swap.current"), "%ju\n",
		       (uintmax_t)(4096 + bytes));
	fixture_printf(bench->fixture, fixture_memcg_file(path, "memory.stat"),
		       "anon 0\npgscan %ju\npgsteal %ju\n", (uintmax_t)(70000 + pages),
		       (uintmax_t)(60000 + pages));
	fixture_printf(bench->fixture, "sys/block/zram0/mm_stat", "%ju 0 %ju 0 0 0 0 0 0\n",
		       (uintmax_t)stored_bytes, (uintmax_t)used_bytes);
}

/* Two evictions, one after the other; what zram grows by in each is its own, and off what it saved. */
static void test_what_zram_grows_by(void **state)
{
	const struct swap_summary swap = {.areas = 1, .zram = 1};
	struct bench bench;

	bench_open(&bench, state);
	store(&bench, "/a", 0, 100 * MIB, 30 * MIB);
	store(&bench, "/b", 0, 100 * MIB, 30 * MIB);
	executor_follow_swap(bench.executor, bench.fixture->root, &swap);
	decide(&bench, "/a", ACTION_EVICT, 4 * MIB);
	decide(&bench, "/b", ACTION_EVICT, 8 * MIB);
	start(&bench);
	store(&bench, "/a", 4 * MIB, 104 * MIB, 31 * MIB);
	fake_ring_complete(&bench.ring);
	/* Half of what is stored now is somebody else's. */
	store(&bench, "/b", 8 * MIB, 120 * MIB, 37 * MIB);
	fake_ring_complete(&bench.ring);
	assert_int_equal(find(&bench, "/a")->freed.held_bytes[LRU_ANON], 4 * MIB);
	assert_int_equal(find(&bench, "/a")->freed.cost_bytes, MIB);
	assert_int_equal(find(&bench, "/b")->freed.cost_bytes, 3 * MIB);
	assert_int_equal(executor_totals(bench.executor)->cost_bytes, 4 * MIB);
	/* Between two rows of writes zram is not ours. */
	store(&bench, "/c", 0, 200 * MIB, 90 * MIB);
	decide(&bench, "/c", ACTION_EVICT, 4 * MIB);
	start(&bench);
	store(&bench, "/c", 4 * MIB, 204 * MIB, 92 * MIB);
	fake_ring_complete(&bench.ring);
	assert_int_equal(find(&bench, "/c")->freed.cost_bytes, 2 * MIB);
	/* Not to be read: unknown, and not 0. */
	fixture_write(bench.fixture, "sys/block/zram0/mm_stat", "junk\n");
	decide(&bench, "/d", ACTION_EVICT, 4 * MIB);
	start(&bench);
	store(&bench, "/d", 4 * MIB, 208 * MIB, 94 * MIB);
	fake_ring_complete(&bench.ring);
	assert_int_equal(find(&bench, "/d")->freed.cost_bytes, 0);
	assert_int_equal(find(&bench, "/d")->freed.unpriced_bytes, 4 * MIB);
	bench_close(&bench);
}

/* Of two, the one whose decision says that it does not stay in memory. */
static void test_what_goes_to_a_disk(void **state)
{
	struct bench bench;

	bench_open(&bench, state);
	bench.ring.freed_bytes = 4 * MIB;
	bench.ring.stolen_pages = 4 * MIB / PAGE;
	decide(&bench, "/a", ACTION_RECLAIM, 4 * MIB);
	decide(&bench, "/b", ACTION_RECLAIM, 4 * MIB);
	bench.decisions[1].to_disk = true;
	start(&bench);
	fake_ring_complete_all(&bench.ring);
	assert_int_equal(executor_totals(bench.executor)->freed_bytes, 8 * MIB);
	assert_int_equal(executor_totals(bench.executor)->disk_bytes, 4 * MIB);
	assert_false(find(&bench, "/a")->outcome.to_disk);
	assert_true(find(&bench, "/b")->outcome.to_disk);
	bench_close(&bench);
}

/* The kernel ignores the memcg's own protection, and the plan is from a moment ago: looked at before
 * each write, of which none goes below. */
static void test_protection_is_looked_at_again(void **state)
{
	static const enum action_kind kinds[] = {ACTION_RECLAIM, ACTION_EVICT};
	static const char *const files[] = {"memory.low", "memory.min"};

	for (size_t i = 0; i < ARRAY_SIZE(kinds) * ARRAY_SIZE(files); i++) {
		struct bench bench;

		bench_open(&bench, state);
		bench.ring.freed_bytes = 16 * MIB;
		decide(&bench, "/a", kinds[i / 2], 40 * MIB);
		fixture_printf(bench.fixture, fixture_memcg_file("/a", files[i % 2]), "%ju\n",
			       (uintmax_t)(1024 * MIB - 16 * MIB - 4096));
		start(&bench);
		fake_ring_complete_all(&bench.ring);
		assert_int_equal(find(&bench, "/a")->outcome.asked_bytes,
				 kinds[i / 2] == ACTION_RECLAIM ? 16 * MIB + 4096 : 16 * MIB);
		assert_int_equal(find(&bench, "/a")->outcome.failures, 0);
		fixture_write(bench.fixture, fixture_memcg_file("/b", files[i % 2]), "max\n");
		decide(&bench, "/b", kinds[i / 2], 40 * MIB);
		/* The class's floor is a share of the most that it has held. */
		find(&bench, "/c")->state.peak_bytes = UINT64_C(8) << 30;
		decide(&bench, "/c", kinds[i / 2], 40 * MIB);
		/* No class any more, or marked by its owner, since the plan. */
		if (i % 2)
			find(&bench, "/d")->class_index = -1;
		else
			find(&bench, "/d")->omitted = true;
		decide(&bench, "/d", kinds[i / 2], 40 * MIB);
		start(&bench);
		fake_ring_complete_all(&bench.ring);
		for (char path[] = "/b"; path[1] <= 'd'; path[1]++) {
			assert_int_equal(find(&bench, path)->outcome.writes, 0);
			assert_int_equal(find(&bench, path)->outcome.failures, 0);
		}
		bench_close(&bench);
	}
}

/* A kernel that takes twice what it is asked for is asked for less, and what it took is not asked
 * for again. */
static void test_over_reclaim_is_fed_back(void **state)
{
	struct bench bench;

	bench_open(&bench, state);
	bench.ring.stolen_pages = 16 * MIB / PAGE;
	for (unsigned i = 0; i < 4; i++) {
		decide(&bench, "/a", ACTION_RECLAIM, 8 * MIB);
		start(&bench);
		fake_ring_complete_all(&bench.ring);
	}
	/* 8 MiB too much: a quarter of that is taken off, and so on. */
	assert_string_equal(bench.ring.log, "/a: 8388608 swappiness=0;/a: 6291456 swappiness=0;"
					    "/a: 4194304 swappiness=0;/a: 2097152 swappiness=0;");
	bench_close(&bench);
}

/* A memcg that runs into the deadline is asked for half as much, until it is in time again. */
static void test_slow_memcg_is_asked_for_less(void **state)
{
	static const int results[] = {-EINTR, -EINTR, 0, 0, 0};
	struct bench bench;

	bench_open(&bench, state);
	for (size_t i = 0; i < ARRAY_SIZE(results); i++) {
		bench.ring.result = results[i];
		bench.ring.freed_bytes = results[i] < 0 ? 4096 : 16 * MIB;
		decide(&bench, "/a", ACTION_RECLAIM, i < 2 ? 16 * MIB : 4 * MIB << (i - 2));
		start(&bench);
		fake_ring_complete_all(&bench.ring);
	}
	assert_string_equal(bench.ring.log, "/a: 16777216 swappiness=0;/a: 8388608 swappiness=0;"
					    "/a: 4194304 swappiness=0;/a: 8388608 swappiness=0;"
					    "/a: 16777216 swappiness=0;");
	bench_close(&bench);
}

/* One that has been overtaken is no failure; a kernel that never takes a command is one. */
static void test_many_races_are_a_refusal(void **state)
{
	struct bench bench;

	bench_open(&bench, state);
	for (unsigned i = 0; i < 20; i++) {
		bench.ring.result = i == 5 ? 0 : -EINVAL;
		decide(&bench, "/a", ACTION_AGE, 0);
		start(&bench);
		fake_ring_complete_all(&bench.ring);
		assert_int_equal(find(&bench, "/a")->outcome.failures, i <= 13 ? 0 : i - 13);
	}
	assert_int_equal(executor_totals(bench.executor)->results[WRITE_RACED], 13);
	assert_int_equal(executor_totals(bench.executor)->results[WRITE_REFUSED], 6);
	bench_close(&bench);
}

static void test_concurrency(void **state)
{
	static const char *const paths[] = {"/a", "/a", "/b", "/c", "/d", "/a"};
	struct bench bench;

	bench_open(&bench, state);
	bench.ring.freed_bytes = 1 * MIB;
	for (size_t i = 0; i < ARRAY_SIZE(paths); i++)
		decide(&bench, paths[i], ACTION_RECLAIM, 2 * MIB + i);
	start(&bench);
	/* The second of /a waits for the first; the fake ring refuses two of one memcg anyway. */
	assert_string_equal(bench.ring.log, "/a: 2097152 swappiness=0;/b: 2097154 swappiness=0;");
	assert_false(find(&bench, "/c")->busy);
	fake_ring_complete_all(&bench.ring);
	assert_int_equal(bench.ring.most_requests, 2);
	assert_int_equal(bench.ring.n_writes, ARRAY_SIZE(paths));
	assert_int_equal(find(&bench, "/a")->outcome.writes, 3);
	for (char path[] = "/a"; path[1] <= 'd'; path[1]++)
		assert_true(find(&bench, path)->references == 0 && !find(&bench, path)->busy);
	bench_close(&bench);
}

static void test_new_plan(void **state)
{
	struct bench bench;

	bench_open(&bench, state);
	for (char path[] = "/a"; path[1] <= 'd'; path[1]++)
		decide(&bench, path, ACTION_RECLAIM, 1 * MIB);
	start(&bench);
	assert_int_equal(find(&bench, "/d")->references, 1);
	decide(&bench, "/d", ACTION_RECLAIM, 2 * MIB);
	start(&bench);
	assert_int_equal(find(&bench, "/c")->references, 0);
	fake_ring_complete_all(&bench.ring);
	assert_string_equal(bench.ring.log, "/a: 1048576 swappiness=0;/b: 1048576 swappiness=0;"
					    "/d: 2097152 swappiness=0;");
	bench_close(&bench);
}

static void test_vanished_memcg(void **state)
{
	struct bench bench;

	bench_open(&bench, state);
	bench.ring.freed_bytes = 1 * MIB;
	decide(&bench, "/a", ACTION_RECLAIM, 40 * MIB);
	decide(&bench, "/b", ACTION_RECLAIM, 40 * MIB);
	decide(&bench, "/c", ACTION_RECLAIM, 40 * MIB);
	decide(&bench, "/c", ACTION_EVICT, 40 * MIB);
	start(&bench);
	/* One with a write under way, and one that two actions wait for. */
	fixture_remove(bench.fixture, fixture_memcg_file("/a", "memory.current"));
	fixture_remove(bench.fixture, fixture_memcg_file("/c", ""));
	for (unsigned i = 0; i < 3; i++)
		assert_int_equal(hierarchy_scan(bench.hierarchy, bench.config, 1), 0);
	assert_null(hierarchy_find(bench.hierarchy, "/a", 2));
	fixture_write(bench.fixture, fixture_memcg_file("/a", "memory.current"), "0\n");
	bench.ring.result = -ENODEV;
	bench.ring.freed_bytes = 0;
	fake_ring_complete(&bench.ring);
	fake_ring_complete_all(&bench.ring);
	/* Nothing was written for what had gone before its turn came. */
	assert_string_equal(bench.ring.log, "/a: 16777216 swappiness=0;/b: 16777216 swappiness=0;");
	assert_int_equal(executor_totals(bench.executor)->failures, 0);
	bench_close(&bench);
}

static void test_cannot_open(void **state)
{
	struct bench bench;

	bench_open(&bench, state);
	fixture_remove(bench.fixture, fixture_memcg_file("/a", "memory.reclaim"));
	fixture_remove(bench.fixture, fixture_memcg_file("/b", "memory.reclaim"));
	fixture_mkdir(bench.fixture, fixture_memcg_file("/b", "memory.reclaim"));
	close_fd(&bench.lru_gen.write_fd);
	bench.lru_gen.write_fd = -1;
	bench.lru_gen.write_error = -EACCES;
	decide(&bench, "/a", ACTION_RECLAIM, MIB);
	decide(&bench, "/b", ACTION_RECLAIM, MIB);
	decide(&bench, "/c", ACTION_AGE, 0);
	start(&bench);
	assert_int_equal(bench.ring.n_writes, 0);
	assert_int_equal(find(&bench, "/a")->outcome.failures, 0);
	assert_int_equal(find(&bench, "/b")->outcome.failures, 1);
	assert_int_equal(find(&bench, "/c")->outcome.failures, 1);
	/* A ring without room: dropped, and due again with the next plan. */
	bench.ring.submit_error = -EBUSY;
	decide(&bench, "/d", ACTION_RECLAIM, MIB);
	start(&bench);
	assert_false(find(&bench, "/d")->busy);
	assert_int_equal(find(&bench, "/d")->outcome.failures, 0);
	bench_close(&bench);
}

static void test_stop(void **state)
{
	struct bench bench;

	bench_open(&bench, state);
	bench.ring.freed_bytes = 16 * MIB;
	for (char path[] = "/a"; path[1] <= 'd'; path[1]++)
		decide(&bench, path, ACTION_RECLAIM, 40 * MIB);
	start(&bench);
	executor_stop(bench.executor);
	assert_true(bench.ring.cancelled);
	assert_false(executor_is_idle(bench.executor));
	fake_ring_complete_all(&bench.ring);
	assert_int_equal(bench.ring.n_writes, 2);
	assert_true(executor_is_idle(bench.executor));
	decide(&bench, "/a", ACTION_RECLAIM, MIB);
	start(&bench);
	assert_int_equal(bench.ring.n_writes, 2);
	executor_stop(bench.executor);
	bench_close(&bench);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		FIXTURE_TEST(test_steps),
		FIXTURE_TEST(test_classes_share_the_places),
		FIXTURE_TEST(test_a_write_that_never_ends),
		FIXTURE_TEST(test_how_long_writes_take),
		FIXTURE_TEST(test_nothing_freed),
		FIXTURE_TEST(test_what_was_freed),
		FIXTURE_TEST(test_results),
		FIXTURE_TEST(test_dear_counters_are_not_waited_for),
		FIXTURE_TEST(test_lies),
		FIXTURE_TEST(test_lru_gen),
		FIXTURE_TEST(test_one_write_to_lru_gen_at_a_time),
		FIXTURE_TEST(test_eviction_ends_with_its_pass),
		FIXTURE_TEST(test_what_goes_to_a_disk),
		FIXTURE_TEST(test_what_zram_grows_by),
		FIXTURE_TEST(test_protection_is_looked_at_again),
		FIXTURE_TEST(test_over_reclaim_is_fed_back),
		FIXTURE_TEST(test_slow_memcg_is_asked_for_less),
		FIXTURE_TEST(test_many_races_are_a_refusal),
		FIXTURE_TEST(test_concurrency),
		FIXTURE_TEST(test_new_plan),
		FIXTURE_TEST(test_vanished_memcg),
		FIXTURE_TEST(test_cannot_open),
		FIXTURE_TEST(test_stop),
		FIXTURE_TEST(test_said_after_the_fact), /* last: debug stays on */
	};

	return cmocka_run_group_tests_name("executor", tests, NULL, NULL);
}
