/* SPDX-License-Identifier: MIT */
/*
 * Damaged listings: which record gets which flaw, and that the others keep their worth; texts that
 * are no listing at all.
 */
#include "kparse.h"
#include "macro.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>
#include <cmocka.h>

#define MAX_RECORDS 32

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

/* The flaws of all records, one letter each: ok, torn, line, number, sequence, many, x no memcg, e
 * no generations. */
static const char *flaws(void)
{
	static char letters[MAX_RECORDS + 1];
	size_t i;

	for (i = 0; i < whole.n && i < MAX_RECORDS; i++)
		letters[i] = "otlnsmxe"[whole.records[i].flaw];
	letters[i] = '\0';
	return letters;
}

#define M        "memcg     2 /a\n"
#define N0       " node     0\n"
#define N1       " node     1\n"
#define G(seq)   "          " seq "       1000          0           7 \n"
#define GG       G("1") G("2")
#define X3(s)    "          0" s "          0" s "          0" s
#define R3       "          0R          0T          0x"
#define TX(n)    "                     " n X3("x") X3("x") "\n"
#define TR(n)    "                     " n R3 R3 "\n"
#define W        "                      " X3("x") "\n"
#define WT(a, b) "                                0" a "          0" b "\n"

static const struct {
	const char *text, *flaws;
} damages[] = {
	{M N0 GG N1 GG, "oo"},
	{"# comment\n" M N0 GG, "o"},
	/* a gap, a step back */
	{M N0 G("1") G("3") N1 GG, "so"},
	{M N0 GG G("2") N1 GG, "so"},
	/* numbers */
	{M N0 G("-") N1 GG, "no"},
	{M N0 " 18446744073709551616 1 1 1 \n" N1 GG, "no"},
	{M N0 " 18446744073709551614 1 1 1 \n" N1 GG, "no"},
	{M N0 "          1          1          1           -1 \n" N1 GG, "no"},
	{M " node     x\n" GG N1 GG, "no"},
	{M " node     4294967295\n" GG, "n"},
	/* lines cut short, too long, of no known kind */
	{M N0 "          1       1000          0\n" GG N1 GG, "to"},
	{M N0 "          1       1000          0           7           7 \n" N1 GG, "mo"},
	{M N0 "          1       1000          0           7y\n" N1 GG, "lo"},
	{M N0 "          1       1000x          0           7 \n" N1 GG, "lo"},
	{M N0 "           1       1000          0           7 \n" N1 GG, "lo"},
	{M N0 GG "\n" N1 GG, "lx"},
	{M N0 GG " \n" N1 GG, "to"},
	{M N0 "          1       1000          0           7 \r\n" N1 GG, "lo"},
	/* an evicted generation after one that is not */
	{M N0 G("1") "          2       1000          0x          7 \n" N1 GG, "so"},
	/* which memcg? */
	{N0 GG, "x"},
	{N0 GG M N0 GG, "xo"},
	{"memcg     x /a\n" N0 GG N1 GG M N0 GG, "xxo"},
	{"memcg     2 a\n" N0 GG, "x"},
	{"memcg 18446744073709551615 /a\n" N0 GG, "x"},
	{M "node     0\n" GG N1 GG, "x"},
	{M " nodx     0\n" GG N1 GG, "x"},
	{M N0 GG "mexcg     3 /b\n" N0 GG N1 GG, "lxx"},
	{M N0 GG "  xmemcg     3 /b\n" N0 GG, "nx"},
	{M N0 GG N0 GG N1 GG, "oxx"},
	{M N1 GG N0 GG, "ox"},
	/* nothing, torn */
	{M N0 N1 GG, "eo"},
	{M N0, "t"},
	{M N0 GG " node     1", "ot"},
	{M N0 GG "memcg", "t"},
	{M N0 GG "memcg ", "o"},
	{M N0 GG "          3", "t"},
	/* tiers */
	{M N0 G("1") TX("0") G("2") TR("0"), "o"},
	{M N0 G("1") TX("0") W G("2") TR("0") W, "o"},
	{M N0 G("1") TX("0") G("2") TX("0"), "t"},
	{M N0 G("1") TX("0") G("2") TX("0") N1 GG, "so"},
	{M N0 G("1") TX("0") TX("2") G("2") TR("0"), "s"},
	{M N0 G("1") TX("1") G("2") TR("1"), "s"},
	{M N0 G("1") TX("0") TX("1") G("2") TR("0") N1 GG, "so"},
	{M N0 G("1") TX("0") W G("2") TR("0"), "t"},
	{M N0 G("1") W TX("0") G("2") TR("0"), "l"},
	{M N0 TX("0") GG, "l"},
	{M N0 G("1") TX("0") " " W G("2") TR("0") W, "l"},
	{M N0 G("1") TX("0") "                      "
			     "0x          0x\n" GG N1 GG,
	 "lo"},
	{M N0 G("1") TX("0") WT("T", "y") G("2") TR("0") W, "l"},
	{M N0 G("1") TX("0") WT("T", "x") G("2") TR("0") W, "l"},
	{M N0 G("1") TX("0") WT("x", "x") G("2") TR("0") WT("T", "Y"), "o"},
	{M N0 G("1") TX("0") W W G("2") TR("0") W, "l"},
	{M N0 G("1") TX("0") TX("1") TX("2") TX("3") TX("4") TX("5") TX("6") TX("7") TX("8")
		 GG N1 GG,
	 "mo"},
	{M N0 G("1") TX("0") "                      " X3("t") X3("y") X3("f") "\n" GG, "m"},
	{M N0 G("1") TX("0") G("2") TR("0") TX("1"), "l"},
	{M N0 G("1") "                     0" X3("x") X3("r") "\n" GG N1 GG, "lo"},
	{M N0 G("1") "                     0" X3("x") "\n" GG N1 GG, "to"},
	{M N0 G("1") "                     0" X3("x") "          1x          0x          0x\n" G(
		 "2") N1 GG,
	 "lo"},
};

