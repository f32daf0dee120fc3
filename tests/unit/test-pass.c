/* SPDX-License-Identifier: MIT */
/*
 * From the files of a nested tree to the plan: who owns the memory is asked for it, and nobody else
 * (a record of lru_gen is of one memcg alone: what its root holds is not what is in it).
 */
#include "arith.h"
#include "cgroup_mount.h"
#include "macro.h"
#include "pass.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "fixture.h"

#define SEC     UINT64_C(1000000)
#define TICK    (5 * SEC)
#define SLICE   "/spin.slice"
#define LEAF    SLICE "/db.service"
#define INNER   SLICE "/app.service"
#define PAYLOAD INNER "/payload"
#define EMPTY   SLICE "/empty.service"
#define GONE    SLICE "/gone.service"

struct host {
	const struct fixture *fixture;
	struct config *config;
	struct hierarchy *hierarchy;
	struct lru_gen lru_gen;
	struct features features;
	struct pass pass;
	struct plan plan;
	uint64_t now_usec;
	char listing[4096];
	size_t len;
};

/* Pages in the oldest of four generations: cold ones. */
static void list(struct host *host, unsigned id, const char *path, unsigned anon, unsigned file)
{
	host->len += (size_t)snprintf(
		host->listing + host->len, sizeof(host->listing) - host->len,
		"memcg %5u %s\n node     0\n %10d %10d %10u %10u \n %10d %10d %10d %10d \n"
		" %10d %10d %10d %10d \n %10d %10d %10d %10d \n",
		id, path, 4, 900000, anon, file, 5, 600000, 10, 10, 6, 300000, 10, 10, 7, 150000,
		10, 10);
	assert_true(host->len < sizeof(host->listing));
}

static void host_open(struct host *host, void **state)
{
	static const char *const paths[] = {SLICE, LEAF, INNER, PAYLOAD, EMPTY};
	const char *why;

	*host = (struct host){
		.fixture = *state,
		.features = {.capability = CAPABILITY_TIERS},
		.now_usec = 1000 * SEC,
	};
	host->features.swap_is_zram = true;
	host->features.probes[FEATURE_SWAPPINESS].present = true;
	fixture_add_cgroups(host->fixture);
	for (size_t i = 0; i < ARRAY_SIZE(paths); i++)
		fixture_add_memcg(host->fixture, paths[i]);
	fixture_write(host->fixture, fixture_memcg_file(SLICE, "memory.current"), "524288000\n");
	fixture_write(host->fixture, fixture_memcg_file(EMPTY, "memory.current"), "0\n");
	fixture_write(host->fixture, fixture_memcg_file(EMPTY, "cgroup.events"),
		      "populated 0\nfrozen 0\n");
	fixture_write(host->fixture, "proc/meminfo",
		      "MemTotal: 8388608 kB\nMemAvailable: 4194304 kB\nSwapTotal: 4194304 kB\n"
		      "SwapFree: 4194304 kB\n");
	/* The slice holds pages of children that were removed, and one of these is listed still. */
	list(host, 1, "/", 9000, 9000);
	list(host, 2, SLICE, 9000, 9000);
	list(host, 3, LEAF, 9000, 500);
	list(host, 4, INNER, 9000, 500);
	list(host, 5, PAYLOAD, 0, 0);
	list(host, 0, GONE, 9000, 9000);
	fixture_write(host->fixture, "sys/kernel/debug/lru_gen", host->listing);
	host->config = fixture_config(host->fixture, "[Class all]\nMatch=/**\n");
	assert_int_equal(hierarchy_open(host->fixture->root, &host->hierarchy, &why), 0);
	lru_gen_open(&host->lru_gen, host->fixture->root);
	assert_int_equal(pass_init(&host->pass, host->fixture->root, host->hierarchy,
				   &host->lru_gen, &host->features),
			 0);
}

static void host_close(struct host *host)
{
	pass_done(&host->pass);
	lru_gen_close(&host->lru_gen);
	hierarchy_close(host->hierarchy);
	config_free(host->config);
}

