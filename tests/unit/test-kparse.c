/* SPDX-License-Identifier: MIT */
/*
 * The small kernel files: texts as kernels print them, what damage makes unknown and what it makes
 * an error, and that a cut never gives a number that was not in the text.
 */
#include "kparse.h"
#include "macro.h"

#include <errno.h>
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>
#include <cmocka.h>

#define U SAMPLE_UNKNOWN

/* Any member of a struct that a parser left alone still has this in all of its bytes. */
#define UNTOUCHED_BYTE 0x5a
#define UNTOUCHED      0x5a5a5a5a5a5a5a5a

static const char STAT[] = "anon 1000\nfile 2000\nfile_dirty 12\nfile_writeback 13\n"
			   "inactive_anon 100\nactive_anon 20\ninactive_file 300\nactive_file 40\n"
			   "unevictable 5\nworkingset_refault_anon 6\nworkingset_refault_file 7\n"
			   "pgscan 80\npgsteal 70\npgscan_kswapd 50\npgscan_direct 30\n"
			   "pgsteal_kswapd 60\npgsteal_direct 10\n";
static const char EVENTS[] = "low 1\nhigh 2\nmax 3\noom 4\noom_kill 5\noom_group_kill 6\n";
static const char PSI[] = "some avg10=0.22 avg60=1.00 avg300=0.00 total=12345\n"
			  "full avg10=0.00 avg60=0.00 avg300=0.00 total=678\n";
static const char MEMINFO[] = "MemTotal:       16315412 kB\nMemFree:          123456 kB\n"
			      "MemAvailable:    8000000 kB\nSwapTotal:       2097148 kB\n"
			      "SwapFree:              0 kB\nHugePages_Total:       0\n";
/* As 6.1 prints it, in part. */
static const char VMSTAT[] = "nr_free_pages 9\nworkingset_refault_anon 1\n"
			     "workingset_refault_file 1214\npgsteal_kswapd 2\npgsteal_direct 3\n"
			     "pgscan_kswapd 40\npgscan_direct 50\npgscan_direct_throttle 6\n"
			     "pgscan_anon 6208\npgsteal_file 14980\noom_kill 7\nunstable 0\n";
static const char SWAPS[] =
	"Filename\t\t\t\tType\t\tSize\t\tUsed\t\tPriority\n"
	"/dev/zram0                              partition\t4194300\t\t1024\t\t100\n"
	"/var/swap\\040file\\134                   file\t\t20971520\t0\t\t-2\n"
	"/zram12                                 partition\t1\t\t0\t\t-3\n"
	"/dev/zramdisk                           partition\t1\t\t0\t\t-4\n"
	"/dev/zram1\\040(deleted)                 partition\t1\t\t0\t\t-5\n"
	"/mnt/zram3                              partition\t1\t\t0\t\t-6\n"
	"/dev/zram2                              file\t\t1\t\t0\t\t-7\n"
	"/zram                                   partition\t1\t\t0\t\t-8\n";

static int value_of(const char *text, uint64_t *ret)
{
	return kparse_value(text, strlen(text), ret);
}

static void test_value(void **state _unused_)
{
	static const char *const junk[] = {
		"",
		"\n",
		"max",
		"1",
		"-1\n",
		"+1\n",
		" 1\n",
		"1 \n",
		"0x1\n",
		"maxx\n",
		"1\n\n",
		"1\n2\n",
		"ma\n",
		"1max\n",
		"1.5\n",
		"18446744073709551616\n",
		/* The two marks are no numbers. */
		"18446744073709551615\n",
		"18446744073709551614\n",
		"99999999999999999999999\n",
	};
	uint64_t value = UNTOUCHED;

	for (size_t i = 0; i < ARRAY_SIZE(junk); i++)
		assert_int_equal(value_of(junk[i], &value), -EINVAL);
	assert_int_equal(kparse_value("1\0\n", 3, &value), -EINVAL);
	assert_int_equal(kparse_value(NULL, 0, &value), -EINVAL);
	assert_int_equal(value, UNTOUCHED);
	assert_int_equal(value_of("0\n", &value), 0);
	assert_int_equal(value, 0);
	assert_int_equal(value_of("max\n", &value), 0);
	assert_int_equal(value, SAMPLE_INFINITY);
	assert_int_equal(value_of("18446744073709551613\n", &value), 0);
	assert_int_equal(value, UINT64_MAX - 2);
}

