/* SPDX-License-Identifier: MIT */
/*
 * From files to a snapshot: every value in its place, and what cannot be read unknown and never 0.
 * Listings: test-sampler-listing.c.
 */
#include "sampler.h"
#include "macro.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>
#include <sys/resource.h>
#include <cmocka.h>

#include "sampler-host.h"

#define U SAMPLE_UNKNOWN

static void test_values(void **state)
{
	struct host host;
	const struct memcg_sample *b;

	host_open(&host, state);
	scan(&host);
	sample(&host);
	b = look(&host, "/a/b");
	assert_int_equal(host.snapshot.now_usec, 5000);
	assert_int_equal(host.snapshot.interval_usec, 77);
	assert_int_equal(host.snapshot.page_bytes, sysconf(_SC_PAGESIZE));
	assert_int_equal(host.snapshot.n_memcgs, 4);
	assert_ptr_equal(&host.snapshot.memcgs[b->parent], look(&host, "/a"));
	assert_int_equal(look(&host, "/")->parent, -1);
	assert_true(b->leaf && b->populated && !b->frozen && !b->omitted && !b->busy && !b->listed);
	assert_false(look(&host, "/a")->leaf);
	assert_int_equal(b->class_index, 0);
	assert_int_equal(b->seen_usec, 4000);
	assert_int_equal(b->current_bytes, 104857600);
	assert_int_equal(b->swap_current_bytes, 4096);
	assert_true(b->swap_max_bytes == SAMPLE_INFINITY && b->high_bytes == SAMPLE_INFINITY);
	assert_int_equal(b->min_bytes, 0);
	assert_int_equal(b->low_bytes, 16777216);
	assert_int_equal(b->max_bytes, 1073741824);
	assert_int_equal(b->lru_bytes[LRU_ANON], 62914560);
	assert_int_equal(b->lru_bytes[LRU_FILE], 37748736);
	assert_int_equal(b->unevictable_bytes, 4096);
	assert_int_equal(b->file_dirty_bytes, 40960);
	assert_int_equal(b->file_writeback_bytes, 8192);
	assert_int_equal(b->refault_pages[LRU_ANON], 11);
	assert_int_equal(b->refault_pages[LRU_FILE], 1234);
	assert_int_equal(b->pgscan_pages, 70000);
	assert_int_equal(b->pgsteal_pages, 60000);
	assert_int_equal(b->events_high, 5);
	assert_int_equal(b->events_max, 7);
	assert_int_equal(b->events_oom, 1);
	assert_int_equal(b->events_oom_kill, 2);
	assert_int_equal(b->psi_memory.some_usec, 123456);
	assert_int_equal(b->psi_memory.full_usec, 23456);
	assert_int_equal(b->psi_io.some_usec, 777);
	assert_int_equal(b->psi_io.full_usec, 66);
	host_close(&host);
}

/* Read only where the policy follows a limit, and of leaves. */
static void test_cpu_time(void **state)
{
	struct host host;
	struct memcg *b, *a;

	host_open(&host, state);
	fixture_write(host.fixture, fixture_memcg_file("/a/b", "cpu.stat"), "usage_usec 4711\n");
	fixture_write(host.fixture, fixture_memcg_file("/a", "cpu.stat"), "usage_usec 4712\n");
	scan(&host);
	sample(&host);
	assert_true(look(&host, "/a/b")->cpu_usec == U);
	a = hierarchy_find(host.hierarchy, "/a", 2);
	b = hierarchy_find(host.hierarchy, "/a/b", 4);
	a->state.residence.mode = b->state.residence.mode = RESIDENCE_BOUND;
	sample(&host);
	assert_int_equal(look(&host, "/a/b")->cpu_usec, 4711);
	assert_true(look(&host, "/a")->cpu_usec == U);
	b->state.residence.mode = RESIDENCE_FREE;
	b->state.residence.changing = true;
	sample(&host);
	assert_int_equal(look(&host, "/a/b")->cpu_usec, 4711);
	host_close(&host);
}

