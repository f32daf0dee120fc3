/* SPDX-License-Identifier: MIT */
/*
 * Tiers in snapshots: which rows of lru_gen_full they come from, and how seldom it is read.
 */
#include "listing_tiers.h"
#include "macro.h"
#include "sampler.h"
#include "tier.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>
#include <cmocka.h>

#include "sampler-host.h"

#define LRU_GEN_FULL "sys/kernel/debug/lru_gen_full"
#define SEC          UINT64_C(1000000)
#define INTERVAL     (5 * SEC)

static struct memcg *memcg_of(const struct host *host, const char *path)
{
	struct memcg *memcg = hierarchy_find(host->hierarchy, path, strlen(path));

	assert_non_null(memcg);
	return memcg;
}

/* One look; what somebody wants is taken from the states as they are. */
static void look_at(struct host *host, uint64_t now_usec, bool tiers, uint64_t budget_usec)
{
	struct features features = {.capability = CAPABILITY_TIERS};

	assert_int_equal(sampler_prepare(&host->sampler, host->hierarchy, NULL, tiers, now_usec,
					 INTERVAL, budget_usec),
			 0);
	reading_run(&host->sampler.reading);
	assert_int_equal(sampler_take(&host->sampler, host->hierarchy, &features, &host->snapshot),
			 0);
}

static void open_recorded(struct host *host, void **state, const char *listing)
{
	host_open(host, state);
	fixture_add_memcg(host->fixture, "/t");
	fixture_add_memcg(host->fixture, "/t/h");
	fixture_add_memcg(host->fixture, "/t/s");
	fixture_copy_listing(host->fixture, listing, "lru_gen_full");
	scan(host);
	memcg_of(host, "/t")->state.wants_tiers = true;
}

/* Rows of the generation that is the oldest of file; those of a former round stand above it. */
static void test_recorded(void **state)
{
	const struct lruvec_tiers *tiers;
	struct host host;

	open_recorded(&host, state, "6.12-stats-sepx-mid.lru_gen_full");
	look_at(&host, 5 * SEC, true, UINT64_MAX);
	assert_int_equal(look(&host, "/c")->n_tiers, 0);
	assert_int_equal(look(&host, "/t/h")->n_tiers, 1);
	tiers = &host.snapshot.tiers[look(&host, "/t/h")->first_tiers];
	assert_int_equal(tiers->seq, 2);
	assert_int_equal(tiers->n_tiers, 4);
	assert_int_equal(tiers->tiers[0].refaulted_pages, 1494);
	assert_int_equal(tiers->tiers[1].refaulted_pages, 96);
	assert_int_equal(tiers->tiers[1].evicted_pages, 609);
	assert_int_equal(tiers->tiers[1].protected_pages, 152);
	assert_int_equal(tiers->tiers[1].mean_refaulted_pages, 165);
	assert_int_equal(tiers->tiers[1].mean_total_pages, 500);
	assert_int_equal(tiers->tiers[3].mean_total_pages, 4781);
	tiers = &host.snapshot.tiers[look(&host, "/t/s")->first_tiers];
	assert_int_equal(tiers->seq, 1);
	assert_int_equal(tiers->tiers[0].evicted_pages, 19200);
	host_close(&host);
}

struct found {
	unsigned n_known, n_records;
	struct lruvec_tiers last;
};

static void take(const struct lru_gen_record *record, void *userdata)
{
	struct found *found = userdata;
	struct lruvec_tiers tiers;

	listing_take_tiers(record, &tiers);
	found->n_records++;
	found->n_known += tiers.n_tiers > 0;
	found->last = tiers;
}

/* Whatever fills the columns that mean nothing, whatever else is listed. */
static void test_kernels(void **state)
{
	static const struct {
		const char *listing;
		unsigned n_records, n_known;
		struct lruvec_tiers last; /* its tier 1 */
	} cases[] = {
		{"6.7-mongodb-seed004-a.lru_gen_full",
		 1,
		 1,
		 {2, 4, {{0}, {903, 16888, 0, 3012246, 3270261}}}},
		{"synthetic-6.14.lru_gen_full", 1, 1, {11, 4, {{0}, {26, 104, 0, 2845, 5966}}}},
		{"6.12-two-nodes.lru_gen", 8, 0, {0}},
	};
	static struct lru_gen_record record;
	static char text[1 << 20];

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		const struct tier_flow *wanted = &cases[i].last.tiers[1];
		struct found found = {0};

		fixture_copy_listing(*state, cases[i].listing, "lru_gen_full");
		fixture_read(*state, LRU_GEN_FULL, text, sizeof(text));
		kparse_lru_gen(text, strlen(text), &record, take, &found);
		if (cases[i].n_known > 0)
			assert_int_equal(found.n_records, cases[i].n_records);
		assert_int_equal(found.n_known, cases[i].n_known);
		assert_int_equal(found.last.seq, cases[i].last.seq);
		assert_int_equal(found.last.n_tiers, cases[i].last.n_tiers);
		if (found.last.n_tiers > 0)
			assert_memory_equal(&found.last.tiers[1], wanted, sizeof(*wanted));
	}
}