static struct memcg_sample stat_of(const char *text, size_t len, int result)
{
	struct memcg_sample s;

	memset(&s, UNTOUCHED_BYTE, sizeof(s));
	assert_int_equal(kparse_memory_stat(text, len, &s), result);
	assert_int_equal(s.current_bytes, UNTOUCHED);
	assert_int_equal(s.events_high, UNTOUCHED);
	return s;
}

static void test_memory_stat(void **state _unused_)
{
	struct memcg_sample s = stat_of(STAT, strlen(STAT), 0);

	assert_int_equal(s.lru_bytes[LRU_ANON], 120);
	assert_int_equal(s.lru_bytes[LRU_FILE], 340);
	assert_int_equal(s.unevictable_bytes, 5);
	assert_int_equal(s.file_dirty_bytes, 12);
	assert_int_equal(s.file_writeback_bytes, 13);
	assert_int_equal(s.refault_pages[LRU_ANON], 6);
	assert_int_equal(s.refault_pages[LRU_FILE], 7);
	assert_int_equal(s.pgscan_pages, 80);
	assert_int_equal(s.pgsteal_pages, 70);
	assert_false(s.counts_proactive);
	s = stat_of("pgsteal_proactive 0\n", 20, 0);
	assert_true(s.counts_proactive);

	s = stat_of("", 0, -EINVAL);
	assert_int_equal(s.pgscan_pages, UNTOUCHED);
	stat_of("pgscan 1", 8, -EINVAL);
}

static void test_memory_stat_parts(void **state _unused_)
{
	static const struct {
		const char *text;
		uint64_t pgscan, anon;
	} cases[] = {
		{"pgscan_kswapd 1\npgscan_direct 2\npgscan_khugepaged 4\npgscan_proactive 8\n", 15,
		 U},
		{"pgscan_direct 2\n", 2, U},
		/* The kernel's own sum goes first, and a bad one is not made up for. */
		{"pgscan_direct 2\npgscan 9\n", 9, U},
		{"pgscan_direct 2\npgscan x\n", U, U},
		{"pgscan_direct 2\npgscan_kswapd x\n", U, U},
		{"pgscan_direct 18446744073709551613\npgscan_kswapd 1\n", U, U},
		/* Torn: there may have been more parts. */
		{"pgscan_direct 2\npgscan_ksw", U, U},
		{"pgscan 1\npgscan 1\n", U, U},
		{"pgscan  1\n", U, U},
		{"pgscan 1 \n", U, U},
		{" pgscan 1\nfile 1\n", U, U},
		{"pgscan 18446744073709551616\n", U, U},
		{"active_anon 1\n", U, U},
		{"active_anon 1\ninactive_anon 2\n", U, 3},
		{"active_anon 18446744073709551613\ninactive_anon 1\n", U, U},
		{"active_anon 1\ninactive_anon 2", U, U},
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct memcg_sample s = stat_of(cases[i].text, strlen(cases[i].text), 0);

		if (s.pgscan_pages != cases[i].pgscan || s.lru_bytes[LRU_ANON] != cases[i].anon)
			fail_msg("%s gives %" PRIu64 " %" PRIu64, cases[i].text, s.pgscan_pages,
				 s.lru_bytes[LRU_ANON]);
		assert_int_equal(s.unevictable_bytes, U);
	}
}

static void test_memory_events(void **state _unused_)
{
	struct memcg_sample s;

	memset(&s, UNTOUCHED_BYTE, sizeof(s));
	assert_int_equal(kparse_memory_events("", 0, &s), -EINVAL);
	assert_int_equal(s.events_high, UNTOUCHED);
	assert_int_equal(kparse_memory_events(EVENTS, strlen(EVENTS), &s), 0);
	assert_int_equal(s.events_high, 2);
	assert_int_equal(s.events_max, 3);
	assert_int_equal(s.events_oom, 4);
	assert_int_equal(s.events_oom_kill, 5);
	assert_int_equal(s.pgscan_pages, UNTOUCHED);
	assert_int_equal(kparse_memory_events("high 9\noom_kill 7", 17, &s), 0);
	assert_int_equal(s.events_high, 9);
	assert_int_equal(s.events_max, U);
	assert_int_equal(s.events_oom_kill, U);
}

