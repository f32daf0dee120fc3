/* SPDX-License-Identifier: MIT */
/*
 * Streams of accesses, at a fixed rate, one page after another.
 *
 * Rates do not depend on how long accesses take (an open loop), so that the refault rate is the
 * miss ratio. "Memory" below is the scenario's: a page count of 1.2 times memory is 1.2.
 */
#ifndef FGRECLAIM_TESTS_SIM_WORKLOAD_H
#define FGRECLAIM_TESTS_SIM_WORKLOAD_H

#include "host.h"
#include "rng.h"

enum workload_kind {
	WORKLOAD_ZIPF,       /* page of rank r with a weight of r^-theta, ranks scattered */
	WORKLOAD_UNIFORM,    /* each alike */
	WORKLOAD_CYCLE,      /* one after another, over and over */
	WORKLOAD_STREAM,     /* one after another, always new ones: log files, backups */
	WORKLOAD_COLD,       /* each once, at the start, and never again */
	WORKLOAD_POPULATION, /* each once at the start; then by weights, log-uniform between two
			      * rates, and a part of them never */
	_WORKLOAD_KIND_MAX,
};

struct workload_params {
	enum workload_kind kind;
	enum lru_type type;
	bool mapped;
	uint32_t n_pages;
	double rate;    /* accesses a second; of POPULATION: that of its weights is used */
	double theta;   /* ZIPF */
	uint32_t grain; /* ZIPF: ranks of the kernel's pages in one of the model's, 1 and more: its
			 * hit ratio depends on how many pages there are */
	double drift;   /* exchanges of two ranks per minute, as a share of the pages */
	uint64_t shift_usec; /* all ranks are dealt anew at this time, and each time it passes */
	bool shift_once;
	double shift_share; /* that share of them; 1: all */
	uint32_t app_pages; /* an LRU cache of the application's stands before it; 0: none */
	double slowest, fastest, never; /* POPULATION */
	bool measured;                  /* its hits count in the scenario's hit ratio */
};

struct workload_result {
	uint64_t accesses, hits;
};

struct workload {
	struct workload_params params;
	size_t memcg;
	uint32_t first_page;
	struct rng rng;
	/* Alias table (Vose, 1991): draws a rank in constant time. */
	uint32_t *alias;
	uint32_t *limit; /* of 2^32 */
	uint32_t *page_of_rank;
	struct app_cache *app;
	uint32_t next;       /* CYCLE, COLD */
	double credit;       /* accesses due */
	uint64_t drift_done; /* ranks exchanged so far */
	uint64_t shifts_done;
	struct workload_result result;
};

/* Prepares tables; host pages are added by the caller. Ends the program when out of memory. */
void workload_init(struct workload *w, const struct workload_params *params, uint64_t seed);
void workload_done(struct workload *w);

/* Accesses due within the next usec; the host's clock is at the start of them. */
void workload_run(struct workload *w, struct host *host, uint64_t usec);

/* Forgets what was counted so far. */
void workload_reset_result(struct workload *w);

/* --- app_cache.c */

/* An LRU cache of n pages over pages 0 to n_keys. */
struct app_cache *app_cache_new(uint32_t n, uint32_t n_keys);
struct app_cache *app_cache_free(struct app_cache *cache);
/* True on a hit; a miss takes the place of the page used longest ago. */
bool app_cache_access(struct app_cache *cache, uint32_t key);

#endif
