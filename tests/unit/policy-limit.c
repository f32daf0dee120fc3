/* SPDX-License-Identifier: MIT */
/*
 * The flows behind policy-limit.h.
 */
#include "policy-limit.h"
#include "arith.h"

#include <string.h>

#define FIRST_LOOK_USEC SECONDS(100000)

struct memcg_sample *limit_sample(struct limit_host *host)
{
	return &host->w.memcgs[host->job];
}

struct memcg_state *limit_state(struct limit_host *host)
{
	return &host->w.states[host->job];
}

enum reason limit_reason(struct limit_host *host)
{
	return limit_state(host)->verdict.reason;
}

uint64_t limit_usec(const struct limit_host *host)
{
	return host->w.snapshot.now_usec - host->began_usec;
}

static void list(struct limit_host *host)
{
	struct lruvec_sample *lruvec = &host->w.lruvecs[limit_sample(host)->first_lruvec];

	limit_sample(host)->listed = !host->unlisted;
	lruvec->n_gens = host->n_gens;
	for (uint32_t g = 0; g < host->n_gens; g++)
		lruvec->gens[g] = (struct gen_sample){
			.seq = host->max_seq + 1 + g - host->n_gens,
			.age_msec = (host->w.snapshot.now_usec - host->born_usec[g]) / 1000,
			.pages = {g == 0 ? limit_sample(host)->lru_bytes[LRU_ANON] / PAGE_BYTES : 0,
				  host->file_pages[g]},
		};
}

static void drop_oldest(struct limit_host *host, bool merge)
{
	if (merge)
		host->file_pages[1] += host->file_pages[0];
	host->n_gens--;
	memmove(host->file_pages, host->file_pages + 1, sizeof(host->file_pages[0]) * 3);
	memmove(host->born_usec, host->born_usec + 1, sizeof(host->born_usec[0]) * 3);
}

static void age(struct limit_host *host)
{
	if (host->n_gens == 4)
		drop_oldest(host, true);
	host->file_pages[host->n_gens] = 0;
	host->born_usec[host->n_gens++] = host->w.snapshot.now_usec;
	host->max_seq++;
}

/* What is evicted leaves the oldest generation. What is read enters the oldest that there has to be
 * up to 6.13, the youngest from 6.14 on. */
static void drain(struct limit_host *host, uint64_t pages)
{
	uint64_t least = host->kernel == KERNEL_612 ? 3 : 2;

	host->file_pages[host->kernel == KERNEL_612 ? host->n_gens - least : host->n_gens - 1] +=
		pages;
	while (pages > 0) {
		uint64_t taken = min_u64(pages, host->file_pages[0]);

		host->file_pages[0] -= taken;
		pages -= taken;
		if (host->file_pages[0] > 0)
			break;
		if (host->n_gens > least)
			drop_oldest(host, false);
		else if (host->kernel == KERNEL_614)
			age(host);
		else
			break;
	}
}

static void live(struct limit_host *host, uint64_t dt_usec)
{
	struct memcg_sample *job = limit_sample(host);
	uint64_t stolen = mul_div(host->steal, dt_usec, USEC_PER_SEC);

	if (!host->undrained)
		drain(host, stolen);
	world_scan(&host->w, host->job, stolen);
	world_steal(&host->w, host->job, stolen);
	world_refault(&host->w, host->job, LRU_FILE,
		      mul_div(host->refault_file, dt_usec, USEC_PER_SEC));
	world_refault(&host->w, host->job, LRU_ANON,
		      mul_div(host->refault_anon, dt_usec, USEC_PER_SEC));
	job->swap_current_bytes += mul_div(host->swap_out, dt_usec, USEC_PER_SEC) * PAGE_BYTES;
	job->cpu_usec = host->cpu_usec == 0
				? SAMPLE_UNKNOWN
				: number_or(job->cpu_usec, 0) +
					  mul_div(host->cpu_usec, dt_usec, USEC_PER_SEC);
	job->events_max += host->hits;
	job->outcome = (struct outcome){0};
}

static void carry_out(struct limit_host *host, const struct decision *d)
{
	struct outcome *outcome = &host->w.memcgs[d->memcg].outcome;

	if (d->memcg != host->job || d->action != ACTION_AGE)
		return;
	outcome->writes++;
	if (d->seq != host->max_seq)
		return;
	if (host->kernel == KERNEL_612 && !d->force && host->n_gens == 4) {
		outcome->refused_agings++;
		host->refused++;
		return;
	}
	outcome->agings++;
	host->agings++;
	host->forced += d->force;
	host->last_aged_usec = host->w.snapshot.now_usec;
	age(host);
	if (host->aged)
		host->aged(host);
}

static void look(struct limit_host *host)
{
	const char *why;

	list(host);
	why = world_try_plan(&host->w);
	if (why)
		world_fail(why);
	host->looks++;
	if (host->looked)
		host->looked(host);
	for (size_t d = 0; d < host->w.plan.n_decisions && !host->idle_executor; d++) {
		limit_sample(host)->outcome = (struct outcome){0};
		carry_out(host, &host->w.decisions[d]);
	}
}

void limit_run(struct limit_host *host, uint64_t usec)
{
	uint64_t end_usec = host->w.snapshot.now_usec + usec;

	while (host->w.snapshot.now_usec < end_usec) {
		uint64_t dt_usec = host->look_usec ? host->look_usec : host->w.plan.next_usec;
		struct outcome outcome;

		host->w.snapshot.now_usec += dt_usec;
		outcome = limit_sample(host)->outcome;
		live(host, dt_usec);
		limit_sample(host)->outcome = outcome;
		look(host);
		if (host->w.plan.n_decisions == 0)
			limit_sample(host)->outcome = (struct outcome){0};
	}
}

void limit_init(struct limit_host *host, enum limit_kernel kernel)
{
	memset(host, 0, sizeof(*host));
	world_init(&host->w);
	host->root = world_add(&host->w, -1, 0, 0);
	host->job = world_add(&host->w, (int)host->root, LIMIT_ANON, LIMIT_FILE);
	world_list(&host->w, host->job, (const uint64_t[]){4, 0, 0, 0});
	host->w.memcgs[host->root].current_bytes = SAMPLE_UNKNOWN;
	/* 97.5 % full: headroom would be less than what is free. */
	limit_sample(host)->max_bytes = (LIMIT_ANON + LIMIT_FILE) * 1000 / 975;
	host->kernel = kernel;
	host->steal = LIMIT_STEAL;
	host->refault_file = LIMIT_STEAL / 2;
	host->cpu_usec = 500000;
	host->hits = true;
	host->n_gens = 3;
	host->max_seq = 10;
	for (int g = 0; g < 3; g++) {
		host->file_pages[g] = LIMIT_FILE / PAGE_BYTES / 3;
		host->born_usec[g] = FIRST_LOOK_USEC - SECONDS(100 - 10 * g);
	}
	host->began_usec = host->w.snapshot.now_usec = FIRST_LOOK_USEC;
	look(host);
}
