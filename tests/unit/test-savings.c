/* SPDX-License-Identifier: MIT */
/*
 * What reclaim is worth and what it costs, by known numbers.
 */
#include "arith.h"
#include "clock.h"
#include "macro.h"
#include "own_cost.h"
#include "savings.h"

#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <cmocka.h>

#define MIB  (UINT64_C(1) << 20)
#define PAGE UINT64_C(4096)

static struct savings savings;
static struct memcg *memcgs[2];

static int setup(void **state _unused_)
{
	savings = (struct savings){0};
	for (size_t i = 0; i < ARRAY_SIZE(memcgs); i++) {
		assert_int_equal(memcg_new(i + 1, "/a", -1, &memcgs[i]), 0);
		memcgs[i]->state.last.refault_pages[LRU_ANON] = 1000;
		memcgs[i]->state.last.refault_pages[LRU_FILE] = 2000;
		memcgs[i]->state.last.swap_current_bytes = 1000 * MIB;
	}
	return 0;
}

static int teardown(void **state _unused_)
{
	for (size_t i = 0; i < ARRAY_SIZE(memcgs); i++)
		memcg_free(memcgs[i]);
	return 0;
}

#define SAVINGS_TEST(f) cmocka_unit_test_setup_teardown(f, setup, teardown)

static void look(void)
{
	savings_look(&savings, memcgs, ARRAY_SIZE(memcgs), PAGE);
}

static void refault(size_t i, enum lru_type type, uint64_t bytes)
{
	memcgs[i]->state.last.refault_pages[type] += bytes / PAGE;
}

static void assert_savings(uint64_t returned, uint64_t anon, uint64_t file)
{
	assert_int_equal(savings.returned_bytes, returned);
	assert_int_equal(savings.held_bytes[LRU_ANON], anon);
	assert_int_equal(savings.held_bytes[LRU_FILE], file);
}

static void test_returns(void **state _unused_)
{
	look();
	assert_savings(0, 0, 0);
	/* What comes back before anything was freed is not ours. */
	refault(0, LRU_FILE, 50 * MIB);
	look();
	savings_book(memcgs[0], LRU_FILE, 64 * MIB, 0);
	savings_book(memcgs[0], LRU_ANON, 32 * MIB, SAMPLE_UNKNOWN);
	savings_book(memcgs[1], LRU_FILE, 8 * MIB, 0);
	look();
	assert_savings(0, 32 * MIB, 72 * MIB);
	refault(0, LRU_FILE, 20 * MIB);
	refault(0, LRU_ANON, 1 * MIB);
	look();
	assert_savings(21 * MIB, 31 * MIB, 52 * MIB);
	/* Nothing happens, nothing changes. */
	look();
	assert_savings(21 * MIB, 31 * MIB, 52 * MIB);
	/* More than was taken from it: the rest was somebody else's. And each memcg for itself. */
	refault(1, LRU_FILE, 100 * MIB);
	refault(1, LRU_ANON, 100 * MIB);
	look();
	assert_savings(29 * MIB, 31 * MIB, 44 * MIB);
}

static void test_gone(void **state _unused_)
{
	look();
	savings_book(memcgs[0], LRU_ANON, 32 * MIB, SAMPLE_UNKNOWN);
	savings_book(memcgs[1], LRU_FILE, 8 * MIB, 0);
	look();
	assert_savings(0, 32 * MIB, 8 * MIB);
	/* Its processes have freed what was swapped out. */
	memcgs[0]->state.last.swap_current_bytes = 5 * MIB;
	look();
	assert_savings(0, 5 * MIB, 8 * MIB);
	memcgs[0]->state.last.swap_current_bytes = SAMPLE_UNKNOWN;
	look();
	assert_savings(0, 5 * MIB, 8 * MIB);
	/* One memcg less. */
	savings_look(&savings, memcgs, 1, PAGE);
	assert_savings(0, 5 * MIB, 0);
}

static void test_unknown(void **state _unused_)
{
	look();
	savings_book(memcgs[0], LRU_FILE, 64 * MIB, 0);
	refault(0, LRU_FILE, 4 * MIB);
	look();
	/* What came back in an interval without a counter is seen in the next. */
	refault(0, LRU_FILE, 4 * MIB);
	uint64_t pages = memcgs[0]->state.last.refault_pages[LRU_FILE];
	memcgs[0]->state.last.refault_pages[LRU_FILE] = SAMPLE_UNKNOWN;
	look();
	assert_savings(4 * MIB, 0, 60 * MIB);
	memcgs[0]->state.last.refault_pages[LRU_FILE] = pages;
	look();
	assert_savings(8 * MIB, 0, 56 * MIB);
	/* One that went back was reset. */
	memcgs[0]->state.last.refault_pages[LRU_FILE] = 0;
	look();
	refault(0, LRU_FILE, 1 * MIB);
	look();
	assert_savings(9 * MIB, 0, 55 * MIB);
}

