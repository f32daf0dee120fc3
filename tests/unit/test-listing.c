/* SPDX-License-Identifier: MIT */
/*
 * Listings checked against a cgroup tree, and among themselves where there is none. What the
 * sampler makes of them is test-sampler-listing.c's.
 */
#include "listing.h"
#include "macro.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>
#include <cmocka.h>

#include "fixture.h"

#define GENS                                               \
	"          1       2000          7           0 \n" \
	"          2       1000          1         100 \n"
#define MEMCG(id, path) "memcg " id " " path "\n node     0\n" GENS
#define NODE(n)         " node     " n "\n" GENS

struct listing_case {
	const char *text;
	/* Of each entry: letter of its fault, and "!" once for each refused record. */
	const char *with_tree, *alone;
};

/* The tree holds / and /c. . ok, F flawed, S strayed, T twice, R removed, U unknown */
static const struct listing_case cases[] = {
	{"", "", ""},
	{MEMCG("1", "/"), ".", "."},
	{MEMCG("1", "/") MEMCG("2", "/c") NODE("1"), "..", ".."},
	{MEMCG("1", "/x"), "U!", "."},
	/* nothing but a beginning, or more */
	{MEMCG("1", "/c/") MEMCG("2", "/cc") MEMCG("3", "/"), "U!U!.", "..."},
	{MEMCG("1", "/c") MEMCG("2", "/c"), "TT!", "TT!"},
	{MEMCG("1", "/c") MEMCG("1", "/c"), "TT!", "TT!"},
	{MEMCG("1", "/c") MEMCG("2", "/") MEMCG("3", "/c") NODE("1") MEMCG("4", "/c"), "T.T!!T!",
	 "T.T!!T!"},
	{MEMCG("1", "/x") MEMCG("2", "/x"), "U!U!", "TT!"},
	/* removed ones are in nobody's way */
	{MEMCG("0", "/c") MEMCG("7", "/c") MEMCG("0", "/c"), "R!.R!", "R!.R!"},
	{MEMCG("0", "/x"), "R!", "R!"},
	/* no memcgs at all; a path that the kernel could not print */
	{MEMCG("0", ""), "U!", "."},
	{MEMCG("5", "") MEMCG("6", ""), "U!U!", "U!U!"},
	/* parts that are damaged */
	{"memcg 1 /c\n node     0\n junk\n" NODE("1"), "F!!", "F!!"},
	{MEMCG("1", "/c") " node     1\n junk\n" NODE("2") MEMCG("2", "/"), "F!!.", "F!!."},
	{MEMCG("1", "/c") " node     1\n junk\n" MEMCG("2", "/c"), "F!T!", "F!T!"},
	{MEMCG("1", "/c") " node     1\n", "F!", "F!"},
	{MEMCG("1", "/") MEMCG("2", "/c") "          3", ".F!", ".F!"},
	/* a memcg line that has been lost */
	{NODE("0") MEMCG("1", "/c"), "S!.", "S!."},
	{MEMCG("1", "/c") NODE("0") NODE("1") MEMCG("2", "/"), "SS!!.", "SS!!."},
	{MEMCG("1", "/c") "memcg x /y\n" NODE("0") MEMCG("2", "/"), "SS!.", "SS!."},
};

static const char letters[_LISTING_FAULT_MAX] = {
	[LISTING_OK] = '.',    [LISTING_FLAWED] = 'F',  [LISTING_STRAYED] = 'S',
	[LISTING_TWICE] = 'T', [LISTING_REMOVED] = 'R', [LISTING_UNKNOWN] = 'U',
};

static void assert_listing(struct listing *listing, const char *text,
			   const struct hierarchy *hierarchy, const char *wanted)
{
	char found[64] = "";
	unsigned refused = 0;
	size_t len = 0;

	assert_int_equal(listing_read(listing, text, strlen(text), hierarchy), 0);
	for (size_t i = 0; i < listing->n_entries; i++) {
		const struct listing_entry *entry = &listing->entries[i];

		found[len++] = letters[entry->fault];
		for (unsigned n = 0; n < entry->n_refused; n++)
			found[len++] = '!';
		refused += entry->n_refused;
		if (entry->fault == LISTING_OK) {
			assert_int_equal(entry->n_lruvecs, entry->n_records);
			assert_true(!hierarchy == !entry->memcg);
			assert_in_range(entry->first_lruvec + entry->n_lruvecs, 1,
					listing->n_lruvecs);
		}
	}
	if (strcmp(found, wanted) != 0)
		fail_msg("\"%s\", not \"%s\", with%s tree, of:\n%s", found, wanted,
			 hierarchy ? "" : "out", text);
	assert_int_equal(listing->refused_records, refused);
}

/* A tree that holds / and /c, and a listing to read. */
struct host {
	struct hierarchy *hierarchy;
	struct config *config;
	struct listing listing;
};

static void host_open(struct host *host, const struct fixture *fixture)
{
	const char *why;

	fixture_add_cgroups(fixture);
	fixture_add_memcg(fixture, "/c");
	host->config = fixture_config(fixture, NULL);
	assert_int_equal(hierarchy_open(fixture->root, &host->hierarchy, &why), 0);
	assert_int_equal(hierarchy_scan(host->hierarchy, host->config, 1), 0);
	assert_int_equal(listing_init(&host->listing), 0);
}

static void host_close(struct host *host)
{
	listing_done(&host->listing);
	hierarchy_close(host->hierarchy);
	config_free(host->config);
}

static void test_faults(void **state)
{
	struct host host;

	host_open(&host, *state);
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		assert_listing(&host.listing, cases[i].text, host.hierarchy, cases[i].with_tree);
		assert_listing(&host.listing, cases[i].text, NULL, cases[i].alone);
	}
	host_close(&host);
}

