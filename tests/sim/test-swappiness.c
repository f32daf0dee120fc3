/* SPDX-License-Identifier: MIT */
/*
 * What the agent's words take on the classic LRU and on each MGLRU: 0 is file alone on all of them,
 * which 1 is not; 200 is anon first, of a generation that has any.
 */
#include "kernel.h"
#include "mglru.h"
#include "plan.h"

#include <setjmp.h>
#include <stdarg.h>
#include <cmocka.h>

#define N 400u

static const struct kernel *const all[] = {
	&kernel_lru, &kernel_clru,  &kernel_m612, &kernel_m614,
	&kernel_fg,  &kernel_fg612, &kernel_fgrd,
};
#define ALL (sizeof(all) / sizeof(all[0]))

/* One memcg with so many pages of anon and of file, all of them used once, anon first; and swap. */
static void set_up(struct host *host, const struct kernel *kernel, uint32_t anon, uint32_t file)
{
	*host = (struct host){
		.kernel = kernel,
		.grain = 1,
		.swappiness = 60,
		.swap_total_pages = 10 * N,
	};
	host_add_memcg(host, -1, "/");
	host_add_memcg(host, 0, "only");
	host_add_pages(host, 1, LRU_ANON, true, anon);
	host_add_pages(host, 1, LRU_FILE, false, file);
	host_start(host);
	for (uint32_t p = 0; p < anon + file; p++)
		host_access(host, p);
	host->now_usec += 10 * UINT64_C(1000000);
}

static uint64_t left(const struct host *host, enum lru_type type)
{
	return host->memcgs[1].stat.lru_pages[type];
}

/* memory.reclaim of all there is, in steps. */
static void reclaim_all(struct host *host, uint32_t swappiness)
{
	for (int i = 0; i < 50; i++)
		reclaim_write(host, 1, 32 * KERNEL_PAGE_BYTES, swappiness);
}

/* However little file there is, and however much is asked for. */
static void test_file_alone(void **state)
{
	(void)state;
	for (size_t k = 0; k < ALL; k++) {
		for (uint32_t file = 0; file < N; file += N / 4) {
			struct host host;

			set_up(&host, all[k], N - file, file);
			reclaim_all(&host, SWAPPINESS_FILE_ONLY);
			assert_int_equal(left(&host, LRU_ANON), N - file);
			assert_true(file == 0 || left(&host, LRU_FILE) < file);
			host_free(&host);
		}
	}
}

/* 1 is almost file alone: where file runs out MGLRU goes on with anon. */
static void test_one_is_not_file_alone(void **state)
{
	(void)state;
	for (size_t k = 0; k < ALL; k++) {
		struct host host;

		if (!all[k]->generations)
			continue;
		set_up(&host, all[k], N, N / 8);
		reclaim_all(&host, 1);
		assert_true(left(&host, LRU_ANON) < N);
		host_free(&host);
	}
}

/* 200 is not anon alone. */
static void test_200_takes_file(void **state)
{
	(void)state;
	for (size_t k = 0; k < ALL; k++) {
		struct host host;

		set_up(&host, all[k], N / 8, N);
		reclaim_all(&host, SWAPPINESS_ANON);
		assert_true(left(&host, LRU_FILE) < N);
		host_free(&host);
	}
}

/* The oldest generation with pages of that type, once all have been aged past use. */
static uint64_t grow_old(struct host *host, enum lru_type type)
{
	const struct lru_gen *lrugen = &host->memcgs[1].lrugen;
	uint64_t seq;

	for (int i = 0; i < 3; i++)
		host->kernel->age(host, 1, lrugen->max_seq, SWAPPINESS_ANON, true);
	for (seq = lrugen->min_seq[type]; seq < lrugen->max_seq; seq++)
		if (lrugen->nr_pages[seq % GENS][type] > 0)
			return seq;
	fail();
	return 0;
}

/* lru_gen's eviction: the type that is named and no other, as long as there is enough of it. */
static void test_eviction(void **state)
{
	(void)state;
	for (size_t k = 0; k < ALL; k++) {
		for (enum lru_type type = 0; type < _LRU_TYPE_MAX; type++) {
			struct host host;
			uint32_t word = type == LRU_ANON ? SWAPPINESS_ANON : SWAPPINESS_FILE_ONLY;
			uint64_t seq;

			if (!all[k]->generations)
				continue;
			set_up(&host, all[k], N / 2, N / 2);
			seq = grow_old(&host, type);
			assert_int_equal(host.kernel->evict(&host, 1, seq, word, N / 8), 0);
			assert_int_equal(left(&host, !type), N / 2);
			assert_true(left(&host, type) < N / 2);
			host_free(&host);
		}
	}
}

/* An aging of file alone, as where nothing can be swapped, leaves anon where it was. */
static void test_aging_of_file_alone(void **state)
{
	(void)state;
	for (size_t k = 0; k < ALL; k++) {
		struct host host;
		const struct lru_gen *lrugen = &host.memcgs[1].lrugen;
		uint64_t seq;

		if (!all[k]->generations)
			continue;
		set_up(&host, all[k], N / 2, N / 2);
		host.swap_total_pages = 0;
		reclaim_all(&host, 60);
		seq = lrugen->max_seq;
		assert_int_equal(host.kernel->age(&host, 1, seq, SWAPPINESS_FILE_ONLY, false), 0);
		assert_int_equal(lrugen->max_seq, seq + 1);
		assert_int_equal(left(&host, LRU_ANON), N / 2);
		host_free(&host);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_file_alone),
		cmocka_unit_test(test_one_is_not_file_alone),
		cmocka_unit_test(test_200_takes_file),
		cmocka_unit_test(test_eviction),
		cmocka_unit_test(test_aging_of_file_alone),
	};

	return cmocka_run_group_tests_name("sim-swappiness", tests, NULL, NULL);
}
