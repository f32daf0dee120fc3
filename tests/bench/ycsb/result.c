/* SPDX-License-Identifier: MIT */
/* Latencies of all clients, in all and by interval. */
#define _GNU_SOURCE
#include "ycsb.h"

#include <err.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#define HISTOGRAM_SUB_BITS 7 /* right to 1/128: p99 is compared to a tenth */
#include "histogram.h"
#include "workload.h"

struct interval {
	uint64_t begin_usec, end_usec;
	uint64_t ops;
	uint64_t p50_usec, p99_usec, p999_usec; /* of reads */
};

struct ycsb_result {
	pthread_mutex_t mutex;
	uint64_t interval_usec;
	uint64_t begin_usec, interval_begin_usec;
	uint64_t pages_read; /* before begin_usec */
	uint64_t interval_updates;
	struct histogram reads, updates, interval_reads;
	struct interval *intervals;
	size_t n_intervals;
};

struct ycsb_result *result_new(uint64_t interval_usec)
{
	struct ycsb_result *result = calloc(1, sizeof(*result));

	if (!result)
		err(1, "memory");
	pthread_mutex_init(&result->mutex, NULL);
	result->interval_usec = interval_usec;
	result->begin_usec = result->interval_begin_usec = workload_now_usec();
	return result;
}

void result_add_read(struct ycsb_result *result, uint64_t usec)
{
	pthread_mutex_lock(&result->mutex);
	histogram_add(&result->reads, usec);
	histogram_add(&result->interval_reads, usec);
	pthread_mutex_unlock(&result->mutex);
}

void result_add_update(struct ycsb_result *result, uint64_t usec)
{
	pthread_mutex_lock(&result->mutex);
	histogram_add(&result->updates, usec);
	result->interval_updates++;
	pthread_mutex_unlock(&result->mutex);
}

static void end_interval(struct ycsb_result *result, uint64_t now_usec)
{
	const struct histogram *reads = &result->interval_reads;

	result->intervals = reallocarray(result->intervals, result->n_intervals + 1,
					 sizeof(*result->intervals));
	if (!result->intervals)
		err(1, "memory");
	result->intervals[result->n_intervals++] = (struct interval){
		.begin_usec = result->interval_begin_usec,
		.end_usec = now_usec,
		.ops = reads->count + result->interval_updates,
		.p50_usec = histogram_percentile(reads, 500),
		.p99_usec = histogram_percentile(reads, 990),
		.p999_usec = histogram_percentile(reads, 999),
	};
	memset(&result->interval_reads, 0, sizeof(result->interval_reads));
	result->interval_updates = 0;
	result->interval_begin_usec = now_usec;
}

void result_tick(struct ycsb_result *result, uint64_t now_usec)
{
	pthread_mutex_lock(&result->mutex);
	if (now_usec - result->interval_begin_usec >= result->interval_usec)
		end_interval(result, now_usec);
	pthread_mutex_unlock(&result->mutex);
}

void result_begin(struct ycsb_result *result, uint64_t now_usec, uint64_t pages_read)
{
	pthread_mutex_lock(&result->mutex);
	end_interval(result, now_usec);
	memset(&result->reads, 0, sizeof(result->reads));
	memset(&result->updates, 0, sizeof(result->updates));
	result->begin_usec = now_usec;
	result->pages_read = pages_read;
	pthread_mutex_unlock(&result->mutex);
}

static void write_histogram(FILE *file, const char *name, const struct histogram *h)
{
	fprintf(file,
		" \"%s\": {\"count\": %llu, \"mean_us\": %llu, \"p50_us\": %llu, \"p99_us\": %llu, "
		"\"p999_us\": %llu, \"max_us\": %llu},\n",
		name, (unsigned long long)h->count,
		(unsigned long long)(h->count ? h->sum_usec / h->count : 0),
		(unsigned long long)histogram_percentile(h, 500),
		(unsigned long long)histogram_percentile(h, 990),
		(unsigned long long)histogram_percentile(h, 999), (unsigned long long)h->max_usec);
}

/* Seconds count from the beginning of the measured time: below 0 it is the warm-up. */
static void write_interval(FILE *file, const struct ycsb_result *result, size_t i)
{
	const struct interval *interval = &result->intervals[i];
	const double usec = (double)(interval->end_usec - interval->begin_usec);

	fprintf(file,
		"  {\"second\": %.1f, \"ops_per_second\": %.1f, \"p50_us\": %llu, \"p99_us\": "
		"%llu, "
		"\"p999_us\": %llu}%s\n",
		(double)(int64_t)(interval->begin_usec - result->begin_usec) / 1e6,
		(double)interval->ops * 1e6 / usec, (unsigned long long)interval->p50_usec,
		(unsigned long long)interval->p99_usec, (unsigned long long)interval->p999_usec,
		i + 1 < result->n_intervals ? "," : "");
}

void result_write(struct ycsb_result *result, const char *path, uint64_t now_usec,
		  uint64_t pages_read)
{
	FILE *file = workload_result_open(path);
	double seconds;

	pthread_mutex_lock(&result->mutex);
	end_interval(result, now_usec);
	seconds = (double)(now_usec - result->begin_usec) / 1e6;
	fprintf(file, "{\"seconds\": %.3f, \"ops\": %llu, \"ops_per_second\": %.2f,\n", seconds,
		(unsigned long long)(result->reads.count + result->updates.count),
		(double)(result->reads.count + result->updates.count) / seconds);
	fprintf(file, " \"pages_read\": %llu,\n",
		(unsigned long long)(pages_read - result->pages_read));
	write_histogram(file, "read", &result->reads);
	write_histogram(file, "update", &result->updates);
	fprintf(file, " \"intervals\": [\n");
	for (size_t i = 0; i < result->n_intervals; i++)
		write_interval(file, result, i);
	fprintf(file, " ]}\n");
	pthread_mutex_unlock(&result->mutex);
	workload_result_close(file, path);
}
