/* SPDX-License-Identifier: MIT */
/*
 * What this host can do: probed, never guessed from a version, and never by a write that does
 * anything. Each probe keeps its evidence, for people.
 */
#ifndef FGRECLAIM_FEATURE_H
#define FGRECLAIM_FEATURE_H

#include "hierarchy.h"
#include "kparse.h"
#include "lru_gen.h"
#include "sample.h"

enum feature {
	FEATURE_CGROUP,      /* cgroup v2 with the memory controller */
	FEATURE_RECLAIM,     /* memory.reclaim can be written */
	FEATURE_SWAPPINESS,  /* ... and takes swappiness= */
	FEATURE_MGLRU,       /* MGLRU is on */
	FEATURE_LRU_GEN,     /* lru_gen can be read and written */
	FEATURE_TIERS,       /* lru_gen_full can be read */
	FEATURE_FG,          /* frequency-guided promotion in the kernel */
	FEATURE_PSI,         /* pressure stall information */
	FEATURE_SWAP,        /* a swap area */
	FEATURE_SWAP_MEMORY, /* ... and all of them are memory: zram, or zswap before them */
	FEATURE_RING,        /* io_uring */
	_FEATURE_MAX,
};

struct feature_probe {
	bool present;
	char evidence[160];
};

struct features {
	struct feature_probe probes[_FEATURE_MAX];
	enum capability capability;
};

/* hierarchy: NULL where there is none, why_not then says why. ring_error: 0 or what ring_open()
 * returned. memory.reclaim is probed with requests of 0 bytes, on one memcg, and on live trees only:
 * the files of a fixture tree are taken as they are. */
void features_probe(struct features *ret, const char *root, struct hierarchy *hierarchy,
		    const char *why_not, const struct lru_gen *lru_gen, int ring_error);

/* Looks again at what may change while the agent runs: MGLRU, debugfs and swap, and memory.reclaim as
 * long as it was not found. True if anything did. */
bool features_refresh(struct features *features, const char *root, struct hierarchy *hierarchy,
		      const struct lru_gen *lru_gen);

const char *feature_to_string(enum feature feature);
const char *capability_to_string(enum capability capability);

/* What to do about a missing feature, in a sentence; NULL if nothing is lost or nothing can be done. */
const char *feature_remedy(enum feature feature);

#endif