static void test_cpu_stat(void **state _unused_)
{
	static const char text[] = "usage_usec 123456\nuser_usec 23456\nsystem_usec 100000\n"
				   "nr_periods 0\nnr_throttled 0\nthrottled_usec 0\n";
	uint64_t usec = UNTOUCHED;

	assert_int_equal(kparse_cpu_stat("", 0, &usec), -EINVAL);
	assert_int_equal(usec, UNTOUCHED);
	assert_int_equal(kparse_cpu_stat(text, strlen(text), &usec), 0);
	assert_int_equal(usec, 123456);
	assert_int_equal(kparse_cpu_stat("user_usec 1\n", 12, &usec), 0);
	assert_int_equal(usec, U);
	usec = 0;
	assert_int_equal(kparse_cpu_stat("user_usec 1\nusage_usec 12", 25, &usec), 0);
	assert_int_equal(usec, U);
}

static void test_cgroup_events(void **state _unused_)
{
	static const struct {
		const char *text;
		int result;
		bool populated, frozen;
	} cases[] = {
		{"populated 1\nfrozen 0\n", 0, true, false},
		{"populated 0\nfrozen 1\n", 0, false, true},
		{"populated 1\n", 0, true, false},
		{"x 3\nfrozen 1\npopulated 1\n", 0, true, true},
		{"frozen 1\n", -EINVAL, false, false},
		{"populated 2\nfrozen 0\n", -EINVAL, false, false},
		{"populated 1\nfrozen 2\n", -EINVAL, false, false},
		{"populated 1\nfrozen 1", -EINVAL, false, false},
		{"populated 1\nfro", -EINVAL, false, false},
		{"populated 1", -EINVAL, false, false},
		{"populated 1\npopulated 1\n", -EINVAL, false, false},
		{"", -EINVAL, false, false},
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		bool populated = !cases[i].populated, frozen = !cases[i].frozen;
		bool touched = cases[i].result == 0;

		assert_int_equal(kparse_cgroup_events(cases[i].text, strlen(cases[i].text),
						      &populated, &frozen),
				 cases[i].result);
		assert_int_equal(populated == cases[i].populated, touched);
		assert_int_equal(frozen == cases[i].frozen, touched);
	}
}

static void test_psi(void **state _unused_)
{
	static const struct {
		const char *text;
		int result;
		uint64_t some, full;
	} cases[] = {
		{PSI, 0, 12345, 678},
		{"some avg10=0.00 total=1\n", 0, 1, U},
		{"some total=1 new=5\nother total=9\n", 0, 1, U},
		{"full total=2\nsome total=1\n", 0, 1, 2},
		{"some total=1\nfull total=2", 0, 1, U},
		{"some total=1\nfull avg10=0.00\n", 0, 1, U},
		{"some total=1\nfull total=2x\n", 0, 1, U},
		{"some total=1\nfull total=2\nfull total=2\n", 0, 1, U},
		{"full total=2\n", -EINVAL, 0, 0},
		{"some total=1", -EINVAL, 0, 0},
		{"some total=\n", -EINVAL, 0, 0},
		{"some total=1 total=1\n", -EINVAL, 0, 0},
		{"some total=-1\n", -EINVAL, 0, 0},
		{"some total=18446744073709551616\n", -EINVAL, 0, 0},
		{"sometotal=1\n", -EINVAL, 0, 0},
		{"", -EINVAL, 0, 0},
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct psi_total psi = {UNTOUCHED, UNTOUCHED};
		bool ok = cases[i].result == 0;

		if (kparse_psi(cases[i].text, strlen(cases[i].text), &psi) != cases[i].result ||
		    psi.some_usec != (ok ? cases[i].some : UNTOUCHED) ||
		    psi.full_usec != (ok ? cases[i].full : UNTOUCHED))
			fail_msg("%s", cases[i].text);
	}
}

