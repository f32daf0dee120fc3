/* SPDX-License-Identifier: MIT */
/*
 * A decision in one sentence with all that made it: the verdict, what protects the cgroup, and the
 * evidence that was there to judge by.
 */
#ifndef FGRECLAIM_EXPLAIN_MEMCG_H
#define FGRECLAIM_EXPLAIN_MEMCG_H

#include "ledger.h"

/* Without a full stop, cut off to fit. What is not known is said to be. */
void explain_memcg(const struct ledger_row *row, char *buf, size_t size);

#endif
