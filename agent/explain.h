/* SPDX-License-Identifier: MIT */
/*
 * Numbers and verdicts as people read them.
 */
#ifndef FGRECLAIM_EXPLAIN_H
#define FGRECLAIM_EXPLAIN_H

#include "plan.h"

#include <stddef.h>

/* A word: "evict". Never NULL. */
const char *action_kind_to_string(enum action_kind action);

/* One sentence without a full stop: what is done or why not, with the numbers compared. */
void explain_verdict(const struct verdict *verdict, char *buf, size_t size);

/* "96.5M", "1.2G", "512K", or "-" when unknown; returns buf. BYTES_TEXT_MAX always suffices. */
#define BYTES_TEXT_MAX 16
const char *explain_bytes(uint64_t bytes, char *buf, size_t size);

#endif