static void test_net(void **state _unused_)
{
	struct swap_memory swap = {.held_bytes = 4 * MIB, .swapped_bytes = 20 * MIB};

	savings = (struct savings){.held_bytes = {10 * MIB, 50 * MIB}, .unpriced_bytes = 10 * MIB};
	assert_int_equal(savings_cost_bytes(&savings, &swap), 2 * MIB);
	assert_int_equal(savings_net_bytes(&savings, &swap), 58 * MIB);
	/* Half of it was measured. */
	savings.unpriced_bytes = 5 * MIB;
	savings.cost_bytes = MIB / 2;
	assert_int_equal(savings_net_bytes(&savings, &swap), 60 * MIB - MIB - MIB / 2);
	savings.unpriced_bytes = 10 * MIB;
	savings.cost_bytes = 0;
	/* A disk costs no memory. */
	swap.held_bytes = 0;
	assert_int_equal(savings_net_bytes(&savings, &swap), 60 * MIB);
	/* zram does not shrink at once: never more than it takes in all. */
	swap = (struct swap_memory){.held_bytes = 8 * MIB, .swapped_bytes = 5 * MIB};
	assert_int_equal(savings_cost_bytes(&savings, &swap), 8 * MIB);
	savings.held_bytes[LRU_FILE] = 0;
	savings.held_bytes[LRU_ANON] = 6 * MIB;
	assert_int_equal(savings_net_bytes(&savings, &swap), 0);
	/* Unknown is not 0, unless nothing of ours is there. */
	swap.held_bytes = SAMPLE_UNKNOWN;
	assert_int_equal(savings_cost_bytes(&savings, &swap), SAMPLE_UNKNOWN);
	assert_int_equal(savings_net_bytes(&savings, &swap), SAMPLE_UNKNOWN);
	savings.held_bytes[LRU_ANON] = 0;
	assert_int_equal(savings_net_bytes(&savings, &swap), 0);
}

/* All of it was measured: the average is not asked for. */
static void test_measured_cost(void **state _unused_)
{
	const struct swap_memory swap = {.held_bytes = 64 * MIB, .swapped_bytes = 64 * MIB};
	const struct swap_memory unread = {.held_bytes = SAMPLE_UNKNOWN, .swapped_bytes = 64 * MIB};

	look();
	savings_book(memcgs[0], LRU_ANON, 32 * MIB, 8 * MIB);
	savings_book(memcgs[1], LRU_ANON, 10 * MIB, MIB);
	savings_book(memcgs[1], LRU_FILE, 10 * MIB, 5 * MIB);
	look();
	assert_int_equal(savings_cost_bytes(&savings, &swap), 9 * MIB);
	assert_int_equal(savings_cost_bytes(&savings, &unread), 9 * MIB);
	/* With a quarter of the pages a quarter of that comes back. */
	refault(0, LRU_ANON, 8 * MIB);
	look();
	assert_int_equal(savings_cost_bytes(&savings, &swap), 7 * MIB);
	assert_int_equal(savings_net_bytes(&savings, &swap), (24 + 10 + 10 - 7) * MIB);
	/* A write that was not measured has the average. */
	savings_book(memcgs[1], LRU_ANON, 10 * MIB, SAMPLE_UNKNOWN);
	look();
	assert_int_equal(savings_cost_bytes(&savings, &swap), 17 * MIB);
	assert_int_equal(savings_cost_bytes(&savings, &unread), SAMPLE_UNKNOWN);
	/* Its processes have freed half of all that. */
	memcgs[1]->state.last.swap_current_bytes = 10 * MIB;
	look();
	assert_int_equal(savings_cost_bytes(&savings, &swap), 6 * MIB + MIB / 2 + 5 * MIB);
}

static void test_share(void **state _unused_)
{
	assert_int_equal(own_cost_share_ppm(0, 0), 0);
	assert_int_equal(own_cost_share_ppm(5, 0), 0);
	assert_int_equal(own_cost_share_ppm(1500000, 60000000), 25000);
	assert_int_equal(own_cost_share_ppm(120000000, 60000000), 2000000);
}

/* Burns CPU time; returns how much. */
static void *burn(void *ret_usec)
{
	volatile uint64_t n = 0;

	while (clock_usec(CLOCK_THREAD_CPUTIME_ID) < 20000)
		n++;
	*(uint64_t *)ret_usec = clock_usec(CLOCK_THREAD_CPUTIME_ID);
	return NULL;
}

/* io_uring's workers are threads of ours: a thread's time has to be in it, ended or not. */
static void test_own_threads(void **state _unused_)
{
	struct own_cost before, after;
	uint64_t thread_usec = 0;
	pthread_t thread;

	own_cost_measure(&before);
	assert_int_equal(pthread_create(&thread, NULL, burn, &thread_usec), 0);
	assert_int_equal(pthread_join(thread, NULL), 0);
	own_cost_measure(&after);
	assert_true(thread_usec >= 20000);
	/* User and kernel time are cut to microseconds each. */
	assert_true(after.cpu_usec - before.cpu_usec + 2 >= thread_usec);
	assert_true(after.rss_bytes > 0 && is_number(after.rss_bytes));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		SAVINGS_TEST(test_returns),         SAVINGS_TEST(test_gone),
		SAVINGS_TEST(test_unknown),         cmocka_unit_test(test_net),
		SAVINGS_TEST(test_measured_cost),   cmocka_unit_test(test_share),
		cmocka_unit_test(test_own_threads),
	};

	return cmocka_run_group_tests_name("savings", tests, NULL, NULL);
}
