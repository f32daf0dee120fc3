/* SPDX-License-Identifier: MIT */
/*
 * Whole listings: values picked by hand from recorded ones and from made-up ones of all layouts.
 * $srcdir/tests/fixtures/listings holds them, with a word on the origin of each.
 */
#include "kparse.h"
#include "macro.h"

#include <errno.h>
#include <limits.h>
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>
#include <sys/types.h>
#include <cmocka.h>

#define MAX_RECORDS 32
#define U           SAMPLE_UNKNOWN

/* Records of one parse; their paths point into its text. */
static struct {
	char *text; /* a copy of just its length, so that a sanitizer sees any step beyond */
	ssize_t result;
	size_t n;
	struct lru_gen_record records[MAX_RECORDS];
} whole;
static struct lru_gen_record scratch;

static void keep(const struct lru_gen_record *record, void *userdata _unused_)
{
	if (whole.n < MAX_RECORDS)
		whole.records[whole.n] = *record;
	whole.n++;
}

static void parse(const char *text, size_t len)
{
	free(whole.text);
	whole.text = malloc(len ? len : 1);
	assert_non_null(whole.text);
	memcpy(whole.text, text, len);
	whole.n = 0;
	whole.result = kparse_lru_gen(whole.text, len, &scratch, keep, NULL);
	assert_true(whole.result == (ssize_t)whole.n || (whole.result == -EINVAL && whole.n == 0));
}

static void parse_listing(const char *name)
{
	static char text[1 << 16];
	const char *srcdir = getenv("srcdir");
	char path[PATH_MAX];
	_cleanup_file_ FILE *f = NULL;
	size_t len;

	snprintf(path, sizeof(path), "%s/tests/fixtures/listings/%s", srcdir ? srcdir : ".", name);
	f = fopen(path, "re");
	if (!f)
		fail_msg("cannot open %s", path);
	len = fread(text, 1, sizeof(text), f);
	assert_true(len < sizeof(text));
	parse(text, len);
}

static void assert_gen(size_t record, uint32_t gen, const struct gen_sample *want)
{
	assert_memory_equal(&whole.records[record].lruvec.gens[gen], want, sizeof(*want));
}

static void assert_gens(size_t record, const struct gen_sample *want, uint32_t n)
{
	assert_true(record < whole.n);
	assert_int_equal(whole.records[record].flaw, KPARSE_OK);
	assert_int_equal(whole.records[record].lruvec.n_gens, n);
	for (uint32_t i = 0; i < n; i++)
		assert_gen(record, i, &want[i]);
}

#define ASSERT_GENS(record, ...)                                \
	assert_gens(record, (struct gen_sample[]){__VA_ARGS__}, \
		    sizeof((struct gen_sample[]){__VA_ARGS__}) / sizeof(struct gen_sample))

static void assert_head(size_t record, uint64_t id, const char *path, uint32_t node, bool first)
{
	const struct lru_gen_record *r = &whole.records[record];

	assert_true(record < whole.n);
	assert_int_equal(r->memcg_id, id);
	assert_int_equal(r->path_len, strlen(path));
	assert_memory_equal(r->path, path, r->path_len);
	assert_int_equal(r->lruvec.node, node);
	assert_int_equal(r->first_node, first);
}

static void assert_tier(size_t record, uint32_t gen, uint32_t tier, const struct tier_sample *want)
{
	assert_memory_equal(&whole.records[record].tiers[gen][tier], want, sizeof(*want));
}

/* One kind for both types. */
#define ASSERT_TIER(record, gen, tier, kind, ...) \
	assert_tier(record, gen, tier, &(struct tier_sample){{kind, kind}, __VA_ARGS__})

static void assert_walk(size_t record, uint32_t gen, const char *letters, const uint64_t *values)
{
	const struct walk_sample *w = &whole.records[record].walk[gen];

	assert_int_equal(w->n, strlen(letters));
	assert_memory_equal(w->letter, letters, w->n);
	for (uint32_t i = 0; i < w->n; i++)
		assert_int_equal(w->value[i], values[i]);
}

