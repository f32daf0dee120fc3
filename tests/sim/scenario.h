/* SPDX-License-Identifier: MIT */
/*
 * Scenarios: a host, its cgroups, what runs in them, and what must come out. README.md describes
 * the files.
 */
#ifndef FGRECLAIM_TESTS_SIM_SCENARIO_H
#define FGRECLAIM_TESTS_SIM_SCENARIO_H

#include "params.h"
#include "workload.h"

#define WORKLOADS_MAX   8
#define BOUNDS_MAX      24
#define REFERENCES_MAX  24
#define SIM_KERNELS     7
#define SIM_CLASSES_MAX 4

/* Workloads take turns this often: some tens of accesses each. */
#define STEP_USEC UINT64_C(10000)

enum metric {
	METRIC_HIT,      /* share of the measured accesses that found their page resident */
	METRIC_MEMORY,   /* mean resident share of the workloads' pages */
	METRIC_RETURN,   /* refaults a minute, % of the population's working set of 120 s */
	METRIC_PEAK,     /* most refaults in a minute */
	METRIC_COST,     /* refault wait, us per ms, times the class's weight / 100 */
	METRIC_REFAULTS, /* pages */
	METRIC_SCANNED,  /* pages that reclaim looked at, per page refaulted or read in */
	METRIC_AGINGS,   /* all, the kernel's own too */
	METRIC_PLUS,     /* "+" of the agent that succeeded */
	METRIC_WRITES,   /* of the agent */
	METRIC_EVICTED,  /* pages by the agent's writes */
	METRIC_SWAPPED,  /* pages in swap at the end, share of the workloads' pages */
	METRIC_MEMSTALL, /* stall in memory.pressure, % of the stall of refaults */
	METRIC_EVENTS,   /* memory.events max, per second */
	METRIC_WORK,     /* kernel time of the agent's writes, ppm of the time */
	METRIC_REFAULT,  /* refaults per access, those that a workload does not measure included */
	_METRIC_MAX,
	/* From here on: hit ratios of the workloads, in their order. */
	METRIC_HIT_OF = _METRIC_MAX,
	METRIC_SLOTS = METRIC_HIT_OF + WORKLOADS_MAX,
};

struct result {
	double value[METRIC_SLOTS];
};

enum relation {
	RELATION_LEAST,
	RELATION_MOST,
	RELATION_EQUAL,
};

/* One figure of one column: a bound on it, or what policy.md says of it. */
struct expectation {
	int kernel; /* -1: all that the scenario is for */
	bool agent;
	unsigned metric;
	enum relation relation;
	double value;
};

struct cgroup_line {
	char name[32];
	int parent;           /* -1: below the root */
	double max, min, low; /* times memory; 0: none */
	int class_index;
};

struct workload_line {
	char name[32];
	size_t cgroup;
	struct workload_params params;
};

/* Instead of the policy: the same command to each leaf, again and again. */
struct blind {
	uint64_t period_usec;   /* 0: the policy */
	bool force;             /* of "+" */
	bool keep;              /* "+" only while there are fewer than GENS generations */
	uint32_t evict_pages;   /* "-" of so much from the oldest generation, no "+" */
	uint32_t reclaim_pages; /* memory.reclaim of so much, no "+" */
};

/* Of "+" and "-": anon first, as the policy ages. */
#define BLIND_SWAPPINESS 200

struct scenario {
	char name[48];
	char title[100];
	uint32_t memory_pages; /* modelled ones */
	uint32_t grain;        /* pages of the kernel's in each */
	double residence_sec;
	double warmup, length; /* residence times */
	double rate; /* accesses a second for each page of memory, all workloads together */
	double swap; /* times memory */
	uint64_t tick_usec;
	struct blind blind;
	struct cost cost;
	bool kernels[SIM_KERNELS];
	bool short_form; /* runs in make check */
	unsigned metric; /* the one that the table shows */
	struct class_params classes[SIM_CLASSES_MAX];
	size_t n_classes;
	struct cgroup_line cgroups[MEMCGS_MAX];
	size_t n_cgroups;
	struct workload_line workloads[WORKLOADS_MAX];
	size_t n_workloads;
	struct expectation bounds[BOUNDS_MAX];
	size_t n_bounds;
	struct expectation references[REFERENCES_MAX];
	size_t n_references;
};

/* Ends the program with a message for a file that is no scenario. */
void scenario_read(struct scenario *ret, const char *path);

/* Prepares the workloads; their cgroups and pages are the caller's to set. What seed and scenario are
 * alike makes the same accesses, wherever they go. */
void scenario_start_workloads(const struct scenario *scenario, uint64_t seed,
			      struct workload ret[WORKLOADS_MAX]);

const char *metric_name(const struct scenario *scenario, unsigned metric);
const char *kernel_name(int kernel);

/* One run; deterministic in its arguments. trace: prints what the agent decides and why. */
void scenario_run(const struct scenario *scenario, int kernel, bool agent, uint64_t seed,
		  bool trace, struct result *ret);

#endif