static void test_system(void **state)
{
	const struct system_sample *system;
	struct host host;

	host_open(&host, state);
	scan(&host);
	sample(&host);
	system = &host.snapshot.system;
	assert_int_equal(system->capability, CAPABILITY_GENERATIONS);
	assert_true(system->reclaim_swappiness);
	assert_false(system->swap_is_zram);
	assert_int_equal(system->ram_bytes, UINT64_C(16315412) * 1024);
	assert_int_equal(system->available_bytes, UINT64_C(8000000) * 1024);
	assert_int_equal(system->swap_total_bytes, UINT64_C(2097148) * 1024);
	assert_int_equal(system->swap_free_bytes, 12 * 1024);
	fixture_write(host.fixture, MEMINFO, "junk\n");
	sample(&host);
	assert_true(system->ram_bytes == U && system->available_bytes == U);
	assert_true(system->swap_total_bytes == U && system->swap_free_bytes == U);
	host_close(&host);
}

/* The kernel's files of the root are fewer; it is populated whatever they say. */
static void test_root(void **state)
{
	const struct memcg_sample *root;
	struct host host;

	host_open(&host, state);
	scan(&host);
	sample(&host);
	root = look(&host, "/");
	assert_true(root->populated && root->omitted && !root->leaf);
	assert_true(root->current_bytes == U && root->max_bytes == U && root->events_oom == U);
	/* The root's counters are there, but dear on large hosts, and not read. */
	assert_true(root->pgsteal_pages == U && root->psi_memory.some_usec == U);
	host_close(&host);
}

/* How many of a sample's values are unknown; none of the rest may have turned to 0. */
static unsigned count_unknown(const struct memcg_sample *s)
{
	const uint64_t values[] = {
		s->current_bytes,
		s->swap_current_bytes,
		s->swap_max_bytes,
		s->low_bytes,
		s->high_bytes,
		s->max_bytes,
		s->lru_bytes[LRU_ANON],
		s->lru_bytes[LRU_FILE],
		s->unevictable_bytes,
		s->file_dirty_bytes,
		s->file_writeback_bytes,
		s->refault_pages[LRU_ANON],
		s->refault_pages[LRU_FILE],
		s->pgscan_pages,
		s->pgsteal_pages,
		s->events_high,
		s->events_max,
		s->events_oom,
		s->events_oom_kill,
		s->psi_memory.some_usec,
		s->psi_memory.full_usec,
		s->psi_io.some_usec,
		s->psi_io.full_usec,
	};
	unsigned n = s->min_bytes == U;

	for (size_t i = 0; i < ARRAY_SIZE(values); i++) {
		assert_true(values[i] != 0);
		n += values[i] == U;
	}
	return n;
}

static const struct {
	const char *file;
	unsigned values;
} sources[] = {
	{"memory.current", 1},  {"memory.stat", 9}, {"memory.events", 4},
	{"memory.pressure", 2}, {"io.pressure", 2}, {"memory.swap.current", 1},
	{"memory.swap.max", 1}, {"memory.min", 1},  {"memory.low", 1},
	{"memory.high", 1},     {"memory.max", 1},
};

static void test_missing_and_garbage(void **state)
{
	static const char *const garbage[] = {"",
					      "\n",
					      "junk\n",
					      "-1\n",
					      "99999999999999999999999\n",
					      "12",
					      "some total=x\n",
					      "pgscan max\n"};
	struct host host;
	char path[32];

	host_open(&host, state);
	for (size_t i = 0; i < ARRAY_SIZE(sources); i++) {
		snprintf(path, sizeof(path), "/missing%zu", i);
		fixture_add_memcg(host.fixture, path);
		for (size_t j = 0; j < ARRAY_SIZE(garbage); j++) {
			fixture_write(host.fixture, fixture_memcg_file(path, sources[i].file),
				      garbage[j]);
			scan(&host);
			sample(&host);
			assert_int_equal(count_unknown(look(&host, path)), sources[i].values);
		}
		fixture_remove(host.fixture, fixture_memcg_file(path, ""));
		snprintf(path, sizeof(path), "/gone%zu", i);
		fixture_add_memcg(host.fixture, path);
		scan(&host);
		fixture_remove(host.fixture, fixture_memcg_file(path, sources[i].file));
		sample(&host);
		assert_int_equal(count_unknown(look(&host, path)), sources[i].values);
		assert_true(look(&host, path)->populated);
	}
	host_close(&host);
}

