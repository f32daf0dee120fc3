/* SPDX-License-Identifier: MIT */
/*
 * Swap areas and their devices, as sysfs has them on a host (links, partitions within disks) and in
 * a recording (disks alone); and the memory that swap itself takes.
 */
#include "swap.h"
#include "macro.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <cmocka.h>

#include "fixture.h"

#define HEAD "Filename\tType\tSize\tUsed\tPriority\n"

static void assert_look(void **state, const char *swaps, unsigned areas, unsigned zram,
			unsigned rotational, const char *text)
{
	const struct fixture *fixture = *state;
	struct swap_summary swap;

	fixture_write(fixture, "proc/swaps", swaps);
	swap_look(fixture->root, &swap);
	assert_int_equal(swap.areas, areas);
	assert_int_equal(swap.zram, zram);
	assert_int_equal(swap.rotational, rotational);
	assert_string_equal(swap.text, text);
}

static void test_none(void **state)
{
	const struct fixture *fixture = *state;
	struct swap_summary swap;

	swap_look(fixture->root, &swap);
	assert_int_equal(swap.areas, 0);
	assert_string_equal(swap.text, "");
	assert_look(state, HEAD, 0, 0, 0, "");
	assert_look(state, HEAD "/dev/sda2 partition 1 1\n", 0, 0, 0, "");
}

/* What a recording holds. */
static void test_recorded(void **state)
{
	const struct fixture *fixture = *state;

	fixture_write(fixture, "sys/block/sda/queue/rotational", "1\n");
	fixture_write(fixture, "sys/block/nvme0n1/queue/rotational", "0\n");
	fixture_write(fixture, "sys/block/dm-0/queue/rotational", "1\n");
	fixture_write(fixture, "sys/block/odd/queue/rotational", "2\n");
	fixture_write(fixture, "sys/block/zram0/queue/rotational", "0\n");
	assert_look(state, HEAD "/dev/zram0 partition 8 4 100\n/dev/sda2 partition 8 4 -2\n", 2, 1,
		    1, "/dev/zram0 (zram), /dev/sda2 (rotational)");
	assert_look(state, HEAD "/dev/sda partition 8 4 -2\n/dev/nvme0n1p3 partition 8 4 -3\n", 2,
		    0, 1, "/dev/sda (rotational), /dev/nvme0n1p3 (not rotational)");
	assert_look(state, HEAD "/dev/dm-0 partition 8 4 -2\n/dev/odd partition 8 4 -3\n", 2, 0, 1,
		    "/dev/dm-0 (rotational), /dev/odd (unknown device)");
	/* "nvme0n1p" is no name of a disk, nor is a digit a partition of what ends in none. */
	assert_look(state, HEAD "/dev/dm-1 partition 8 4 -2\n/dev/sdb1 partition 8 4 -3\n", 2, 0, 0,
		    "/dev/dm-1 (unknown device), /dev/sdb1 (unknown device)");
	/* The file system of a recorded file is not here, whatever the host has of that name. */
	assert_look(state, HEAD "/etc/passwd file 8 4 -2\n", 1, 0, 0, "/etc/passwd (file)");
}

/* What sysfs looks like: /sys/class/block links into the devices, a partition is in its disk. */
static void test_host(void **state)
{
	const struct fixture *fixture = *state;
	char link[FIXTURE_PATH_MAX];

	fixture_write(fixture, "sys/devices/ata1/block/sda/queue/rotational", "1\n");
	fixture_write(fixture, "sys/devices/ata1/block/sda/sda5/partition", "5\n");
	fixture_mkdir(fixture, "sys/class/block");
	strcpy(link, fixture_path(fixture, "sys/class/block/sda5"));
	assert_int_equal(symlink("../../devices/ata1/block/sda/sda5", link), 0);
	strcpy(link, fixture_path(fixture, "sys/class/block/sda"));
	assert_int_equal(symlink("../../devices/ata1/block/sda", link), 0);
	assert_look(state, HEAD "/dev/sda5 partition 8 4 -2\n", 1, 0, 1, "/dev/sda5 (rotational)");
	assert_look(state, HEAD "/dev/sda partition 8 4 -2\n", 1, 0, 1, "/dev/sda (rotational)");
}

