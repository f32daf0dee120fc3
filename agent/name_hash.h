/* SPDX-License-Identifier: MIT */
/*
 * Names that stand for themselves only: each part of a path by a keyed hash. Without the key nobody
 * can try which name it was.
 */
#ifndef FGRECLAIM_NAME_HASH_H
#define FGRECLAIM_NAME_HASH_H

#include <stddef.h>
#include <stdint.h>

struct name_hash_key {
	uint64_t k[2];
};

/* SipHash-2-4: Aumasson and Bernstein, "SipHash: a fast short-input PRF", 2012. */
uint64_t name_hash(const struct name_hash_key *key, const void *bytes, size_t len);

/* "/system.slice/x.service" as "/0123456789abcdef/fedcba9876543210"; the caller's to free. NULL: no
 * memory. */
char *name_hash_path(const struct name_hash_key *key, const char *path);

#endif