static void test_vanished_memcg(void **state)
{
	struct host host;

	host_open(&host, state);
	scan(&host);
	fixture_remove(host.fixture, fixture_memcg_file("/c", ""));
	sample(&host);
	assert_false(look(&host, "/c")->populated);
	assert_int_equal(count_unknown(look(&host, "/c")), 24);
	assert_int_equal(count_unknown(look(&host, "/a/b")), 0);
	fixture_write(host.fixture, fixture_memcg_file("/a", "cgroup.events"),
		      "populated 0\nfrozen 1\n");
	sample(&host);
	assert_true(!look(&host, "/a")->populated && look(&host, "/a")->frozen);
	host_close(&host);
}

static void test_outcome_is_handed_over(void **state)
{
	struct memcg *memcg;
	struct host host;

	host_open(&host, state);
	scan(&host);
	memcg = hierarchy_find(host.hierarchy, "/c", 2);
	memcg->outcome = (struct outcome){.writes = 3, .freed_bytes = 4096, .failures = 1};
	memcg->busy = true;
	sample(&host);
	assert_int_equal(look(&host, "/c")->outcome.writes, 3);
	assert_int_equal(look(&host, "/c")->outcome.freed_bytes, 4096);
	assert_true(look(&host, "/c")->busy && !look(&host, "/a")->busy);
	assert_int_equal(look(&host, "/a")->outcome.writes, 0);
	sample(&host);
	assert_int_equal(look(&host, "/c")->outcome.writes, 0);
	host_close(&host);
}

/* More memcgs than descriptors for all of their files: slower, but every value is right. */
static void test_few_descriptors(void **state)
{
	struct rlimit former, few;
	struct host host;
	char path[32];

	host_open(&host, state);
	for (unsigned i = 0; i < 60; i++) {
		snprintf(path, sizeof(path), "/few%u", i);
		fixture_add_memcg(host.fixture, path);
	}
	assert_int_equal(getrlimit(RLIMIT_NOFILE, &former), 0);
	few = former;
	few.rlim_cur = 256;
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &few), 0);
	for (unsigned round = 0; round < 3; round++) {
		scan(&host);
		sample(&host);
		for (unsigned i = 0; i < 60; i++) {
			snprintf(path, sizeof(path), "/few%u", i);
			assert_int_equal(count_unknown(look(&host, path)), 0);
			assert_true(look(&host, path)->populated);
		}
		assert_true(look(&host, "/")->populated);
	}
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &former), 0);
	host_close(&host);
}

/* One whose counters cost too much: all else of it is fresh, the counters are unknown and not old
 * ones, and what our writes did waits for them. */
static void test_dear_memcg_is_skipped(void **state)
{
	const struct memcg_sample *c;
	struct memcg *memcg;
	struct host host;

	host_open(&host, state);
	scan(&host);
	memcg = hierarchy_find(host.hierarchy, "/c", 2);
	memcg->cost = (struct read_cost){.cpu_usec = 7000, .read_usec = 5000 - 500};
	host.sampler.share_usec = 1000;
	memcg->outcome.writes = 3;
	sample(&host);
	c = look(&host, "/c");
	assert_true(c->skipped && c->populated);
	assert_int_equal(c->read_interval_usec, 7 * 77);
	assert_int_equal(c->current_bytes, 104857600);
	assert_true(c->pgscan_pages == U && c->lru_bytes[LRU_ANON] == U && c->events_oom == U);
	assert_true(c->psi_io.some_usec == U);
	assert_int_equal(c->outcome.writes, 0);
	assert_int_equal(memcg->outcome.writes, 3);
	assert_false(look(&host, "/a/b")->skipped);
	assert_int_equal(look(&host, "/a/b")->pgscan_pages, 70000);

	host.sampler.share_usec = 1000;
	memcg->cost.read_usec = 5000 - 7 * 77;
	sample(&host);
	assert_false(look(&host, "/c")->skipped);
	assert_int_equal(look(&host, "/c")->pgscan_pages, 70000);
	assert_int_equal(look(&host, "/c")->outcome.writes, 3);
	assert_int_equal(memcg->cost.read_usec, 5000);
	assert_true(memcg->cost.last_usec > 0);
	host_close(&host);
}

