/* SPDX-License-Identifier: MIT */
/*
 * sim [--short] [--figures] [--jobs=N] [--seeds=N] [--trace=KERNEL] SCENARIO...
 *
 * Runs every scenario on its kernels, without and with the agent, with every seed; prints the table;
 * exits with 1 if a bound does not hold. --short: only the scenarios marked so, one seed, measured for
 * a shorter time, no table. --figures: each figure on a line, no table, no bounds. --trace: one run of
 * each on one kernel, with the agent and the first seed, and what the policy decided; no table.
 */
#include "table.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#define SCENARIOS_MAX 64
#define JOBS_MAX      64

/* Residence times measured by the short form: enough for bounds, too few for the table. */
#define SHORT_LENGTH 25

struct options {
	bool short_form;
	bool figures; /* instead of the table: lines of SCENARIO KERNEL none|agent METRIC VALUE... */
	unsigned jobs, seeds;
	int trace; /* kernel, -1: no trace */
};

/* What the workers share. */
struct board {
	unsigned next_job;
	struct runs runs[SCENARIOS_MAX];
};

static struct scenario scenarios[SCENARIOS_MAX];
static size_t n_scenarios;

static _Noreturn void usage(void)
{
	fprintf(stderr, "usage: sim [--short] [--figures] [--jobs=N] [--seeds=N] [--trace=KERNEL] "
			"SCENARIO...\n");
	exit(2);
}

static unsigned number_of(const char *text, unsigned most)
{
	long value = strtol(text, NULL, 10);

	if (value < 1 || value > (long)most)
		usage();
	return (unsigned)value;
}

static int kernel_of(const char *name)
{
	for (int k = 0; k < SIM_KERNELS; k++)
		if (strcmp(kernel_name(k), name) == 0)
			return k;
	usage();
}

static void parse(int argc, char **argv, struct options *options)
{
	for (int i = 1; i < argc; i++) {
		if (strcmp(argv[i], "--short") == 0) {
			options->short_form = true;
			options->seeds = 1;
		} else if (strcmp(argv[i], "--figures") == 0) {
			options->figures = true;
		} else if (strncmp(argv[i], "--jobs=", 7) == 0) {
			options->jobs = number_of(argv[i] + 7, JOBS_MAX);
		} else if (strncmp(argv[i], "--seeds=", 8) == 0) {
			options->seeds = number_of(argv[i] + 8, SEEDS_MAX);
		} else if (strncmp(argv[i], "--trace=", 8) == 0) {
			options->trace = kernel_of(argv[i] + 8);
		} else if (argv[i][0] == '-' || n_scenarios == SCENARIOS_MAX) {
			usage();
		} else {
			scenario_read(&scenarios[n_scenarios], argv[i]);
			if (options->short_form)
				scenarios[n_scenarios].length = SHORT_LENGTH;
			if (!options->short_form || scenarios[n_scenarios].short_form)
				n_scenarios++;
		}
	}
	if (n_scenarios == 0)
		usage();
}

/* Jobs are numbered through scenarios, kernels, agent or not, and seeds, the longest loop first. */
static void work(struct board *board, unsigned seeds)
{
	unsigned n_jobs = (unsigned)n_scenarios * SIM_KERNELS * 2 * seeds;

	for (;;) {
		unsigned job = __atomic_fetch_add(&board->next_job, 1, __ATOMIC_RELAXED);
		unsigned seed = job % seeds, agent = job / seeds % 2;
		unsigned kernel = job / seeds / 2 % SIM_KERNELS;
		size_t s = job / seeds / 2 / SIM_KERNELS;

		if (job >= n_jobs)
			return;
		/* The first kernel is a yardstick without any interface to act on. */
		if (scenarios[s].kernels[kernel] && !(kernel == 0 && agent))
			scenario_run(&scenarios[s], (int)kernel, agent, seed + 1, false,
				     &board->runs[s].results[kernel][agent][seed]);
	}
}

static void run_all(struct board *board, const struct options *options)
{
	for (unsigned j = 0; j < options->jobs; j++) {
		pid_t pid = fork();

		if (pid < 0) {
			perror("fork");
			exit(2);
		}
		if (pid == 0) {
			work(board, options->seeds);
			exit(0);
		}
	}
	for (unsigned j = 0; j < options->jobs; j++) {
		int status;

		if (wait(&status) < 0 || status != 0) {
			fprintf(stderr, "sim: a worker failed\n");
			exit(2);
		}
	}
}

static void trace_all(int kernel)
{
	struct result result;

	for (size_t s = 0; s < n_scenarios; s++) {
		printf("%s, %s\n", scenarios[s].title, kernel_name(kernel));
		scenario_run(&scenarios[s], kernel, true, 1, true, &result);
		printf("%s %.4g\n", metric_name(&scenarios[s], scenarios[s].metric),
		       result.value[scenarios[s].metric]);
	}
}

int main(int argc, char **argv)
{
	struct options options = {.jobs = 2, .seeds = 5, .trace = -1};
	unsigned failures = 0;
	struct board *board;

	parse(argc, argv, &options);
	if (options.trace >= 0) {
		trace_all(options.trace);
		return 0;
	}
	board = mmap(NULL, sizeof(*board), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1,
		     0);
	if (board == MAP_FAILED) {
		perror("mmap");
		return 2;
	}
	run_all(board, &options);
	for (size_t s = 0; s < n_scenarios; s++) {
		board->runs[s].n_seeds = options.seeds;
		if (options.figures)
			figures_print(&scenarios[s], &board->runs[s]);
	}
	if (options.figures)
		return 0;
	if (!options.short_form)
		printf("mean [least most] of %u seeds; reference figures below; * further off than "
		       "1.5 points or 15 %%\n\n",
		       options.seeds);
	for (size_t s = 0; s < n_scenarios; s++) {
		if (!options.short_form)
			table_print(&scenarios[s], &board->runs[s]);
		failures += bounds_check(&scenarios[s], &board->runs[s]);
	}
	printf("%zu scenarios, %u bounds broken\n", n_scenarios, failures);
	return failures ? 1 : 0;
}
