/* SPDX-License-Identifier: MIT */
/*
 * Which words lru_gen takes, by requests that do nothing.
 */
#ifndef FGRECLAIM_LRU_GEN_PROBE_H
#define FGRECLAIM_LRU_GEN_PROBE_H

#include "hierarchy.h"
#include "lru_gen.h"

/* Asks for 0 pages of the first memcg listed that may be touched, and remembers the answer in
 * *lru_gen, which has to be open for reading and writing. Returns 0, or -errno when nothing was found
 * out: -ENODEV when nobody is listed who could be asked of, -EINVAL when that one went meanwhile,
 * -ENOMEM, and those of reading the listing. */
int lru_gen_probe(struct lru_gen *lru_gen, const struct hierarchy *hierarchy);

#endif
