/* SPDX-License-Identifier: MIT */
/*
 * Agings ("+" to lru_gen): asking for them, seeing whether they happened, and finding out by that
 * how this kernel ages, which its version does not tell (distributions carry patches about).
 *
 * lru_gen answers success to a "+" that did nothing (another walk was faster; MGLRU switched off
 * just now), so that only a max_seq that has moved counts as an aging. An unforced "+" while all
 * generations exist is refused with ERANGE up to Linux 6.13 and never from 6.14 on: one refusal
 * decides for good. A few that were granted then decide the contrary; so do generations that the
 * kernel opens by itself in memcgs at their limit, which up to 6.13 it practically never does
 * (memcg reclaim stays at DEF_PRIORITY, which skips aging: none in any run measured), and from 6.14
 * on has to, every time the oldest two are used up. Under a steady load neither may show for hours;
 * but a memory.stat that tells proactive reclaim apart is of 6.15 or later. A refusal, on a kernel
 * with that alone carried back, still decides against it.
 *
 * Where the kernel promotes by frequency its own agings prove nothing: on top of 6.12 as well it
 * uses up its generations then and has to age. But to open more than it needs costs hits there
 * (measured, Zipf 0.9 over 2.5 times the memory with an unforced "+" each half of a residence time:
 * .190 refaults for each access instead of .158), while on top of 6.14 it brings some (simulated).
 * Only counters of proactive reclaim tell, then.
 *
 * Where nothing can be swapped an aging is asked for as the kernel ages there, for file alone:
 * anon's generations do not move then, and up to 6.13 they would be found full for ever.
 *
 * Sources: mm/vmscan.c run_aging(), should_run_aging() of 6.12 and of 6.14.
 */
#include "aging.h"
#include "arith.h"
#include "swap_room.h"

/* Every kernel keeps as many (MIN_NR_GENS). */
#define AGING_LEAST_GENS 2

/* The oldest generation may run empty between the listing and the write, and make room after all:
 * hardly twice. */
#define AGED_FULL_LEAST 2

/* kswapd ages on all kernels; at a limit alone so many are no accident. */
#define AGED_BY_ITSELF_LEAST 4

static uint64_t youngest_seq(const struct lruvec_sample *lruvec)
{
	return lruvec->gens[lruvec->n_gens - 1].seq;
}

static uint64_t lruvec_pages(const struct lruvec_sample *lruvec)
{
	uint64_t pages = 0;

	for (uint32_t g = 0; g < lruvec->n_gens; g++)
		for (int type = 0; type < _LRU_TYPE_MAX; type++)
			pages = saturating_add(pages, number_or(lruvec->gens[g].pages[type], 0));
	return pages;
}

/* Books the aging that was asked for, if it is known by now what became of it. */
static void settle(struct aging_state *aging, const struct memcg_sample *sample,
		   const struct snapshot *snapshot)
{
	aging->pending = false;
	for (uint32_t v = 0; v < sample->n_lruvecs; v++) {
		const struct lruvec_sample *lruvec = &snapshot->lruvecs[sample->first_lruvec + v];

		if (lruvec->node != aging->node || lruvec->n_gens == 0 ||
		    youngest_seq(lruvec) <= aging->seq)
			continue;
		aging->unmoved = 0;
		aging->moved++;
		aging->moved_usec = snapshot->now_usec;
		if (aging->was_full && aging->ours > 0)
			aging->aged_full = (uint32_t)min_u64(aging->aged_full + 1, UINT32_MAX);
		return;
	}
	aging->unmoved = (uint32_t)min_u64(aging->unmoved + 1, UINT32_MAX);
}

/* Counts the generations that came since the last listing and that nobody asked for. */
static void count_own(struct memcg_state *state, const struct memcg_sample *sample,
		      const struct snapshot *snapshot)
{
	struct aging_state *aging = &state->aging;
	bool comparable = aging->seen_usec != 0 && aging->n_lruvecs == sample->n_lruvecs &&
			  state->residence.mode != RESIDENCE_FREE;
	uint64_t seqs = 0, moved;

	for (uint32_t v = 0; v < sample->n_lruvecs; v++)
		if (snapshot->lruvecs[sample->first_lruvec + v].n_gens > 0)
			seqs = saturating_add(
				seqs, youngest_seq(&snapshot->lruvecs[sample->first_lruvec + v]));
	moved = saturating_sub(seqs, aging->seqs);
	/* More than four at once are another lruvec's numbers. */
	if (comparable && moved > aging->ours && moved <= AGING_FULL_GENS)
		aging->aged_by_itself = (uint32_t)min_u64(
			aging->aged_by_itself + (moved - aging->ours), UINT32_MAX);
	aging->seqs = seqs;
	aging->n_lruvecs = sample->n_lruvecs;
	aging->seen_usec = snapshot->now_usec;
	aging->ours = 0;
}

