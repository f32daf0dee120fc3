/* SPDX-License-Identifier: MIT */
/*
 * From the kernel's files to one snapshot. Reads, never writes; knows which file says what.
 */
#ifndef FGRECLAIM_SAMPLER_H
#define FGRECLAIM_SAMPLER_H

#include "feature.h"
#include "hierarchy.h"
#include "listing.h"
#include "lru_gen.h"

struct sampler {
	const char *root;
	struct memcg_sample *memcgs;
	size_t n_memcgs, memcgs_capacity;
	struct listing listing;
	unsigned flawed_records; /* of the last listing: not understood, or of nobody known */
};

int sampler_init(struct sampler *ret, const char *root);
void sampler_done(struct sampler *sampler);

/*
 * Samples the host into *ret, which points into the sampler until the next call. Hands over each
 * memcg's outcome since the last snapshot and starts a new one. lru_gen: NULL where MGLRU is off.
 *
 * What cannot be read of a memcg is unknown in its sample; a memcg that has gone meanwhile is
 * unpopulated. Errors: -ENOMEM.
 */
int sampler_read(struct sampler *sampler, struct hierarchy *hierarchy, struct lru_gen *lru_gen,
		 const struct features *features, uint64_t now_usec, uint64_t interval_usec,
		 struct snapshot *ret);

#endif
