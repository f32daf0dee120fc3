/* SPDX-License-Identifier: MIT */
/*
 * The door to MGLRU: what is there is opened, what is not has its error; listings come whole at any
 * size; the text of commands.
 */
#include "lru_gen.h"
#include "macro.h"
#include "ring.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>
#include <cmocka.h>

#include "fixture.h"

#define LRU_GEN      "sys/kernel/debug/lru_gen"
#define LRU_GEN_FULL "sys/kernel/debug/lru_gen_full"

static void test_nothing_there(void **state)
{
	const struct fixture *fixture = *state;
	struct lru_gen lru_gen;

	lru_gen_open(&lru_gen, fixture->root);
	assert_int_equal(lru_gen.read_fd, -1);
	assert_int_equal(lru_gen.write_fd, -1);
	assert_int_equal(lru_gen.read_error, -ENOENT);
	assert_int_equal(lru_gen.write_error, -ENOENT);
	assert_false(lru_gen.full_readable);
	assert_int_equal(lru_gen_read(&lru_gen), -ENOENT);
	lru_gen_close(&lru_gen);
	lru_gen_close(&lru_gen);
}

static void test_only_some_there(void **state)
{
	const struct fixture *fixture = *state;
	struct lru_gen lru_gen;

	/* Kernel lockdown leaves lru_gen_full readable and closes lru_gen. */
	fixture_write(fixture, LRU_GEN_FULL, "memcg     1 /\n");
	lru_gen_open(&lru_gen, fixture->root);
	assert_true(lru_gen.full_readable);
	assert_true(lru_gen.read_fd < 0 && lru_gen.write_fd < 0);
	lru_gen_close(&lru_gen);

	/* Readable as a directory is, but no listing, and never writable. */
	fixture_mkdir(fixture, LRU_GEN);
	lru_gen_open(&lru_gen, fixture->root);
	assert_int_equal(lru_gen.write_error, -EISDIR);
	assert_int_equal(lru_gen_read(&lru_gen), -EISDIR);
	lru_gen_close(&lru_gen);
}

static void test_long_root(void **state _unused_)
{
	char root[FIXTURE_PATH_MAX + 10];
	struct lru_gen lru_gen;

	memset(root, 'a', sizeof(root) - 1);
	root[0] = '/';
	root[sizeof(root) - 1] = '\0';
	lru_gen_open(&lru_gen, root);
	assert_int_equal(lru_gen.read_error, -ENAMETOOLONG);
	lru_gen_close(&lru_gen);
}

static void assert_reads(const struct fixture *fixture, struct lru_gen *lru_gen, size_t len)
{
	char *text = malloc(len + 1);

	assert_non_null(text);
	for (size_t i = 0; i < len; i++)
		text[i] = (char)('a' + (i + i / 26) % 26);
	text[len] = '\0';
	fixture_write(fixture, LRU_GEN, text);
	assert_int_equal(lru_gen_read(lru_gen), len);
	if (len > 0)
		assert_memory_equal(lru_gen->text, text, len);
	free(text);
}

/* debugfs mounted after the start, unmounted and mounted again, with the files closed meanwhile. */
static void test_debugfs_comes_and_goes(void **state)
{
	const struct fixture *fixture = *state;
	struct lru_gen lru_gen;
	int fd;

	lru_gen_open(&lru_gen, fixture->root);
	for (int round = 0; round < 2; round++) {
		fixture_write(fixture, LRU_GEN, "memcg     1 /\n");
		lru_gen_refresh(&lru_gen, fixture->root);
		assert_true(lru_gen.read_fd >= 0 && lru_gen.write_fd >= 0);
		assert_int_equal(lru_gen_read(&lru_gen), 14);
		fd = lru_gen.read_fd;
		lru_gen_refresh(&lru_gen, fixture->root);
		assert_int_equal(lru_gen.read_fd, fd);
		fixture_remove(fixture, LRU_GEN);
		lru_gen_refresh(&lru_gen, fixture->root);
		assert_int_equal(lru_gen.read_fd, -1);
		assert_int_equal(lru_gen.write_fd, -1);
		assert_int_equal(lru_gen_read(&lru_gen), -ENOENT);
	}
	lru_gen_close(&lru_gen);
}

static void test_reads_whole(void **state)
{
	static const size_t sizes[] = {0,      1,      4096,   65535,  65536, 65537,
				       131071, 131072, 131073, 500000, 3,     0};
	const struct fixture *fixture = *state;
	struct lru_gen lru_gen;

	fixture_write(fixture, LRU_GEN, "");
	lru_gen_open(&lru_gen, fixture->root);
	assert_true(lru_gen.read_fd >= 0 && lru_gen.write_fd >= 0);
	for (size_t i = 0; i < ARRAY_SIZE(sizes); i++)
		assert_reads(fixture, &lru_gen, sizes[i]);
	lru_gen_close(&lru_gen);
	assert_null(lru_gen.text);
}

