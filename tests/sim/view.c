/* SPDX-License-Identifier: MIT */
/*
 * Sources: mm/memcontrol.c memory_stat_format(), mm/vmscan.c lru_gen_seq_show(). A listing begins
 * at min_seq of anon until 6.13, at the smaller of both since 6.14, and shows sizes of 0 where a
 * type's oldest generation is younger.
 */
#include "view.h"
#include "arith.h"
#include "mglru.h"
#include "tier.h"

#define SWAPPINESS_LISTED 100 /* lru_gen_seq_show() asks evictable_min_seq() for this one */

static uint64_t bytes_of(const struct host *host, uint64_t pages)
{
	return is_number(pages) ? pages * host_page_bytes(host) : pages;
}

/* One task waits at a time, or several at once: some is not more than the clock ran. */
static void look_at_pressure(struct psi_total *total, uint64_t *seen_usec, uint64_t stall_usec,
			     uint64_t dt_usec)
{
	uint64_t usec = min_u64(stall_usec - *seen_usec, dt_usec);

	*seen_usec = stall_usec;
	total->some_usec += usec;
	total->full_usec += usec;
}

static void look_at_generations(struct lruvec_sample *ret, const struct host *host, size_t m)
{
	const struct lru_gen *lrugen = &host->memcgs[m].lrugen;
	uint64_t seq = mglru_evictable_min_seq(host, lrugen, SWAPPINESS_LISTED);

	*ret = (struct lruvec_sample){.n_gens = (uint32_t)(lrugen->max_seq - seq + 1)};
	for (uint32_t g = 0; g < ret->n_gens; g++, seq++)
		ret->gens[g] = (struct gen_sample){
			.seq = seq,
			.age_msec = (host->now_usec - lrugen->born_usec[gen_of(seq)]) / 1000,
			.pages = {lrugen->nr_pages[gen_of(seq)][LRU_ANON] * host->grain,
				  lrugen->nr_pages[gen_of(seq)][LRU_FILE] * host->grain},
		};
}

/* The rows of the oldest generation and of the youngest in lru_gen_full. */
static void look_at_tiers(struct lruvec_tiers *ret, const struct host *host, size_t m)
{
	const struct lru_gen *lrugen = &host->memcgs[m].lrugen;
	uint64_t grain = host->grain;

	*ret = (struct lruvec_tiers){.seq = lrugen->min_seq[LRU_FILE], .n_tiers = TIERS};
	for (uint32_t t = 0; t < TIERS; t++)
		ret->tiers[t] = (struct tier_flow){
			.refaulted_pages = lrugen->refaulted[LRU_FILE][t] * grain,
			.evicted_pages = lrugen->evicted[LRU_FILE][t] * grain,
			.protected_pages = lrugen->protected[LRU_FILE][t] * grain,
			.mean_refaulted_pages = lrugen->avg_refaulted[LRU_FILE][t] * grain,
			.mean_total_pages = lrugen->avg_total[LRU_FILE][t] * grain,
		};
}

/* As the sampler does: all of them at once, where one of them waits for it. */
static void read_tiers(struct view *view, const struct host *host, const struct memcg_state *states)
{
	bool wanted = false;

	for (size_t m = 0; m < host->n_memcgs; m++)
		wanted = wanted || states[m].wants_tiers;
	if (!host->kernel->generations || !wanted ||
	    host->now_usec - view->tiers_read_usec < TIER_READ_USEC)
		return;
	view->tiers_read_usec = host->now_usec;
	for (size_t m = 0; m < host->n_memcgs; m++) {
		view->memcgs[m].first_tiers = (uint32_t)m;
		view->memcgs[m].n_tiers = 1;
		look_at_tiers(&view->tiers[m], host, m);
	}
	view->snapshot.tiers = view->tiers;
	view->snapshot.n_tiers = host->n_memcgs;
}

