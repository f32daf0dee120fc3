/* SPDX-License-Identifier: MIT */
/*
 * Where zswap stands before swap: whose anon stays in memory, whose goes to the device behind it, and
 * whose goes nowhere, by what memory.zswap.max and memory.zswap.writeback say down the tree.
 */
#include "arith.h"
#include "policy-world.h"

#include <setjmp.h>
#include <stdarg.h>
#include <cmocka.h>

#define ARRAY_SIZE(a) (sizeof(a) / sizeof((a)[0]))

static struct policy_world w;
static size_t root, slice, idle;

/* An idle memcg with 240 of 320 MiB cold, in a slice, at full pace; zswap before a disk. */
static void begin(void)
{
	world_init(&w);
	root = world_add(&w, -1, 0, 0);
	slice = world_add(&w, (int)root, 0, 0);
	idle = world_add(&w, (int)slice, MIB(320), 0);
	w.memcgs[root].zswap_max_bytes = SAMPLE_UNKNOWN; /* has no such file */
	world_list(&w, idle, (const uint64_t[]){240, 0, 79, 1});
	w.snapshot.system.swap_is_zram = false;
	w.snapshot.system.zswap = true;
	w.snapshot.system.zswap_room_bytes = MIB(1024);
	world_tick(&w);
	world_full_pace(&w, idle);
}

static void assert_refused(enum reason reason)
{
	assert_null(world_decision(&w, idle));
	assert_string_equal(reason_to_string(w.states[idle].verdict.reason),
			    reason_to_string(reason));
}

static void assert_evicts(bool to_disk)
{
	const struct decision *decision = world_decision(&w, idle);

	assert_non_null(decision);
	assert_int_equal(decision->action, ACTION_EVICT);
	assert_int_equal(decision->to_disk, to_disk);
	assert_int_equal(w.plan.disk_bytes, to_disk ? decision->bytes : 0);
}

/* Room for a write of 16 MiB is room. */
static const struct {
	uint64_t max_bytes, current_bytes;
	bool room;
} limits[] = {
	{SAMPLE_INFINITY, SAMPLE_UNKNOWN, true},
	{MIB(64), MIB(48), true},
	{MIB(64), MIB(49), false},
	{MIB(64), MIB(70), false},
	{MIB(64), SAMPLE_UNKNOWN, false},
	{0, SAMPLE_UNKNOWN, false},
	{SAMPLE_UNKNOWN, SAMPLE_UNKNOWN, false},
};

/* What has to come of a host whose device is zram, a disk or one that rotates. */
static void check_device(bool zram, bool rotates, enum anon_policy anon)
{
	if (zram)
		assert_evicts(false);
	else if (anon == ANON_AUTO)
		assert_refused(REASON_SWAP_DEVICE);
	else if (rotates)
		assert_refused(REASON_SWAP_ROTATES);
	else
		assert_evicts(true);
}

static void check_one(size_t limited, size_t l, size_t closed, unsigned bits)
{
	bool zswap = bits & 1, zram = bits & 2, rotates = !zram && bits & 4;
	enum anon_policy anon = bits & 8 ? ANON_YES : ANON_AUTO;
	bool closes = closed != SIZE_MAX;

	begin();
	w.snapshot.system.zswap = zswap;
	w.snapshot.system.swap_is_zram = zram;
	w.snapshot.system.swap_rotates = rotates;
	w.params.anon = anon;
	w.memcgs[limited].zswap_max_bytes = limits[l].max_bytes;
	w.memcgs[limited].zswap_current_bytes = limits[l].current_bytes;
	if (closes)
		w.memcgs[closed].zswap_only = true;
	world_tick(&w);
	if (!zswap)
		check_device(zram, rotates, anon);
	else if (limits[l].room)
		assert_evicts(false);
	else if (closes)
		assert_refused(REASON_ZSWAP_FULL);
	else
		check_device(zram, rotates, anon);
}

/* Each limit, on the memcg itself and on an ancestor; nothing, or one of all that it is below, that
 * lets nothing go past zswap; and each kind of host. */
static void test_every_tree(void **arg)
{
	unsigned n = 0;

	(void)arg;
	begin();
	for (size_t l = 0; l < ARRAY_SIZE(limits); l++)
		for (unsigned place = 0; place < 8; place++)
			for (unsigned bits = 0; bits < 16; bits++, n++)
				check_one(place & 1 ? idle : slice, l,
					  (const size_t[]){SIZE_MAX, root, slice, idle}[place / 2],
					  bits);
	print_message("# %u trees\n", n);
}

/* No more than zswap has room for, be it the memcg's, an ancestor's or the host's. */
static void test_room_is_kept_to(void **arg)
{
	(void)arg;
	begin();
	w.params.write_max_bytes = MIB(1);
	world_tick(&w);
	assert_true(world_bytes(&w, idle) > MIB(3));
	w.snapshot.system.zswap_room_bytes = MIB(3);
	world_tick(&w);
	assert_int_equal(world_bytes(&w, idle), MIB(3));
	w.memcgs[slice].zswap_max_bytes = MIB(10);
	w.memcgs[slice].zswap_current_bytes = MIB(8);
	world_tick(&w);
	assert_int_equal(world_bytes(&w, idle), MIB(2));
	assert_evicts(false);
	w.snapshot.system.zswap_room_bytes = 0;
	world_tick(&w);
	assert_refused(REASON_SWAP_DEVICE);
	w.memcgs[root].zswap_only = true;
	world_tick(&w);
	assert_refused(REASON_ZSWAP_FULL);
	assert_int_equal(w.states[idle].verdict.measured, 0);
}

/* What stays in memory is no write to the disk: of two, the budget of the day is for one. */
static void test_budget_is_for_the_disk(void **arg)
{
	size_t other;

	(void)arg;
	begin();
	other = world_add(&w, (int)slice, MIB(320), 0);
	world_list(&w, other, (const uint64_t[]){240, 0, 79, 1});
	w.memcgs[other].zswap_max_bytes = 0;
	w.params.anon = ANON_YES;
	world_tick(&w);
	world_full_pace(&w, idle);
	world_full_pace(&w, other);
	w.params.swap_write_bytes = MIB(1);
	world_tick(&w);
	assert_true(world_bytes(&w, idle) > MIB(1));
	assert_false(world_decision(&w, idle)->to_disk);
	assert_int_equal(world_bytes(&w, other), MIB(1));
	assert_true(world_decision(&w, other)->to_disk);
	assert_int_equal(w.plan.disk_bytes, MIB(1));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_every_tree),
		cmocka_unit_test(test_room_is_kept_to),
		cmocka_unit_test(test_budget_is_for_the_disk),
	};

	return cmocka_run_group_tests_name("policy-zswap", tests, NULL, NULL);
}
