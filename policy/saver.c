/* SPDX-License-Identifier: MIT */
/*
 * SAVER for anon: what is cold in memcgs that nobody reclaims. Age, wait, age again; evict in small steps what
 * two agings have missed; stop as soon as it comes back.
 *
 * A generation clock of width W ticks for each memcg. An aging costs a walk over its page tables
 * and is only asked for when the former one is W old and the oldest generation is empty, so that no
 * generation is ever merged into the next: a merge makes old pages look young. The kernel starts a
 * memcg with four generations, three of them empty, and refuses an unforced aging as long as four
 * exist (ERANGE): so it is forced exactly when the merge would move nothing that matters.
 *
 * W follows the refaults (width.c). Eviction takes from the oldest generation alone, anon first, as
 * much as the refaults that the class allows will pay for (credit.c), and no more than about 1 % of
 * the memcg's memory a second. Three times what is allowed backs off (backoff.c).
 *
 * The walk is paid for in the same way: with CpuBudget of 1 % the next aging comes no sooner than a
 * hundred times the time that the last one took. A working set of a terabyte takes seconds to walk.
 * And all of it waits while the agent as a whole, the kernel's work for it included, has spent more
 * than its CpuBudget: idle memory can wait, file (saver_file.c) as well as anon.
 *
 * Where an aging does harm it is never asked for: under reclaim by others (a limit, kswapd) the
 * order of file pages by access count would be lost (measured: 0 to 35 000 refaults), and where
 * file dominates there is little to be won.
 *
 * Sources: measured on Linux 6.12 in a guest, with the truth known: from the second aging on the
 * working set was right to the page 22 of 22 times. lru_gen's answers are mm/vmscan.c run_aging()
 * and run_eviction() of that kernel.
 */
#include "saver.h"
#include "aging.h"
#include "arith.h"
#include "backoff.h"
#include "credit.h"
#include "refault.h"
#include "residence.h"
#include "swap_room.h"
#include "workingset.h"

/* Not worth a walk over page tables, nor a place in anybody's attention. */
#define ANON_WORTH_BYTES (UINT64_C(8) << 20)

/* An oldest generation with fewer pages than a batch (MIN_LRU_BATCH) counts as empty, ... */
#define EMPTY_PAGES 64

/* ... and a merge may move file pages up to this share of the anon that the clock is for. */
#define MERGE_FILE_DIVISOR 8

/* The first steps are small, and each is twice the one before as long as no more comes back than
 * the class allows: a wrong guess about what is cold costs little. */
#define EVICT_FIRST_PPM_PER_SEC 2500

/* 1 % of its memory a second at most. A small memcg is not to take minutes: 8 MiB a second, but 4 %
 * at most. */
#define EVICT_PPM_PER_SEC      10000
#define EVICT_MOST_PPM_PER_SEC 40000
#define EVICT_BYTES_PER_SEC    (UINT64_C(8) << 20)

/* Why this memcg is not one for the clock. */
static bool clock_refused(const struct memcg_view *view)
{
	const struct memcg_sample *sample = view->sample;
	uint64_t anon_bytes = sample->lru_bytes[LRU_ANON];
	uint64_t file_bytes = sample->lru_bytes[LRU_FILE];

	if (!sample->listed || sample->n_lruvecs == 0) {
		view_say(view, REASON_NOT_LISTED, 0, 0);
		return true;
	}
	if (!is_number(anon_bytes) || anon_bytes < ANON_WORTH_BYTES) {
		view_say(view, REASON_LITTLE_ANON, anon_bytes, ANON_WORTH_BYTES);
		return true;
	}
	if (!is_number(file_bytes) || file_bytes > anon_bytes) {
		view_say(view, REASON_FILE_MOSTLY, anon_bytes, file_bytes);
		return true;
	}
	return false;
}

bool saver_has_clock(const struct memcg_view *view)
{
	uint64_t anon_bytes = number_or(view->sample->lru_bytes[LRU_ANON], UINT64_MAX);
	uint64_t file_bytes = number_or(view->sample->lru_bytes[LRU_FILE], 0);

	if (view->params->anon == ANON_NO || view->class->reclaim == RECLAIM_FILE ||
	    !swap_is_possible(view->snapshot, view->index))
		return false;
	return anon_bytes >= ANON_WORTH_BYTES && file_bytes <= anon_bytes;
}

static uint64_t plan_evict(const struct memcg_view *view, const struct lruvec_sample *lruvec,
			   uint64_t budget_bytes, bool to_disk, struct plan *plan)
{
	const struct gen_sample *oldest = &lruvec->gens[0];
	uint64_t cold_bytes =
		saturating_mul(number_or(oldest->pages[LRU_ANON], 0), view->snapshot->page_bytes);
	uint64_t bytes = min_u64(cold_bytes, budget_bytes);

	if (bytes < view->snapshot->page_bytes || plan->n_decisions >= plan->capacity)
		return 0;
	plan->decisions[plan->n_decisions++] = (struct decision){
		.memcg = view->index,
		.action = ACTION_EVICT,
		.reason = REASON_EVICT_COLD,
		.node = lruvec->node,
		.seq = oldest->seq,
		.swappiness = SWAPPINESS_ANON,
		.bytes = bytes,
		.to_disk = to_disk,
	};
	plan->swap_bytes = saturating_add(plan->swap_bytes, bytes);
	plan->disk_bytes = saturating_add(plan->disk_bytes, to_disk ? bytes : 0);
	return bytes;
}

