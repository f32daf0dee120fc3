/* SPDX-License-Identifier: MIT */
/*
 * The ways through the parser of listings, held against one another. Each is the agent's own source,
 * compiled once more: kparse-general.c without the fast way, kparse-portable.c with it, but without
 * what it has for some processors only.
 */
#ifndef FGRECLAIM_TEST_KPARSE_WAYS_H
#define FGRECLAIM_TEST_KPARSE_WAYS_H

#include "kparse.h"

ssize_t kparse_lru_gen_general(const char *text, size_t len, struct lru_gen_record *record,
			       kparse_lru_gen_emit_t emit, void *userdata);
ssize_t kparse_lru_gen_portable(const char *text, size_t len, struct lru_gen_record *record,
				kparse_lru_gen_emit_t emit, void *userdata);

/* All of them, the agent's included, return the same and emit the same records, by all fields that
 * mean anything. len: up to KPARSE_WAYS_LEN. */
#define KPARSE_WAYS_LEN (1 << 18)
bool kparse_ways_agree(const char *text, size_t len);

#endif
