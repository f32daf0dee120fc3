/* SPDX-License-Identifier: MIT */
/*
 * Whole reads: that a file which does not fit is an error and never cut, and that a needle across
 * two reads is found.
 */
#include "file.h"
#include "macro.h"

#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>
#include <cmocka.h>

#include "fixture.h"

/* The size that file_contains() reads at a time. */
#define CHUNK 65536

static void test_sizes(void **state)
{
	const struct fixture *fixture = *state;
	static const char *const texts[] = {"", "1", "12\n", "0123456789abcde"};
	char buf[17];

	for (size_t i = 0; i < ARRAY_SIZE(texts); i++) {
		int len = (int)strlen(texts[i]);

		fixture_write(fixture, "f", texts[i]);
		for (size_t size = 1; size <= 16; size++) {
			int r;

			memset(buf, 'X', sizeof(buf));
			r = file_read_at(AT_FDCWD, fixture_path(fixture, "f"), buf, size);
			assert_int_equal(r, (size_t)len < size ? len : -E2BIG);
			if (r >= 0)
				assert_string_equal(buf, texts[i]);
			for (size_t j = size; j < sizeof(buf); j++)
				assert_int_equal(buf[j], 'X');
		}
	}
}

static void test_rereads_from_the_start(void **state)
{
	const struct fixture *fixture = *state;
	char buf[32];
	int fd;

	fixture_write(fixture, "f", "100\n");
	fd = open(fixture_path(fixture, "f"), O_RDONLY | O_CLOEXEC);
	assert_true(fd >= 0);
	assert_int_equal(file_read(fd, buf, sizeof(buf)), 4);
	fixture_write(fixture, "f", "7\n");
	assert_int_equal(file_read(fd, buf, sizeof(buf)), 2);
	assert_string_equal(buf, "7\n");
	close(fd);
}

static void test_errors(void **state)
{
	const struct fixture *fixture = *state;
	int pipes[2];
	char buf[32];

	assert_int_equal(file_read(-1, buf, sizeof(buf)), -EBADF);
	assert_int_equal(file_read_at(AT_FDCWD, fixture_path(fixture, "none"), buf, sizeof(buf)),
			 -ENOENT);
	assert_int_equal(file_read_at(AT_FDCWD, fixture->root, buf, sizeof(buf)), -EISDIR);
	/* Not seekable: an error, and above all no wait. */
	assert_int_equal(pipe(pipes), 0);
	assert_int_equal(file_read(pipes[0], buf, sizeof(buf)), -ESPIPE);
	close(pipes[0]);
	close(pipes[1]);
}

static void test_zeros_are_content(void **state)
{
	const struct fixture *fixture = *state;
	char buf[32];
	int fd = open(fixture_path(fixture, "f"), O_RDWR | O_CREAT | O_CLOEXEC, 0644);

	assert_int_equal(write(fd, "a\0b", 3), 3);
	assert_int_equal(file_read(fd, buf, sizeof(buf)), 3);
	assert_memory_equal(buf, "a\0b\0", 4);
	close(fd);
}

static void write_with_needle_at(const struct fixture *fixture, size_t offset, size_t total)
{
	FILE *file = fopen(fixture_path(fixture, "big"), "we");

	assert_non_null(file);
	for (size_t i = 0; i < total; i++)
		fputc(i >= offset && i < offset + 6 ? "needle"[i - offset] : 'n', file);
	assert_int_equal(fclose(file), 0);
}

static int look_for(const char *path, const char *first, const char *second)
{
	const struct file_needle needles[] = {{first, strlen(first)}, {second, strlen(second)}};

	return file_look_for(path, 0, UINT64_MAX, needles, ARRAY_SIZE(needles));
}

static void test_look_for(void **state)
{
	const struct fixture *fixture = *state;
	static const size_t offsets[] = {0, 1, 1000, CHUNK - 6, CHUNK, 2 * CHUNK + 17};
	char path[256];

	snprintf(path, sizeof(path), "%s/big", fixture->root);
	for (size_t i = 0; i < ARRAY_SIZE(offsets); i++) {
		write_with_needle_at(fixture, offsets[i], 3 * CHUNK);
		assert_int_equal(look_for(path, "needle", "none"), 1);
		assert_int_equal(look_for(path, "needles", "eedle"), 2);
		assert_int_equal(look_for(path, "needles", "none"), 0);
	}
	/* Every way in which it can lie across the first two reads, and across the next two. */
	for (size_t i = 1; i < 12; i++) {
		write_with_needle_at(fixture, CHUNK - i, CHUNK + 100);
		assert_int_equal(look_for(path, "needle", "none"), 1);
		write_with_needle_at(fixture, 2 * CHUNK - 5 - i, 2 * CHUNK + 100);
		assert_int_equal(look_for(path, "needle", "a much longer one"), 1);
	}
	write_with_needle_at(fixture, 100, 105);
	assert_int_equal(look_for(path, "needle", "none"), 0);
	write_with_needle_at(fixture, 0, 0);
	assert_int_equal(look_for(path, "needle", "none"), 0);
	assert_int_equal(look_for(fixture_path(fixture, "none"), "needle", "none"), -ENOENT);
	assert_int_equal(look_for(fixture->root, "needle", "none"), -EISDIR);
}

/* Not a byte before nor behind the part that is to be looked at. */
static void test_look_for_within(void **state)
{
	static const struct file_needle needles[] = {FILE_NEEDLE("\0a\0"), FILE_NEEDLE("b")};
	const struct fixture *fixture = *state;
	char path[256];
	FILE *file;

	snprintf(path, sizeof(path), "%s/bytes", fixture->root);
	file = fopen(path, "we");
	assert_non_null(file);
	assert_int_equal(fwrite("b\0a\0cb", 1, 6, file), 6);
	assert_int_equal(fclose(file), 0);
	assert_int_equal(file_look_for(path, 1, 3, needles, 2), 1);
	assert_int_equal(file_look_for(path, 1, 2, needles, 2), 0);
	assert_int_equal(file_look_for(path, 2, 3, needles, 2), 0);
	assert_int_equal(file_look_for(path, 2, 4, needles, 2), 2);
	assert_int_equal(file_look_for(path, 6, 4, needles, 2), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		FIXTURE_TEST(test_sizes),    FIXTURE_TEST(test_rereads_from_the_start),
		FIXTURE_TEST(test_errors),   FIXTURE_TEST(test_zeros_are_content),
		FIXTURE_TEST(test_look_for), FIXTURE_TEST(test_look_for_within),
	};

	return cmocka_run_group_tests_name("file", tests, NULL, NULL);
}