/* What may be evicted for the time since the last look. */
static uint64_t evict_budget_bytes(const struct memcg_view *view)
{
	uint64_t held_bytes = view->sample->current_bytes;
	uint64_t dt_usec = view_span_usec(view->snapshot, view->state->dt_usec);
	uint64_t bytes_per_sec = max_u64(
		mul_div(held_bytes, EVICT_PPM_PER_SEC, PPM),
		min_u64(mul_div(held_bytes, EVICT_MOST_PPM_PER_SEC, PPM), EVICT_BYTES_PER_SEC));

	bytes_per_sec = min_u64(bytes_per_sec, mul_div(held_bytes, view->state->sweep_ppm, PPM));
	return mul_div(bytes_per_sec, dt_usec, USEC_PER_SEC);
}

/* What kswapd, direct reclaim or another agent took meanwhile is taken off the pace: whoever it is, a
 * memcg loses no more than that. Under a limit the kernel's reclaim is what SPLIT and this are there to
 * spare it. */
static uint64_t foreign_bytes_of(const struct memcg_view *view)
{
	if (view->state->residence.mode != RESIDENCE_FREE)
		return 0;
	return saturating_mul(view->state->foreign_pages, view->snapshot->page_bytes);
}

/* The cold generations of all its lruvecs, oldest first within the budget of this interval. */
static uint64_t evict_cold(const struct memcg_view *view, struct plan *plan)
{
	const struct snapshot *snapshot = view->snapshot;
	struct memcg_state *state = view->state;
	uint64_t refault_mpps = refault_all_mpps(state);
	uint64_t limit_mpps = refault_limit_mpps(view->class->refault_limit_ppm,
						 view->sample->current_bytes, snapshot->page_bytes);
	uint64_t budget_bytes;
	uint64_t planned_bytes = 0, unseen_usec = 0, credit_bytes, foreign_bytes, zswap_bytes;
	bool to_disk = swap_way(snapshot, view->index, plan, view->params->write_max_bytes,
				&zswap_bytes) == SWAP_DISK;

	state->sweep_ppm = saver_pace_ppm(
		state->sweep_ppm, EVICT_FIRST_PPM_PER_SEC, EVICT_MOST_PPM_PER_SEC,
		view->sample->outcome.stolen_pages[LRU_ANON], refault_mpps <= limit_mpps);
	budget_bytes = evict_budget_bytes(view);
	credit_bytes = saturating_mul(credit_anon_pages(state, limit_mpps), snapshot->page_bytes);
	foreign_bytes = foreign_bytes_of(view);
	if (credit_bytes == 0)
		return view_say(view, REASON_HOLD_REFAULT, refault_mpps, limit_mpps);
	if (foreign_bytes >= budget_bytes)
		return view_say(view, REASON_OTHERS, foreign_bytes, budget_bytes);
	budget_bytes -= foreign_bytes;
	if (view->room_bytes < snapshot->page_bytes)
		return view_say(view, REASON_FLOOR, view->sample->current_bytes, view->floor_bytes);
	if (view->quota_bytes < snapshot->page_bytes)
		return view_say(view, REASON_QUOTA, view->quota_bytes, budget_bytes);
	budget_bytes = min_u64(min_u64(budget_bytes, credit_bytes),
			       min_u64(view->room_bytes, view->quota_bytes));
	budget_bytes = min_u64(budget_bytes,
			       swap_write_room_bytes(view->params, snapshot, view->index, plan));
	for (uint32_t v = 0; v < view->sample->n_lruvecs; v++) {
		const struct lruvec_sample *lruvec =
			&snapshot->lruvecs[view->sample->first_lruvec + v];
		uint64_t lruvec_unseen_usec = workingset_unseen_usec(lruvec, 0);

		if (!workingset_is_cold(lruvec, 0) ||
		    lruvec_unseen_usec < state->age_interval_usec ||
		    number_or(lruvec->gens[0].pages[LRU_ANON], 0) <= EMPTY_PAGES)
			continue;
		unseen_usec = lruvec_unseen_usec;
		planned_bytes +=
			plan_evict(view, lruvec, budget_bytes - planned_bytes, to_disk, plan);
	}
	if (planned_bytes == 0)
		return view_say(view, REASON_NOTHING_COLD, 0, 0);
	state->verdict = (struct verdict){
		.action = ACTION_EVICT,
		.reason = REASON_EVICT_COLD,
		.measured = unseen_usec,
		.limit = state->age_interval_usec,
		.bytes = planned_bytes,
	};
	return planned_bytes;
}

