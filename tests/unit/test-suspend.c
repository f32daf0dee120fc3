/* SPDX-License-Identifier: MIT */
/*
 * users.md 14, 56: the host sleeps while a write is under way. It is cancelled, nothing is begun until
 * the host is awake, and then nothing is made up for. The bus, the kernel's side of the writes and the
 * tree are the test's own.
 */
#include "suspend.h"
#include "macro.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>
#include <cmocka.h>

#include "fake-bus.h"
#include "fake-ring.h"

#define MIB (UINT64_C(1) << 20)

struct bench {
	const struct fixture *fixture;
	sd_event *event;
	sd_event_source *timer;
	struct config *config;
	struct hierarchy *hierarchy;
	struct lru_gen lru_gen;
	struct features features;
	struct pass pass;
	struct ring ring;
	struct executor *executor;
	struct ticker *ticker;
	struct fake_bus fake;
	struct suspend *suspend;
	unsigned n_times, n_begun, n_planned;
};

static void on_begin(void *userdata)
{
	((struct bench *)userdata)->n_begun++;
}

static void on_planned(const struct plan *plan _unused_, void *userdata)
{
	((struct bench *)userdata)->n_planned++;
}

static int on_time(sd_event_source *source, uint64_t usec _unused_, void *userdata)
{
	((struct bench *)userdata)->n_times++;
	return sd_event_source_set_time_relative(source, 1000);
}

static void open_agent(struct bench *bench)
{
	struct ticker_settings settings = {
		.event = bench->event,
		.pass = &bench->pass,
		.slow_usec = PATIENCE,
		.hurry = true,
		.begin = on_begin,
		.planned = on_planned,
		.userdata = bench,
	};
	struct suspend_settings suspend = {
		.event = bench->event,
		.retry_usec = 1000,
		.pass = &bench->pass,
	};

	assert_int_equal(executor_new(&bench->ring, &bench->lru_gen, &bench->executor), 0);
	executor_configure(bench->executor, bench->config, false);
	assert_int_equal(ticker_new(&settings, bench->config, &bench->ticker), 0);
	suspend.executor = bench->executor;
	suspend.ticker = bench->ticker;
	assert_int_equal(suspend_new(&suspend, &bench->suspend), 0);
}

static void bench_open(struct bench *bench, void **state)
{
	const char *why;

	*bench = (struct bench){.fixture = *state};
	fixture_add_cgroups(bench->fixture);
	fixture_add_memcg(bench->fixture, "/a");
	fixture_add_memcg(bench->fixture, "/b");
	bench->config = fixture_config(bench->fixture, "[Agent]\nWriteMax=16M\nConcurrency=1\n"
						       "DryRun=no\n[Class a]\nMatch=/**\n");
	assert_int_equal(hierarchy_open(bench->fixture->root, &bench->hierarchy, &why), 0);
	bench->lru_gen = (struct lru_gen){.read_fd = -1, .write_fd = -1};
	bench->features.capability = CAPABILITY_RECLAIM;
	assert_int_equal(pass_init(&bench->pass, bench->fixture->root, bench->hierarchy,
				   &bench->lru_gen, &bench->features),
			 0);
	fake_ring_init(&bench->ring, bench->fixture);
	bench->ring.freed_bytes = 16 * MIB;
	assert_true(sd_event_new(&bench->event) >= 0);
	assert_true(sd_event_add_time_relative(bench->event, &bench->timer, CLOCK_MONOTONIC, 1000,
					       1, on_time, bench) >= 0);
	assert_true(sd_event_source_set_enabled(bench->timer, SD_EVENT_ON) >= 0);
	fake_bus_open(&bench->fake, bench->event, bench->fixture);
	open_agent(bench);
}

static void bench_close(struct bench *bench)
{
	ticker_stop(bench->ticker);
	run_until(bench, !ticker_is_busy(bench->ticker));
	suspend_free(bench->suspend);
	ticker_free(bench->ticker);
	executor_free(bench->executor);
	fake_bus_close(&bench->fake);
	sd_event_source_disable_unref(bench->timer);
	sd_event_unref(bench->event);
	pass_done(&bench->pass);
	hierarchy_close(bench->hierarchy);
	config_free(bench->config);
}

