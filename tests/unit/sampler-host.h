/* SPDX-License-Identifier: MIT */
/*
 * For tests of the sampler: a fixture with the memcgs /a, /a/b and /c, and what samples it. To be
 * included after cmocka.h.
 */
#ifndef FGRECLAIM_TESTS_SAMPLER_HOST_H
#define FGRECLAIM_TESTS_SAMPLER_HOST_H

#include "fixture.h"
#include "sampler.h"

#include <string.h>

#define LRU_GEN "sys/kernel/debug/lru_gen"
#define MEMINFO "proc/meminfo"

struct host {
	const struct fixture *fixture;
	struct config *config;
	struct hierarchy *hierarchy;
	struct lru_gen lru_gen;
	struct sampler sampler;
	struct snapshot snapshot;
};

static inline void host_open(struct host *host, void **state)
{
	const char *why;

	*host = (struct host){.fixture = *state};
	fixture_add_cgroups(host->fixture);
	fixture_add_memcg(host->fixture, "/a");
	fixture_add_memcg(host->fixture, "/a/b");
	fixture_add_memcg(host->fixture, "/c");
	fixture_write(host->fixture, MEMINFO,
		      "MemTotal:       16315412 kB\nMemFree:  1 kB\nMemAvailable:    8000000 kB\n"
		      "SwapTotal:       2097148 kB\nSwapFree:             12 kB\n");
	fixture_write(host->fixture, LRU_GEN, "");
	host->config = fixture_config(host->fixture, NULL);
	assert_int_equal(hierarchy_open(host->fixture->root, &host->hierarchy, &why), 0);
	lru_gen_open(&host->lru_gen, host->fixture->root);
	assert_int_equal(sampler_init(&host->sampler, host->fixture->root), 0);
}

static inline void host_close(struct host *host)
{
	sampler_done(&host->sampler);
	lru_gen_close(&host->lru_gen);
	hierarchy_close(host->hierarchy);
	config_free(host->config);
}

static inline void scan(struct host *host)
{
	assert_int_equal(hierarchy_scan(host->hierarchy, host->config, 1000), 0);
}

static inline void sample(struct host *host)
{
	struct features features = {.capability = CAPABILITY_GENERATIONS};

	features.probes[FEATURE_SWAPPINESS].present = true;
	assert_int_equal(sampler_prepare(&host->sampler, host->hierarchy, &host->lru_gen, true,
					 5000, 77, UINT64_MAX),
			 0);
	reading_run(&host->sampler.reading);
	assert_int_equal(sampler_take(&host->sampler, host->hierarchy, &features, &host->snapshot),
			 0);
}

/* The sample of a memcg that was there at the last scan. */
static inline const struct memcg_sample *look(const struct host *host, const char *path)
{
	const struct memcg *memcg = hierarchy_find(host->hierarchy, path, strlen(path));

	assert_non_null(memcg);
	return &host->snapshot.memcgs[memcg->index];
}

#endif
