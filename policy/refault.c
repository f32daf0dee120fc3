/* SPDX-License-Identifier: MIT */
/*
 * Refaults: how much of what left a memcg came back, and how fast new pages come in.
 *
 * Between two looks a memcg's file pages change by
 *	delta = new + refaulted - stolen
 * where refaulted is workingset_refault_file and stolen is pgsteal, both from memory.stat. So
 *	new = delta + stolen - refaulted
 * are pages read for the first time (or so long ago that the kernel forgot them): the footprint of
 * a stream. A working set that fits has no new pages and no refaults.
 *
 * What left and did not come back within RETURN_TAU has settled: it is counted apart, since only
 * then its not coming back means something for a set of pages that is used seldom.
 *
 * pgsteal does not tell anon from file. What we stole from anon ourselves is known, and what the
 * kernel swapped out shows in the growth of memory.swap.current: the larger of the two is
 * subtracted. Pages that were swapped in meanwhile hide as many that were swapped out, so that the
 * return share may look smaller than it is; but then there are anon refaults, which backoff.c sees.
 */
#include "refault.h"
#include "arith.h"

/* New pages decide how soon a limit is hit, so they are followed faster. */
#define INFLOW_TAU_USEC (5 * USEC_PER_SEC)

/* Evidence fades: what came back a few minutes ago says little about the pages of now. */
#define RETURN_TAU_USEC (60 * USEC_PER_SEC)

/* Settled evidence holds for as long as a job takes to be run again, say. */
#define SETTLED_TAU_USEC (600 * USEC_PER_SEC)

/* The kernel's own noise floor for a tier is 64 refaults (MIN_LRU_BATCH); twice that to judge. */
#define REFAULT_EVIDENCE_PAGES 128

/* memory.stat may lag by 64 events on each processor, so that the tail of our own scan can show up
 * one look late: below this many pages nobody else is said to reclaim. */
#define FOREIGN_SLACK_PAGES 512

struct refault_cost refault_cost(const struct system_sample *system)
{
	return (struct refault_cost){
		.usec = {system->swap_is_zram || system->zswap ? REFAULT_ZRAM_USEC
							       : REFAULT_DISK_USEC,
			 REFAULT_DISK_USEC},
	};
}

static void count_returns(struct memcg_state *state, uint64_t evicted, uint64_t returned)
{
	uint64_t dt_usec = state->dt_usec;
	uint64_t recent = fade(state->evicted_file_pages, dt_usec, RETURN_TAU_USEC);
	uint64_t settled = state->evicted_file_pages - recent;

	state->settled_file_pages =
		saturating_add(fade(state->settled_file_pages, dt_usec, SETTLED_TAU_USEC), settled);
	state->returned_long_file_pages = saturating_add(
		fade(state->returned_long_file_pages, dt_usec, SETTLED_TAU_USEC), returned);
	state->evicted_file_pages = saturating_add(recent, evicted);
	state->returned_file_pages = saturating_add(
		fade(state->returned_file_pages, dt_usec, RETURN_TAU_USEC), returned);
}

void refault_step(struct memcg_state *state, const struct memcg_sample *sample, uint64_t now_usec,
		  uint32_t page_bytes)
{
	const struct memcg_counters *last = &state->last;
	uint64_t dt_usec = state->dt_usec;
	uint64_t stolen = counter_delta(sample->pgsteal_pages, last->pgsteal_pages);
	uint64_t own_pages = saturating_add(sample->outcome.stolen_pages[LRU_ANON],
					    sample->outcome.stolen_pages[LRU_FILE]);
	uint64_t scanned = counter_delta(sample->pgscan_pages, last->pgscan_pages);
	uint64_t returned =
		counter_delta(sample->refault_pages[LRU_FILE], last->refault_pages[LRU_FILE]);

	for (int type = 0; type < _LRU_TYPE_MAX; type++) {
		uint64_t refaulted =
			counter_delta(sample->refault_pages[type], last->refault_pages[type]);

		if (is_number(refaulted))
			state->refault_mpps[type] =
				ewma(state->refault_mpps[type], rate_mpps(refaulted, dt_usec),
				     dt_usec, REFAULT_TAU_USEC);
	}

	/* While a write of ours is under way nobody can tell whose scans these are. */
	if (!sample->busy && is_number(scanned) &&
	    scanned > saturating_add(sample->outcome.scanned_pages, FOREIGN_SLACK_PAGES))
		state->foreign_usec = now_usec;
	state->foreign_pages = 0;
	if (!sample->busy && is_number(stolen) &&
	    stolen > saturating_add(own_pages, FOREIGN_SLACK_PAGES))
		state->foreign_pages = (uint32_t)min_u64(stolen - own_pages, UINT32_MAX);

	if (is_number(sample->current_bytes) && is_number(last->current_bytes)) {
		uint64_t stolen_bytes = saturating_mul(number_or(stolen, 0), page_bytes);
		uint64_t grown_bytes = saturating_sub(
			saturating_add(sample->current_bytes, stolen_bytes), last->current_bytes);

		state->growth_now_bps = mul_div(grown_bytes, USEC_PER_SEC, dt_usec);
		state->growth_bps =
			ewma(state->growth_bps, state->growth_now_bps, dt_usec, INFLOW_TAU_USEC);
	}

	/* What is not known fills nothing. */
	state->inflow_now_mpps = 0;
	if (!is_number(stolen) || !is_number(returned) || !is_number(last->file_pages) ||
	    !is_number(sample->lru_bytes[LRU_FILE]))
		return;

	uint64_t swapped_bytes =
		number_or(counter_delta(sample->swap_current_bytes, last->swap_current_bytes), 0);
	uint64_t anon_stolen =
		max_u64(sample->outcome.stolen_pages[LRU_ANON], swapped_bytes / page_bytes);
	uint64_t file_stolen = saturating_sub(stolen, anon_stolen);
	uint64_t file_pages = sample->lru_bytes[LRU_FILE] / page_bytes;
	uint64_t came = saturating_sub(saturating_add(file_pages, file_stolen), last->file_pages);

	state->inflow_now_mpps = rate_mpps(saturating_sub(came, returned), dt_usec);
	state->inflow_mpps =
		ewma(state->inflow_mpps, state->inflow_now_mpps, dt_usec, INFLOW_TAU_USEC);
	count_returns(state, file_stolen, returned);
}

static uint64_t share_ppm(uint64_t returned_pages, uint64_t evicted_pages)
{
	if (evicted_pages < REFAULT_EVIDENCE_PAGES)
		return SAMPLE_UNKNOWN;
	return min_u64(mul_div(returned_pages, PPM, evicted_pages), PPM);
}

uint64_t refault_return_ppm(const struct memcg_state *state)
{
	return share_ppm(state->returned_file_pages, state->evicted_file_pages);
}

uint64_t refault_settled_return_ppm(const struct memcg_state *state)
{
	return share_ppm(state->returned_long_file_pages, state->settled_file_pages);
}

uint64_t refault_limit_mpps(uint64_t limit_ppm_per_min, uint64_t held_bytes, uint32_t page_bytes)
{
	return mul_div(held_bytes / page_bytes, limit_ppm_per_min, PPM * 60 / 1000);
}
