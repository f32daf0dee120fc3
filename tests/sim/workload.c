/* SPDX-License-Identifier: MIT */
/*
 * Workloads. Tables are made with floating point, once; each draw is integers alone.
 */
#include "workload.h"
#include "arith.h"

#include <math.h>
#include <stdlib.h>

static void *allocate(size_t n, size_t size)
{
	void *p = calloc(n, size);

	if (!p)
		abort();
	return p;
}

/* Vose's method: columns of equal width, each shared by two ranks at most. */
static void make_alias(struct workload *w, double *weight, uint32_t n)
{
	uint32_t *order = allocate(n, sizeof(*order));
	uint32_t small = 0, large = n;
	double sum = 0;

	for (uint32_t i = 0; i < n; i++)
		sum += weight[i];
	for (uint32_t i = n; i-- > 0;) {
		weight[i] *= n / sum;
		if (weight[i] < 1)
			order[small++] = i;
		else
			order[--large] = i;
	}
	while (small > 0 && large < n) {
		uint32_t s = order[--small], l = order[large];

		w->limit[s] = (uint32_t)(weight[s] * 0x1p32);
		w->alias[s] = l;
		weight[l] -= 1 - weight[s];
		if (weight[l] < 1) {
			large++;
			order[small++] = l;
		}
	}
	while (large < n) {
		w->limit[order[large]] = UINT32_MAX;
		w->alias[order[large]] = order[large];
		large++;
	}
	while (small > 0) {
		w->limit[order[--small]] = UINT32_MAX;
		w->alias[order[small]] = order[small];
	}
	free(order);
}

static double zipf_weight(const struct workload_params *params, uint32_t page)
{
	double first = (double)page * params->grain, sum = 0;

	for (uint32_t i = 1; i <= params->grain; i++)
		sum += pow(first + i, -params->theta);
	return sum;
}

static double population_weight(const struct workload_params *params, uint32_t page)
{
	double never = params->never * params->n_pages;
	double share;

	if (page < never)
		return 0;
	share = (page - never) / (params->n_pages - never);
	return params->slowest * pow(params->fastest / params->slowest, share);
}

static void deal(struct workload *w, uint32_t from, uint32_t n)
{
	uint32_t last = w->params.n_pages;

	for (uint32_t i = from; i < n; i++) {
		uint32_t j = i + rng_below(&w->rng, last - i);
		uint32_t page = w->page_of_rank[i];

		w->page_of_rank[i] = w->page_of_rank[j];
		w->page_of_rank[j] = page;
	}
}

void workload_init(struct workload *w, const struct workload_params *params, uint64_t seed)
{
	uint32_t n = params->n_pages;
	double *weight, sum = 0;

	*w = (struct workload){.params = *params, .rng = {seed}};
	if (params->kind == WORKLOAD_COLD)
		w->params.rate = 0;
	if (params->kind != WORKLOAD_ZIPF && params->kind != WORKLOAD_POPULATION)
		return;
	w->alias = allocate(n, sizeof(*w->alias));
	w->limit = allocate(n, sizeof(*w->limit));
	w->page_of_rank = allocate(n, sizeof(*w->page_of_rank));
	weight = allocate(n, sizeof(*weight));
	for (uint32_t i = 0; i < n; i++) {
		weight[i] = params->kind == WORKLOAD_ZIPF ? zipf_weight(params, i)
							  : population_weight(params, i);
		sum += weight[i];
		w->page_of_rank[i] = i;
	}
	if (params->kind == WORKLOAD_POPULATION)
		w->params.rate = sum;
	make_alias(w, weight, n);
	free(weight);
	deal(w, 0, n - 1);
	if (params->app_pages)
		w->app = app_cache_new(params->app_pages, n);
}

void workload_done(struct workload *w)
{
	free(w->alias);
	free(w->limit);
	free(w->page_of_rank);
	app_cache_free(w->app);
}

void workload_reset_result(struct workload *w)
{
	w->result = (struct workload_result){0};
}

static uint32_t draw(struct workload *w)
{
	uint64_t dice = rng_u64(&w->rng);
	uint32_t column = (uint32_t)(((dice >> 32) * w->params.n_pages) >> 32);
	uint32_t rank = (uint32_t)dice < w->limit[column] ? column : w->alias[column];

	return w->page_of_rank[rank];
}

static void drift(struct workload *w, uint64_t now_usec)
{
	double due = w->params.drift * w->params.n_pages * (double)now_usec / (double)USEC_PER_MIN;

	for (; (double)w->drift_done < due; w->drift_done++) {
		uint32_t a = rng_below(&w->rng, w->params.n_pages);
		uint32_t b = rng_below(&w->rng, w->params.n_pages);
		uint32_t page = w->page_of_rank[a];

		w->page_of_rank[a] = w->page_of_rank[b];
		w->page_of_rank[b] = page;
	}
}

/* A share of the ranks, drawn from all, is dealt anew among themselves. */
static void shift(struct workload *w)
{
	uint32_t n = w->params.n_pages;
	double share = w->params.shift_share;

	w->shifts_done++;
	if (share >= 1) {
		deal(w, 0, n - 1);
		return;
	}
	for (uint32_t i = 0; i < share * n / 2; i++) {
		uint32_t a = rng_below(&w->rng, n), b = rng_below(&w->rng, n);
		uint32_t page = w->page_of_rank[a];

		w->page_of_rank[a] = w->page_of_rank[b];
		w->page_of_rank[b] = page;
	}
}

/* The next page of the workload, relative to its first. */
static uint32_t next_page(struct workload *w)
{
	uint32_t page;

	switch (w->params.kind) {
	case WORKLOAD_ZIPF:
	case WORKLOAD_POPULATION:
		do
			page = draw(w);
		while (w->app && app_cache_access(w->app, page));
		return page;
	case WORKLOAD_UNIFORM:
		return rng_below(&w->rng, w->params.n_pages);
	default:
		page = w->next++;
		if (w->next == w->params.n_pages)
			w->next = 0;
		return page;
	}
}

static void change(struct workload *w, uint64_t now_usec)
{
	const struct workload_params *params = &w->params;

	if (params->drift > 0)
		drift(w, now_usec);
	if (params->shift_usec && now_usec / params->shift_usec > w->shifts_done &&
	    !(params->shift_once && w->shifts_done))
		shift(w);
}

void workload_run(struct workload *w, struct host *host, uint64_t usec)
{
	change(w, host->now_usec);
	if (w->params.kind == WORKLOAD_COLD || w->params.kind == WORKLOAD_POPULATION)
		for (; w->next < w->params.n_pages; w->next++)
			host_access(host, w->first_page + w->next);
	w->credit += w->params.rate * (double)usec / (double)USEC_PER_SEC;
	for (; w->credit >= 1; w->credit -= 1) {
		uint32_t page = w->first_page + next_page(w);

		if (w->params.kind == WORKLOAD_STREAM)
			host_forget(host, page);
		w->result.accesses++;
		w->result.hits += host_access(host, page);
	}
}