/* More than any listing: refused, and what is read next is right again. */
static void test_endless(void **state)
{
	const struct fixture *fixture = *state;
	struct lru_gen lru_gen;

	fixture_write(fixture, LRU_GEN, "");
	assert_int_equal(truncate(fixture_path(fixture, LRU_GEN), 65 << 20), 0);
	lru_gen_open(&lru_gen, fixture->root);
	assert_int_equal(lru_gen_read(&lru_gen), -E2BIG);
	assert_reads(fixture, &lru_gen, 100);
	lru_gen_close(&lru_gen);
}

static void test_recorded(void **state)
{
	const struct fixture *fixture = *state;
	struct lru_gen lru_gen;
	ssize_t len;

	fixture_copy_listing(fixture, "6.12-two-nodes.lru_gen", "lru_gen");
	fixture_copy_listing(fixture, "6.12-two-nodes.lru_gen_full", "lru_gen_full");
	lru_gen_open(&lru_gen, fixture->root);
	assert_true(lru_gen.full_readable);
	len = lru_gen_read(&lru_gen);
	assert_true(len > 100);
	assert_memory_equal(lru_gen.text, "memcg     1 /\n node     0\n", 25);
	assert_int_equal(lru_gen.text[len - 1], '\n');
	lru_gen_close(&lru_gen);
}

static const struct lru_gen numbers_only;

static void test_commands(void **state _unused_)
{
	struct decision age = {
		.action = ACTION_AGE, .node = 1, .seq = 42, .swappiness = SWAPPINESS_ANON};
	struct decision evict = {
		.action = ACTION_EVICT, .node = 0, .seq = 3, .swappiness = SWAPPINESS_ANON};
	char buf[RING_TEXT_MAX];

	assert_int_equal(lru_gen_format(&numbers_only, &age, 77, 0, buf, sizeof(buf)), 13);
	assert_string_equal(buf, "+ 77 1 42 1 0");
	age.force = true;
	lru_gen_format(&numbers_only, &age, 77, 0, buf, sizeof(buf));
	assert_string_equal(buf, "+ 77 1 42 1 1");
	assert_int_equal(lru_gen_format(&numbers_only, &evict, 9, 4096, buf, sizeof(buf)), 16);
	assert_string_equal(buf, "- 9 0 3 200 4096");
}

/* Where nothing can be swapped file is aged alone: as if anon could be, the aging would be refused
 * for anon's generations, which nothing moves. */
static void test_aging_of_file_alone(void **state _unused_)
{
	static const struct lru_gen doors[] = {{.takes_max = false}, {.takes_max = true}};
	struct decision age = {
		.action = ACTION_AGE, .node = 1, .seq = 42, .swappiness = SWAPPINESS_FILE_ONLY};
	char buf[RING_TEXT_MAX];

	for (size_t i = 0; i < ARRAY_SIZE(doors); i++) {
		lru_gen_format(&doors[i], &age, 77, 0, buf, sizeof(buf));
		assert_string_equal(buf, "+ 77 1 42 0 0");
	}
}

/* Numbers of any size fit the ring's buffer; in a smaller one a command is refused, never cut. */
static void test_command_sizes(void **state _unused_)
{
	struct decision decision = {
		.node = UINT32_MAX, .seq = UINT64_MAX, .swappiness = UINT32_MAX};
	char buf[RING_TEXT_MAX];

	for (enum action_kind action = ACTION_AGE; action <= ACTION_EVICT; action++) {
		size_t len;

		decision.action = action;
		len = lru_gen_format(&numbers_only, &decision, UINT64_MAX, UINT64_MAX, buf,
				     sizeof(buf));
		assert_true(len > 0 && len == strlen(buf));
		for (size_t size = 0; size < sizeof(buf); size++)
			assert_int_equal(lru_gen_format(&numbers_only, &decision, UINT64_MAX,
							UINT64_MAX, buf, size),
					 size > len ? len : 0);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		FIXTURE_TEST(test_nothing_there),
		FIXTURE_TEST(test_only_some_there),
		FIXTURE_TEST(test_long_root),
		FIXTURE_TEST(test_reads_whole),
		FIXTURE_TEST(test_debugfs_comes_and_goes),
		FIXTURE_TEST(test_endless),
		FIXTURE_TEST(test_recorded),
		FIXTURE_TEST(test_commands),
		cmocka_unit_test(test_aging_of_file_alone),
		FIXTURE_TEST(test_command_sizes),
	};

	return cmocka_run_group_tests_name("lru-gen", tests, NULL, NULL);
}