static void look_at_memcg(struct view *view, const struct host *host, size_t m, int class_index)
{
	const struct memcg *memcg = &host->memcgs[m];
	const struct memcg_stat *stat = &memcg->stat;
	bool root = memcg->parent < 0;
	uint64_t active[_LRU_TYPE_MAX];

	host->kernel->active(host, m, active);
	view->memcgs[m] = (struct memcg_sample){
		.id = m + 1,
		.parent = memcg->parent,
		.class_index = class_index,
		.seen_usec = host->now_usec,
		.leaf = memcg->leaf,
		.populated = true,
		.current_bytes = root ? SAMPLE_UNKNOWN : bytes_of(host, memcg->usage_pages),
		.swap_current_bytes = root ? SAMPLE_UNKNOWN : bytes_of(host, stat->swap_pages),
		.swap_max_bytes = root ? SAMPLE_UNKNOWN : bytes_of(host, memcg->swap_max_pages),
		.min_bytes = root ? 0 : bytes_of(host, memcg->min_pages),
		.low_bytes = root ? 0 : bytes_of(host, memcg->low_pages),
		.high_bytes = SAMPLE_INFINITY,
		.max_bytes = bytes_of(host, memcg->max_pages),
		.lru_bytes = {bytes_of(host, stat->lru_pages[LRU_ANON]),
			      bytes_of(host, stat->lru_pages[LRU_FILE])},
		.active_bytes = {bytes_of(host, active[LRU_ANON]),
				 bytes_of(host, active[LRU_FILE])},
		.refault_pages = {stat->refault_pages[LRU_ANON] * host->grain,
				  stat->refault_pages[LRU_FILE] * host->grain},
		.pgscan_pages = stat->pgscan_pages * host->grain,
		.pgsteal_pages = stat->pgsteal_pages * host->grain,
		.counts_proactive = host->kernel == &kernel_m614 || host->kernel == &kernel_fg ||
				    host->kernel == &kernel_fgrd,
		.events_max = stat->events_max,
		.events_oom = stat->events_oom,
		.cpu_usec = stat->cpu_nsec / 1000,
		.psi_memory = view->memory[m],
		.psi_io = view->io[m],
	};
}

static enum capability capability_of(const struct kernel *kernel)
{
	if (!kernel->generations)
		return CAPABILITY_RECLAIM;
	return kernel == &kernel_fg || kernel == &kernel_fg612 || kernel == &kernel_fgrd
		       ? CAPABILITY_FAST_PATH
		       : CAPABILITY_TIERS;
}

void view_look(struct view *view, const struct host *host, const int *classes,
	       const struct memcg_state *states, uint64_t interval_usec)
{
	uint64_t dt_usec = host->now_usec - view->looked_usec;
	size_t n_lruvecs = 0;

	for (size_t m = 0; m < host->n_memcgs; m++) {
		const struct memcg_stat *stat = &host->memcgs[m].stat;

		look_at_pressure(&view->memory[m], &view->memory_seen_usec[m],
				 stat->memory_stall_usec, dt_usec);
		look_at_pressure(&view->io[m], &view->io_seen_usec[m], stat->io_stall_usec,
				 dt_usec);
		look_at_memcg(view, host, m, classes[m]);
		if (!host->kernel->generations)
			continue;
		view->memcgs[m].listed = true;
		view->memcgs[m].first_lruvec = (uint32_t)n_lruvecs;
		view->memcgs[m].n_lruvecs = 1;
		look_at_generations(&view->lruvecs[n_lruvecs++], host, m);
	}
	view->looked_usec = host->now_usec;
	view->snapshot = (struct snapshot){
		/* A daemon never starts at the boot of its clock; 0 is "never" to the policy. */
		.now_usec = host->now_usec + USEC_PER_MIN,
		.interval_usec = interval_usec,
		.page_bytes = KERNEL_PAGE_BYTES,
		.system =
			{
				.capability = capability_of(host->kernel),
				.reclaim_swappiness = true,
				.swap_is_zram = true,
				.swap_total_bytes = bytes_of(host, host->swap_total_pages),
				.swap_free_bytes = bytes_of(
					host, host->swap_total_pages - host->swap_used_pages),
				.ram_bytes = bytes_of(host, host->n_pages),
				.available_bytes = bytes_of(host, host->n_pages),
			},
		.memcgs = view->memcgs,
		.n_memcgs = host->n_memcgs,
		.lruvecs = view->lruvecs,
		.n_lruvecs = n_lruvecs,
	};
	read_tiers(view, host, states);
}