static const struct memcg *find(const struct host *host, const char *path)
{
	const struct memcg *memcg = hierarchy_find(host->hierarchy, path, strlen(path));

	assert_non_null(memcg);
	return memcg;
}

/* One interval later. Every decision is about a leaf that holds something. */
static void look(struct host *host)
{
	size_t n;
	struct memcg *const *memcgs;

	host->now_usec += TICK;
	assert_int_equal(pass_look(&host->pass, host->config, host->now_usec, TICK, &host->plan),
			 0);
	memcgs = hierarchy_memcgs(host->hierarchy, &n);
	for (size_t i = 0; i < host->plan.n_decisions; i++) {
		const struct memcg *memcg = memcgs[host->plan.decisions[i].memcg];

		assert_true(memcg->leaf);
		assert_string_not_equal(memcg->path, EMPTY);
	}
}

static uint64_t asked_bytes(const struct host *host, const char *path)
{
	uint64_t bytes = 0;

	for (size_t i = 0; i < host->plan.n_decisions; i++)
		if (host->plan.decisions[i].memcg == find(host, path)->index)
			bytes += host->plan.decisions[i].bytes;
	return bytes;
}

static size_t count_decisions(const struct host *host, enum reason reason)
{
	size_t n = 0;

	for (size_t i = 0; i < host->plan.n_decisions; i++)
		n += host->plan.decisions[i].reason == reason;
	return n;
}

static enum reason reason_of(const struct host *host, const char *path)
{
	return find(host, path)->state.verdict.reason;
}

/* The leaf with cold pages gives them. The memcgs around it have as many of their own, and do not:
 * a child that comes may need what looks idle now, and what is left of removed ones is the kernel's
 * to take. */
static void test_only_leaves_that_own_it(void **state)
{
	struct host host;

	host_open(&host, state);
	for (int i = 0; i < 15; i++)
		look(&host);
	assert_int_equal(reason_of(&host, LEAF), REASON_EVICT_COLD);
	assert_true(asked_bytes(&host, LEAF) > 0);
	assert_int_equal(count_decisions(&host, REASON_EVICT_COLD), 1);
	assert_int_equal(reason_of(&host, "/"), REASON_OMITTED);
	assert_int_equal(reason_of(&host, SLICE), REASON_INNER);
	assert_int_equal(reason_of(&host, INNER), REASON_INNER);
	assert_int_equal(reason_of(&host, EMPTY), REASON_UNPOPULATED);
	assert_null(hierarchy_find(host.hierarchy, GONE, strlen(GONE)));
	/* Shown all the same, and of their own alone: not the sum of what is below. */
	assert_int_equal(find(&host, SLICE)->state.cold_bytes,
			 9000 * (uint64_t)sysconf(_SC_PAGESIZE));
	assert_int_equal(find(&host, PAYLOAD)->state.cold_bytes, 0);
	host_close(&host);
}

/* Cold anon of the leaf stays in memory by zswap until its slice is forbidden to have any there: then
 * it would go to the disk behind it. */
static void test_zswap_of_an_ancestor(void **state)
{
	struct host host;

	host_open(&host, state);
	host.features.swap_is_zram = false;
	host.features.zswap = true;
	host.features.zswap_pool_ppm = 180000;
	fixture_write(host.fixture, "proc/meminfo",
		      "MemTotal: 8388608 kB\nMemAvailable: 4194304 kB\nSwapTotal: 4194304 kB\n"
		      "SwapFree: 4194304 kB\nZswap: 0 kB\n");
	fixture_write(host.fixture, fixture_memcg_file(SLICE, "memory.zswap.max"), "max\n");
	fixture_write(host.fixture, fixture_memcg_file(LEAF, "memory.zswap.max"), "max\n");
	for (int i = 0; i < 15; i++)
		look(&host);
	assert_int_equal(reason_of(&host, LEAF), REASON_EVICT_COLD);
	fixture_write(host.fixture, fixture_memcg_file(SLICE, "memory.zswap.max"), "0\n");
	look(&host);
	assert_int_equal(reason_of(&host, LEAF), REASON_SWAP_DEVICE);
	fixture_write(host.fixture, fixture_memcg_file(SLICE, "memory.zswap.writeback"), "0\n");
	look(&host);
	assert_int_equal(reason_of(&host, LEAF), REASON_ZSWAP_FULL);
	host_close(&host);
}