/* A line is changed in a record that is sound otherwise: nothing is known of it. */
static void test_rows_that_do_not_fit(void **state)
{
	static const char gens[] = "memcg     2 /t\n node     0\n"
				   "          1       2000          7           5 \n"
				   "                     0          0r          0e          0p%s"
				   "          2       1000          1         100 \n"
				   "                     0          0R          0T          0x%s";
	static const struct {
		const char *oldest, *youngest;
		bool known;
	} cases[] = {
		{"         1r         2e         3p\n", "         4R         5T         0x\n",
		 true},
		{"         1x         2x         3x\n", "         4R         5T         0x\n",
		 false},
		{"         1r         2e         3p\n", "         4x         5x         0x\n",
		 false},
		{"         1R         2T         3x\n", "         4R         5T         0x\n",
		 false},
	};
	struct host host;

	open_recorded(&host, state, "6.12-stats-sepx-mid.lru_gen_full");
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		fixture_printf(host.fixture, LRU_GEN_FULL, gens, cases[i].oldest,
			       cases[i].youngest);
		look_at(&host, (i + 1) * 100 * SEC, true, UINT64_MAX);
		assert_int_equal(look(&host, "/t")->n_tiers, cases[i].known);
	}
	/* All of file has left: there is no oldest generation. */
	fixture_write(host.fixture, LRU_GEN_FULL,
		      "memcg     2 /t\n node     0\n"
		      "          1       2000          7           5x\n"
		      "          2       1000          1           5x\n");
	look_at(&host, 1000 * SEC, true, UINT64_MAX);
	assert_int_equal(look(&host, "/t")->n_tiers, 0);
	/* A plain listing in its place. */
	fixture_copy_listing(host.fixture, "6.12-two-nodes.lru_gen", "lru_gen_full");
	look_at(&host, 2000 * SEC, true, UINT64_MAX);
	assert_int_equal(look(&host, "/a")->n_tiers, 0);
	host_close(&host);
}

/* Only where it can be read and somebody waits for it, and not again within ten seconds. */
static void test_seldom(void **state)
{
	struct host host;

	open_recorded(&host, state, "6.12-stats-sepx-mid.lru_gen_full");
	look_at(&host, 100 * SEC, false, UINT64_MAX);
	assert_int_equal(host.snapshot.n_tiers, 0);
	look_at(&host, 101 * SEC, true, UINT64_MAX);
	assert_int_equal(host.snapshot.n_tiers, 4);
	look_at(&host, 110 * SEC, true, UINT64_MAX);
	assert_int_equal(host.snapshot.n_tiers, 0);
	assert_int_equal(look(&host, "/t/h")->n_tiers, 0);
	look_at(&host, 111 * SEC, true, UINT64_MAX);
	assert_int_equal(host.snapshot.n_tiers, 4);
	memcg_of(&host, "/t")->state.wants_tiers = false;
	look_at(&host, 1000 * SEC, true, UINT64_MAX);
	assert_int_equal(host.snapshot.n_tiers, 0);
	host_close(&host);
}

/* Four times as dear as what it may cost in an interval: read each fourth interval, and booked as if
 * a part were paid in each. Once alone proves nothing, and is booked no higher. */
static void test_dear(void **state)
{
	struct features features = {.capability = CAPABILITY_TIERS};
	struct sampler *sampler;
	struct host host;

	open_recorded(&host, state, "6.12-stats-sepx-mid.lru_gen_full");
	sampler = &host.sampler;
	for (uint64_t i = 0; i < 8; i++) {
		bool due = i == 0 || i == 2 || i == 6;

		assert_int_equal(sampler_prepare(sampler, host.hierarchy, NULL, true,
						 1000 * SEC + i * INTERVAL, INTERVAL, 4000),
				 0);
		reading_run(&sampler->reading);
		assert_int_equal(sampler->reading.full_len > 0, due);
		for (size_t m = 0; m < sampler->reading.n_memcgs; m++)
			sampler->reading.counters[m].cpu_usec = 0;
		sampler->reading.full_cpu_usec = due ? 4000 : 0;
		sampler->reading.cpu_usec = 300 + sampler->reading.full_cpu_usec;
		assert_int_equal(sampler_take(sampler, host.hierarchy, &features, &host.snapshot),
				 0);
		assert_int_equal(sampler->booked_usec, i == 1 ? 300 : 1300);
	}
	host_close(&host);
}

/* Denied or gone: the rest of the snapshot is there. */
static void test_denied(void **state)
{
	struct host host;

	host_open(&host, state);
	scan(&host);
	memcg_of(&host, "/c")->state.wants_tiers = true;
	look_at(&host, 100 * SEC, true, UINT64_MAX);
	assert_int_equal(host.sampler.reading.full_len, -ENOENT);
	assert_int_equal(host.snapshot.n_tiers, 0);
	assert_int_equal(host.snapshot.n_memcgs, 4);
	assert_int_equal(look(&host, "/c")->n_tiers, 0);
	/* Mounted later. */
	fixture_write(host.fixture, LRU_GEN_FULL,
		      "memcg     2 /c\n node     0\n"
		      "          1       2000          7           5 \n"
		      "                     0          0r          0e          0p"
		      "          1r          2e          3p\n"
		      "          2       1000          1         100 \n"
		      "                     0          0R          0T          0x"
		      "          4R          5T          0x\n");
	look_at(&host, 200 * SEC, true, UINT64_MAX);
	assert_int_equal(look(&host, "/c")->n_tiers, 1);
	host_close(&host);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		FIXTURE_TEST(test_recorded),
		FIXTURE_TEST(test_kernels),
		FIXTURE_TEST(test_rows_that_do_not_fit),
		FIXTURE_TEST(test_seldom),
		FIXTURE_TEST(test_dear),
		FIXTURE_TEST(test_denied),
	};

	return cmocka_run_group_tests_name("sampler-tiers", tests, NULL, NULL);
}
