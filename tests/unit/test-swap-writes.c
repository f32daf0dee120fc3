/* SPDX-License-Identifier: MIT */
/*
 * What was written to swap in a day, over restarts, with whatever the file may hold by then.
 */
#include "swap_writes.h"
#include "macro.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>
#include <sys/stat.h>
#include <cmocka.h>

#include "fixture.h"

#define HOUR UINT64_C(3600000000)
#define NOW  (500000 * HOUR)

static uint64_t written_after_restart(const struct fixture *fixture)
{
	struct swap_writes writes;

	swap_writes_open(&writes, fixture->root);
	return swap_writes_book(&writes, 0);
}

static void test_survives_a_restart(void **state)
{
	const struct fixture *fixture = *state;
	struct swap_writes writes;
	struct stat st;

	swap_writes_open(&writes, fixture->root);
	swap_writes_save(&writes, true);
	assert_int_equal(stat(fixture_path(fixture, "swap-writes"), &st), -1);
	assert_int_equal(swap_writes_book(&writes, 100), 100);
	swap_writes_save(&writes, false);
	assert_int_equal(written_after_restart(fixture), 100);
	/* Once a minute is enough, but for the end. */
	assert_int_equal(swap_writes_book(&writes, 11), 111);
	swap_writes_save(&writes, false);
	assert_int_equal(written_after_restart(fixture), 100);
	swap_writes_save(&writes, true);
	assert_int_equal(written_after_restart(fixture), 111);
	assert_int_equal(stat(fixture_path(fixture, "swap-writes.new"), &st), -1);
}

/* By what it has grown. */
static void test_running_total(void **state _unused_)
{
	struct swap_writes writes;

	swap_writes_open(&writes, NULL);
	assert_int_equal(swap_writes_follow(&writes, 5), 5);
	assert_int_equal(swap_writes_follow(&writes, 5), 5);
	assert_int_equal(swap_writes_follow(&writes, 7), 7);
}

/* Damage in each place, and what a later version may write: as if there were nothing. */
static void test_what_is_no_state(void **state)
{
	const struct fixture *fixture = *state;
	struct swap_writes writes;
	char text[4096], damaged[4096];
	size_t len;

	swap_writes_open(&writes, fixture->root);
	swap_writes_book(&writes, 123456);
	swap_writes_save(&writes, true);
	fixture_read(fixture, "swap-writes", text, sizeof(text));
	len = strlen(text);
	for (size_t i = 0; i < len; i++) {
		memcpy(damaged, text, len + 1);
		damaged[i] = 'x';
		fixture_write(fixture, "swap-writes", damaged);
		assert_int_equal(written_after_restart(fixture), 0);
		damaged[i] = '\0';
		fixture_write(fixture, "swap-writes", damaged);
		assert_int_equal(written_after_restart(fixture), 0);
	}
	fixture_printf(fixture, "swap-writes", "%s0\n", text);
	assert_int_equal(written_after_restart(fixture), 0);
	text[len - 1] = '\0';
	fixture_printf(fixture, "swap-writes", "%s 0\n", text);
	assert_int_equal(written_after_restart(fixture), 0);
	fixture_printf(fixture, "swap-writes", "fgreclaim-swap-writes 2\n%s\n",
		       strchr(text, '\n') + 1);
	assert_int_equal(written_after_restart(fixture), 0);
	memset(damaged, '1', sizeof(damaged) - 1);
	damaged[sizeof(damaged) - 1] = '\0';
	fixture_write(fixture, "swap-writes", damaged);
	assert_int_equal(written_after_restart(fixture), 0);
	/* And the next save mends it. */
	swap_writes_book(&writes, 1);
	swap_writes_save(&writes, true);
	assert_int_equal(written_after_restart(fixture), 123457);
}

static void test_nowhere_to_keep_it(void **state)
{
	const struct fixture *fixture = *state;
	struct swap_writes writes;
	char folder[FIXTURE_PATH_MAX];

	swap_writes_open(&writes, NULL);
	assert_int_equal(swap_writes_book(&writes, 5), 5);
	swap_writes_save(&writes, true);
	strcpy(folder, fixture_path(fixture, "not-there"));
	swap_writes_open(&writes, folder);
	assert_int_equal(swap_writes_book(&writes, 5), 5);
	swap_writes_save(&writes, true);
	assert_true(writes.failed && writes.changed);
	/* Once it is there, what was not saved is. */
	fixture_mkdir(fixture, "not-there");
	swap_writes_save(&writes, true);
	assert_false(writes.failed || writes.changed);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		FIXTURE_TEST(test_survives_a_restart),
		cmocka_unit_test(test_running_total),
		FIXTURE_TEST(test_what_is_no_state),
		FIXTURE_TEST(test_nowhere_to_keep_it),
	};

	return cmocka_run_group_tests_name("swap-writes", tests, NULL, NULL);
}