/* True if an aging of this lruvec would merge nothing that matters; else the pages in the way. */
static bool oldest_is_empty(const struct lruvec_sample *lruvec, uint64_t anon_pages,
			    uint64_t *ret_in_the_way)
{
	uint64_t anon = number_or(lruvec->gens[0].pages[LRU_ANON], 0);
	uint64_t file = number_or(lruvec->gens[0].pages[LRU_FILE], 0);

	*ret_in_the_way = saturating_add(anon, file);
	return lruvec->n_gens < AGING_FULL_GENS ||
	       (anon <= EMPTY_PAGES &&
		file <= max_u64(EMPTY_PAGES, anon_pages / MERGE_FILE_DIVISOR));
}

/* Waits for the width of a generation, or to be paid for. */
static uint64_t not_due(const struct memcg_view *view, uint64_t since_usec, uint64_t due_usec)
{
	bool dear = since_usec >= view->state->age_interval_usec && since_usec < due_usec;

	return view_say(view, dear ? REASON_AGE_DEAR : REASON_AGE_NOT_DUE, since_usec, due_usec);
}

static uint64_t age(const struct memcg_view *view, struct plan *plan)
{
	const struct memcg_sample *sample = view->sample;
	struct memcg_state *state = view->state;
	uint64_t now_usec = view->snapshot->now_usec;
	uint64_t anon_pages = sample->lru_bytes[LRU_ANON] / view->snapshot->page_bytes;
	uint64_t due_usec = max_u64(state->age_interval_usec, aging_paid_usec(view));
	uint64_t youngest_usec = 0, in_the_way = 0;
	bool asked = false;

	if (state->residence.mode != RESIDENCE_FREE)
		return view_say(view, REASON_LIMIT_BOUND, state->residence.usec,
				RESIDENCE_BOUND_USEC);
	if (saver_meets_others(view))
		return 0;
	for (uint32_t v = 0; v < sample->n_lruvecs; v++) {
		const struct lruvec_sample *lruvec =
			&view->snapshot->lruvecs[sample->first_lruvec + v];
		const struct gen_sample *youngest;
		uint64_t pages;

		if (lruvec->n_gens == 0)
			continue;
		youngest = &lruvec->gens[lruvec->n_gens - 1];
		/* An aging that moved nothing (MGLRU switched off just now) is not repeated at
		 * once. */
		youngest_usec = saturating_mul(youngest->age_msec, 1000);
		if (state->aged_usec)
			youngest_usec = min_u64(youngest_usec, now_usec - state->aged_usec);
		if (youngest_usec < due_usec || plan->n_decisions >= plan->capacity)
			continue;
		if (!oldest_is_empty(lruvec, anon_pages, &pages)) {
			in_the_way = pages;
			continue;
		}
		plan->decisions[plan->n_decisions++] = (struct decision){
			.memcg = view->index,
			.action = ACTION_AGE,
			.reason = REASON_AGE,
			.node = lruvec->node,
			.seq = youngest->seq,
			.force = true,
			.swappiness = SWAPPINESS_ANON,
		};
		asked = true;
	}
	if (!asked && in_the_way)
		return view_say(view, REASON_OLDEST_HOLDS_FILE, in_the_way,
				max_u64(EMPTY_PAGES, anon_pages / MERGE_FILE_DIVISOR));
	if (!asked)
		return not_due(view, youngest_usec, due_usec);
	view_say(view, REASON_AGE, youngest_usec, due_usec);
	state->verdict.action = ACTION_AGE;
	state->aged_usec = now_usec;
	state->aging.took_usec = 0;
	return 0;
}

/* How long it has been there at least: a generation is no older than its memcg. */
static uint64_t known_usec_of(const struct memcg_view *view)
{
	uint64_t known_usec = view->sample->seen_usec;

	for (uint32_t v = 0; v < view->sample->n_lruvecs; v++) {
		const struct lruvec_sample *lruvec =
			&view->snapshot->lruvecs[view->sample->first_lruvec + v];

		if (lruvec->n_gens > 0)
			known_usec =
				max_u64(known_usec, saturating_mul(lruvec->gens[0].age_msec, 1000));
	}
	return known_usec;
}

uint64_t saver_plan(const struct memcg_view *view, struct plan *plan)
{
	struct memcg_state *state = view->state;
	uint64_t bytes, known_usec;

	if (swap_refuses_anon(view, plan) || clock_refused(view))
		return 0;
	if (backoff_holds(state, view->snapshot->now_usec, &state->verdict))
		return 0;
	if (view->snapshot->system.cpu_wait_usec > 0)
		return view_say(view, REASON_CPU_BUDGET, view->snapshot->system.cpu_wait_usec, 0);
	known_usec = known_usec_of(view);
	if (known_usec < SAVER_YOUNG_USEC) {
		age(view, plan);
		if (state->verdict.reason == REASON_AGE_NOT_DUE)
			view_say(view, REASON_YOUNG, known_usec, SAVER_YOUNG_USEC);
		return 0;
	}
	bytes = evict_cold(view, plan);
	if (state->verdict.reason != REASON_NOTHING_COLD)
		return bytes;
	return age(view, plan);
}
