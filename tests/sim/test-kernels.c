/* SPDX-License-Identifier: MIT */
/*
 * The modelled kernels against what the real ones are known to do: answers to commands, who is
 * evicted, what is counted. And books that balance whatever is done.
 */
#include "kernel.h"
#include "mglru.h"
#include "rng.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>
#include <cmocka.h>

#define SWAPPINESS 200
#define N          400u

static const struct kernel *const all[] = {
	&kernel_lru, &kernel_clru,  &kernel_m612, &kernel_m614,
	&kernel_fg,  &kernel_fg612, &kernel_fgrd,
};

/* One memcg below the root with N pages, and swap. Returns the first page. */
static uint32_t set_up(struct host *host, const struct kernel *kernel, enum lru_type type,
		       bool mapped)
{
	uint32_t first;

	*host = (struct host){
		.kernel = kernel,
		.grain = 1,
		.swappiness = 60,
		.swap_total_pages = 10 * N,
		.cost = {.refault_usec = {30, 200}, .scan_nsec = 200, .walk_nsec = 20},
	};
	host_add_memcg(host, -1, "/");
	host_add_memcg(host, 0, "only");
	first = host_add_pages(host, 1, type, mapped, N);
	host_start(host);
	return first;
}

static void access_all(struct host *host, uint32_t first, uint32_t n)
{
	for (uint32_t p = first; p < first + n; p++)
		host_access(host, p);
}

static uint32_t resident(const struct host *host, uint32_t first, uint32_t n)
{
	uint32_t count = 0;

	for (uint32_t p = first; p < first + n; p++)
		count += host->pages[p].flags & PAGE_RESIDENT ? 1 : 0;
	return count;
}

static int age(struct host *host, uint64_t seq, bool force)
{
	return host->kernel->age(host, 1, seq, SWAPPINESS, force);
}

static void test_aging_answers_612(void **state)
{
	struct host host;
	const struct lru_gen *lrugen = &host.memcgs[1].lrugen;

	(void)state;
	set_up(&host, &kernel_m612, LRU_FILE, false);
	assert_int_equal(lrugen->max_seq, 3);
	assert_int_equal(age(&host, 4, true), -EINVAL);
	assert_int_equal(age(&host, 3, false), -ERANGE);
	assert_int_equal(age(&host, 2, true), 0);
	assert_int_equal(lrugen->max_seq, 3);
	assert_int_equal(age(&host, 3, true), 0);
	assert_int_equal(lrugen->max_seq, 4);
	assert_int_equal(lrugen->min_seq[LRU_FILE], 1);
	host_free(&host);
}

/* An aging that may not swap looks at min_seq of file, one that may at min_seq of anon. */
static void test_aging_without_swap_612(void **state)
{
	struct host host;
	uint32_t first = set_up(&host, &kernel_m612, LRU_FILE, false);

	(void)state;
	host.swap_total_pages = 0;
	access_all(&host, first, N);
	reclaim_memcg(&host, 1, 10, 60, false);
	assert_int_equal(host.memcgs[1].lrugen.min_seq[LRU_FILE], 1);
	assert_int_equal(host.memcgs[1].lrugen.min_seq[LRU_ANON], 0);
	assert_int_equal(age(&host, 3, false), -ERANGE);
	assert_int_equal(host.kernel->age(&host, 1, 3, 0, false), 0);
	host_free(&host);
}

static void test_aging_answers_614(void **state)
{
	struct host host;

	(void)state;
	set_up(&host, &kernel_m614, LRU_FILE, false);
	assert_int_equal(age(&host, 4, true), -EINVAL);
	assert_int_equal(age(&host, 3, false), 0);
	assert_int_equal(age(&host, 1, false), 0);
	assert_int_equal(host.memcgs[1].lrugen.max_seq, 5);
	host_free(&host);
}

static void test_eviction_answers(void **state)
{
	struct host host;
	uint32_t first = set_up(&host, &kernel_m612, LRU_FILE, false);

	(void)state;
	access_all(&host, first, N);
	assert_int_equal(host.kernel->evict(&host, 1, 2, SWAPPINESS, 10), -EINVAL);
	assert_int_equal(resident(&host, first, N), N);
	assert_int_equal(host.kernel->evict(&host, 1, 1, SWAPPINESS, 10), 0);
	/* A batch at least. */
	assert_int_equal(resident(&host, first, N), N - BATCH_MIN);
	assert_int_equal(resident(&host, first, BATCH_MIN), 0);
	assert_int_equal(host.memcgs[1].lrugen.min_seq[LRU_FILE], 1);
	assert_int_equal(host.kernel->evict(&host, 1, 0, SWAPPINESS, 10), 0);
	assert_int_equal(resident(&host, first, N), N - BATCH_MIN);
	host_free(&host);
}