static void test_meminfo(void **state _unused_)
{
	static const char odd[] =
		"MemTotal: 18014398509481984 kB\nMemAvailable: 5\nSwapTotal: 5 MB\n"
		"SwapFree: 7 kB";
	struct meminfo m = {UNTOUCHED, UNTOUCHED, UNTOUCHED, UNTOUCHED, UNTOUCHED};

	assert_int_equal(kparse_meminfo("", 0, &m), -EINVAL);
	assert_int_equal(kparse_meminfo(STAT, strlen(STAT), &m), -EINVAL);
	assert_int_equal(m.total_bytes, UNTOUCHED);
	assert_int_equal(kparse_meminfo(MEMINFO, strlen(MEMINFO), &m), 0);
	assert_int_equal(m.total_bytes, 16315412ULL * 1024);
	assert_int_equal(m.available_bytes, 8000000ULL * 1024);
	assert_int_equal(m.swap_total_bytes, 2097148ULL * 1024);
	assert_int_equal(m.swap_free_bytes, 0);
	assert_int_equal(m.zswap_bytes, U);
	assert_int_equal(kparse_meminfo("Zswap: 12 kB\n", 13, &m), 0);
	assert_int_equal(m.zswap_bytes, 12288);
	assert_int_equal(kparse_meminfo(odd, strlen(odd), &m), 0);
	assert_int_equal(m.total_bytes, U);
	assert_int_equal(m.available_bytes, U);
	assert_int_equal(m.swap_total_bytes, U);
	assert_int_equal(m.swap_free_bytes, U);
}

static void test_vmstat(void **state _unused_)
{
	static const char newer[] =
		"pgscan_khugepaged 1\npgscan_proactive 2\npgsteal_khugepaged 3\n"
		"pgsteal_proactive 4\noom_kill 18446744073709551614\npgscan_kswapd -1\n"
		"pgscan_direct 5\npgscan_direct 5\nworkingset_refault_file 6";
	struct vmstat v;

	memset(&v, UNTOUCHED_BYTE, sizeof(v));
	assert_int_equal(kparse_vmstat("", 0, &v), -EINVAL);
	assert_int_equal(kparse_vmstat(PSI, strlen(PSI), &v), -EINVAL);
	assert_int_equal(v.pgscan.kswapd, UNTOUCHED);
	assert_int_equal(v.oom_kill, UNTOUCHED);
	assert_int_equal(kparse_vmstat(VMSTAT, strlen(VMSTAT), &v), 0);
	assert_int_equal(v.pgscan.kswapd, 40);
	assert_int_equal(v.pgscan.direct, 50);
	assert_int_equal(v.pgscan.khugepaged, U);
	assert_int_equal(v.pgscan.proactive, U);
	assert_int_equal(v.pgsteal.kswapd, 2);
	assert_int_equal(v.pgsteal.direct, 3);
	assert_int_equal(v.pgsteal.khugepaged, U);
	assert_int_equal(v.pgsteal.proactive, U);
	assert_int_equal(v.refault_pages[LRU_ANON], 1);
	assert_int_equal(v.refault_pages[LRU_FILE], 1214);
	assert_int_equal(v.oom_kill, 7);

	/* Damage: out of range, negative, twice, torn. */
	assert_int_equal(kparse_vmstat(newer, strlen(newer), &v), 0);
	assert_int_equal(v.pgscan.khugepaged, 1);
	assert_int_equal(v.pgscan.proactive, 2);
	assert_int_equal(v.pgsteal.khugepaged, 3);
	assert_int_equal(v.pgsteal.proactive, 4);
	assert_int_equal(v.oom_kill, U);
	assert_int_equal(v.pgscan.kswapd, U);
	assert_int_equal(v.pgscan.direct, U);
	assert_int_equal(v.pgsteal.direct, U);
	assert_int_equal(v.refault_pages[LRU_FILE], U);
}

static struct swap_area areas[16];
static size_t n_areas;

static void keep_area(const struct swap_area *area, void *userdata _unused_)
{
	assert_true(n_areas < ARRAY_SIZE(areas));
	areas[n_areas++] = *area;
}

static int swaps(const char *text)
{
	n_areas = 0;
	return kparse_swaps(text, strlen(text), keep_area, NULL);
}