/* 40 MiB of each memcg, one write of 16 MiB at a time. */
static void start(struct bench *bench)
{
	struct decision decisions[2];
	struct plan plan = {.decisions = decisions, .capacity = 2, .n_decisions = 2};
	struct memcg *const *memcgs;
	size_t n;

	memcgs = hierarchy_memcgs(bench->hierarchy, &n);
	assert_int_equal(n, 3);
	for (size_t i = 0; i < 2; i++)
		decisions[i] = (struct decision){
			.memcg = 1 + i,
			.action = ACTION_RECLAIM,
			.reason = REASON_HEADROOM,
			.bytes = 40 * MIB,
		};
	executor_start(bench->executor, &plan, memcgs);
}

static const struct memcg_state *state_of_a(const struct bench *bench)
{
	return &hierarchy_find(bench->hierarchy, "/a", 2)->state;
}

static void test_sleep_with_a_write_in_flight(void **state)
{
	unsigned n_begun, n_planned, n_times;
	struct bench bench;

	bench_open(&bench, state);
	run_until(&bench, bench.n_planned >= 3 && fake_bus_lock_is_held(&bench.fake));
	assert_int_equal(state_of_a(&bench)->hold_until_usec, 0);
	start(&bench);
	assert_int_equal(bench.ring.n_requests, 1);

	/* The sleep waits for it. */
	fake_bus_prepare_for_sleep(&bench.fake, true);
	run_until(&bench, bench.ring.cancelled);
	run_until(&bench, !ticker_is_busy(bench.ticker));
	n_begun = bench.n_begun;
	n_planned = bench.n_planned;
	n_times = bench.n_times;
	run_until(&bench, bench.n_times >= n_times + 20);
	assert_true(fake_bus_lock_is_held(&bench.fake));

	/* It ends, and what was left of it and queued behind it is not begun. */
	fake_ring_complete(&bench.ring);
	run_until(&bench, !fake_bus_lock_is_held(&bench.fake));
	assert_int_equal(bench.ring.n_requests, 0);
	assert_int_equal(bench.ring.n_writes, 1);
	assert_true(executor_is_idle(bench.executor));
	n_times = bench.n_times;
	run_until(&bench, bench.n_times >= n_times + 20);
	assert_int_equal(bench.n_begun, n_begun);
	assert_int_equal(bench.n_planned, n_planned);

	/* Awake: looks go on, history starts over, and plans are carried out again. */
	fake_bus_prepare_for_sleep(&bench.fake, false);
	run_until(&bench, bench.n_planned > n_planned && fake_bus_lock_is_held(&bench.fake));
	assert_in_range(state_of_a(&bench)->hold_until_usec, state_of_a(&bench)->looked_usec + 1,
			UINT64_MAX - 1);
	bench.ring.cancelled = false;
	start(&bench);
	assert_int_equal(bench.ring.n_requests, 1);
	fake_ring_complete_all(&bench.ring);
	assert_true(executor_is_idle(bench.executor));
	bench_close(&bench);
}

/* What was being read when the host fell asleep is of before: nothing is planned by it. */
static void test_sleep_while_files_are_read(void **state)
{
	unsigned n_begun, n_planned;
	struct bench bench;

	bench_open(&bench, state);
	run_until(&bench, bench.n_planned >= 1 && fake_bus_lock_is_held(&bench.fake));
	n_begun = bench.n_begun;
	run_until(&bench, bench.n_begun > n_begun);
	n_planned = bench.n_planned;
	assert_true(ticker_is_busy(bench.ticker));
	ticker_stop(bench.ticker);
	ticker_resume(bench.ticker);
	n_begun = bench.n_begun;
	run_until(&bench, bench.n_begun > n_begun);
	assert_int_equal(bench.n_planned, n_planned);
	run_until(&bench, bench.n_planned > n_planned);
	bench_close(&bench);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		FIXTURE_TEST(test_sleep_with_a_write_in_flight),
		FIXTURE_TEST(test_sleep_while_files_are_read),
	};

	return cmocka_run_group_tests_name("suspend", tests, NULL, NULL);
}
