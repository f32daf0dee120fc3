/* SPDX-License-Identifier: MIT */
/*
 * The fast way through a listing: that it is taken, and that it and the general one never differ.
 */
#include "kparse_columns.h"
#include "kparse-ways.h"
#include "macro.h"

#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <cmocka.h>

#define GEN(seq) "          " seq "       1000      12345       67890 \n"
#define ROW(r, e, p)                                                                    \
	"                     0"                                                        \
	"         10" r "         20" e "          0" p "         30" r "         40" e \
	"          0" p "\n"
#define WALK                     \
	"                      " \
	"          1T"           \
	"         22Y"           \
	"        333F"           \
	"       4444A"           \
	"\n"
#define EMPTY_WALK               \
	"                      " \
	"          0x"           \
	"          0x"           \
	"          0x"           \
	"          0x"           \
	"\n"
#define LISTING                                                                         \
	"memcg    86 /a\n node     0\n" GEN("3") ROW("r", "e", "p") EMPTY_WALK GEN("4") \
		ROW("R", "T", "x") WALK "memcg     1 /\n node     3\n" GEN("7") GEN("8")

static void test_taken(void **state _unused_)
{
	static const char lines[] =
		GEN("3") ROW("r", "e", "p") WALK " node     3\nmemcg    86 /a\n";
	struct text t = text_of(lines, sizeof(lines) - 1);
	struct gen_sample gen;
	struct tier_sample tier;
	struct walk_sample walk;
	uint32_t n_columns;
	uint64_t number;

	assert_true(columns_take_gen(&t, &gen));
	assert_int_equal(gen.seq, 3);
	assert_int_equal(gen.age_msec, 1000);
	assert_int_equal(gen.pages[LRU_ANON], 12345);
	assert_int_equal(gen.pages[LRU_FILE], 67890);
	assert_true(columns_take_tier(&t, 0, &tier));
	assert_int_equal(tier.kind[LRU_FILE], TIER_CURRENT);
	assert_int_equal(tier.evicted[LRU_FILE], 40);
	assert_true(columns_take_walk(&t, &walk, &n_columns));
	assert_int_equal(n_columns, 4);
	assert_int_equal(walk.n, 4);
	assert_int_equal(walk.value[3], 4444);
	assert_int_equal(walk.letter[3], 'A');
	assert_true(columns_take_node(&t, &number));
	assert_int_equal(number, 3);
	assert_true(columns_take_memcg(&t, &number));
	assert_int_equal(number, 86);
	assert_true(text_equals(&t, "/a\n"));
}

/* Every number of digits in every column, and what looks like a number. */
static void test_widths(void **state _unused_)
{
	static const char *const odd[] = {"",    "-1", "+1",  "1 1", "01",
					  "0x1", "1.", "1e1", "!",   "\x90"};
	char line[128], number[32];

	for (int column = 0; column < 4; column++) {
		for (int i = 0; i < 25 + (int)ARRAY_SIZE(odd); i++) {
			const char *cells[] = {"7", "1000", "20", "30"};
			struct text t;
			struct gen_sample fast, general;
			bool taken;
			int n;

			memset(number, '0' + (i * 7 + column) % 9 + 1, sizeof(number));
			number[i < 25 ? i : 0] = '\0';
			cells[column] = i < 25 ? number : odd[i - 25];
			n = sprintf(line, " %10s %10s %10s  %10s \n", cells[0], cells[1], cells[2],
				    cells[3]);
			t = text_of(line, (size_t)n);
			taken = columns_take_gen(&t, &fast);
			assert_int_equal(taken,
					 (i > 0 && i <= 10) || strcmp(cells[column], "01") == 0);
			if (!taken)
				continue;
			assert_int_equal(line_read_gen(text_of(line, (size_t)n - 1), &general),
					 KPARSE_OK);
			assert_memory_equal(&fast, &general, sizeof(fast));
		}
	}
}

static void test_every_byte(void **state _unused_)
{
	char text[] = LISTING;
	size_t len = sizeof(text) - 1;

	assert_true(kparse_ways_agree(text, len));
	for (size_t i = 0; i < len; i++) {
		char was = text[i];

		for (int byte = 0; byte < 256; byte++) {
			text[i] = (char)byte;
			if (!kparse_ways_agree(text, len))
				fail_msg("byte %zu as %d: %s", i, byte, text);
		}
		text[i] = was;
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_taken),
		cmocka_unit_test(test_widths),
		cmocka_unit_test(test_every_byte),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