/* Its share is booked each time: 8 s at once would keep all the others waiting. */
static void test_dear_memcg_is_booked_by_shares(void **state)
{
	struct features features = {.capability = CAPABILITY_OBSERVE};
	struct memcg *memcg;
	struct host host;

	host_open(&host, state);
	scan(&host);
	memcg = hierarchy_find(host.hierarchy, "/c", 2);
	for (unsigned round = 0; round < 2; round++) {
		struct reading *reading = &host.sampler.reading;

		memcg->cost.cpu_usec = 8000000;
		assert_int_equal(sampler_prepare(&host.sampler, host.hierarchy, NULL, true,
						 10000000 + round, 5000000, 4000),
				 0);
		reading_run(reading);
		reading->cpu_usec = 900;
		for (size_t i = 0; i < reading->n_memcgs; i++)
			if (reading->counters[i].cpu_usec > 0)
				reading->counters[i].cpu_usec = 50;
		if (round == 0) {
			assert_false(reading->samples[memcg->index].skipped);
			reading->counters[memcg->index].cpu_usec = 8000000;
			reading->cpu_usec += 8000000;
		} else {
			assert_true(reading->samples[memcg->index].skipped);
		}
		assert_int_equal(
			sampler_take(&host.sampler, host.hierarchy, &features, &host.snapshot), 0);
		assert_in_range(host.sampler.share_usec, 3000, 4000);
		assert_int_equal(host.sampler.booked_usec, 900 + host.sampler.share_usec);
	}
	host_close(&host);
}

/* Nobody in it, and it holds what it held. */
static void test_idle_memcg_is_skipped(void **state)
{
	struct memcg *memcg;
	struct host host;

	host_open(&host, state);
	fixture_write(host.fixture, fixture_memcg_file("/c", "cgroup.events"),
		      "populated 0\nfrozen 0\n");
	scan(&host);
	memcg = hierarchy_find(host.hierarchy, "/c", 2);
	sample(&host);
	assert_false(look(&host, "/c")->skipped);
	assert_int_equal(look(&host, "/c")->pgscan_pages, 70000);
	memcg->state.last.current_bytes = 104857600;
	sample(&host);
	assert_true(look(&host, "/c")->skipped && look(&host, "/c")->pgscan_pages == U);
	memcg->outcome.writes = 1;
	sample(&host);
	assert_false(look(&host, "/c")->skipped);
	memcg->state.last.current_bytes = 104857599;
	sample(&host);
	assert_false(look(&host, "/c")->skipped);
	memcg->state.last.current_bytes = 104857600;
	fixture_write(host.fixture, fixture_memcg_file("/c", "cgroup.events"),
		      "populated 1\nfrozen 0\n");
	sample(&host);
	assert_false(look(&host, "/c")->skipped);
	host_close(&host);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		FIXTURE_TEST(test_values),
		FIXTURE_TEST(test_cpu_time),
		FIXTURE_TEST(test_system),
		FIXTURE_TEST(test_root),
		FIXTURE_TEST(test_missing_and_garbage),
		FIXTURE_TEST(test_vanished_memcg),
		FIXTURE_TEST(test_outcome_is_handed_over),
		FIXTURE_TEST(test_few_descriptors),
		FIXTURE_TEST(test_dear_memcg_is_skipped),
		FIXTURE_TEST(test_dear_memcg_is_booked_by_shares),
		FIXTURE_TEST(test_idle_memcg_is_skipped),
	};

	return cmocka_run_group_tests_name("sampler", tests, NULL, NULL);
}