/* As many as fit, and a sign that there are more. */
static void test_many(void **state)
{
	char swaps[4096] = HEAD, *at = swaps + strlen(swaps);
	struct swap_summary swap;

	for (int i = 0; i < 30; i++)
		at += sprintf(at, "/dev/zram%d partition 8 4 %d\n", i, i);
	fixture_write(*state, "proc/swaps", swaps);
	swap_look(((const struct fixture *)*state)->root, &swap);
	assert_int_equal(swap.areas, 30);
	assert_int_equal(swap.zram, 30);
	assert_memory_equal(swap.text, "/dev/zram0 (zram), /dev/zram1 (zram), ", 38);
	assert_string_equal(swap.text + strlen(swap.text) - 11, "(zram), ...");
	assert_true(strlen(swap.text) < sizeof(swap.text));
	/* One name that is too long for all of it. */
	snprintf(swaps, sizeof(swaps), HEAD "/%0200d file 8 4 0\n", 0);
	fixture_write(*state, "proc/swaps", swaps);
	swap_look(((const struct fixture *)*state)->root, &swap);
	assert_string_equal(swap.text, "...");
}

/* users.md 53: areas that come and go while the agent runs, and the disk behind one that changes;
 * what is in use of them is no change. */
static void test_watch(void **state)
{
	const struct fixture *fixture = *state;
	struct swap_watch watch = {0};

	assert_int_equal(swap_watch_look(&watch, fixture->root)->areas, 0);
	fixture_write(fixture, "sys/block/sda/queue/rotational", "1\n");
	fixture_write(fixture, "proc/swaps", HEAD "/dev/sda2 partition 8 0 -2\n");
	assert_int_equal(swap_watch_look(&watch, fixture->root)->rotational, 1);
	/* The device is not asked again for nothing. */
	fixture_write(fixture, "sys/block/sda/queue/rotational", "0\n");
	fixture_write(fixture, "proc/swaps", HEAD "/dev/sda2 partition 8 4 -2\n");
	assert_int_equal(swap_watch_look(&watch, fixture->root)->rotational, 1);
	fixture_write(fixture, "proc/swaps",
		      HEAD "/dev/sda2 partition 8 4 -2\n/dev/zram0 partition 8 0 100\n");
	assert_int_equal(swap_watch_look(&watch, fixture->root)->areas, 2);
	assert_int_equal(swap_watch_look(&watch, fixture->root)->zram, 1);
	assert_int_equal(swap_watch_look(&watch, fixture->root)->rotational, 0);
	fixture_write(fixture, "proc/swaps", HEAD);
	assert_int_equal(swap_watch_look(&watch, fixture->root)->areas, 0);
	swap_watch_done(&watch);
}

static struct swap_memory measure(void **state)
{
	struct swap_memory memory;

	swap_measure(((const struct fixture *)*state)->root, &memory);
	return memory;
}

static void test_memory(void **state)
{
	const struct fixture *fixture = *state;

	assert_int_equal(measure(state).held_bytes, 0);
	assert_int_equal(measure(state).swapped_bytes, 0);
	fixture_write(fixture, "proc/swaps",
		      HEAD "/dev/zram0 partition 4096 1024 5\n/dev/zram1 partition 4096 512 5\n"
			   "/dev/sda2 partition 4096 256 -2\n");
	fixture_write(fixture, "sys/block/zram0/mm_stat", "1048576 300000 400000 0 0 0 0 0 0\n");
	fixture_write(fixture, "sys/block/zram1/mm_stat", "524288 100000 200000 0 0 0 0 0 0\n");
	assert_int_equal(measure(state).held_bytes, 600000);
	assert_int_equal(measure(state).swapped_bytes, (1024 + 512 + 256) * 1024);
	fixture_write(fixture, "proc/meminfo", "MemTotal: 1000 kB\nZswap:  2 kB\nZswapped: 6 kB\n");
	assert_int_equal(measure(state).held_bytes, 602048);
	/* One that cannot be read: unknown, not less. */
	fixture_remove(fixture, "sys/block/zram0/mm_stat");
	assert_int_equal(measure(state).held_bytes, SAMPLE_UNKNOWN);
	assert_int_equal(measure(state).swapped_bytes, (1024 + 512 + 256) * 1024);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		FIXTURE_TEST(test_none), FIXTURE_TEST(test_recorded), FIXTURE_TEST(test_host),
		FIXTURE_TEST(test_many), FIXTURE_TEST(test_watch),    FIXTURE_TEST(test_memory),
	};

	return cmocka_run_group_tests_name("swap", tests, NULL, NULL);
}
