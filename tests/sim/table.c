/* SPDX-License-Identifier: MIT */
#include "table.h"

#include <math.h>
#include <stdio.h>

/* A reference is met within so much: hit ratios and shares by difference, others by proportion. */
#define TOLERANCE_SHARE      0.015
#define TOLERANCE_PROPORTION 0.15

struct spread {
	double mean, least, most;
};

static struct spread spread_of(const struct runs *runs, int kernel, int agent, unsigned metric)
{
	struct spread spread = {.least = INFINITY, .most = -INFINITY};

	for (unsigned seed = 0; seed < runs->n_seeds; seed++) {
		double value = runs->results[kernel][agent][seed].value[metric];

		spread.mean += value / runs->n_seeds;
		spread.least = fmin(spread.least, value);
		spread.most = fmax(spread.most, value);
	}
	return spread;
}

static bool is_share(unsigned metric)
{
	return metric == METRIC_HIT || metric == METRIC_MEMORY || metric >= METRIC_HIT_OF;
}

static bool deviates(unsigned metric, double value, double reference)
{
	if (is_share(metric))
		return fabs(value - reference) > TOLERANCE_SHARE;
	return fabs(value - reference) > TOLERANCE_PROPORTION * fabs(reference);
}

static const struct expectation *find_reference(const struct scenario *s, int kernel, bool agent,
						unsigned metric)
{
	for (size_t i = 0; i < s->n_references; i++)
		if (s->references[i].kernel == kernel && s->references[i].agent == agent &&
		    s->references[i].metric == metric)
			return &s->references[i];
	return NULL;
}

static void print_row(const struct scenario *s, const struct runs *runs, int agent, unsigned metric)
{
	bool any = false;

	printf("  %-8.8s %-6s", metric_name(s, metric), agent ? "agent" : "none");
	for (int k = 0; k < SIM_KERNELS; k++) {
		struct spread spread = spread_of(runs, k, agent, metric);

		any |= find_reference(s, k, agent, metric) != NULL;
		if (!s->kernels[k])
			continue;
		if (agent && k == 0)
			printf(" %21s", "");
		else
			printf(" %7.4g [%.4g %.4g]%*s", spread.mean, spread.least, spread.most,
			       (int)fmax(0, 11 - snprintf(NULL, 0, "%.4g%.4g", spread.least,
							  spread.most)),
			       "");
	}
	printf("\n");
	if (!any)
		return;
	printf("  %15s", "policy.md");
	for (int k = 0; k < SIM_KERNELS; k++) {
		const struct expectation *e = find_reference(s, k, agent, metric);

		if (!s->kernels[k])
			continue;
		if (!e)
			printf(" %7s%14s", "-", "");
		else
			printf(" %7.4g %-13s", e->value,
			       deviates(metric, spread_of(runs, k, agent, metric).mean, e->value)
				       ? "* deviates"
				       : "");
	}
	printf("\n");
}

/* The scenario's own metric, and what else has references. */
static bool is_shown(const struct scenario *s, unsigned metric)
{
	for (size_t i = 0; i < s->n_references; i++)
		if (s->references[i].metric == metric)
			return true;
	return metric == s->metric || metric == METRIC_PLUS;
}

void table_print(const struct scenario *s, const struct runs *runs)
{
	printf("%s: %s\n  %15s", s->name, s->title, "");
	for (int k = 0; k < SIM_KERNELS; k++)
		if (s->kernels[k])
			printf(" %-21s", kernel_name(k));
	printf("\n");
	for (unsigned metric = 0; metric < METRIC_HIT_OF + s->n_workloads; metric++)
		for (int agent = metric == METRIC_PLUS; agent < 2 && is_shown(s, metric); agent++)
			print_row(s, runs, agent, metric);
}

void figures_print(const struct scenario *s, const struct runs *runs)
{
	for (int k = 0; k < SIM_KERNELS; k++)
		for (int agent = 0; s->kernels[k] && agent < (k == 0 ? 1 : 2); agent++)
			for (unsigned metric = 0; metric < METRIC_HIT_OF + s->n_workloads;
			     metric++) {
				printf("%s %s %s %s", s->name, kernel_name(k),
				       agent ? "agent" : "none", metric_name(s, metric));
				for (unsigned seed = 0; seed < runs->n_seeds; seed++)
					printf(" %.9g",
					       runs->results[k][agent][seed].value[metric]);
				printf("\n");
			}
}

static bool holds(const struct expectation *e, double value)
{
	switch (e->relation) {
	case RELATION_LEAST:
		return value >= e->value;
	case RELATION_MOST:
		return value <= e->value;
	default:
		return value == e->value;
	}
}

unsigned bounds_check(const struct scenario *s, const struct runs *runs)
{
	static const char *const relations[] = {">=", "<=", "="};
	unsigned failures = 0;

	for (size_t i = 0; i < s->n_bounds; i++)
		for (int k = 0; k < SIM_KERNELS; k++)
			for (unsigned seed = 0; seed < runs->n_seeds; seed++) {
				const struct expectation *e = &s->bounds[i];
				double value = runs->results[k][e->agent][seed].value[e->metric];

				if (!s->kernels[k] || (e->kernel >= 0 && e->kernel != k) ||
				    (k == 0 && e->agent) || holds(e, value))
					continue;
				failures++;
				printf("%s: %s %s seed %u: %s is %g, not %s %g\n", s->name,
				       kernel_name(k), e->agent ? "agent" : "none", seed + 1,
				       metric_name(s, e->metric), value, relations[e->relation],
				       e->value);
			}
	return failures;
}
