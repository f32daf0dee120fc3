/* SPDX-License-Identifier: MIT */
/*
 * What the programs of this directory share.
 */
#include "host.h"

#include "config.h"
#include "file.h"
#include "macro.h"

#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

/* LimitNOFILE= of the unit. */
#define DESCRIPTORS_MAX 65536

static void check(int r, const char *what)
{
	if (r < 0) {
		errno = -r;
		err(2, "%s", what);
	}
}

void host_open(struct host *ret)
{
	struct rlimit limit = {DESCRIPTORS_MAX, DESCRIPTORS_MAX};
	struct config_error error;
	const char *why = NULL;

	setrlimit(RLIMIT_NOFILE, &limit);
	*ret = (struct host){.features.capability = CAPABILITY_TIERS};
	if (config_load("", NULL, &ret->config, &error) < 0)
		errx(2, "%s", error.text);
	check(hierarchy_open("", &ret->hierarchy, &why), why ? why : "cgroups");
	lru_gen_open(&ret->lru_gen, "");
	check(ret->lru_gen.read_error, "lru_gen");
	check(sampler_init(&ret->sampler, ""), "sampler_init");
}

void host_close(struct host *host)
{
	sampler_done(&host->sampler);
	lru_gen_close(&host->lru_gen);
	hierarchy_close(host->hierarchy);
	config_free(host->config);
}

void host_scan(struct host *host)
{
	check(hierarchy_scan(host->hierarchy, host->config, now_usec()), "hierarchy_scan");
}

void host_sample(struct host *host, bool with_listing, struct snapshot *ret)
{
	check(sampler_prepare(&host->sampler, host->hierarchy, with_listing ? &host->lru_gen : NULL,
			      false, now_usec(), 1000000, UINT64_MAX),
	      "sampler_prepare");
	reading_run(&host->sampler.reading);
	check(sampler_take(&host->sampler, host->hierarchy, &host->features, ret), "sampler_take");
}

bool path_is_below(const char *path, const char *top)
{
	size_t len = strlen(top);

	return strncmp(path, top, len) == 0 && path[len] == '/';
}

size_t host_count_below(const struct host *host, const char *path)
{
	size_t n, count = 0;
	struct memcg *const *memcgs = hierarchy_memcgs(host->hierarchy, &n);

	for (size_t i = 0; i < n; i++)
		count += path_is_below(memcgs[i]->path, path);
	return count;
}

uint64_t now_usec(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (uint64_t)ts.tv_sec * 1000000 + (uint64_t)ts.tv_nsec / 1000;
}

static uint64_t usec_of(const struct timeval *tv)
{
	return (uint64_t)tv->tv_sec * 1000000 + (uint64_t)tv->tv_usec;
}

struct cpu_time cpu_time(void)
{
	struct rusage usage;

	getrusage(RUSAGE_SELF, &usage);
	return (struct cpu_time){usec_of(&usage.ru_utime), usec_of(&usage.ru_stime)};
}

uint64_t memory_kib(const char *key)
{
	char text[8192];
	char *line;

	check(file_read_at(AT_FDCWD, "/proc/self/status", text, sizeof(text)), "/proc/self/status");
	line = strstr(text, key);
	return line ? strtoul(line + strlen(key), NULL, 10) : 0;
}
