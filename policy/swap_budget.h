/* SPDX-License-Identifier: MIT */
/*
 * What was written to swap on a disk, hour by hour, so that a budget for a day holds in any 24
 * hours, and not only from one midnight to the next.
 */
#ifndef FGRECLAIM_POLICY_SWAP_BUDGET_H
#define FGRECLAIM_POLICY_SWAP_BUDGET_H

#include <stdint.h>

/* 24 hours touch 25 of the clock's at most. */
#define SWAP_BUDGET_HOURS 25

/* All zeros: nothing was written yet. */
struct swap_budget {
	uint64_t hour;                             /* of the first entry, since the epoch */
	uint64_t written_bytes[SWAP_BUDGET_HOURS]; /* in that hour, the one before, ... */
};

/* now_usec: CLOCK_REALTIME, the one clock that a restart and a suspend leave alone. Where it is set
 * back, what was written grows no younger and no older; set forward, it is forgotten, as by time. */
void swap_budget_book(struct swap_budget *budget, uint64_t now_usec, uint64_t bytes);

/* Written in the last 24 hours, and up to an hour before. */
uint64_t swap_budget_written_bytes(struct swap_budget *budget, uint64_t now_usec);

#endif