void aging_step(struct memcg_state *state, const struct memcg_sample *sample,
		const struct snapshot *snapshot)
{
	struct aging_state *aging = &state->aging;

	aging->ours = (uint32_t)min_u64((uint64_t)aging->ours + sample->outcome.agings, UINT32_MAX);
	if (sample->outcome.refused_agings > 0)
		aging->refused = true;
	/* A write under way may have aged and not have been counted. */
	if (sample->busy || !sample->listed)
		return;
	if (aging->pending)
		settle(aging, sample, snapshot);
	count_own(state, sample, snapshot);
}

enum aging_rule aging_rule_of(const struct snapshot *snapshot, const struct memcg_state *states)
{
	uint64_t aged_full = 0;
	bool promotes = snapshot->system.capability >= CAPABILITY_FAST_PATH;
	bool ages_by_itself = false, counts_proactive = false;

	for (size_t i = 0; i < snapshot->n_memcgs; i++) {
		const struct aging_state *aging = &states[i].aging;

		if (aging->refused)
			return AGING_REFUSES;
		aged_full += aging->aged_full;
		counts_proactive = counts_proactive || snapshot->memcgs[i].counts_proactive;
		ages_by_itself = ages_by_itself || aging->aged_by_itself >= AGED_BY_ITSELF_LEAST;
	}
	if (promotes)
		return counts_proactive ? AGING_KEEPS : AGING_UNKNOWN;
	return counts_proactive || aged_full >= AGED_FULL_LEAST || ages_by_itself ? AGING_ALWAYS
										  : AGING_UNKNOWN;
}

const struct lruvec_sample *aging_main_lruvec(const struct memcg_view *view)
{
	const struct lruvec_sample *best = NULL;

	for (uint32_t v = 0; v < view->sample->n_lruvecs; v++) {
		const struct lruvec_sample *lruvec =
			&view->snapshot->lruvecs[view->sample->first_lruvec + v];

		if (lruvec->n_gens > 0 && (!best || lruvec_pages(lruvec) > lruvec_pages(best)))
			best = lruvec;
	}
	return best;
}

uint64_t aging_paid_usec(const struct memcg_view *view)
{
	return mul_div(view->state->aging.took_usec, PPM, view->params->cpu_budget_ppm);
}

uint32_t aging_file_oldest(const struct lruvec_sample *lruvec)
{
	uint32_t g = 0;

	while (g + AGING_LEAST_GENS < lruvec->n_gens &&
	       number_or(lruvec->gens[g].pages[LRU_FILE], 0) == 0)
		g++;
	return g;
}

uint32_t aging_gens(const struct memcg_view *view, const struct lruvec_sample *lruvec)
{
	return lruvec->n_gens -
	       (swap_is_possible(view->snapshot, view->index) ? 0 : aging_file_oldest(lruvec));
}

static bool may_be_aged(const struct memcg_view *view, const struct lruvec_sample *lruvec,
			bool force, uint64_t apart_usec)
{
	if (lruvec->n_gens == 0 ||
	    saturating_mul(lruvec->gens[lruvec->n_gens - 1].age_msec, 1000) < apart_usec)
		return false;
	return force || view->aging != AGING_REFUSES || aging_gens(view, lruvec) < AGING_FULL_GENS;
}

bool aging_ask(const struct memcg_view *view, enum reason reason, bool force, uint64_t apart_usec,
	       struct plan *plan)
{
	struct aging_state *aging = &view->state->aging;
	const struct lruvec_sample *main = aging_main_lruvec(view);
	uint32_t swappiness = swap_is_possible(view->snapshot, view->index) ? SWAPPINESS_ANON
									    : SWAPPINESS_FILE_ONLY;

	apart_usec = max_u64(apart_usec, aging_paid_usec(view));
	/* All or none: judged is the memcg as a whole. */
	if (!main || !may_be_aged(view, main, force, apart_usec) ||
	    plan->capacity - plan->n_decisions < view->sample->n_lruvecs)
		return false;
	for (uint32_t v = 0; v < view->sample->n_lruvecs; v++) {
		const struct lruvec_sample *lruvec =
			&view->snapshot->lruvecs[view->sample->first_lruvec + v];

		if (!may_be_aged(view, lruvec, force, apart_usec))
			continue;
		plan->decisions[plan->n_decisions++] = (struct decision){
			.memcg = view->index,
			.action = ACTION_AGE,
			.reason = reason,
			.node = lruvec->node,
			.seq = youngest_seq(lruvec),
			.force = force,
			.swappiness = swappiness,
		};
	}
	aging->pending = true;
	aging->was_full = !force && aging_gens(view, main) >= AGING_FULL_GENS;
	aging->node = main->node;
	aging->seq = youngest_seq(main);
	aging->asked_usec = view->snapshot->now_usec;
	aging->took_usec = 0;
	return true;
}
