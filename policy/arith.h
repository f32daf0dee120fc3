/* SPDX-License-Identifier: MIT */
/*
 * Integer arithmetic that cannot wrap: sizes and counters come from outside, so every sum and
 * product saturates, every difference of counters survives a reset, and unknown stays unknown.
 */
#ifndef FGRECLAIM_POLICY_ARITH_H
#define FGRECLAIM_POLICY_ARITH_H

#include "sample.h"

#define USEC_PER_SEC UINT64_C(1000000)
#define USEC_PER_MIN (60 * USEC_PER_SEC)
#define PPM          UINT64_C(1000000)

static inline uint64_t min_u64(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

static inline uint64_t max_u64(uint64_t a, uint64_t b)
{
	return a > b ? a : b;
}

static inline uint64_t saturating_add(uint64_t a, uint64_t b)
{
	uint64_t sum;

	return __builtin_add_overflow(a, b, &sum) ? UINT64_MAX : sum;
}

static inline uint64_t saturating_sub(uint64_t a, uint64_t b)
{
	return a > b ? a - b : 0;
}

static inline uint64_t saturating_mul(uint64_t a, uint64_t b)
{
	uint64_t product;

	return __builtin_mul_overflow(a, b, &product) ? UINT64_MAX : product;
}

/* a * b / c; where the product does not fit, the larger factor is divided first (less exact, never
 * wrapped). Division by zero is UINT64_MAX. */
static inline uint64_t mul_div(uint64_t a, uint64_t b, uint64_t c)
{
	uint64_t product;

	if (c == 0)
		return UINT64_MAX;
	if (!__builtin_mul_overflow(a, b, &product))
		return product / c;
	return saturating_mul(max_u64(a, b) / c, min_u64(a, b));
}

/* bytes * part / whole, with part up to whole and whole above 0, or 0. Gigabytes times gigabytes do not
 * fit: low bits of the ratio go first, and bytes keep theirs. */
static inline uint64_t in_proportion(uint64_t bytes, uint64_t part, uint64_t whole)
{
	uint64_t product;

	while (__builtin_mul_overflow(bytes, part, &product)) {
		part >>= 1;
		whole >>= 1;
	}
	return whole ? product / whole : 0;
}

/* Pages in dt_usec as thousandths of a page per second. */
static inline uint64_t rate_mpps(uint64_t pages, uint64_t dt_usec)
{
	return mul_div(pages, 1000 * USEC_PER_SEC, dt_usec);
}

/* What is left of a sum that fades with tau_usec, dt_usec later. */
static inline uint64_t fade(uint64_t sum, uint64_t dt_usec, uint64_t tau_usec)
{
	return mul_div(sum, tau_usec, saturating_add(tau_usec, dt_usec));
}

/* A number, that is: neither unknown nor "max". */
static inline bool is_number(uint64_t value)
{
	return value < SAMPLE_INFINITY;
}

static inline uint64_t number_or(uint64_t value, uint64_t fallback)
{
	return is_number(value) ? value : fallback;
}

/* Growth of a running total; unknown when either side is, or when it went backwards (reset). */
static inline uint64_t counter_delta(uint64_t now, uint64_t before)
{
	return is_number(now) && is_number(before) && now >= before ? now - before : SAMPLE_UNKNOWN;
}

/* Exponential moving average over tau, for samples that are dt apart. */
static inline uint64_t ewma(uint64_t average, uint64_t sample, uint64_t dt_usec, uint64_t tau_usec)
{
	uint64_t span_usec = saturating_add(dt_usec, tau_usec);

	if (sample >= average)
		return saturating_add(average, mul_div(sample - average, dt_usec, span_usec));
	return average - mul_div(average - sample, dt_usec, span_usec);
}

#endif