/* A forced merge turns the oldest generation round: the newest pages go first. */
static void test_merge_reverses(void **state)
{
	struct host host;
	uint32_t first = set_up(&host, &kernel_m612, LRU_FILE, false);

	(void)state;
	access_all(&host, first, N);
	assert_int_equal(age(&host, 3, true), 0);
	assert_int_equal(age(&host, 4, true), 0);
	assert_int_equal(host.memcgs[1].lrugen.min_seq[LRU_FILE], 2);
	assert_int_equal(host.kernel->evict(&host, 1, 2, SWAPPINESS, 10), 0);
	assert_int_equal(resident(&host, first, N - BATCH_MIN), N - BATCH_MIN);
	assert_int_equal(resident(&host, first + N - BATCH_MIN, BATCH_MIN), 0);
	host_free(&host);
}

/* Five accesses by read() keep a page for good until 6.13. */
static void test_protected_612(void **state)
{
	struct host host;
	uint32_t first = set_up(&host, &kernel_m612, LRU_FILE, false);

	(void)state;
	for (int i = 0; i < 5; i++)
		access_all(&host, first, 50);
	access_all(&host, first + 50, N - 50);
	reclaim_memcg(&host, 1, 200, 60, false);
	assert_int_equal(resident(&host, first, 50), 50);
	assert_true(resident(&host, first, N) <= N - 200);
	host_free(&host);
}

static void test_working_set_by_age(void **state)
{
	static const struct kernel *const kernels[] = {&kernel_m612, &kernel_m614, &kernel_fg,
						       &kernel_fg612};

	(void)state;
	for (size_t k = 0; k < 4; k++) {
		struct host host;
		uint32_t first = set_up(&host, kernels[k], LRU_ANON, true);

		access_all(&host, first, N);
		for (int i = 0; i < 4; i++) {
			assert_int_equal(age(&host, host.memcgs[1].lrugen.max_seq, true), 0);
			access_all(&host, first, 100);
		}
		assert_int_equal(host.kernel->evict(&host, 1, host.memcgs[1].lrugen.max_seq - 3,
						    SWAPPINESS, N),
				 0);
		assert_int_equal(resident(&host, first, 100), 100);
		assert_int_equal(resident(&host, first + 100, N - 100), 0);
		assert_int_equal(host.memcgs[1].stat.swap_pages, N - 100);
		host_free(&host);
	}
}

/* What was used since the last aging is found by eviction itself, with its neighbours. */
static void test_young_at_eviction(void **state)
{
	struct host host;
	uint32_t first = set_up(&host, &kernel_m612, LRU_ANON, true);

	(void)state;
	access_all(&host, first, N);
	for (uint64_t seq = 3; seq < 7; seq++)
		assert_int_equal(age(&host, seq, true), 0);
	access_all(&host, first, 100);
	assert_int_equal(host.kernel->evict(&host, 1, 4, SWAPPINESS, N), 0);
	assert_int_equal(resident(&host, first, 100), 100);
	assert_int_equal(resident(&host, first + 100, N - 100), 0);
	host_free(&host);
}

/* Two children of 200 pages below a parent; returns after both are filled. */
static uint32_t set_up_siblings(struct host *host, const struct kernel *kernel)
{
	uint32_t first;

	*host = (struct host){.kernel = kernel, .grain = 1, .swappiness = 60};
	host_add_memcg(host, -1, "/");
	host_add_memcg(host, 0, "parent");
	host_add_memcg(host, 1, "a");
	host_add_memcg(host, 1, "b");
	first = host_add_pages(host, 2, LRU_FILE, false, N / 2);
	host_add_pages(host, 3, LRU_FILE, false, N / 2);
	host_start(host);
	access_all(host, first, N);
	return first;
}

static void test_protection(void **state)
{
	(void)state;
	for (size_t k = 0; k < sizeof(all) / sizeof(all[0]); k++) {
		struct host host;
		uint32_t first = set_up_siblings(&host, all[k]);

		host.memcgs[2].low_pages = N / 2;
		assert_int_equal(reclaim_write(&host, 1, 64 * KERNEL_PAGE_BYTES, 60), 0);
		assert_int_equal(resident(&host, first, N / 2), N / 2);
		/* Its own protection does not protect the memcg that is written to. */
		host.memcgs[2].min_pages = N / 2;
		assert_int_equal(reclaim_write(&host, 2, 32 * KERNEL_PAGE_BYTES, 60), 0);
		assert_true(resident(&host, first, N / 2) < N / 2);
		host.memcgs[2].min_pages = host.memcgs[3].min_pages = N;
		assert_int_equal(reclaim_write(&host, 1, 32 * KERNEL_PAGE_BYTES, 60), -EAGAIN);
		host_free(&host);
	}
}

static void test_no_swap(void **state)
{
	(void)state;
	for (size_t k = 0; k < sizeof(all) / sizeof(all[0]); k++) {
		struct host host;
		uint32_t first = set_up(&host, all[k], LRU_ANON, true);

		host.swap_total_pages = 0;
		access_all(&host, first, N);
		assert_int_equal(reclaim_write(&host, 1, 32 * KERNEL_PAGE_BYTES, 60), -EAGAIN);
		assert_int_equal(resident(&host, first, N), N);
		host_free(&host);
	}
}

