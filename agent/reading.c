/* SPDX-License-Identifier: MIT */
/*
 * One reading of the host's files.
 *
 * memory.stat is the dear one (the kernel formats it for 50 microseconds or so), which is why all
 * files stay open, each is read once in a tick, and the counters only where they are wanted.
 * lru_gen is read as a whole, once in a tick; lru_gen_full only where that is wanted.
 */
#include "reading.h"
#include "array.h"
#include "arith.h"
#include "clock.h"
#include "macro.h"

#include <errno.h>

#define TEXT_MAX 8192

/* reading.at: memcg * _MEMCG_FILE_MAX + file, or one of these. */
#define AT_LISTING SIZE_MAX
#define AT_MEMINFO (SIZE_MAX - 1)
#define AT_FULL    (SIZE_MAX - 2)

void reading_init(struct reading *ret, const char *root)
{
	*ret = (struct reading){
		.root = root,
		.full = {.read_fd = -1, .write_fd = -1},
	};
}

void reading_done(struct reading *reading)
{
	free(reading->memcgs);
	free(reading->samples);
	free(reading->counters);
	lru_gen_close(&reading->full);
	kept_file_close(&reading->meminfo_file);
	reading_init(reading, reading->root);
}

int reading_reserve(struct reading *reading, size_t n)
{
	size_t capacity = array_capacity(reading->capacity, n);

	if (capacity == reading->capacity)
		return 0;
	if (array_resize(reading->samples, capacity) < 0 ||
	    array_resize(reading->counters, capacity) < 0 ||
	    array_resize(reading->memcgs, capacity) < 0)
		return -ENOMEM;
	reading->capacity = capacity;
	return 0;
}

/* --- one memcg */

static int read_file(struct reading *reading, size_t i, enum memcg_file file, char *buf,
		     size_t size)
{
	atomic_store_explicit(&reading->at, i * _MEMCG_FILE_MAX + file, memory_order_relaxed);
	return memcg_read(reading->memcgs[i], file, buf, size);
}

static uint64_t read_value(struct reading *reading, size_t i, enum memcg_file file)
{
	char text[64];
	uint64_t value;
	int len = read_file(reading, i, file, text, sizeof(text));

	return len >= 0 && kparse_value(text, (size_t)len, &value) >= 0 ? value : SAMPLE_UNKNOWN;
}

static struct psi_total read_psi(struct reading *reading, size_t i, enum memcg_file file)
{
	struct psi_total psi = {SAMPLE_UNKNOWN, SAMPLE_UNKNOWN};
	char text[256];
	int len = read_file(reading, i, file, text, sizeof(text));

	if (len < 0 || kparse_psi(text, (size_t)len, &psi) < 0)
		psi = (struct psi_total){SAMPLE_UNKNOWN, SAMPLE_UNKNOWN};
	return psi;
}

/* Another flush of the kernel's counters: only where the policy asks by it. */
static void read_cpu_stat(struct reading *reading, size_t i)
{
	char text[TEXT_MAX];
	int len = read_file(reading, i, MEMCG_CPU_STAT, text, sizeof(text));

	if (len >= 0)
		kparse_cpu_stat(text, (size_t)len, &reading->samples[i].cpu_usec);
}

/* Whether the dear files are wanted: of a leaf that is worth it, and of an inner memcg with a
 * limit, for the growth below that. Of the root they take seconds on large hosts, and tell nothing
 * here. */
static bool wants_counters(const struct memcg_sample *sample)
{
	if (sample->parent < 0)
		return false;
	if (sample->leaf)
		return sample->current_bytes == SAMPLE_UNKNOWN ||
		       sample->current_bytes >= SAMPLE_SMALL_BYTES;
	return sample->high_bytes != SAMPLE_INFINITY || sample->max_bytes != SAMPLE_INFINITY;
}

/* Nobody is in it and nothing has changed in it: its counters stand, and nobody acts on them. */
static bool is_idle(const struct memcg_sample *sample, const struct counters_reading *counters)
{
	return !sample->populated && is_number(sample->current_bytes) &&
	       sample->current_bytes == counters->idle_bytes;
}

static void read_counters(struct reading *reading, size_t i)
{
	uint64_t begun_usec = clock_usec(CLOCK_THREAD_CPUTIME_ID);
	struct memcg_sample *sample = &reading->samples[i];
	char text[TEXT_MAX];
	int len;

	len = read_file(reading, i, MEMCG_STAT, text, sizeof(text));
	if (len >= 0)
		kparse_memory_stat(text, (size_t)len, sample);
	len = read_file(reading, i, MEMCG_EVENTS, text, sizeof(text));
	if (len >= 0)
		kparse_memory_events(text, (size_t)len, sample);
	sample->psi_memory = read_psi(reading, i, MEMCG_PRESSURE);
	sample->psi_io = read_psi(reading, i, MEMCG_IO_PRESSURE);
	if (reading->counters[i].cpu_stat)
		read_cpu_stat(reading, i);
	reading->counters[i].cpu_usec =
		max_u64(clock_usec(CLOCK_THREAD_CPUTIME_ID) - begun_usec, 1);
}

