/* SPDX-License-Identifier: MIT */
/*
 * Properties of the listing parser: every fixture cut at every byte, with bytes changed at random,
 * and random listings of all layouts written and read back; the fast way and the general one give the
 * same for each. SEED=n repeats a run; the seed is
 * printed when something fails.
 */
#include "kparse-ways.h"
#include "macro.h"

#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>
#include <time.h>
#include <cmocka.h>

#define MAX_RECORDS 16
#define MAX_TEXT    KPARSE_WAYS_LEN

static uint64_t seed, random_state;
static char text[MAX_TEXT], copy[MAX_TEXT];
static struct lru_gen_record want[MAX_RECORDS], scratch;
static size_t n_want, n_got;

/* splitmix64 */
static uint64_t random_u64(void)
{
	uint64_t z = random_state += 0x9e3779b97f4a7c15;

	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
	z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
	return z ^ (z >> 31);
}

static uint64_t random_below(uint64_t n)
{
	return random_u64() % n;
}

#define CHECK(condition)                                                 \
	do {                                                             \
		if (!(condition))                                        \
			fail_msg("%s, SEED=%" PRIu64, #condition, seed); \
	} while (0)

static void check_gens(const struct lru_gen_record *a, const struct lru_gen_record *b)
{
	for (uint32_t i = 0; i < a->lruvec.n_gens; i++) {
		CHECK(memcmp(&a->lruvec.gens[i], &b->lruvec.gens[i], sizeof(a->lruvec.gens[i])) ==
		      0);
		CHECK(memcmp(a->tiers[i], b->tiers[i], a->n_tiers * sizeof(a->tiers[i][0])) == 0);
		CHECK(a->walk[i].n == b->walk[i].n);
		CHECK(memcmp(a->walk[i].letter, b->walk[i].letter, a->walk[i].n) == 0);
		CHECK(memcmp(a->walk[i].value, b->walk[i].value,
			     a->walk[i].n * sizeof(a->walk[i].value[0])) == 0);
	}
}

/* All but the number of generations. */
static void check_equal(const struct lru_gen_record *a, const struct lru_gen_record *b)
{
	CHECK(a->flaw == b->flaw);
	CHECK(a->memcg_id == b->memcg_id);
	CHECK(a->path_len == b->path_len && memcmp(a->path, b->path, a->path_len) == 0);
	CHECK(a->first_node == b->first_node);
	CHECK(a->lruvec.node == b->lruvec.node);
	CHECK(a->n_tiers == b->n_tiers);
	check_gens(a, b);
}

static void keep_wanted(const struct lru_gen_record *record, void *userdata _unused_)
{
	CHECK(n_want < MAX_RECORDS);
	want[n_want++] = *record;
}

/* A plain listing cut behind a line may lack generations at its very end, nothing else. */
static void compare_part(const struct lru_gen_record *record, void *userdata)
{
	const struct lru_gen_record *w = &want[n_got++];
	const char *cut_behind_line = userdata;

	CHECK(n_got <= n_want);
	if (record->flaw != KPARSE_OK)
		return;
	if (record->lruvec.n_gens != w->lruvec.n_gens)
		CHECK(cut_behind_line && record->n_tiers == 0 && record->lruvec.n_gens >= 2 &&
		      record->lruvec.n_gens < w->lruvec.n_gens);
	check_equal(record, w);
}

static void compare_whole(const struct lru_gen_record *record, void *userdata _unused_)
{
	CHECK(n_got < n_want);
	CHECK(record->lruvec.n_gens == want[n_got].lruvec.n_gens);
	check_equal(record, &want[n_got++]);
}

static void check_bounds(const struct lru_gen_record *record, void *userdata)
{
	const char *end = userdata;

	n_got++;
	CHECK(record->lruvec.n_gens <= LRUVEC_GENS_MAX && record->n_tiers <= LRU_GEN_TIERS_MAX);
	CHECK(record->path_len == 0 || (record->path >= copy && record->path < end));
	for (uint32_t i = 1; record->flaw == KPARSE_OK && i < record->lruvec.n_gens; i++)
		CHECK(record->lruvec.gens[i].seq == record->lruvec.gens[i - 1].seq + 1);
}

/* The parser gets a block of just len bytes, so that a sanitizer sees any step beyond. */
static void cut_everywhere(const char *s, size_t len)
{
	n_want = 0;
	kparse_lru_gen(s, len, &scratch, keep_wanted, NULL);
	for (size_t n = 0; n < len; n++) {
		_cleanup_free_ char *part = malloc(n + 1);
		char *at = part + 1;

		assert_non_null(part);
		memcpy(at, s, n);
		n_got = 0;
		kparse_lru_gen(at, n, &scratch, compare_part,
			       n > 0 && s[n - 1] == '\n' ? part : NULL);
		CHECK(kparse_ways_agree(at, n));
	}
}

static void change_bytes(const char *s, size_t len, int rounds)
{
	for (int round = 0; round < rounds; round++) {
		ssize_t r;

		memcpy(copy, s, len);
		for (uint64_t i = 0, n = 1 + random_below(8); i < n; i++) {
			static const char likely[] = "\n  x0129memcg node/rRpPTt-";
			size_t at = random_below(len);

			copy[at] = random_below(2) ? (char)random_u64()
						   : likely[random_below(sizeof(likely))];
		}
		n_got = 0;
		r = kparse_lru_gen(copy, len, &scratch, check_bounds, copy + len);
		CHECK(r == (ssize_t)n_got || (r == -EINVAL && n_got == 0));
		CHECK(kparse_ways_agree(copy, len));
	}
}

static void change_fixture(const char *s, size_t len)
{
	change_bytes(s, len, 500);
}

static void each_fixture(void (*test)(const char *s, size_t len), const char *except)
{
	const char *srcdir = getenv("srcdir");
	char dir[PATH_MAX / 2], path[PATH_MAX];
	struct dirent *entry;
	int n = 0;
	DIR *d;

	snprintf(dir, sizeof(dir), "%s/tests/fixtures/listings", srcdir ? srcdir : ".");
	d = opendir(dir);
	assert_non_null(d);
	while ((entry = readdir(d))) {
		_cleanup_file_ FILE *f = NULL;

		if (!strstr(entry->d_name, ".lru_gen") || strcmp(entry->d_name, except) == 0)
			continue;
		snprintf(path, sizeof(path), "%s/%s", dir, entry->d_name);
		f = fopen(path, "re");
		assert_non_null(f);
		test(text, fread(text, 1, sizeof(text), f));
		n++;
	}
	closedir(d);
	assert_true(n >= 20);
}

static void test_cut_everywhere(void **state _unused_)
{
	each_fixture(cut_everywhere, "synthetic-damaged.lru_gen");
}

static void test_change_bytes(void **state _unused_)
{
	each_fixture(change_fixture, "");
}

/*
 * Random listings
 */

struct layout {
	bool full;
	bool strip; /* blanks at the ends of lines are lost */
	char fill;
	const char *letters; /* of the walk line, empty: none */
	bool stats;
	uint32_t n_tiers;
	uint32_t n_nodes;
	int id_width;
};

static uint64_t random_value(void)
{
	return random_u64() >> (random_below(8) ? 40 + random_below(24) : 1);
}

static char *put(char *p, const char *format, ...) _printf_(2, 3);
static char *put(char *p, const char *format, ...)
{
	va_list ap;

	va_start(ap, format);
	p += vsprintf(p, format, ap);
	va_end(ap);
	return p;
}

static char *put_line_end(char *p, const struct layout *l)
{
	if (l->strip && p[-1] == ' ')
		p--;
	return put(p, "\n");
}

static char *put_tier(char *p, const struct layout *l, struct tier_sample *tier, uint32_t number)
{
	p = put(p, "            %10u", number);
	for (int type = 0; type < _LRU_TYPE_MAX; type++) {
		char marks[] = {l->fill, l->fill, l->fill};
		uint64_t v[3] = {0};

		if (tier->kind[type] != TIER_NONE) {
			memcpy(marks, tier->kind[type] == TIER_AVERAGE ? "RT" : "rep",
			       tier->kind[type] == TIER_AVERAGE ? 2 : 3);
			v[0] = tier->refaulted[type] = random_value();
			v[1] = tier->evicted[type] = random_value();
			if (tier->kind[type] == TIER_CURRENT)
				v[2] = tier->protected[type] = random_value();
			else
				tier->protected[type] = SAMPLE_UNKNOWN;
		}
		for (int i = 0; i < 3; i++)
			p = put(p, " %10" PRIu64 "%c", v[i], marks[i]);
	}
	return put_line_end(p, l);
}

static char *put_walk(char *p, const struct layout *l, struct walk_sample *walk, bool youngest)
{
	p = put(p, "                      ");
	for (size_t i = 0; i < strlen(l->letters); i++) {
		if (youngest == l->stats) {
			p = put(p, " %10d%c", 0, l->fill);
			continue;
		}
		walk->letter[walk->n] = l->letters[i];
		walk->value[walk->n] = random_value();
		p = put(p, " %10" PRIu64 "%c", walk->value[walk->n++],
			l->letters[i] | (youngest ? 0 : 0x20));
	}
	return put_line_end(p, l);
}

static char *put_block(char *p, const struct layout *l, struct lru_gen_record *r)
{
	uint64_t first = random_value(), n = 2 + random_below(LRUVEC_GENS_MAX - 1);
	uint64_t min_seq[] = {first + random_below(n), first + random_below(n)};

	p = put(p, " node %5u\n", r->lruvec.node);
	r->lruvec.n_gens = (uint32_t)n;
	r->n_tiers = l->full ? l->n_tiers : 0;
	for (uint32_t i = 0; i < n; i++) {
		struct gen_sample *g = &r->lruvec.gens[i];

		g->seq = first + i;
		g->age_msec = random_u64() >> 32;
		p = put(p, " %10" PRIu64 " %10" PRIu64, g->seq, g->age_msec);
		for (int type = 0; type < _LRU_TYPE_MAX; type++) {
			bool evicted = l->full && g->seq < min_seq[type];
			uint64_t pages = evicted ? 0 : random_value();

			g->pages[type] = evicted ? SAMPLE_UNKNOWN : pages;
			p = put(p, " %10" PRIu64 "%c", pages, evicted ? 'x' : ' ');
		}
		p = put_line_end(p, l);
		for (uint32_t t = 0; t < r->n_tiers; t++) {
			for (int type = 0; type < _LRU_TYPE_MAX; type++)
				r->tiers[i][t].kind[type] = i == n - 1 ? TIER_AVERAGE
							    : l->stats || g->seq == min_seq[type]
								    ? TIER_CURRENT
								    : TIER_NONE;
			p = put_tier(p, l, &r->tiers[i][t], t);
		}
		if (l->full && *l->letters)
			p = put_walk(p, l, &r->walk[i], i == n - 1);
	}
	return p;
}

static struct layout random_layout(void)
{
	static const char *const letters[] = {"TYFA", "LOYNFA", "", "TYFABCDE"};

	return (struct layout){
		.full = random_below(3),
		.strip = random_below(2),
		.fill = random_below(2) ? 'x' : ' ',
		.letters = letters[random_below(ARRAY_SIZE(letters))],
		.stats = random_below(2),
		.n_tiers = 1 + (uint32_t)random_below(LRU_GEN_TIERS_MAX),
		.n_nodes = 1 + (uint32_t)random_below(4),
		.id_width = random_below(2) ? 5 : 0,
	};
}

static size_t random_listing(void)
{
	static char paths[MAX_RECORDS][64];
	struct layout l = random_layout();
	char *p = text;

	memset(want, 0, sizeof(want));
	for (n_want = 0; n_want + l.n_nodes <= MAX_RECORDS;) {
		uint64_t id = l.id_width ? random_below(65536) : random_u64() >> 1;
		char *path = paths[n_want];
		uint32_t node = (uint32_t)random_below(3), len = (uint32_t)random_below(60);

		path[0] = '/';
		for (uint32_t i = 1; i < len; i++) {
			do {
				path[i] = random_below(4) ? "ab c/:\\0"[random_below(8)]
							  : (char)random_u64();
			} while (path[i] == '\n' || path[i] == '\0');
		}
		p = put(p, "memcg %*" PRIu64 " %.*s\n", l.id_width, id, (int)len, path);
		for (uint32_t i = 0; i < l.n_nodes; i++) {
			struct lru_gen_record *r = &want[n_want++];

			r->memcg_id = id;
			r->path = path;
			r->path_len = len;
			r->first_node = i == 0;
			r->lruvec.node = node;
			node += 1 + (uint32_t)random_below(100000);
			p = put_block(p, &l, r);
		}
	}
	return (size_t)(p - text);
}

static void test_random_listings(void **state _unused_)
{
	for (int round = 0; round < 500; round++) {
		size_t len = random_listing();

		assert_true(len < sizeof(text));
		n_got = 0;
		CHECK(kparse_lru_gen(text, len, &scratch, compare_whole, NULL) == (ssize_t)n_want);
		CHECK(n_got == n_want);
		CHECK(kparse_ways_agree(text, len));
		change_bytes(text, len, 20);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_cut_everywhere),
		cmocka_unit_test(test_change_bytes),
		cmocka_unit_test(test_random_listings),
	};
	const char *s = getenv("SEED");

	seed = s ? strtoull(s, NULL, 10) : (uint64_t)time(NULL);
	random_state = seed;
	return cmocka_run_group_tests(tests, NULL, NULL);
}