/* Linux 7.0: the id is the inode and decides. A removed namesake is told from the living one, and a
 * path that was cut off is not needed. */
static void test_ids_that_are_inodes(void **state)
{
	char text[1024];
	struct memcg *c;
	struct host host;

	host_open(&host, *state);
	c = hierarchy_find(host.hierarchy, "/c", 2);
	snprintf(text, sizeof(text),
		 MEMCG("1", "/") "memcg %1$ju /c\n node     0\n" GENS
				 "memcg %2$ju /c\n node     0\n" GENS,
		 (uintmax_t)c->id, (uintmax_t)c->id + 1000);
	assert_listing(&host.listing, text, host.hierarchy, "..R!");
	snprintf(text, sizeof(text),
		 MEMCG("1", "/") "memcg %1$ju /c\n node     0\n" GENS
				 "memcg %1$ju \n node     0\n" GENS,
		 (uintmax_t)c->id);
	assert_listing(&host.listing, text, host.hierarchy, "...");
	assert_ptr_equal(host.listing.entries[2].memcg, c);
	host_close(&host);
}

/* In a cgroup namespace: our top is some /pod of the kernel's, and a namesake outside is not ours.
 * */
static void test_namespace(void **state)
{
	static const char outside[] = MEMCG("1", "/") MEMCG("2", "/x/c") MEMCG("3", "/pod")
		MEMCG("4", "/pod/c") MEMCG("5", "/pod/c/d") MEMCG("6", "/podx/c");
	struct host host;

	host_open(&host, *state);
	fixture_add_memcg(*state, "/c/d");
	assert_int_equal(hierarchy_scan(host.hierarchy, host.config, 2), 0);
	for (int i = 0; i < 2; i++) {
		assert_listing(&host.listing, outside, host.hierarchy, "U!U!...U!");
		assert_string_equal(host.listing.entries[2].memcg->path, "/");
		assert_string_equal(host.listing.entries[3].memcg->path, "/c");
		assert_string_equal(host.listing.entries[4].memcg->path, "/c/d");
	}
	/* Out of it again: the former guess is dropped. */
	assert_listing(&host.listing, MEMCG("1", "/") MEMCG("2", "/c") MEMCG("3", "/c/d"),
		       host.hierarchy, "...");
	/* Too little in common to be sure. */
	assert_listing(&host.listing, MEMCG("1", "/") MEMCG("2", "/x"), host.hierarchy, ".U!");
	host_close(&host);
}

/* Private ids: of two with one path, the one that is of the memcg's size; neither if both or none.
 * */
static void test_settle_twice(void **state)
{
	static const char twice[] =
		MEMCG("5", "/c") "memcg 6 /c\n node     0\n"
				 "          1       2000      70000           0 \n"
				 "          2       1000          1         100 \n";
	const struct listing_entry *entry;
	struct memcg *c;
	struct host host;

	host_open(&host, *state);
	c = hierarchy_find(host.hierarchy, "/c", 2);
	assert_listing(&host.listing, twice, host.hierarchy, "TT!");
	entry = listing_settle_twice(&host.listing, c, 108);
	assert_non_null(entry);
	assert_int_equal(entry->memcg_id, 5);
	entry = listing_settle_twice(&host.listing, c, 68000);
	assert_non_null(entry);
	assert_int_equal(entry->memcg_id, 6);
	assert_null(listing_settle_twice(&host.listing, c, 30000));
	assert_listing(&host.listing, MEMCG("5", "/c") MEMCG("6", "/c"), host.hierarchy, "TT!");
	assert_null(listing_settle_twice(&host.listing, c, 108));
	host_close(&host);
}

static void test_contents(void **state _unused_)
{
	static const char text[] = MEMCG("  12", "/a b ") NODE("3") MEMCG("13", "/c");
	const struct listing_entry *entry;
	struct listing listing;

	assert_int_equal(listing_init(&listing), 0);
	assert_int_equal(listing_read(&listing, text, strlen(text), NULL), 0);
	assert_int_equal(listing.n_entries, 2);
	entry = &listing.entries[0];
	assert_int_equal(entry->memcg_id, 12);
	assert_int_equal(entry->path_len, 5);
	assert_memory_equal(entry->path, "/a b ", 5);
	assert_int_equal(entry->n_records, 2);
	assert_int_equal(listing.lruvecs[entry->first_lruvec].node, 0);
	assert_int_equal(listing.lruvecs[entry->first_lruvec + 1].node, 3);
	assert_int_equal(listing.lruvecs[entry->first_lruvec + 1].gens[0].pages[LRU_ANON], 7);
	entry = &listing.entries[1];
	assert_int_equal(entry->memcg_id, 13);
	assert_int_equal(entry->n_records, 1);
	assert_int_equal(entry->first_lruvec, 2);

	assert_int_equal(listing_read(&listing, "no listing\n", 11, NULL), -EINVAL);
	assert_int_equal(listing.n_entries, 0);
	assert_int_equal(listing.n_lruvecs, 0);
	listing_done(&listing);
}

static void test_words(void **state _unused_)
{
	for (enum listing_fault fault = 0; fault < _LISTING_FAULT_MAX; fault++)
		assert_string_not_equal(listing_fault_to_string(fault), "unknown");
	assert_string_equal(listing_fault_to_string(_LISTING_FAULT_MAX), "unknown");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		FIXTURE_TEST(test_faults),       FIXTURE_TEST(test_ids_that_are_inodes),
		FIXTURE_TEST(test_settle_twice), FIXTURE_TEST(test_namespace),
		cmocka_unit_test(test_contents), cmocka_unit_test(test_words),
	};

	return cmocka_run_group_tests_name("listing", tests, NULL, NULL);
}
