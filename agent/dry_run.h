/* SPDX-License-Identifier: MIT */
/*
 * The books of a dry run: what each plan would have freed, by policy/estimate.h, into the accounts of its
 * memcgs and of the whole host.
 */
#ifndef FGRECLAIM_DRY_RUN_H
#define FGRECLAIM_DRY_RUN_H

#include "memcg.h"
#include "plan.h"

/* After a plan that is not carried out. memcgs: those of the snapshot, in its order. total: of the
 * host. */
void dry_run_book(const struct snapshot *snapshot, const struct plan *plan,
		  struct memcg *const *memcgs, struct account *total);

/* After one that is: nothing is out by way of an estimate any more. */
void dry_run_end(struct memcg *const *memcgs, size_t n);

#endif
