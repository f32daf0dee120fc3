/* SPDX-License-Identifier: MIT */
/*
 * A steady tick opens nothing: files stay open, and directories are read again only where something
 * has come or gone. Every open below the fixture is counted by inotify, whoever does it and how.
 */
#include "pass.h"
#include "macro.h"

#include <ftw.h>
#include <limits.h>
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>
#include <sys/inotify.h>
#include <cmocka.h>

#include "fixture.h"

#define MEMCGS 20
#define TICK   UINT64_C(5000000)

struct bench {
	const struct fixture *fixture;
	struct config *config;
	struct hierarchy *hierarchy;
	struct lru_gen lru_gen;
	struct features features;
	struct pass pass;
	uint64_t now_usec;
};

static int inotify_fd;

static void bench_open(struct bench *bench, void **state)
{
	const char *why;
	char path[16];

	*bench = (struct bench){.fixture = *state, .now_usec = TICK};
	bench->features.capability = CAPABILITY_TIERS;
	fixture_add_cgroups(bench->fixture);
	fixture_add_memcg(bench->fixture, "/a");
	fixture_add_memcg(bench->fixture, "/b");
	for (unsigned i = 0; i < MEMCGS; i++) {
		snprintf(path, sizeof(path), "/%c/%u", 'a' + i % 2, i);
		fixture_add_memcg(bench->fixture, path);
	}
	fixture_write(bench->fixture, "proc/meminfo", "MemTotal: 1 kB\n");
	fixture_write(bench->fixture, "sys/kernel/debug/lru_gen", "");
	bench->config = fixture_config(bench->fixture, NULL);
	assert_int_equal(hierarchy_open(bench->fixture->root, &bench->hierarchy, &why), 0);
	lru_gen_open(&bench->lru_gen, bench->fixture->root);
	assert_int_equal(pass_init(&bench->pass, bench->fixture->root, bench->hierarchy,
				   &bench->lru_gen, &bench->features),
			 0);
}

static void bench_close(struct bench *bench)
{
	pass_done(&bench->pass);
	lru_gen_close(&bench->lru_gen);
	hierarchy_close(bench->hierarchy);
	config_free(bench->config);
	close(inotify_fd);
}

static void tick(struct bench *bench, unsigned n)
{
	struct plan plan;

	while (n-- > 0) {
		bench->now_usec += TICK;
		assert_int_equal(
			pass_look(&bench->pass, bench->config, bench->now_usec, TICK, &plan), 0);
	}
}

static int watch_one(const char *path, const struct stat *st _unused_, int type,
		     struct FTW *ftw _unused_)
{
	if (type == FTW_D)
		assert_true(inotify_add_watch(inotify_fd, path, IN_OPEN) >= 0);
	return 0;
}

/* Opens since the last call. One of a directory counts twice: in itself and in its parent. */
static unsigned count_opens(void)
{
	_Alignas(struct inotify_event) char buf[16384];
	unsigned count = 0;
	ssize_t n;

	while ((n = read(inotify_fd, buf, sizeof(buf))) > 0)
		for (char *p = buf; p < buf + n;) {
			const struct inotify_event *event = (const void *)p;

			assert_false(event->mask & IN_Q_OVERFLOW);
			count++;
			p += sizeof(*event) + event->len;
		}
	return count;
}

/* Counts from now on what is opened below a directory. */
static void watch(const struct bench *bench, const char *name)
{
	inotify_fd = inotify_init1(IN_CLOEXEC | IN_NONBLOCK);
	assert_true(inotify_fd >= 0);
	assert_int_equal(nftw(fixture_path(bench->fixture, name), watch_one, 16, FTW_PHYS), 0);
	count_opens(); /* of the walk just now */
}

static void test_nothing_is_opened(void **state)
{
	struct bench bench;

	bench_open(&bench, state);
	tick(&bench, 2);
	watch(&bench, "");
	tick(&bench, 8);
	assert_int_equal(count_opens(), 0);
	/* Once a minute all directories are read, since not every change is told. */
	tick(&bench, 4);
	assert_true(count_opens() >= 2 * MEMCGS);
	bench_close(&bench);
}

/* Nor does looking whether the host has changed, which it still sees. */
static void test_features_are_no_opens(void **state)
{
	struct bench bench;
	struct feature_host host;

	bench_open(&bench, state);
	fixture_write(bench.fixture, "sys/kernel/mm/lru_gen/enabled", "0x0007\n");
	fixture_write(bench.fixture, "sys/module/zswap/parameters/enabled", "N\n");
	fixture_write(bench.fixture, "proc/swaps",
		      "Filename Type Size Used Priority\n/dev/sda2 partition 8 0 -2\n");
	host = (struct feature_host){
		.root = bench.fixture->root,
		.hierarchy = bench.hierarchy,
		.lru_gen = &bench.lru_gen,
	};
	tick(&bench, 2);
	features_probe(&bench.features, &host);
	assert_true(bench.features.probes[FEATURE_MGLRU].present);
	assert_false(bench.features.probes[FEATURE_SWAP_MEMORY].present);
	watch(&bench, "");
	for (int i = 0; i < 8; i++)
		assert_false(features_refresh(&bench.features, &host));
	assert_int_equal(count_opens(), 0);
	feature_files_close(&host.files);
	bench_close(&bench);
}

/* One that comes is looked for where it came, and nowhere else. */
static void test_a_newcomer_is_no_full_scan(void **state)
{
	struct bench bench;
	size_t n;

	bench_open(&bench, state);
	tick(&bench, 2);
	watch(&bench, "sys/fs/cgroup/a");
	fixture_add_memcg(bench.fixture, "/b/new");
	tick(&bench, 1);
	assert_int_equal(count_opens(), 0);
	hierarchy_memcgs(bench.hierarchy, &n);
	assert_int_equal(n, 1 + 2 + MEMCGS + 1);
	bench_close(&bench);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		FIXTURE_TEST(test_nothing_is_opened),
		FIXTURE_TEST(test_features_are_no_opens),
		FIXTURE_TEST(test_a_newcomer_is_no_full_scan),
	};

	return cmocka_run_group_tests_name("steady", tests, NULL, NULL);
}
