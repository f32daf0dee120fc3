/* SPDX-License-Identifier: MIT */
/*
 * What is to be read, and what came of it.
 */
#include "sampler.h"
#include "array.h"
#include "arith.h"
#include "kparse.h"
#include "macro.h"
#include "residence.h"
#include "tier.h"

#include <errno.h>

/* What lru_gen_full may cost in an interval, as a part of what the counters of all memcgs may. */
#define FULL_DIVISOR 4

int sampler_init(struct sampler *ret, const char *root)
{
	int r;

	*ret = (struct sampler){.share_usec = READ_COST_ANY};
	reading_init(&ret->reading, root);
	r = listing_init(&ret->listing);
	if (r >= 0)
		r = listing_init(&ret->full);
	ret->full.with_tiers = true;
	return r;
}

void sampler_done(struct sampler *sampler)
{
	reading_done(&sampler->reading);
	listing_done(&sampler->listing);
	listing_done(&sampler->full);
	free(sampler->costs_usec);
}

/* What is to be read of a memcg. */
static void prepare_memcg(const struct sampler *sampler, const struct memcg *memcg,
			  struct memcg_sample *ret)
{
	uint64_t now_usec = sampler->now_usec;
	uint64_t read_interval_usec = read_cost_interval(memcg->cost.cpu_usec, sampler->share_usec,
							 sampler->interval_usec);

	*ret = (struct memcg_sample){
		.id = memcg->id,
		.skipped = saturating_sub(now_usec, memcg->cost.read_usec) < read_interval_usec,
		.read_interval_usec = read_interval_usec,
		.parent = memcg->parent ? (int32_t)memcg->parent->index : -1,
		.seen_usec = now_usec - memcg->first_seen_usec,
		.leaf = memcg->leaf,
		.busy = memcg->busy,
		/* Unknown until read; a file that cannot be parsed leaves them so. */
		.zswap_current_bytes = SAMPLE_UNKNOWN,
		.zswap_max_bytes = SAMPLE_UNKNOWN,
		.lru_bytes = {SAMPLE_UNKNOWN, SAMPLE_UNKNOWN},
		.active_bytes = {SAMPLE_UNKNOWN, SAMPLE_UNKNOWN},
		.unevictable_bytes = SAMPLE_UNKNOWN,
		.file_dirty_bytes = SAMPLE_UNKNOWN,
		.file_writeback_bytes = SAMPLE_UNKNOWN,
		.refault_pages = {SAMPLE_UNKNOWN, SAMPLE_UNKNOWN},
		.pgscan_pages = SAMPLE_UNKNOWN,
		.pgsteal_pages = SAMPLE_UNKNOWN,
		.events_high = SAMPLE_UNKNOWN,
		.events_max = SAMPLE_UNKNOWN,
		.events_oom = SAMPLE_UNKNOWN,
		.events_oom_kill = SAMPLE_UNKNOWN,
		.cpu_usec = SAMPLE_UNKNOWN,
		.psi_memory = {SAMPLE_UNKNOWN, SAMPLE_UNKNOWN},
		.psi_io = {SAMPLE_UNKNOWN, SAMPLE_UNKNOWN},
	};
}

/* Its counters, and with them what came of our writes: the one is not understood without the other. */
static void prepare_counters(struct memcg *memcg, struct memcg_sample *sample,
			     struct counters_reading *ret)
{
	bool may_be_idle = memcg->cost.last_usec > 0 && memcg->outcome.writes == 0 &&
			   memcg->outcome.failures == 0;

	*ret = (struct counters_reading){
		.cpu_stat = memcg->leaf && residence_is_watched(&memcg->state),
		.idle_bytes = may_be_idle ? memcg->state.last.current_bytes : SAMPLE_UNKNOWN,
	};
	sample->outcome = memcg->outcome;
	memcg->outcome = (struct outcome){0};
}

static uint64_t full_share_usec(const struct sampler *sampler)
{
	return max_u64(sampler->budget_usec / FULL_DIVISOR, 1);
}

/* What it costs sets how seldom it is read. */
static bool full_is_due(const struct sampler *sampler)
{
	const struct read_cost *cost = &sampler->full_cost;
	uint64_t apart_usec = read_cost_interval(cost->cpu_usec, full_share_usec(sampler),
						 sampler->interval_usec);

	return cost->last_usec == 0 || saturating_sub(sampler->now_usec, cost->read_usec) >=
					       max_u64(apart_usec, TIER_READ_USEC);
}