/*
 * Recorded listings
 */

static void test_67_blank_fill(void **state _unused_)
{
	parse_listing("6.7-mongodb-seed004-a.lru_gen_full");
	assert_int_equal(whole.result, 1);
	assert_head(0, 86,
		    "/system.slice/"
		    "docker-1c3a90be9f0a072f5719332419550cd0e1455f2cd5863bc2780ca4d3f913ece5.scope",
		    0, true);
	ASSERT_GENS(0, {1, 948187, {U, U}}, {2, 948187, {0, 6051788}}, {3, 948187, {1353160, 6351}},
		    {4, 73045, {23573, 12}});
	assert_int_equal(whole.records[0].n_tiers, 4);
	ASSERT_TIER(0, 0, 3, TIER_NONE, {0, 0}, {0, 0}, {0, 0});
	ASSERT_TIER(0, 1, 0, TIER_CURRENT, {0, 11916}, {0, 66442}, {0, 0});
	ASSERT_TIER(0, 1, 3, TIER_CURRENT, {0, 0}, {0, 0}, {0, 2874});
	ASSERT_TIER(0, 3, 1, TIER_AVERAGE, {0, 3012246}, {0, 3270261}, {U, U});
	assert_walk(0, 2, "", NULL);
	assert_walk(0, 3, "LOYNFA", (uint64_t[]){1486579, 0, 1380614, 2945, 2945, 2734});
}

static void test_612_stats(void **state _unused_)
{
	parse_listing("6.12-stats-base-mid.lru_gen_full");
	assert_int_equal(whole.result, 2);
	assert_head(0, 1, "/", 0, true);
	assert_head(1, 2, "/t", 0, true);
	ASSERT_GENS(1, {0, 15220, {0, U}}, {1, 15220, {0, 24139}}, {2, 15220, {2, 9581}},
		    {3, 15220, {565, 331}});
	ASSERT_TIER(1, 1, 2, TIER_CURRENT, {0, 3281}, {0, 3703}, {0, 452});
	ASSERT_TIER(1, 3, 0, TIER_AVERAGE, {0, 0}, {0, 0}, {U, U});
	assert_walk(1, 0, "TYFA", (uint64_t[]){0, 0, 0, 0});
	assert_walk(1, 3, "", NULL);
}

static void test_612_nostats(void **state _unused_)
{
	parse_listing("6.12-nostats-aged.lru_gen_full");
	assert_int_equal(whole.result, 3);
	assert_head(1, 2, "/a", 0, true);
	ASSERT_GENS(1, {5, 8412, {38402, 0}}, {6, 6296, {0, 0}}, {7, 4216, {12813, 0}},
		    {8, 2056, {2, 0}});
	ASSERT_TIER(1, 0, 0, TIER_CURRENT, {0, 0}, {0, 0}, {0, 0});
	ASSERT_TIER(1, 1, 0, TIER_NONE, {0, 0}, {0, 0}, {0, 0});
	assert_walk(1, 0, "", NULL);
	assert_walk(1, 3, "TYFA", (uint64_t[]){260010, 102475, 530, 200});
}

static void test_612_nodes(void **state _unused_)
{
	parse_listing("6.12-two-nodes.lru_gen");
	assert_int_equal(whole.result, 4);
	assert_head(2, 2, "/a", 0, true);
	assert_head(3, 2, "/a", 1, false);
	assert_gen(2, 3, &(struct gen_sample){3, 8108, {86319, 0}});
	assert_gen(3, 3, &(struct gen_sample){3, 8104, {41686, 0}});
	assert_int_equal(whole.records[3].n_tiers, 0);
	parse_listing("6.12-two-nodes.lru_gen_full");
	assert_int_equal(whole.result, 4);
	assert_int_equal(whole.records[3].n_tiers, 4);
	parse_listing("6.12-disabled.lru_gen");
	assert_int_equal(whole.result, 4);
	ASSERT_GENS(2, {4, 4376, {0, 0}}, {5, 2364, {0, 0}}, {6, 200, {0, 0}});
}

