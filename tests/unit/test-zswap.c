/* SPDX-License-Identifier: MIT */
/*
 * What is read of zswap: on a host, whether it is on and how much it takes; of each memcg, what its own
 * files say. What follows from that: test-policy-zswap.c.
 */
#include "arith.h"
#include "macro.h"
#include "sampler.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>
#include <cmocka.h>

#include "fixture.h"
#include "sampler-host.h"

#define PARAMETERS "sys/module/zswap/parameters/"
#define SWAPS      "proc/swaps"
#define SWAPS_HEAD "Filename\t\t\t\tType\t\tSize\t\tUsed\t\tPriority\n"

static struct features probe(struct host *host)
{
	struct features features;
	struct feature_host feature_host = {
		.root = host->fixture->root,
		.hierarchy = host->hierarchy,
		.lru_gen = &host->lru_gen,
	};

	features_probe(&features, &feature_host);
	feature_files_close(&feature_host.files);
	return features;
}

/* With what the host has just now. */
static void sample_zswap(struct host *host)
{
	struct features features = probe(host);

	host->sampler.reading.wants_zswap = features.zswap;
	assert_int_equal(
		sampler_prepare(&host->sampler, host->hierarchy, NULL, false, 5000, 77, UINT64_MAX),
		0);
	reading_run(&host->sampler.reading);
	assert_int_equal(sampler_take(&host->sampler, host->hierarchy, &features, &host->snapshot),
			 0);
}

static void switch_on(const struct host *host, const char *percent, const char *threshold)
{
	fixture_write(host->fixture, PARAMETERS "enabled", "Y\n");
	fixture_write(host->fixture, PARAMETERS "max_pool_percent", percent);
	fixture_write(host->fixture, PARAMETERS "accept_threshold_percent", threshold);
	fixture_write(host->fixture, SWAPS, SWAPS_HEAD "/dev/sda2 partition 1048576 0 -2\n");
}

static void test_host(void **state)
{
	const struct system_sample *system;
	struct features features;
	struct host host;

	host_open(&host, state);
	scan(&host);
	system = &host.snapshot.system;
	fixture_write(host.fixture, "sys/block/sda/queue/rotational", "1\n");
	switch_on(&host, "20\n", "90\n");
	fixture_write(host.fixture, MEMINFO, "MemTotal: 1000000 kB\nZswap: 100000 kB\n");
	sample_zswap(&host);
	assert_true(system->zswap && !system->swap_is_zram);
	/* What zswap does not take goes there. */
	assert_true(system->swap_rotates);
	assert_int_equal(system->zswap_room_bytes, 80000 * 1024);
	/* Full; unknown; and a parameter that is not to be read. */
	fixture_write(host.fixture, MEMINFO, "MemTotal: 1000000 kB\nZswap: 180001 kB\n");
	sample_zswap(&host);
	assert_int_equal(system->zswap_room_bytes, 0);
	fixture_write(host.fixture, MEMINFO, "MemTotal: 1000000 kB\n");
	sample_zswap(&host);
	assert_int_equal(system->zswap_room_bytes, 0);
	fixture_write(host.fixture, MEMINFO, "MemTotal: 1000000 kB\nZswap: 100000 kB\n");
	fixture_remove(host.fixture, PARAMETERS "accept_threshold_percent");
	sample_zswap(&host);
	assert_int_equal(system->zswap_room_bytes, 0);
	/* Before zram, and before nothing. */
	fixture_write(host.fixture, SWAPS, SWAPS_HEAD "/dev/zram0 partition 1048576 0 100\n");
	features = probe(&host);
	assert_true(features.zswap && features.swap_is_zram && !features.swap_rotates);
	fixture_write(host.fixture, SWAPS, SWAPS_HEAD);
	features = probe(&host);
	assert_false(features.zswap || features.swap_is_zram);
	fixture_write(host.fixture, PARAMETERS "enabled", "N\n");
	fixture_write(host.fixture, SWAPS, SWAPS_HEAD "/dev/sda2 partition 1048576 0 -2\n");
	features = probe(&host);
	assert_false(features.zswap || features.swap_is_zram);
	host_close(&host);
}

static void write_of(const struct host *host, const char *path, const char *max,
		     const char *current, const char *writeback)
{
	fixture_write(host->fixture, fixture_memcg_file(path, "memory.zswap.max"), max);
	fixture_write(host->fixture, fixture_memcg_file(path, "memory.zswap.current"), current);
	fixture_write(host->fixture, fixture_memcg_file(path, "memory.zswap.writeback"), writeback);
}

static void test_memcgs(void **state)
{
	const struct memcg_sample *a, *b, *c;
	struct host host;

	host_open(&host, state);
	scan(&host);
	write_of(&host, "/a", "0\n", "0\n", "0\n");
	write_of(&host, "/a/b", "1048576\n", "4096\n", "1\n");
	write_of(&host, "/c", "max\n", "8192\n", "0\n");
	/* Linux up to 6.7. */
	fixture_remove(host.fixture, fixture_memcg_file("/c", "memory.zswap.writeback"));
	/* Off: none of it is looked at. */
	sample_zswap(&host);
	a = look(&host, "/a");
	b = look(&host, "/a/b");
	assert_true(a->zswap_max_bytes == SAMPLE_UNKNOWN && !a->zswap_only);
	switch_on(&host, "20\n", "90\n");
	sample_zswap(&host);
	a = look(&host, "/a");
	b = look(&host, "/a/b");
	c = look(&host, "/c");
	assert_true(a->zswap_max_bytes == 0 && a->zswap_only);
	assert_true(b->zswap_max_bytes == 1048576 && b->zswap_current_bytes == 4096);
	assert_false(b->zswap_only);
	/* Without a limit it does not matter how much it is. */
	assert_true(c->zswap_max_bytes == SAMPLE_INFINITY &&
		    c->zswap_current_bytes == SAMPLE_UNKNOWN && !c->zswap_only);
	/* What is not to be read; and a memcg that is no care of anybody's. */
	fixture_write(host.fixture, fixture_memcg_file("/a", "memory.zswap.writeback"), "junk\n");
	fixture_write(host.fixture, fixture_memcg_file("/c", "memory.zswap.max"), "junk\n");
	fixture_write(host.fixture, fixture_memcg_file("/a/b", "memory.current"), "4096\n");
	sample_zswap(&host);
	assert_false(look(&host, "/a")->zswap_only);
	assert_true(look(&host, "/a/b")->zswap_max_bytes == SAMPLE_UNKNOWN);
	assert_true(look(&host, "/c")->zswap_max_bytes == SAMPLE_UNKNOWN);
	host_close(&host);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		FIXTURE_TEST(test_host),
		FIXTURE_TEST(test_memcgs),
	};

	return cmocka_run_group_tests_name("zswap", tests, NULL, NULL);
}