static void test_damage(void **state _unused_)
{
	for (size_t i = 0; i < ARRAY_SIZE(damages); i++) {
		parse(damages[i].text, strlen(damages[i].text));
		if (strcmp(flaws(), damages[i].flaws) != 0)
			fail_msg("%s, not %s: %s", flaws(), damages[i].flaws, damages[i].text);
	}
}

static void test_no_listing(void **state _unused_)
{
	static char path[5000] = M N0 GG;

	parse("", 0);
	assert_int_equal(whole.result, 0);
	assert_int_equal(kparse_lru_gen(NULL, 0, &scratch, keep, NULL), 0);
	parse(M, strlen(M));
	assert_int_equal(whole.result, 0);
	parse("\0\0\0", 3);
	assert_int_equal(whole.result, -EINVAL);
	parse("oom_kill 0\n", 11);
	assert_int_equal(whole.result, -EINVAL);
	parse(GG, strlen(GG));
	assert_int_equal(whole.result, -EINVAL);

	/* A NUL in a path; a path that the kernel cut off. */
	parse("memcg     2 /a\0b\n" N0 GG, sizeof("memcg     2 /a b\n" N0 GG) - 1);
	assert_string_equal(flaws(), "x");
	memset(path, 'a', sizeof(path));
	memcpy(path, "memcg     2 /", 13);
	memcpy(path + 12 + 4095, "\n" N0 GG, sizeof("\n" N0 GG));
	parse(path, strlen(path));
	assert_string_equal(flaws(), "o");
	assert_int_equal(whole.records[0].memcg_id, 2);
	assert_int_equal(whole.records[0].path_len, 0);
}

static void test_too_many(void **state _unused_)
{
	char text[LRUVEC_GENS_MAX * 50 + 200] = M N0;

	for (int i = 0; i <= LRUVEC_GENS_MAX; i++) {
		parse(text, strlen(text));
		assert_string_equal(flaws(), i < 2 ? "t" : "o");
		assert_int_equal(whole.records[0].lruvec.n_gens, i);
		sprintf(text + strlen(text), " %10d %10d %10d  %10d \n", i, 5, 6, 7);
	}
	strcat(text, N1 GG);
	parse(text, strlen(text));
	assert_string_equal(flaws(), "mo");
}

static void test_flaw_names(void **state _unused_)
{
	for (int i = 0; i < _KPARSE_FLAW_MAX; i++) {
		const char *name = kparse_flaw_to_string((enum kparse_flaw)i);

		assert_true(strcmp(name, "unknown") != 0);
		for (int j = 0; j < i; j++)
			assert_string_not_equal(kparse_flaw_to_string((enum kparse_flaw)j), name);
	}
	assert_string_equal(kparse_flaw_to_string(_KPARSE_FLAW_MAX), "unknown");
	assert_string_equal(kparse_flaw_to_string((enum kparse_flaw) - 1), "unknown");
}

static int free_text(void **state _unused_)
{
	free(whole.text);
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_damage),
		cmocka_unit_test(test_no_listing),
		cmocka_unit_test(test_too_many),
		cmocka_unit_test(test_flaw_names),
	};

	return cmocka_run_group_tests(tests, NULL, free_text);
}
