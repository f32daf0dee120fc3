/* SPDX-License-Identifier: MIT */
/*
 * The classic LRU goes by counters that are summed up every two seconds, and by force where those
 * leave it nothing to reclaim.
 */
#include "arith.h"
#include "kernel.h"

#include <setjmp.h>
#include <stdarg.h>
#include <cmocka.h>

#define LIMIT  200u
#define ACTIVE 120u

static void read_once(struct host *host, uint32_t first, uint32_t n)
{
	for (uint32_t p = first; p < first + n; p++)
		host_access(host, p);
}

/* A file in a memcg with room for LIMIT pages, read until reclaim has begun, its first pages gone:
 * what the counters said then is that all are inactive. */
static void set_up(struct host *host)
{
	*host = (struct host){.kernel = &kernel_clru, .grain = 1, .swappiness = 60};
	host_add_memcg(host, -1, "/");
	host_add_memcg(host, 0, "only");
	host_add_pages(host, 1, LRU_FILE, false, 4 * LIMIT);
	host_start(host);
	host->memcgs[1].max_pages = LIMIT;
	host->now_usec = 1;
	read_once(host, 0, LIMIT + 1);
}

static void test_counters_lag(void **state)
{
	struct host host;
	const uint64_t *active_pages = &host.memcgs[1].classic.own_pages[LIST_ACTIVE_FILE];

	(void)state;
	set_up(&host);
	read_once(&host, LIMIT - ACTIVE, ACTIVE);
	assert_int_equal(*active_pages, ACTIVE);
	read_once(&host, LIMIT + 1, LIMIT);
	assert_int_equal(*active_pages, ACTIVE);
	host.now_usec += 2 * USEC_PER_SEC;
	read_once(&host, 2 * LIMIT + 1, LIMIT);
	assert_true(*active_pages < ACTIVE);
	host_free(&host);
}

static void test_nothing_inactive(void **state)
{
	struct host host;
	const struct memcg *memcg = &host.memcgs[1];

	(void)state;
	set_up(&host);
	host.memcgs[1].max_pages = memcg->usage_pages;
	read_once(&host, LIMIT + 1 - (uint32_t)memcg->usage_pages, (uint32_t)memcg->usage_pages);
	assert_int_equal(memcg->classic.own_pages[LIST_INACTIVE_FILE], 0);
	read_once(&host, LIMIT + 1, 1);
	assert_int_equal(memcg->stat.events_oom, 0);
	host_free(&host);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_counters_lag),
		cmocka_unit_test(test_nothing_inactive),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
