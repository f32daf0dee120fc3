/* SPDX-License-Identifier: MIT */
/*
 * Carries out plans: a queue of actions, few writes at a time, one at a time for each memcg, each
 * measured before and after. What came of them ends up in memcg->outcome.
 */
#ifndef FGRECLAIM_EXECUTOR_H
#define FGRECLAIM_EXECUTOR_H

#include "actuator.h"
#include "config.h"
#include "plan.h"
#include "write_book.h"

/* ring: NULL allows dry runs only. lru_gen must outlive the executor. Errors: -ENOMEM. */
int executor_new(struct ring *ring, const struct lru_gen *lru_gen, struct executor **ret);

/* Every write must have ended: executor_stop() first. NULL is allowed; returns NULL. */
struct executor *executor_free(struct executor *executor);

/* Takes the limits from the configuration; config must stay until the next call. */
void executor_configure(struct executor *executor, const struct config *config, bool dry_run);

/* What is swapped to now; root must stay. */
void executor_follow_swap(struct executor *executor, const char *root,
			  const struct swap_summary *swap);

/* Drops what the former plan left unbegun and queues this one. memcgs: those of the snapshot that
 * the plan was made from, in the same order. */
void executor_start(struct executor *executor, const struct plan *plan,
		    struct memcg *const *memcgs);

/* Begins nothing more and asks the writes under way to end. */
void executor_stop(struct executor *executor);

/* Undoes that: the next plan is carried out. */
void executor_resume(struct executor *executor);

/* The same for memcgs that have been paused since: memcg->paused. */
void executor_pause(struct executor *executor);

/* True if a write has not ended EXECUTOR_STALL_USEC after its deadline. now_usec: CLOCK_MONOTONIC. */
bool executor_is_stalled(const struct executor *executor, uint64_t now_usec);

/* Cancelled writes have been seen to end within 1.6 s; sixteen of them, one after the other, as those
 * to lru_gen go, within half of this. */
#define EXECUTOR_STALL_USEC (60 * UINT64_C(1000000))

/* Nothing queued, nothing under way. */
bool executor_is_idle(const struct executor *executor);

/* True once memory.reclaim has reported success several times in a row without anything having been
 * freed, as Linux 6.17 and 6.18 without CONFIG_NUMA do. For good: such a kernel does not mend. */
bool executor_reclaim_lies(const struct executor *executor);

const struct executor_totals *executor_totals(const struct executor *executor);
const struct lru_gen *executor_lru_gen(const struct executor *executor);

#endif