static void test_no_memcg(void **state _unused_)
{
	parse_listing("layout-no-memcg.lru_gen");
	assert_int_equal(whole.result, 1);
	assert_head(0, 0, "", 0, true);
	assert_gen(0, 2, &(struct gen_sample){6, 12003, {210, 900}});
}

static void test_synthetic(void **state _unused_)
{
	static const char *const paths[] = {"/a b/c  d",
					    "/trailing ",
					    "/colon:x",
					    "/system.slice/dev-disk-by\\x2dlabel.swap",
					    "/\xc3\xa9\xe4\xb8\xad/\xff",
					    "/tab\there",
					    "/ node     0",
					    "/memcg 7 /x"};

	parse_listing("synthetic-paths.lru_gen");
	assert_int_equal(whole.result, ARRAY_SIZE(paths));
	for (size_t i = 0; i < ARRAY_SIZE(paths); i++)
		assert_head(i, i + 2, paths[i], 0, true);
	parse_listing("synthetic-6.1.lru_gen_full");
	assert_int_equal(whole.result, 2);
	assert_gen(0, 0, &(struct gen_sample){7, 90000, {U, 5}});
	assert_tier(0, 0, 0,
		    &(struct tier_sample){{TIER_NONE, TIER_CURRENT}, {0, 165}, {0, 154}, {0, 0}});
	parse_listing("synthetic-7.x.lru_gen_full");
	assert_int_equal(whole.result, 4);
	assert_head(3, 4611686018427387905, "/system.slice/long id.service", 1, false);
	assert_gen(1, 0, &(struct gen_sample){4000000000, 8000, {99999999999, 9}});
	parse_listing("synthetic-wide.lru_gen_full");
	assert_int_equal(whole.result, 1);
	assert_int_equal(whole.records[0].n_tiers, 8);
	assert_gen(0, 11, &(struct gen_sample){111, 1300, {11, 121}});
	assert_int_equal(whole.records[0].walk[11].n, 7);
	parse_listing("synthetic-no-walk.lru_gen_full");
	assert_int_equal(whole.records[0].flaw, KPARSE_OK);
	assert_int_equal(whole.records[0].walk[3].n, 0);
}

static void test_damaged_listing(void **state _unused_)
{
	static const enum kparse_flaw want[] = {
		KPARSE_NO_MEMCG,     KPARSE_OK,
		KPARSE_BAD_NUMBER,   KPARSE_OK,
		KPARSE_NO_MEMCG,     KPARSE_NO_MEMCG,
		KPARSE_BAD_SEQUENCE, KPARSE_OK,
		KPARSE_BAD_NUMBER,   KPARSE_NO_GENERATIONS,
		KPARSE_BAD_LINE,     KPARSE_NO_MEMCG,
		KPARSE_OK,
	};

	parse_listing("synthetic-damaged.lru_gen");
	assert_int_equal(whole.result, ARRAY_SIZE(want));
	for (size_t i = 0; i < ARRAY_SIZE(want); i++)
		assert_int_equal(whole.records[i].flaw, want[i]);
	assert_head(3, 2, "/good", 2, false);
	assert_head(4, 0, "", 0, false);
	assert_head(12, 7, "/good-too", 0, true);
	assert_gen(12, 2, &(struct gen_sample){3, 1000, {2, 20}});
}

static int free_text(void **state _unused_)
{
	free(whole.text);
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_67_blank_fill),   cmocka_unit_test(test_612_stats),
		cmocka_unit_test(test_612_nostats),     cmocka_unit_test(test_612_nodes),
		cmocka_unit_test(test_no_memcg),        cmocka_unit_test(test_synthetic),
		cmocka_unit_test(test_damaged_listing),
	};

	return cmocka_run_group_tests(tests, NULL, free_text);
}