/* memory.zswap.current is another flush of the kernel's counters: below a limit alone. Kernels before
 * 6.8 have no memory.zswap.writeback, and behave as with 1. */
static void read_zswap(struct reading *reading, size_t i)
{
	struct memcg_sample *sample = &reading->samples[i];

	sample->zswap_max_bytes = read_value(reading, i, MEMCG_ZSWAP_MAX);
	if (is_number(sample->zswap_max_bytes) && sample->zswap_max_bytes > 0)
		sample->zswap_current_bytes = read_value(reading, i, MEMCG_ZSWAP_CURRENT);
	sample->zswap_only = read_value(reading, i, MEMCG_ZSWAP_WRITEBACK) == 0;
}

static void read_memcg(struct reading *reading, size_t i)
{
	struct memcg_sample *sample = &reading->samples[i];
	char text[TEXT_MAX];
	int len;

	len = read_file(reading, i, MEMCG_CGROUP_EVENTS, text, sizeof(text));
	if (len < 0 ||
	    kparse_cgroup_events(text, (size_t)len, &sample->populated, &sample->frozen) < 0) {
		/* The root has no such file; any other without it has gone. */
		sample->populated = sample->parent < 0;
		sample->frozen = false;
	}
	sample->current_bytes = read_value(reading, i, MEMCG_CURRENT);
	sample->swap_current_bytes = read_value(reading, i, MEMCG_SWAP_CURRENT);
	sample->swap_max_bytes = read_value(reading, i, MEMCG_SWAP_MAX);
	sample->min_bytes = read_value(reading, i, MEMCG_MIN);
	sample->low_bytes = read_value(reading, i, MEMCG_LOW);
	sample->high_bytes = read_value(reading, i, MEMCG_HIGH);
	sample->max_bytes = read_value(reading, i, MEMCG_MAX);
	if (reading->wants_zswap && (!sample->leaf || wants_counters(sample)))
		read_zswap(reading, i);
	if (!wants_counters(sample))
		return;
	if (is_idle(sample, &reading->counters[i]))
		sample->skipped = true;
	if (!sample->skipped)
		read_counters(reading, i);
}

/* --- the host */

static void read_meminfo(struct reading *reading)
{
	char text[TEXT_MAX];
	struct meminfo meminfo;
	int len;

	reading->meminfo = (struct meminfo){
		.total_bytes = SAMPLE_UNKNOWN,
		.available_bytes = SAMPLE_UNKNOWN,
		.swap_total_bytes = SAMPLE_UNKNOWN,
		.swap_free_bytes = SAMPLE_UNKNOWN,
	};
	atomic_store_explicit(&reading->at, AT_MEMINFO, memory_order_relaxed);
	len = kept_file_read(&reading->meminfo_file, reading->root, "/proc/meminfo", text,
			     sizeof(text));
	if (len >= 0 && kparse_meminfo(text, (size_t)len, &meminfo) >= 0)
		reading->meminfo = meminfo;
}

static void read_full(struct reading *reading)
{
	uint64_t begun_usec = clock_usec(CLOCK_THREAD_CPUTIME_ID);

	reading->full_len = 0;
	reading->full_cpu_usec = 0;
	if (!reading->wants_full)
		return;
	atomic_store_explicit(&reading->at, AT_FULL, memory_order_relaxed);
	reading->full_len = lru_gen_read_full(&reading->full, reading->root);
	reading->full_cpu_usec = max_u64(clock_usec(CLOCK_THREAD_CPUTIME_ID) - begun_usec, 1);
}

void reading_run(struct reading *reading)
{
	uint64_t begun_usec = clock_usec(CLOCK_MONOTONIC);
	uint64_t cpu_usec = clock_usec(CLOCK_THREAD_CPUTIME_ID);

	/* Before the files: who can be read of after it has been there all the time since the scan,
	 * and nobody else under that path. */
	atomic_store_explicit(&reading->at, AT_LISTING, memory_order_relaxed);
	reading->listing_len = reading->lru_gen ? lru_gen_read(reading->lru_gen) : 0;
	read_full(reading);
	for (size_t i = 0; i < reading->n_memcgs; i++)
		read_memcg(reading, i);
	read_meminfo(reading);
	reading->cpu_usec = clock_usec(CLOCK_THREAD_CPUTIME_ID) - cpu_usec;
	reading->took_usec = clock_usec(CLOCK_MONOTONIC) - begun_usec;
}

void reading_where(struct reading *reading, char *buf, size_t size)
{
	size_t at = atomic_load_explicit(&reading->at, memory_order_relaxed);

	if (at == AT_LISTING)
		snprintf(buf, size, "lru_gen");
	else if (at == AT_FULL)
		snprintf(buf, size, "lru_gen_full");
	else if (at == AT_MEMINFO)
		snprintf(buf, size, "/proc/meminfo");
	else
		snprintf(buf, size, "%s of %s", memcg_file_to_string(at % _MEMCG_FILE_MAX),
			 reading->memcgs[at / _MEMCG_FILE_MAX]->name);
}