#define HEAD "Filename\tType\tSize\tUsed\tPriority\n"

static void test_swaps(void **state _unused_)
{
	static const char *const junk[] = {
		"",
		"x\n",
		"Filename",
		HEAD "/a file 1 1",
		HEAD "/a file 1 1\n",
		HEAD "\n",
		HEAD "/a file 1 1 1 1\n",
		HEAD "/a file 1 1 -\n",
		HEAD "/a file 1 1 --1\n",
		HEAD "/a disk 1 1 1\n",
		HEAD "/a file -1 1 1\n",
		HEAD "/a file 1 1x 1\n",
		HEAD "/a file 18014398509481984 1 1\n",
		HEAD "/a\\4 file 1 1 1\n",
		HEAD "/a\\400 file 1 1 1\n",
		HEAD "/a\\000 file 1 1 1\n",
		HEAD "/a\\ file 1 1 1\n",
		HEAD "/ok file 1 1 1\n/a file 1 1 9223372036854775808\n",
	};
	char text[1024];

	assert_int_equal(swaps(SWAPS), 0);
	assert_int_equal(n_areas, 8);
	assert_string_equal(areas[0].name, "/dev/zram0");
	assert_int_equal(areas[0].size_bytes, 4194300ULL * 1024);
	assert_int_equal(areas[0].used_bytes, 1024 * 1024);
	assert_int_equal(areas[0].priority, 100);
	assert_string_equal(areas[1].name, "/var/swap file\\");
	assert_int_equal(areas[1].size_bytes, 20971520ULL * 1024);
	assert_int_equal(areas[1].priority, -2);
	for (size_t i = 0; i < n_areas; i++)
		assert_int_equal(areas[i].is_zram, i == 0 || i == 2);
	assert_false(areas[0].is_file);
	assert_true(areas[1].is_file);
	assert_int_equal(swaps(HEAD), 0);
	assert_int_equal(n_areas, 0);
	for (size_t i = 0; i < ARRAY_SIZE(junk); i++) {
		assert_int_equal(swaps(junk[i]), -EINVAL);
		assert_int_equal(n_areas, 0);
	}
	/* A name too long is cut off; the numbers stay. */
	snprintf(text, sizeof(text), HEAD "/%0300d file 8 4 0\n", 0);
	assert_int_equal(swaps(text), 0);
	assert_int_equal(strlen(areas[0].name), 255);
	assert_int_equal(areas[0].size_bytes, 8192);
}

static void test_zram(void **state _unused_)
{
	static const char *const junk[] = {"",         "1 2\n",    "1 2 3",
					   "1 2 -3\n", "1 2 3x\n", "1 2 3\n4\n"};
	static const char text[] = "  528384      384    16384        0    16384        2        0 "
				   "       0(       0)\n";
	struct zram_stat z = {UNTOUCHED, UNTOUCHED, UNTOUCHED};

	for (size_t i = 0; i < ARRAY_SIZE(junk); i++)
		assert_int_equal(kparse_zram_mm_stat(junk[i], strlen(junk[i]), &z), -EINVAL);
	assert_int_equal(z.orig_bytes, UNTOUCHED);
	assert_int_equal(kparse_zram_mm_stat(text, strlen(text), &z), 0);
	assert_int_equal(z.orig_bytes, 528384);
	assert_int_equal(z.compressed_bytes, 384);
	assert_int_equal(z.used_bytes, 16384);
}

static void test_cgroup_stat(void **state _unused_)
{
	static const char text[] = "nr_descendants 35\nnr_subsys_memory 4\n"
				   "nr_dying_descendants 2012\nnr_dying_subsys_memory 9\n";
	uint64_t dying = UNTOUCHED;

	assert_int_equal(kparse_cgroup_stat("", 0, &dying), -EINVAL);
	assert_int_equal(kparse_cgroup_stat("dying\n", 6, &dying), -EINVAL);
	assert_int_equal(dying, UNTOUCHED);
	assert_int_equal(kparse_cgroup_stat(text, strlen(text), &dying), 0);
	assert_int_equal(dying, 2012);
	/* Torn, twice, negative, missing: unknown and not less. */
	assert_int_equal(kparse_cgroup_stat("a 1\nnr_dying_descendants 20", 27, &dying), 0);
	assert_int_equal(dying, U);
	assert_int_equal(kparse_cgroup_stat("nr_dying_descendants -1\na 1\n", 28, &dying), 0);
	assert_int_equal(dying, U);
	assert_int_equal(kparse_cgroup_stat("nr_descendants 1\n", 17, &dying), 0);
	assert_int_equal(dying, U);
	assert_int_equal(
		kparse_cgroup_stat("nr_dying_descendants 1\nnr_dying_descendants 1\n", 46, &dying),
		0);
	assert_int_equal(dying, U);
}

