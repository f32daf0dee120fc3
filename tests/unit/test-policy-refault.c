/* SPDX-License-Identifier: MIT */
/*
 * What left, what came back and what came new, by hand: one look after the other.
 */
#include "policy-world.h"
#include "pressure.h"
#include "refault.h"

#include <setjmp.h>
#include <stdarg.h>
#include <cmocka.h>

static struct memcg_state state;
static struct memcg_sample sample;

static void begin(void)
{
	state = (struct memcg_state){.last.file_pages = 100000};
	sample = (struct memcg_sample){.lru_bytes = {0, 100000 * PAGE_BYTES}};
}

/* A look so long after the former one, with that many pages evicted and refaulted since. */
static void look(uint64_t seconds, uint64_t evicted, uint64_t returned)
{
	state.dt_usec = SECONDS(seconds);
	sample.pgsteal_pages += evicted;
	sample.pgscan_pages += evicted;
	sample.refault_pages[LRU_FILE] += returned;
	refault_step(&state, &sample, SECONDS(100000), PAGE_BYTES);
	state.last.pgsteal_pages = sample.pgsteal_pages;
	state.last.pgscan_pages = sample.pgscan_pages;
	state.last.refault_pages[LRU_FILE] = sample.refault_pages[LRU_FILE];
}

static void test_evidence_needs_128_pages(void **arg)
{
	(void)arg;
	begin();
	look(1, 127, 0);
	assert_int_equal(refault_return_ppm(&state), SAMPLE_UNKNOWN);
	begin();
	look(1, 128, 32);
	assert_int_equal(refault_return_ppm(&state), 250000);
}

/* Half of it after a minute. */
static void test_recent_evidence_fades(void **arg)
{
	(void)arg;
	begin();
	look(1, 1000, 400);
	look(60, 0, 0);
	assert_int_equal(state.evicted_file_pages, 500);
	assert_int_equal(state.returned_file_pages, 200);
}

/* What fades of the recent settles, and is forgotten by half in ten minutes. */
static void test_settled_evidence_fades(void **arg)
{
	(void)arg;
	begin();
	look(1, 1000, 400);
	look(60, 0, 0);
	assert_int_equal(state.settled_file_pages, 500);
	state.evicted_file_pages = 0;
	look(600, 0, 0);
	assert_int_equal(state.settled_file_pages, 250);
	assert_in_range(state.returned_long_file_pages, 180, 185);
}

/* memory.stat lags: up to 512 pages scanned more than by us are not somebody else's. */
static void test_whose_scan(void **arg)
{
	(void)arg;
	begin();
	sample.outcome.scanned_pages = 1000;
	look(1, 1512, 0);
	assert_int_equal(state.foreign_usec, 0);
	look(1, 1513, 0);
	assert_int_equal(state.foreign_usec, SECONDS(100000));
}

/* A habit is learned within five minutes: by half, after a look as long. */
static void test_habit(void **arg)
{
	(void)arg;
	begin();
	sample.seen_usec = SECONDS(3600);
	state.dt_usec = SECONDS(300);
	sample.psi_memory.some_usec = SECONDS(30);
	sample.psi_io.some_usec = SECONDS(60);
	pressure_step(&state, &sample);
	assert_int_equal(state.baseline_memory_ppm, 50000);
	assert_int_equal(state.baseline_io_ppm, 100000);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_evidence_needs_128_pages),
		cmocka_unit_test(test_recent_evidence_fades),
		cmocka_unit_test(test_settled_evidence_fades),
		cmocka_unit_test(test_whose_scan),
		cmocka_unit_test(test_habit),
	};

	return cmocka_run_group_tests_name("policy-refault", tests, NULL, NULL);
}
