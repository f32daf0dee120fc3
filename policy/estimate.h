/* SPDX-License-Identifier: MIT */
/*
 * What a dry run would have freed of one memcg, and what of that would have come back.
 *
 * Nothing is taken in a dry run, so that the same memory is decided about again and again: the bytes of
 * its decisions, summed up, mean nothing. Here each page is taken once, and again only after it came
 * back:
 *
 *	take	= min(decided, there - out, current - out - floor)
 *	freed	+= take,	out += take
 *
 * there is what the decision could have found: for one that takes from a generation, what that
 * one and those before it hold; for memory.reclaim, all file on the lists.
 *
 * Out in truth is nothing, so that the pages can be watched. A page that is used leaves its
 * generation for the youngest one, and no page enters one that is not among the two youngest
 * (mm/vmscan.c: folio_update_gen(), lru_gen_add_folio()). So what the generations up to the youngest
 * that was taken from have lost between two looks was used, and of that the share that would be out
 * would have come back:
 *
 *	back	= lost * out / held
 *
 * Pages that were freed, or that the kernel evicted, are lost too and count as come back: the
 * estimate is too high by these. When the kernel merges the oldest generation into the next one
 * (inc_min_seq()) the pages are followed there.
 *
 * File that is read through descriptors stays in its generation when it is used. Of that the
 * share comes back that came back of what the kernel and others evicted there of late
 * (refault.h), at once; without such evidence nobody can tell, and it is counted as unjudged.
 *
 * What only agings would show to be cold is not in it: a dry run makes none.
 */
#ifndef FGRECLAIM_POLICY_ESTIMATE_H
#define FGRECLAIM_POLICY_ESTIMATE_H

#include "plan.h"
#include "state.h"

/* Generations of nodes beyond are not followed: nothing is taken there. */
#define ESTIMATE_NODES 8

/* All zeros: nothing yet. freed_bytes is returned_bytes and out_bytes of both types together. */
struct estimate {
	uint64_t freed_bytes;
	uint64_t returned_bytes;
	uint64_t unjudged_bytes; /* of freed_bytes: of which nobody can tell whether they would */
	uint64_t out_bytes[_LRU_TYPE_MAX];
	uint64_t held_bytes[_LRU_TYPE_MAX]; /* by the generations taken from, at the last look */
	uint64_t seqs[_LRU_TYPE_MAX][ESTIMATE_NODES]; /* the youngest of them; 0: none */
};

/* Takes what has come back since the last look. To be called for each snapshot, before the decisions made
 * of it. */
void estimate_look(struct estimate *estimate, const struct snapshot *snapshot,
		   const struct memcg_sample *sample);

/* Takes what a decision about this memcg would have. floor_bytes: protection_floor_bytes(). Returns
 * the bytes; 0 for an aging. */
uint64_t estimate_take(struct estimate *estimate, const struct snapshot *snapshot,
		       const struct memcg_state *state, const struct decision *decision,
		       uint64_t floor_bytes);

#endif