/* The service that owns the pages is inner as long as it has a child, and a leaf after that. */
static void test_leaf_again(void **state)
{
	struct host host;

	host_open(&host, state);
	for (int i = 0; i < 15; i++)
		look(&host);
	assert_int_equal(asked_bytes(&host, INNER), 0);
	fixture_remove(host.fixture, fixture_memcg_file(PAYLOAD, ""));
	look(&host);
	assert_int_equal(reason_of(&host, INNER), REASON_EVICT_COLD);
	assert_true(asked_bytes(&host, INNER) > 0);
	/* And the other way round: nothing is asked of who has got a child. */
	fixture_add_memcg(host.fixture, LEAF "/new");
	look(&host);
	assert_int_equal(reason_of(&host, LEAF), REASON_INNER);
	assert_int_equal(asked_bytes(&host, LEAF), 0);
	host_close(&host);
}

/* A limit of the slice is kept by its children: nothing is asked of the slice itself, nor of a
 * child that has nothing. */
static void test_limit_of_an_inner_one(void **state)
{
	struct host host;
	char stat[512];
	int leaf_pages = 9000;

	host_open(&host, state);
	host.features.capability = CAPABILITY_RECLAIM;
	fixture_write(host.fixture, fixture_memcg_file(SLICE, "memory.max"), "535822336\n");
	for (int i = 0; i < 30; i++) {
		/* The leaf reads new files all the time, and the kernel takes former ones. */
		leaf_pages += 4000;
		snprintf(stat, sizeof(stat),
			 "active_anon 0\ninactive_anon 41943040\nactive_file 0\n"
			 "inactive_file 62914560\nunevictable 0\nfile_dirty 0\nfile_writeback 0\n"
			 "workingset_refault_anon 0\nworkingset_refault_file 0\npgscan %d\n"
			 "pgsteal %d\n",
			 leaf_pages, leaf_pages);
		fixture_write(host.fixture, fixture_memcg_file(LEAF, "memory.stat"), stat);
		fixture_write(host.fixture, fixture_memcg_file(SLICE, "memory.stat"), stat);
		look(&host);
	}
	assert_int_equal(reason_of(&host, LEAF), REASON_HEADROOM);
	assert_true(asked_bytes(&host, LEAF) > 0);
	assert_int_equal(asked_bytes(&host, PAYLOAD), 0);
	host_close(&host);
}

/* What a mount says is told to the policy; what is not known protects more. */
static void test_recursive_protection(void **state)
{
	static const char with[] =
		"25 30 0:23 / /sys rw - sysfs sysfs rw\n"
		"35 25 0:28 / /sys/fs/cgroup rw,nosuid shared:9 - cgroup2 cgroup2 "
		"rw,nsdelegate,memory_recursiveprot\n36 25 0:29 / /sys/fs/pstore rw - pstore "
		"pstore rw\n";
	static const char without[] =
		"35 25 0:28 / /sys/fs/cgroup rw,nosuid shared:9 - cgroup2 cgroup2 rw,nsdelegate\n"
		"36 25 0:29 / /memory_recursiveprot rw - tmpfs memory_recursiveprot rw\n";
	struct host host;

	assert_true(cgroup_mount_parse(with));
	assert_false(cgroup_mount_parse(without));
	assert_true(cgroup_mount_parse(""));
	host_open(&host, state);
	assert_true(host.pass.recursive_protection);
	fixture_write(host.fixture, "proc/self/mountinfo", without);
	pass_done(&host.pass);
	assert_int_equal(pass_init(&host.pass, host.fixture->root, host.hierarchy, &host.lru_gen,
				   &host.features),
			 0);
	assert_false(host.pass.recursive_protection);
	host_close(&host);
}