static void test_rotational(void **state _unused_)
{
	static const char *const junk[] = {"",     "\n",    "0",     "1",     "2\n",
					   "-1\n", "max\n", "0 1\n", "yes\n", "0\n1\n"};
	bool rotational = true;

	for (size_t i = 0; i < ARRAY_SIZE(junk); i++)
		assert_int_equal(kparse_rotational(junk[i], strlen(junk[i]), &rotational), -EINVAL);
	assert_true(rotational);
	assert_int_equal(kparse_rotational("0\n", 2, &rotational), 0);
	assert_false(rotational);
	assert_int_equal(kparse_rotational("1\n", 2, &rotational), 0);
	assert_true(rotational);
}

static bool same_or_unknown(uint64_t value, uint64_t whole)
{
	return value == whole || value == U;
}

/* Every cut of a text, in a block of just that length, so that a sanitizer sees any step beyond. */
static void test_cut_everywhere(void **state _unused_)
{
	static const char *const texts[] = {STAT, EVENTS, PSI, MEMINFO, SWAPS, VMSTAT};
	struct memcg_sample w = stat_of(STAT, strlen(STAT), 0), s;
	struct meminfo m;
	struct vmstat v;

	for (size_t i = 0; i < ARRAY_SIZE(texts); i++) {
		for (size_t n = 0; n < strlen(texts[i]); n++) {
			_cleanup_free_ char *part = malloc(n + 1);
			const char *at = part + 1;

			assert_non_null(part);
			memcpy(part + 1, texts[i], n);
			n_areas = 0;
			if (kparse_swaps(at, n, keep_area, NULL) == 0)
				assert_int_equal(at[n - 1], '\n');
			if (kparse_psi(at, n, &s.psi_io) == 0)
				assert_true(s.psi_io.some_usec == 12345 &&
					    same_or_unknown(s.psi_io.full_usec, 678));
			if (kparse_meminfo(at, n, &m) == 0)
				assert_true(same_or_unknown(m.total_bytes, 16315412ULL * 1024));
			if (kparse_vmstat(at, n, &v) == 0 && texts[i] == VMSTAT)
				assert_true(same_or_unknown(v.refault_pages[LRU_FILE], 1214) &&
					    same_or_unknown(v.pgscan.direct, 50) &&
					    same_or_unknown(v.oom_kill, 7));
			if (kparse_memory_stat(at, n, &s) < 0 || texts[i] != STAT)
				continue;
			assert_true(same_or_unknown(s.lru_bytes[LRU_ANON], w.lru_bytes[LRU_ANON]));
			assert_true(same_or_unknown(s.lru_bytes[LRU_FILE], w.lru_bytes[LRU_FILE]));
			assert_true(same_or_unknown(s.pgscan_pages, w.pgscan_pages));
			assert_true(same_or_unknown(s.pgsteal_pages, w.pgsteal_pages));
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_value),
		cmocka_unit_test(test_memory_stat),
		cmocka_unit_test(test_memory_stat_parts),
		cmocka_unit_test(test_memory_events),
		cmocka_unit_test(test_cpu_stat),
		cmocka_unit_test(test_cgroup_events),
		cmocka_unit_test(test_psi),
		cmocka_unit_test(test_meminfo),
		cmocka_unit_test(test_vmstat),
		cmocka_unit_test(test_swaps),
		cmocka_unit_test(test_zram),
		cmocka_unit_test(test_cgroup_stat),
		cmocka_unit_test(test_rotational),
		cmocka_unit_test(test_cut_everywhere),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