int sampler_prepare(struct sampler *sampler, const struct hierarchy *hierarchy,
		    struct lru_gen *lru_gen, bool tiers, uint64_t now_usec, uint64_t interval_usec,
		    uint64_t budget_usec)
{
	struct reading *reading = &sampler->reading;
	struct memcg *const *memcgs;
	size_t n;
	int r;

	memcgs = hierarchy_memcgs(hierarchy, &n);
	r = reading_reserve(&sampler->reading, n);
	if (r >= 0)
		r = array_reserve(sampler->costs_usec, sampler->costs_capacity, n);
	if (r < 0)
		return r;
	sampler->now_usec = now_usec;
	sampler->interval_usec = interval_usec;
	sampler->budget_usec = budget_usec;
	reading->lru_gen = lru_gen;
	reading->n_memcgs = n;
	sampler->wants_tiers = false;
	for (size_t i = 0; i < n; i++) {
		sampler->wants_tiers |= tiers && memcgs[i]->state.wants_tiers;
		reading->memcgs[i] = memcgs[i];
		prepare_memcg(sampler, memcgs[i], &reading->samples[i]);
		if (!reading->samples[i].skipped)
			prepare_counters(memcgs[i], &reading->samples[i], &reading->counters[i]);
		else
			reading->counters[i] = (struct counters_reading){0};
	}
	reading->wants_full = sampler->wants_tiers && full_is_due(sampler);
	return 0;
}

void sampler_put_off(struct sampler *sampler)
{
	const struct reading *reading = &sampler->reading;

	for (size_t i = 0; i < reading->n_memcgs; i++)
		if (!reading->samples[i].skipped)
			reading->memcgs[i]->outcome = reading->samples[i].outcome;
}

/* --- the listing */

static void take_entry(struct sampler *sampler, const struct listing_entry *entry)
{
	struct memcg_sample *sample = &sampler->reading.samples[entry->memcg->index];

	/* Gone since the scan: by then its path may have been its successor's. */
	if (entry->memcg->parent && sample->current_bytes == SAMPLE_UNKNOWN)
		return;
	entry->memcg->listing_id = entry->memcg_id;
	sample->listed = true;
	sample->first_lruvec = entry->first_lruvec;
	sample->n_lruvecs = entry->n_lruvecs;
}

/* A restarted service, whose former cgroup is listed as long as its memory is not all gone. */
static void take_twice(struct sampler *sampler, const struct memcg *memcg)
{
	const struct memcg_sample *sample = &sampler->reading.samples[memcg->index];
	const struct listing_entry *entry;
	uint64_t bytes;

	if (sample->listed || !is_number(sample->lru_bytes[LRU_ANON]) ||
	    !is_number(sample->lru_bytes[LRU_FILE]))
		return;
	bytes = saturating_add(sample->lru_bytes[LRU_ANON], sample->lru_bytes[LRU_FILE]);
	entry = listing_settle_twice(&sampler->listing, memcg,
				     bytes / (uint64_t)sysconf(_SC_PAGESIZE));
	if (entry)
		take_entry(sampler, entry);
}

static int take_listing(struct sampler *sampler, const struct hierarchy *hierarchy)
{
	const struct reading *reading = &sampler->reading;
	struct listing *listing = &sampler->listing;
	int r;

	listing->n_lruvecs = 0;
	sampler->flawed_records = 0;
	for (size_t i = 0; i < reading->n_memcgs; i++)
		reading->memcgs[i]->listing_id = LISTING_ID_NONE;
	if (!reading->lru_gen)
		return 0;
	if (reading->listing_len < 0)
		return reading->listing_len == -ENOMEM ? -ENOMEM : 0;
	r = listing_read(listing, reading->lru_gen->text, (size_t)reading->listing_len, hierarchy);
	if (r < 0)
		return r == -ENOMEM ? r : 0;
	sampler->flawed_records = listing->refused_records;
	for (size_t i = 0; i < listing->n_entries; i++) {
		const struct listing_entry *entry = &listing->entries[i];

		if (entry->fault == LISTING_OK && entry->memcg)
			take_entry(sampler, entry);
		else if (entry->fault == LISTING_TWICE && entry->memcg)
			take_twice(sampler, entry->memcg);
	}
	return 0;
}

static bool has_tiers(const struct listing *full, const struct listing_entry *entry)
{
	for (uint32_t v = 0; v < entry->n_lruvecs; v++)
		if (full->tiers[entry->first_lruvec + v].n_tiers == 0)
			return false;
	return true;
}

static int take_tiers(struct sampler *sampler, const struct hierarchy *hierarchy)
{
	const struct reading *reading = &sampler->reading;
	struct listing *full = &sampler->full;
	int r;

	full->n_lruvecs = 0;
	if (reading->full_len <= 0)
		return reading->full_len == -ENOMEM ? -ENOMEM : 0;
	r = listing_read(full, reading->full.text, (size_t)reading->full_len, hierarchy);
	if (r < 0)
		return r == -ENOMEM ? r : 0;
	for (size_t i = 0; i < full->n_entries; i++) {
		const struct listing_entry *entry = &full->entries[i];
		struct memcg_sample *sample;

		if (entry->fault != LISTING_OK || !entry->memcg || !has_tiers(full, entry))
			continue;
		sample = &sampler->reading.samples[entry->memcg->index];
		if (sample->current_bytes == SAMPLE_UNKNOWN)
			continue;
		sample->first_tiers = entry->first_lruvec;
		sample->n_tiers = entry->n_lruvecs;
	}
	return 0;
}

