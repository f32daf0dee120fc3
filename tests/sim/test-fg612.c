/* SPDX-License-Identifier: MIT */
/*
 * Frequency-guided promotion on top of Linux 6.12: where uses through read() and page tables take a
 * page, and what is left of them when it was moved on, or has come back.
 */
#include "mglru.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <cmocka.h>

#define N          1000u
#define SWAPPINESS 200u

static struct host host;
static struct lru_gen *const lrugen = &host.memcgs[1].lrugen;

static void set_up(enum lru_type type, bool mapped)
{
	host = (struct host){
		.kernel = &kernel_fg612,
		.grain = 1,
		.swappiness = 60,
		.swap_total_pages = 10 * N,
	};
	host_add_memcg(&host, -1, "/");
	host_add_memcg(&host, 0, "only");
	host_add_pages(&host, 1, type, mapped, N);
	host_start(&host);
	for (uint32_t p = 0; p < N; p++)
		host_access(&host, p);
}

static void assert_page(uint32_t p, uint64_t seq, unsigned refs)
{
	assert_int_equal(host.pages[p].gen, gen_of(seq));
	assert_int_equal(host.pages[p].refs, refs);
}

static int age(bool force)
{
	return host.kernel->age(&host, 1, lrugen->max_seq, SWAPPINESS, force);
}

static void test_read(void **state)
{
	(void)state;
	set_up(LRU_FILE, false);
	assert_page(0, 1, 1);
	/* Counted, and by the eighth use promoted. */
	for (unsigned refs = 2; refs <= 7; refs++) {
		host_access(&host, 0);
		assert_page(0, 1, refs);
	}
	host_access(&host, 0);
	assert_page(0, 2, 3);
	/* In the oldest generation by the second one. */
	lrugen->min_seq[LRU_FILE] = 1;
	host_access(&host, 1);
	assert_page(1, 2, 2);
	host_free(&host);
}

/* The use that brings a page back is counted and no more: it is on no list yet. */
static void test_comes_back(void **state)
{
	(void)state;
	set_up(LRU_FILE, false);
	lrugen->min_seq[LRU_FILE] = 1;
	host.kernel->evict(&host, 1, 1, 0, 10);
	assert_false(host.pages[0].flags & PAGE_RESIDENT);
	host_access(&host, 0);
	assert_page(0, 1, 2);
	host_access(&host, 0);
	assert_page(0, 2, 3);
	host_free(&host);
}

static void test_page_tables(void **state)
{
	(void)state;
	set_up(LRU_ANON, true);
	assert_page(0, 3, 0);
	/* In the youngest generation counted as far as it goes. */
	for (unsigned refs = 1; refs <= 7; refs++) {
		struct page *page = &host.pages[0];

		assert_int_equal(rules_fg612.walked(lrugen, page), UINT64_MAX);
		assert_page(0, 3, refs);
	}
	/* The fault's own accessed bit keeps from the oldest one, the second use takes to the youngest. */
	mglru_set_gen(&host, &host.pages[1], gen_of(0));
	assert_int_equal(rules_fg612.walked(lrugen, &host.pages[1]), 1);
	mglru_set_gen(&host, &host.pages[1], gen_of(1));
	assert_int_equal(rules_fg612.walked(lrugen, &host.pages[1]), 3);
	assert_int_equal(host.pages[1].refs, 2);
	host_free(&host);
}

/* A move by the eviction or an aging leaves two uses, and counts where it was one. */
static void test_moved_on(void **state)
{
	(void)state;
	set_up(LRU_FILE, false);
	for (int i = 0; i < 5; i++)
		host_access(&host, 0);
	assert_int_equal(age(false), -ERANGE);
	assert_int_equal(age(true), 0);
	assert_int_equal(age(true), 0);
	assert_page(0, 2, 2);
	assert_page(1, 2, 1);
	host_free(&host);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_read),
		cmocka_unit_test(test_comes_back),
		cmocka_unit_test(test_page_tables),
		cmocka_unit_test(test_moved_on),
	};

	return cmocka_run_group_tests_name("sim-fg612", tests, NULL, NULL);
}
