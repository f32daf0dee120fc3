/* SPDX-License-Identifier: MIT */
/*
 * Any bytes as each of the small kernel files. An error leaves the result alone; a value is below
 * the marks, or is one of the marks where the file can say so; reading twice gives the same.
 */
#include "kparse.h"
#include "macro.h"

#include <errno.h>
#include <string.h>

#define REQUIRE(condition)        \
	do {                      \
		if (!(condition)) \
			abort();  \
	} while (0)

/* All bytes of what a parser left alone. */
#define UNTOUCHED_BYTE 0x5a

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require_untouched(const void *p, size_t size)
{
	const unsigned char *bytes = p;

	for (size_t i = 0; i < size; i++)
		REQUIRE(bytes[i] == UNTOUCHED_BYTE);
}

static void require_values(const uint64_t *values, size_t n)
{
	for (size_t i = 0; i < n; i++)
		REQUIRE(values[i] != SAMPLE_INFINITY);
}

static void fuzz_memcg_files(const char *text, size_t len)
{
	struct memcg_sample s;
	bool populated, frozen;
	uint64_t value;
	int r;

	memset(&s, UNTOUCHED_BYTE, sizeof(s));
	r = kparse_memory_stat(text, len, &s);
	REQUIRE(r == 0 || r == -EINVAL);
	if (r < 0)
		require_untouched(&s, sizeof(s));
	else
		require_values(s.lru_bytes, 8);
	memset(&s, UNTOUCHED_BYTE, sizeof(s));
	r = kparse_memory_events(text, len, &s);
	REQUIRE(r == 0 || r == -EINVAL);
	if (r < 0)
		require_untouched(&s, sizeof(s));
	else
		require_values(&s.events_high, 4);
	value = UNTOUCHED_BYTE;
	r = kparse_cgroup_stat(text, len, &value);
	REQUIRE(r == 0 || (r == -EINVAL && value == UNTOUCHED_BYTE));
	REQUIRE(value != SAMPLE_INFINITY);
	memset(&s, UNTOUCHED_BYTE, sizeof(s));
	r = kparse_cpu_stat(text, len, &s.cpu_usec);
	REQUIRE(r == 0 || r == -EINVAL);
	if (r < 0)
		require_untouched(&s, sizeof(s));
	else
		require_values(&s.cpu_usec, 1);
	r = kparse_cgroup_events(text, len, &populated, &frozen);
	REQUIRE(r == 0 || r == -EINVAL);
	REQUIRE(r < 0 || memmem(text, len, "populated ", 10));
}

static void fuzz_vmstat(const char *text, size_t len)
{
	struct vmstat vmstat, again;
	int r;

	memset(&vmstat, UNTOUCHED_BYTE, sizeof(vmstat));
	r = kparse_vmstat(text, len, &vmstat);
	REQUIRE(r == 0 || r == -EINVAL);
	if (r < 0) {
		require_untouched(&vmstat, sizeof(vmstat));
		return;
	}
	require_values(&vmstat.pgscan.kswapd, sizeof(vmstat) / sizeof(uint64_t));
	REQUIRE(vmstat.oom_kill == SAMPLE_UNKNOWN || memmem(text, len, "oom_kill ", 9));
	REQUIRE(kparse_vmstat(text, len, &again) == 0);
	REQUIRE(memcmp(&vmstat, &again, sizeof(again)) == 0);
}

static void fuzz_numbers(const char *text, size_t len)
{
	struct zram_stat zram;
	struct meminfo meminfo;
	struct psi_total psi;
	bool rotational;
	uint64_t value = 0;
	int r = kparse_value(text, len, &value);

	REQUIRE(r == 0 || (r == -EINVAL && value == 0));
	REQUIRE(value != SAMPLE_UNKNOWN);
	REQUIRE(value != SAMPLE_INFINITY || memcmp(text, "max\n", 4) == 0);

	memset(&psi, UNTOUCHED_BYTE, sizeof(psi));
	r = kparse_psi(text, len, &psi);
	if (r < 0)
		require_untouched(&psi, sizeof(psi));
	REQUIRE(r < 0 || psi.some_usec < SAMPLE_INFINITY);

	memset(&meminfo, UNTOUCHED_BYTE, sizeof(meminfo));
	if (kparse_meminfo(text, len, &meminfo) < 0)
		require_untouched(&meminfo, sizeof(meminfo));
	else
		require_values(&meminfo.total_bytes, 5);

	if (kparse_rotational(text, len, &rotational) == 0)
		REQUIRE(text[len - 2] == (rotational ? '1' : '0'));

	memset(&zram, UNTOUCHED_BYTE, sizeof(zram));
	if (kparse_zram_mm_stat(text, len, &zram) < 0)
		require_untouched(&zram, sizeof(zram));
	else
		REQUIRE(zram.used_bytes < SAMPLE_INFINITY);
}

static void check_area(const struct swap_area *area, void *userdata)
{
	size_t *n = userdata;

	++*n;
	REQUIRE(memchr(area->name, '\0', sizeof(area->name)) && area->name[0] != '\0');
	REQUIRE(!area->is_zram || !area->is_file);
	REQUIRE(!area->is_zram || strstr(area->name, "/zram"));
	REQUIRE(area->size_bytes < SAMPLE_INFINITY && area->size_bytes % 1024 == 0);
	REQUIRE(area->used_bytes < SAMPLE_INFINITY && area->used_bytes % 1024 == 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const char *text = (const char *)data;
	size_t n_areas = 0;

	fuzz_memcg_files(text, size);
	fuzz_numbers(text, size);
	fuzz_vmstat(text, size);
	if (kparse_swaps(text, size, check_area, &n_areas) < 0)
		REQUIRE(n_areas == 0);
	else
		REQUIRE(text[size - 1] == '\n');
	return 0;
}
