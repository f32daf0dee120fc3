/* SPDX-License-Identifier: MIT */
/*
 * Where one read(2) of the listing ends and the next begins: a further node behind the seam may be of
 * another memcg, and its line is made unreadable. lru_gen.c is included, not linked, to get at it.
 */
#include "agent/lru_gen.c"

#include <setjmp.h>
#include <stdarg.h>
#include <cmocka.h>

/* Marks the seam at "|" in text, and finds "?" where wanted has it. */
static void assert_marked(const char *text, const char *wanted)
{
	char buf[256];
	size_t from = strcspn(text, "|");

	assert_int_equal(text[from], '|');
	snprintf(buf, sizeof(buf), "%.*s%s", (int)from, text, text + from + 1);
	mark_seam(buf, from, strlen(buf));
	assert_string_equal(buf, wanted);
}

static void test_another_node(void **state _unused_)
{
	assert_marked("memcg 1 /a\n node 0\n 1 2 3 4\n| node 1\n 1 2 3 4\n",
		      "memcg 1 /a\n node 0\n 1 2 3 4\n?node 1\n 1 2 3 4\n");
	/* The rest of the record that the former read had begun comes first. */
	assert_marked("memcg 1 /a\n node 0\n 1 2| 3 4\n node 1\n 1 2 3 4\n node 2\n",
		      "memcg 1 /a\n node 0\n 1 2 3 4\n?node 1\n 1 2 3 4\n node 2\n");
	assert_marked("memcg 1 /a\n node 0\n 1 2 3 4\n| node 1\n 1 2 3 4\nmemcg 2 /b\n node 0\n",
		      "memcg 1 /a\n node 0\n 1 2 3 4\n?node 1\n 1 2 3 4\nmemcg 2 /b\n node 0\n");
}

static void test_another_memcg(void **state _unused_)
{
	assert_marked("memcg 1 /a\n node 0\n 1 2 3 4\n|memcg 2 /b\n node 0\n",
		      "memcg 1 /a\n node 0\n 1 2 3 4\nmemcg 2 /b\n node 0\n");
	assert_marked("memcg 1 /a\n node 0\n 1 2 3| 4\nmemcg 2 /b\n node 0\n node 1\n",
		      "memcg 1 /a\n node 0\n 1 2 3 4\nmemcg 2 /b\n node 0\n node 1\n");
}

/* The node line right behind a memcg line is of the same record, which no read tears apart. */
static void test_within_a_record(void **state _unused_)
{
	assert_marked("memcg 1 /a|bc\n node 0\n 1 2 3 4\n", "memcg 1 /abc\n node 0\n 1 2 3 4\n");
	assert_marked("memcg 1 /a\n| node 0\n 1 2 3 4\n node 1\n",
		      "memcg 1 /a\n node 0\n 1 2 3 4\n?node 1\n");
	assert_marked("memcg 1 /a\n node 0\n 1 2 3 4|\n", "memcg 1 /a\n node 0\n 1 2 3 4\n");
	assert_marked("m|emcg 1 /a", "memcg 1 /a");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_another_node),
		cmocka_unit_test(test_another_memcg),
		cmocka_unit_test(test_within_a_record),
	};

	return cmocka_run_group_tests_name("lru-gen-seam", tests, NULL, NULL);
}