/* --- the cost */

/* Left out as too dear, not as idle. */
static bool is_dear(const struct memcg_sample *sample)
{
	return sample->skipped && sample->read_interval_usec > 0;
}

/* As for the counters: its share and no more is booked each time, whether it was read or not. */
static void take_full_cost(struct sampler *sampler)
{
	uint64_t spent_usec = sampler->reading.full_cpu_usec, share_usec = full_share_usec(sampler);
	struct read_cost *cost = &sampler->full_cost;
	uint64_t booked_usec = min_u64(spent_usec, share_usec);

	if (spent_usec > 0)
		read_cost_book(cost, spent_usec, sampler->now_usec);
	if (sampler->wants_tiers && cost->cpu_usec > share_usec)
		booked_usec = share_usec;
	sampler->booked_usec =
		saturating_add(saturating_sub(sampler->booked_usec, spent_usec), booked_usec);
}

/* Books what was spent, and shares the budget anew. Of what costs more than its share the share is
 * booked each time, whether it was read or not: at once it would keep all the others waiting. */
static void take_costs(struct sampler *sampler)
{
	const struct reading *reading = &sampler->reading;

	for (size_t i = 0; i < reading->n_memcgs; i++) {
		struct read_cost *cost = &reading->memcgs[i]->cost;
		uint64_t spent_usec = reading->counters[i].cpu_usec;

		if (spent_usec > 0)
			read_cost_book(cost, spent_usec, sampler->now_usec);
		sampler->costs_usec[i] =
			is_dear(&reading->samples[i]) ? cost->cpu_usec : spent_usec;
	}
	sampler->share_usec =
		read_cost_share(sampler->costs_usec, reading->n_memcgs, sampler->budget_usec);
	sampler->booked_usec = reading->cpu_usec;
	for (size_t i = 0; i < reading->n_memcgs; i++) {
		uint64_t share_usec = min_u64(sampler->costs_usec[i], sampler->share_usec);

		sampler->booked_usec =
			saturating_sub(sampler->booked_usec, reading->counters[i].cpu_usec);
		sampler->booked_usec = saturating_add(sampler->booked_usec, share_usec);
	}
	take_full_cost(sampler);
}

/* --- the whole */

/* What may have changed in our own books while the files were read. */
static void take_memcg(const struct sampler *sampler, const struct memcg *memcg,
		       struct memcg_sample *sample)
{
	sample->omitted = memcg->omitted || memcg->paused;
	sample->paused = memcg->paused && !memcg->omitted;
	sample->class_index = memcg->class_index;
	sample->closed = (memcg->class_bits & sampler->closed_classes) != 0;
	/* Of a write that began or ended meanwhile nobody knows how much of it the files showed. */
	sample->busy =
		sample->busy || memcg->busy || (!sample->skipped && memcg->outcome.writes > 0);
}

/* A pool that was full takes nothing before it has fallen to its accept_threshold_percent: what is
 * above that is no room. */
static uint64_t zswap_room_bytes(const struct features *features, const struct meminfo *meminfo)
{
	uint64_t pool_bytes =
		mul_div(number_or(meminfo->total_bytes, 0), features->zswap_pool_ppm, PPM);

	return saturating_sub(pool_bytes, number_or(meminfo->zswap_bytes, UINT64_MAX));
}

int sampler_take(struct sampler *sampler, const struct hierarchy *hierarchy,
		 const struct features *features, struct snapshot *ret)
{
	struct reading *reading = &sampler->reading;
	int r = take_listing(sampler, hierarchy);

	if (r >= 0)
		r = take_tiers(sampler, hierarchy);
	if (r < 0)
		return r;
	for (size_t i = 0; i < reading->n_memcgs; i++)
		take_memcg(sampler, reading->memcgs[i], &reading->samples[i]);
	take_costs(sampler);
	*ret = (struct snapshot){
		.now_usec = sampler->now_usec,
		.interval_usec = sampler->interval_usec,
		.read_usec = reading->took_usec,
		.page_bytes = (uint32_t)sysconf(_SC_PAGESIZE),
		.system =
			{
				.capability = features->capability,
				.reclaim_swappiness = features->probes[FEATURE_SWAPPINESS].present,
				.swap_is_zram = features->swap_is_zram,
				.zswap = features->zswap,
				.swap_rotates = features->swap_rotates,
				.zswap_room_bytes = zswap_room_bytes(features, &reading->meminfo),
				.swap_total_bytes = reading->meminfo.swap_total_bytes,
				.swap_free_bytes = reading->meminfo.swap_free_bytes,
				.ram_bytes = reading->meminfo.total_bytes,
				.available_bytes = reading->meminfo.available_bytes,
			},
		.memcgs = reading->samples,
		.n_memcgs = reading->n_memcgs,
		.lruvecs = sampler->listing.lruvecs,
		.n_lruvecs = sampler->listing.n_lruvecs,
		.tiers = sampler->full.tiers,
		.n_tiers = sampler->full.n_lruvecs,
	};
	return 0;
}
