/* SPDX-License-Identifier: MIT */
/*
 * Defaults of the parameters, each with its reason, and the rules that they must obey.
 */
#include "params.h"
#include "arith.h"

#include <string.h>

/* One write of this size took 0.2 to 0.7 s for anon on the slowest machine measured; the kernel
 * holds the cgroup's directory while it lasts, so that rmdir of it waits. */
#define DEFAULT_WRITE_MAX_BYTES (UINT64_C(16) << 20)

/* More workers made reclaim of 50 memcgs no faster on two processors and cost 2.4 times the CPU. */
#define DEFAULT_CONCURRENCY 2

/* What an administrator does not notice: 1 % of one core. */
#define DEFAULT_CPU_BUDGET_PPM 10000

/* To swap on a disk in a day: a drive that is made for 150 TB lasts twenty years of it. */
#define DEFAULT_SWAP_WRITE_BYTES (UINT64_C(20) << 30)

#define WEIGHT_MAX 10000

/* 0.5 % per minute: in simulation 63 % of the memory kept at 0.8 refaults per minute and 100 pages
 * of working set; five times less or more is the range from strict to aggressive. */
#define DEFAULT_REFAULT_LIMIT_PPM 5000

/* The pressure at which senpai stops as well: one stalled millisecond in a second. */
#define DEFAULT_PRESSURE_LIMIT_PPM 1000

/* A quarter of the peak working set survives whatever the counters say. */
#define DEFAULT_FLOOR_PPM 250000

/* A working set that needs more than half of what it shares leaves too little to the others to be
 * protected on a measurement's word alone. */
#define DEFAULT_PROTECT_MAX_PPM 500000

#define WRITE_MAX_LOWEST_BYTES  (UINT64_C(64) << 10)
#define WRITE_MAX_HIGHEST_BYTES (UINT64_C(64) << 20)
#define CONCURRENCY_HIGHEST     16

void params_init(struct policy_params *ret)
{
	memset(ret, 0, sizeof(*ret));
	ret->write_max_bytes = DEFAULT_WRITE_MAX_BYTES;
	ret->concurrency = DEFAULT_CONCURRENCY;
	ret->cpu_budget_ppm = DEFAULT_CPU_BUDGET_PPM;
	ret->anon = ANON_AUTO;
	ret->swap_write_bytes = DEFAULT_SWAP_WRITE_BYTES;
}

void class_params_init(struct class_params *ret, const char *name)
{
	memset(ret, 0, sizeof(*ret));
	for (size_t i = 0; i < CLASS_NAME_MAX && name[i]; i++)
		ret->name[i] = name[i];
	ret->reclaim = RECLAIM_ALL;
	ret->weight = WEIGHT_DEFAULT;
	ret->refault_limit_ppm = DEFAULT_REFAULT_LIMIT_PPM;
	ret->pressure_limit_ppm = DEFAULT_PRESSURE_LIMIT_PPM;
	ret->floor_ppm = DEFAULT_FLOOR_PPM;
	ret->protect_max_ppm = DEFAULT_PROTECT_MAX_PPM;
}

static bool is_floor_lower(const struct class_params *from, const struct class_params *to)
{
	if (from->floor_ppm == 0 && from->floor_bytes == 0)
		return false;
	if ((from->floor_ppm == 0) != (to->floor_ppm == 0))
		return true;
	return to->floor_ppm < from->floor_ppm || to->floor_bytes < from->floor_bytes;
}

const char *class_params_raised(const struct class_params *from, const struct class_params *to)
{
	if (to->protect && !from->protect)
		return "Protect";
	if (to->protect && to->protect_max_ppm > from->protect_max_ppm)
		return "ProtectMax";
	if (to->reclaim == RECLAIM_NONE)
		return NULL;
	if (to->reclaim != from->reclaim && from->reclaim != RECLAIM_ALL)
		return "Reclaim";
	/* The lower its weight, the sooner it gives. */
	if (to->weight < from->weight)
		return "Weight";
	if (to->refault_limit_ppm > from->refault_limit_ppm)
		return "RefaultLimit";
	if (to->pressure_limit_ppm > from->pressure_limit_ppm)
		return "PressureLimit";
	if (is_floor_lower(from, to))
		return "Floor";
	return to->churn && !from->churn ? "Churn" : NULL;
}

static const char *class_check(const struct class_params *class)
{
	if (!class->name[0])
		return "a class has no name";
	if (class->reclaim < 0 || class->reclaim >= _RECLAIM_KIND_MAX)
		return "Reclaim= is none of none, file, anon, all";
	if (class->weight < 1 || class->weight > WEIGHT_MAX)
		return "Weight= is not within 1 to 10000";
	if (class->refault_limit_ppm > PPM)
		return "RefaultLimit= is above 100%/min";
	if (class->pressure_limit_ppm > PPM)
		return "PressureLimit= is above 100%";
	if (class->floor_ppm > PPM)
		return "Floor= is above 100%";
	if (class->protect_max_ppm < 1 || class->protect_max_ppm > PPM)
		return "ProtectMax= is not above 0% and up to 100%";
	return NULL;
}

const char *params_check(const struct policy_params *params)
{
	if (params->write_max_bytes < WRITE_MAX_LOWEST_BYTES ||
	    params->write_max_bytes > WRITE_MAX_HIGHEST_BYTES)
		return "WriteMax= is not within 64K to 64M";
	if (params->concurrency < 1 || params->concurrency > CONCURRENCY_HIGHEST)
		return "Concurrency= is not within 1 to 16";
	if (params->cpu_budget_ppm < 1 || params->cpu_budget_ppm > PPM)
		return "CpuBudget= is not above 0% and up to 100%";
	if (params->anon < 0 || params->anon >= _ANON_POLICY_MAX)
		return "Anon= is none of auto, yes, no";
	if (params->n_classes > CLASSES_MAX)
		return "there are more than 64 classes";
	for (size_t i = 0; i < params->n_classes; i++) {
		const char *why = class_check(&params->classes[i]);

		if (why)
			return why;
	}
	return NULL;
}

static const char *const reclaim_kind_names[_RECLAIM_KIND_MAX] = {
	[RECLAIM_NONE] = "none",
	[RECLAIM_FILE] = "file",
	[RECLAIM_ANON] = "anon",
	[RECLAIM_ALL] = "all",
};

static const char *const anon_policy_names[_ANON_POLICY_MAX] = {
	[ANON_AUTO] = "auto",
	[ANON_YES] = "yes",
	[ANON_NO] = "no",
};

static size_t name_index(const char *const *names, size_t n, const char *s)
{
	for (size_t i = 0; i < n; i++)
		if (strcmp(names[i], s) == 0)
			return i;
	return n;
}

const char *reclaim_kind_to_string(enum reclaim_kind kind)
{
	return kind >= 0 && kind < _RECLAIM_KIND_MAX ? reclaim_kind_names[kind] : "invalid";
}

enum reclaim_kind reclaim_kind_from_string(const char *s)
{
	return (enum reclaim_kind)name_index(reclaim_kind_names, _RECLAIM_KIND_MAX, s);
}

const char *anon_policy_to_string(enum anon_policy policy)
{
	return policy >= 0 && policy < _ANON_POLICY_MAX ? anon_policy_names[policy] : "invalid";
}

enum anon_policy anon_policy_from_string(const char *s)
{
	return (enum anon_policy)name_index(anon_policy_names, _ANON_POLICY_MAX, s);
}
