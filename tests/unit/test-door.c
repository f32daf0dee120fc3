/* SPDX-License-Identifier: MIT */
/*
 * Asking files with and without offsets: lru_gen of a real kernel has none for writing, as a pipe.
 */
#include "door.h"

#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

static void test_without_offsets(void **state)
{
	char text[16] = "";
	int fds[2];

	(void)state;
	assert_int_equal(pipe2(fds, O_CLOEXEC), 0);
	assert_int_equal(door_ask(fds[1], "- 1 0 0"), 7);
	assert_int_equal(door_ask(fds[1], "max"), 3);
	assert_int_equal(read(fds[0], text, sizeof(text)), 10);
	assert_string_equal(text, "- 1 0 0max");
	close(fds[0]);
	close(fds[1]);
}

/* Each request is one of its own, at the start. */
static void test_at_the_start(void **state)
{
	FILE *file = tmpfile();
	char text[16] = "";

	(void)state;
	assert_non_null(file);
	assert_int_equal(door_ask(fileno(file), "long request"), 12);
	assert_int_equal(door_ask(fileno(file), "LONG"), 4);
	assert_int_equal(door_pread(fileno(file), text, sizeof(text) - 1, 0), 12);
	assert_string_equal(text, "LONG request");
	fclose(file);
}

static void test_errors(void **state)
{
	(void)state;
	assert_int_equal(door_ask(-1, "0"), -EBADF);
	assert_int_equal(door_openat(AT_FDCWD, "/nonexistent", O_RDONLY), -ENOENT);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_without_offsets),
		cmocka_unit_test(test_at_the_start),
		cmocka_unit_test(test_errors),
	};

	return cmocka_run_group_tests_name("door", tests, NULL, NULL);
}
