/* SPDX-License-Identifier: MIT */
/*
 * A latency histogram with a fixed relative error, in the manner of HdrHistogram: each power of
 * two is cut into 16 equal buckets, so a percentile is right to 1/16 (6 %) at any scale, and
 * recording is two shifts and an increment. Who needs it finer defines HISTOGRAM_SUB_BITS before.
 * Values are microseconds.
 */
#ifndef FGDEMO_HISTOGRAM_H
#define FGDEMO_HISTOGRAM_H

#include <stdint.h>

#ifndef HISTOGRAM_SUB_BITS
#define HISTOGRAM_SUB_BITS 4
#endif
#define HISTOGRAM_SUB (1u << HISTOGRAM_SUB_BITS)

struct histogram {
	uint64_t count;
	uint64_t sum_usec;
	uint64_t max_usec;
	uint64_t buckets[(64 - HISTOGRAM_SUB_BITS + 1) * HISTOGRAM_SUB];
};

/* Values below HISTOGRAM_SUB have a bucket each; above, `shift` halves a value until it has one bit
 * more than HISTOGRAM_SUB_BITS, and those below its leading one number the bucket within that power
 * of two. */
static inline unsigned int histogram_bucket(uint64_t usec)
{
	unsigned int shift;

	if (usec < HISTOGRAM_SUB)
		return (unsigned int)usec;
	shift = 63u - (unsigned int)__builtin_clzll(usec) - HISTOGRAM_SUB_BITS;
	return shift * HISTOGRAM_SUB + (unsigned int)(usec >> shift);
}

/* The largest value that falls into the bucket: percentiles are never flattering. */
static inline uint64_t histogram_bucket_end(unsigned int bucket)
{
	unsigned int shift;

	if (bucket < 2 * HISTOGRAM_SUB)
		return bucket;
	shift = bucket / HISTOGRAM_SUB - 1;
	return ((uint64_t)(bucket % HISTOGRAM_SUB + HISTOGRAM_SUB + 1) << shift) - 1;
}

static inline void histogram_add(struct histogram *h, uint64_t usec)
{
	h->count++;
	h->sum_usec += usec;
	if (usec > h->max_usec)
		h->max_usec = usec;
	h->buckets[histogram_bucket(usec)]++;
}

/* The value that `permille` of all recorded ones do not exceed; 0 if nothing was recorded. */
static inline uint64_t histogram_percentile(const struct histogram *h, unsigned int permille)
{
	const unsigned int n = sizeof(h->buckets) / sizeof(h->buckets[0]);
	uint64_t wanted = (h->count * permille + 999) / 1000, seen = 0;

	if (!h->count)
		return 0;
	for (unsigned int i = 0; i < n; i++) {
		seen += h->buckets[i];
		if (seen >= wanted) {
			uint64_t end = histogram_bucket_end(i);

			return end < h->max_usec ? end : h->max_usec;
		}
	}
	return h->max_usec;
}

#endif