/* Under a limit MGLRU does without aging as long as there is anything cold. */
static void test_limit(void **state)
{
	(void)state;
	for (size_t k = 0; k < sizeof(all) / sizeof(all[0]); k++) {
		struct host host;
		uint32_t first = set_up(&host, all[k], LRU_FILE, false);
		const struct memcg *memcg = &host.memcgs[1];

		host.memcgs[1].max_pages = N / 2;
		for (int i = 0; i < 10; i++)
			access_all(&host, first, N);
		assert_true(memcg->usage_pages <= N / 2);
		assert_true(memcg->stat.events_max > 0);
		assert_int_equal(memcg->stat.events_oom, 0);
		assert_true(memcg->stat.refault_pages[LRU_FILE] > N);
		assert_true(memcg->stat.io_stall_usec >= memcg->stat.refault_usec);
		host_free(&host);
	}
}

/* --- books */

static void check_books(const struct host *host)
{
	for (size_t m = 1; m < host->n_memcgs; m++) {
		const struct memcg *memcg = &host->memcgs[m];
		uint64_t listed = 0, held = resident(host, memcg->first_page, memcg->n_pages);

		for (size_t list = 0; list < LISTS; list++)
			for (uint32_t head = host_list(host, m, list), p = host->pages[head].next;
			     p != head; p = host->pages[p].next) {
				assert_int_equal(host->pages[p].memcg, m);
				assert_true(host->pages[p].flags & PAGE_RESIDENT);
				listed++;
			}
		if (memcg->leaf) {
			assert_int_equal(memcg->usage_pages, held);
			assert_int_equal(listed, held);
		}
		if (host->kernel->generations && memcg->leaf) {
			uint64_t in_gens = 0;

			for (size_t g = 0; g < GENS; g++)
				in_gens += memcg->lrugen.nr_pages[g][LRU_ANON] +
					   memcg->lrugen.nr_pages[g][LRU_FILE];
			assert_int_equal(in_gens, held);
			assert_in_range(nr_gens(&memcg->lrugen, LRU_FILE), GENS_MIN, GENS);
			assert_in_range(nr_gens(&memcg->lrugen, LRU_ANON), GENS_MIN, GENS);
		}
		assert_true(memcg->usage_pages <= memcg->max_pages);
	}
	assert_int_equal(host->memcgs[0].usage_pages,
			 host->memcgs[1].stat.lru_pages[LRU_ANON] +
				 host->memcgs[1].stat.lru_pages[LRU_FILE]);
}

static void do_anything(struct host *host, struct rng *rng)
{
	size_t m = 2 + rng_below(rng, 2);
	const struct lru_gen *lrugen = &host->memcgs[m].lrugen;
	uint32_t swappiness = rng_below(rng, 5) * 50;

	host->now_usec += 1000;
	switch (rng_below(rng, 200)) {
	case 0:
		reclaim_write(host, m, rng_below(rng, 100) * KERNEL_PAGE_BYTES, swappiness);
		break;
	case 1:
		if (host->kernel->generations)
			host->kernel->age(host, m, lrugen->max_seq, swappiness, rng_below(rng, 2));
		break;
	case 2:
		if (host->kernel->generations)
			host->kernel->evict(host, m, lrugen->max_seq - 2 - rng_below(rng, 2),
					    swappiness, rng_below(rng, 100));
		break;
	default:
		/* Small numbers are used more often. */
		host_access(host, rng_below(rng, 1 + rng_below(rng, host->n_pages)));
	}
}

static void test_books(void **state)
{
	(void)state;
	for (size_t k = 0; k < sizeof(all) / sizeof(all[0]); k++) {
		struct host host = {
			.kernel = all[k],
			.grain = 1,
			.swappiness = 60,
			.swap_total_pages = 150,
		};
		struct rng rng = {k};

		host_add_memcg(&host, -1, "/");
		host_add_memcg(&host, 0, "parent");
		host_add_memcg(&host, 1, "a");
		host_add_memcg(&host, 1, "b");
		host_add_pages(&host, 2, LRU_ANON, true, N);
		host_add_pages(&host, 2, LRU_FILE, false, N);
		host_add_pages(&host, 3, LRU_FILE, true, N);
		host_add_pages(&host, 3, LRU_FILE, false, N);
		host.memcgs[1].max_pages = 3 * N / 2;
		host_start(&host);
		for (int i = 0; i < 40000; i++) {
			do_anything(&host, &rng);
			if (i % 100 == 0)
				check_books(&host);
		}
		assert_true(host.memcgs[1].stat.refault_pages[LRU_FILE] > 0);
		host_free(&host);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_aging_answers_612),
		cmocka_unit_test(test_aging_without_swap_612),
		cmocka_unit_test(test_aging_answers_614),
		cmocka_unit_test(test_eviction_answers),
		cmocka_unit_test(test_merge_reverses),
		cmocka_unit_test(test_protected_612),
		cmocka_unit_test(test_working_set_by_age),
		cmocka_unit_test(test_young_at_eviction),
		cmocka_unit_test(test_protection),
		cmocka_unit_test(test_no_swap),
		cmocka_unit_test(test_limit),
		cmocka_unit_test(test_books),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
