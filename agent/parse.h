/* SPDX-License-Identifier: MIT */
/*
 * Configuration values to numbers. Pure: text in, integer out, no state. All take the whole string
 * (surrounding blanks are not accepted), refuse what overflows, and return 0 or
 *   -EINVAL  not of the form,  -ERANGE  a number that does not fit.
 * *ret is touched on success only.
 */
#ifndef FGRECLAIM_PARSE_H
#define FGRECLAIM_PARSE_H

#include <stdbool.h>
#include <stdint.h>

/* yes/no, true/false, on/off, 1/0; case does not matter. */
int parse_bool(const char *s, bool *ret);

/* Plain decimal without sign. */
int parse_u64(const char *s, uint64_t *ret);

/* Bytes: digits with an optional K, M, G or T (base 1024), optional fraction ("1.5G"). */
int parse_bytes(const char *s, uint64_t *ret);

/* Microseconds: a sum of numbers with us, ms, s, min, h, d ("1min 30s"); a bare number is refused
 * unless it is 0: which unit it would mean is anybody's guess. */
int parse_usec(const char *s, uint64_t *ret);

/* Parts per million of a share: "1%" is 10000, "0.5%" is 5000; at most 100 % ... max_ppm. */
int parse_share_ppm(const char *s, uint64_t max_ppm, uint64_t *ret);

/* "0.5%/min" to parts per million of the base per minute. */
int parse_share_per_min_ppm(const char *s, uint64_t *ret);

/* "20G/day" to bytes per day; "infinity" to UINT64_MAX. */
int parse_bytes_per_day(const char *s, uint64_t *ret);

#endif
