/* SPDX-License-Identifier: MIT */
/*
 * Listings in snapshots: whose record is whose, and which records must not be believed.
 */
#include "sampler.h"
#include "macro.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>
#include <cmocka.h>

#include "sampler-host.h"

/* The generations of one node: 100 file pages in the younger one. */
#define GENS                                               \
	"          1       2000          7           0 \n" \
	"          2       1000          1         100 \n"

static void list(struct host *host, const char *text)
{
	fixture_write(host->fixture, LRU_GEN, text);
	scan(host);
	sample(host);
}

/* Which of /, /a, /a/b and /c are listed, as a word of those letters; and the flawed records. */
static void assert_listed(struct host *host, const char *text, const char *wanted, unsigned flawed)
{
	char listed[8];

	list(host, text);
	snprintf(listed, sizeof(listed), "%s%s%s%s", look(host, "/")->listed ? "/" : "",
		 look(host, "/a")->listed ? "a" : "", look(host, "/a/b")->listed ? "b" : "",
		 look(host, "/c")->listed ? "c" : "");
	if (strcmp(listed, wanted) != 0 || host->sampler.flawed_records != flawed)
		fail_msg("\"%s\" and %u flawed, not \"%s\" and %u, in:\n%s", listed,
			 host->sampler.flawed_records, wanted, flawed, text);
}

static void test_recorded_listing(void **state)
{
	const struct memcg_sample *a;
	const struct lruvec_sample *lruvecs;
	struct host host;

	host_open(&host, state);
	fixture_copy_listing(host.fixture, "6.12-two-nodes.lru_gen", "lru_gen");
	scan(&host);
	sample(&host);
	a = look(&host, "/a");
	assert_true(a->listed && look(&host, "/")->listed && !look(&host, "/c")->listed);
	assert_int_equal(a->n_lruvecs, 2);
	lruvecs = &host.snapshot.lruvecs[a->first_lruvec];
	assert_int_equal(lruvecs[0].node, 0);
	assert_int_equal(lruvecs[1].node, 1);
	assert_int_equal(lruvecs[0].n_gens, 4);
	assert_int_equal(lruvecs[0].gens[3].seq, 3);
	assert_int_equal(lruvecs[0].gens[3].age_msec, 8108);
	assert_int_equal(lruvecs[0].gens[3].pages[LRU_ANON], 86319);
	assert_int_equal(lruvecs[1].gens[3].pages[LRU_ANON], 41686);
	assert_int_equal(lruvecs[1].gens[2].pages[LRU_ANON], 1);
	assert_int_equal(hierarchy_find(host.hierarchy, "/a", 2)->listing_id, 2);
	host_close(&host);
}

static void test_listings(void **state)
{
	static const struct {
		const char *text, *listed;
		unsigned flawed;
	} cases[] = {
		{"", "", 0},
		{"no listing\n", "", 0},
		{"memcg     1 /\n node     0\n" GENS "memcg     2 /c\n node     0\n" GENS, "/c", 0},
		{"memcg     2 /c\n node     0\n" GENS " node     1\n" GENS, "c", 0},
		/* of nobody known: a cgroup that came or went since the scan */
		{"memcg     2 /x\n node     0\n" GENS "memcg     3 /c\n node     0\n" GENS, "c", 1},
		{"memcg     2 /c/\n node     0\n" GENS, "", 1},
		{"memcg     2 /a/b\n node     0\n" GENS "memcg     3 /b\n node     0\n" GENS, "b",
		 1},
		/* a path twice: neither is used, nor what follows the second */
		{"memcg     2 /c\n node     0\n" GENS "memcg     3 /c\n node     0\n" GENS, "", 1},
		{"memcg     2 /c\n node     0\n" GENS "memcg     2 /c\n node     1\n" GENS, "", 1},
		{"memcg     2 /c\n node     0\n" GENS "memcg     3 /c\n node     0\n" GENS
		 " node     1\n" GENS "memcg     4 /a\n node     0\n" GENS,
		 "a", 2},
		/* torn, or damaged, at the first or the second node */
		{"memcg     1 /\n node     0\n" GENS "memcg     2 /c\n node     0\n          1",
		 "/", 1},
		{"memcg     2 /c\n node     0\n" GENS " node     1\n          1       20", "", 1},
		{"memcg     2 /c\n node     0\n junk\n" GENS "memcg     3 /a\n node     0\n" GENS,
		 "a", 1},
		{"memcg     2 /c\n node     0\n junk\n" GENS " node     1\n" GENS, "", 2},
		/* node blocks that strayed: before any memcg, twice, backwards */
		{" node     0\n" GENS "memcg     3 /c\n node     0\n" GENS, "c", 1},
		{"memcg     2 /c\n node     0\n" GENS " node     0\n" GENS, "", 1},
		{"memcg     2 /c\n node     1\n" GENS " node     0\n" GENS, "", 1},
	};
	struct host host;

	host_open(&host, state);
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++)
		assert_listed(&host, cases[i].text, cases[i].listed, cases[i].flawed);
	host_close(&host);
}

static void test_no_listing(void **state)
{
	struct host host;

	host_open(&host, state);
	list(&host, "memcg     2 /c\n node     0\n" GENS);
	assert_true(look(&host, "/c")->listed);
	assert_int_equal(host.snapshot.n_lruvecs, 1);
	/* What was listed once is not any more. */
	list(&host, "");
	assert_false(look(&host, "/c")->listed);
	assert_int_equal(host.snapshot.n_lruvecs, 0);
	lru_gen_close(&host.lru_gen);
	scan(&host);
	sample(&host);
	assert_false(look(&host, "/c")->listed);
	host_close(&host);
}

/* As many memcgs and nodes as make every array grow. */
static void test_many(void **state)
{
	char *text = NULL, path[32];
	size_t size;
	FILE *file = open_memstream(&text, &size);
	struct host host;

	host_open(&host, state);
	for (unsigned i = 0; i < 150; i++) {
		snprintf(path, sizeof(path), "/many%u", i);
		fixture_write(host.fixture, fixture_memcg_file(path, "memory.current"), "1\n");
		fprintf(file, "memcg %5u %s\n node     0\n" GENS " node     1\n" GENS, i + 10,
			path);
	}
	fclose(file);
	list(&host, text);
	assert_int_equal(host.snapshot.n_memcgs, 154);
	assert_int_equal(host.snapshot.n_lruvecs, 300);
	for (unsigned i = 0; i < 150; i++) {
		const struct memcg_sample *many;

		snprintf(path, sizeof(path), "/many%u", i);
		many = look(&host, path);
		assert_true(many->listed && many->n_lruvecs == 2);
		assert_int_equal(many->first_lruvec, 2 * i);
	}
	free(text);
	host_close(&host);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		FIXTURE_TEST(test_recorded_listing),
		FIXTURE_TEST(test_listings),
		FIXTURE_TEST(test_no_listing),
		FIXTURE_TEST(test_many),
	};

	return cmocka_run_group_tests_name("sampler-listing", tests, NULL, NULL);
}
