/* SPDX-License-Identifier: MIT */
#ifndef FGRECLAIM_POLICY_AGING_H
#define FGRECLAIM_POLICY_AGING_H

#include "view.h"

/* Every kernel so far has room for as many generations (MAX_NR_GENS). */
#define AGING_FULL_GENS 4

/* Looks at what became of the agings asked for and at generations that came by themselves. To be
 * called for each look at a memcg that has history. */
void aging_step(struct memcg_state *state, const struct memcg_sample *sample,
		const struct snapshot *snapshot);

/* How this kernel ages, by what all memcgs together have seen. */
enum aging_rule aging_rule_of(const struct snapshot *snapshot, const struct memcg_state *states);

/* The lruvec that holds most, by which an aging of the memcg is judged; NULL without generations.
 */
const struct lruvec_sample *aging_main_lruvec(const struct memcg_view *view);

/* How far apart agings have to be for CpuBudget to pay for the walks of the last one. */
uint64_t aging_paid_usec(const struct memcg_view *view);

/* The oldest generation of file in the listing: those before it are anon's alone. Without swap the
 * kernel lets anon's stand where they are, so that a listing may begin with some. */
uint32_t aging_file_oldest(const struct lruvec_sample *lruvec);

/* Generations that an aging asked for here would find: of file alone if nothing can be swapped. */
uint32_t aging_gens(const struct memcg_view *view, const struct lruvec_sample *lruvec);

/*
 * Asks for one aging of each lruvec of the memcg, except those whose youngest generation is not
 * apart_usec old, or aging_paid_usec() if that is longer. Nothing is asked for, and false returned, if the main lruvec is one of these, or
 * would refuse: an unforced aging that is known to be refused is never asked for. Sets no verdict.
 */
bool aging_ask(const struct memcg_view *view, enum reason reason, bool force, uint64_t apart_usec,
	       struct plan *plan);

#endif