static time_t wall_sec;
static unsigned n_wall_times;

static time_t show_wall_time(time_t *unused)
{
	(void)unused;
	n_wall_times++;
	return wall_sec;
}

/* Hours= go by the wall clock at each look, wherever that has jumped to in between. */
static void test_hours(void **state)
{
	const time_t day = 24 * 3600, midnight = 20000 * day;
	struct host host;

	setenv("TZ", "UTC0", 1);
	host_open(&host, state);
	/* Nobody asks for the time where it does not matter. */
	host.pass.wall_time = show_wall_time;
	look(&host);
	assert_int_equal(n_wall_times, 0);
	config_free(host.config);
	host.config = fixture_config(host.fixture, "[Class all]\nMatch=/**\nHours=22:00-06:00\n");
	hierarchy_classify(host.hierarchy, host.config);
	wall_sec = midnight;
	for (int i = 0; i < 15; i++)
		look(&host);
	assert_int_equal(reason_of(&host, LEAF), REASON_EVICT_COLD);
	wall_sec = midnight + 6 * 3600;
	look(&host);
	assert_int_equal(reason_of(&host, LEAF), REASON_HOURS);
	assert_int_equal(reason_of(&host, PAYLOAD), REASON_HOURS);
	assert_int_equal(host.plan.n_decisions, 0);
	wall_sec = midnight - 365 * day;
	look(&host);
	assert_int_equal(reason_of(&host, LEAF), REASON_EVICT_COLD);
	/* The zone is changed while the agent runs. */
	setenv("TZ", "XXX-12", 1);
	look(&host);
	assert_int_equal(reason_of(&host, LEAF), REASON_HOURS);
	setenv("TZ", "UTC0", 1);
	host_close(&host);
}

/* Looked at as before, and nothing is planned. */
static void test_pause(void **state)
{
	struct pause_set set = {0};
	struct host host;
	uint64_t looked_usec;

	host_open(&host, state);
	for (int i = 0; i < 15; i++)
		look(&host);
	assert_int_equal(reason_of(&host, LEAF), REASON_EVICT_COLD);
	assert_int_equal(pause_set_add(&set, LEAF), 0);
	pass_pause(&host.pass, &set);
	looked_usec = find(&host, LEAF)->state.looked_usec;
	look(&host);
	assert_int_equal(reason_of(&host, LEAF), REASON_PAUSED);
	assert_int_equal(reason_of(&host, "/"), REASON_OMITTED);
	assert_int_equal(asked_bytes(&host, LEAF), 0);
	assert_true(find(&host, LEAF)->state.looked_usec > looked_usec);
	/* It comes while files are read, and counts. */
	host.now_usec += TICK;
	assert_int_equal(pass_begin(&host.pass, host.config, host.now_usec, TICK, UINT64_MAX), 0);
	pass_read(&host.pass);
	assert_int_equal(pause_set_add(&set, "/"), 0);
	pass_pause(&host.pass, &set);
	assert_int_equal(pass_end(&host.pass, host.config, &host.plan), 0);
	assert_int_equal(reason_of(&host, PAYLOAD), REASON_PAUSED);
	assert_int_equal(reason_of(&host, "/"), REASON_OMITTED);
	assert_int_equal(host.plan.n_decisions, 0);
	pause_set_remove(&set, "/");
	pass_pause(&host.pass, &set);
	look(&host);
	assert_int_equal(reason_of(&host, LEAF), REASON_EVICT_COLD);
	pause_set_done(&set);
	host_close(&host);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		FIXTURE_TEST(test_only_leaves_that_own_it),
		FIXTURE_TEST(test_leaf_again),
		FIXTURE_TEST(test_limit_of_an_inner_one),
		FIXTURE_TEST(test_hours),
		FIXTURE_TEST(test_recursive_protection),
		FIXTURE_TEST(test_zswap_of_an_ancestor),
		FIXTURE_TEST(test_pause),
	};

	return cmocka_run_group_tests_name("pass", tests, NULL, NULL);
}
