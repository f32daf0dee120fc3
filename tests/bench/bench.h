/* SPDX-License-Identifier: MIT */
/*
 * What the programs of the policy bench share: counters of operations that the meter reads while
 * they run, random choice by weight, and page-wise reading. Being told to begin and to stop is
 * workload.h of the demo.
 */
#ifndef FGBENCH_BENCH_H
#define FGBENCH_BENCH_H

#include <stddef.h>
#include <stdint.h>

#define BENCH_PAGE 4096

/* The file behind bench_counters(): one 64-bit word for each. */
enum bench_counter {
	BENCH_OPS,    /* operations whose refaults matter */
	BENCH_STREAM, /* pages of one-shot streams, whose refaults nobody counts */
	_BENCH_COUNTER_MAX,
};

/* Maps the file at path, made when it is not there, as _BENCH_COUNTER_MAX counters shared with
 * whoever reads the file, and with children. Exits on failure. */
uint64_t *bench_counters(const char *path);

/* Opens a file or device whose pages are read one by one: without read-ahead, an operation is a
 * page. Exits on failure. */
int bench_open(const char *path);

/* Brings a page of fd into the page cache and marks it accessed, as any read(2) does; only a few
 * of its bytes are copied. Exits on failure. */
void bench_read_page(int fd, uint64_t page);

/* Random choice of one of n things by weight in constant time, by Walker's alias method (M. D.
 * Vose, "A linear algorithm for generating random numbers with a given distribution", 1991). */
struct alias {
	uint32_t n;
	uint32_t *other;     /* what stands in the upper part of a column */
	uint32_t *threshold; /* where that begins, in parts of 2^32 */
};

/* weights: n of them, none negative, with a sum above 0; used up. Exits when memory is short. */
struct alias alias_new(double *weights, uint32_t n);
uint32_t alias_pick(const struct alias *alias, uint64_t *random);

/* The numbers 0 to n - 1 in random order; the caller frees it. Exits when memory is short. */
uint32_t *bench_permutation(uint32_t n, uint64_t *random);
void bench_shuffle(uint32_t *numbers, uint32_t n, uint64_t *random);

#endif
