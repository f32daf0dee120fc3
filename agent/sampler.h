/* SPDX-License-Identifier: MIT */
/*
 * From the kernel's files to one snapshot, in three steps: what is to be read is written down, then
 * it is read (reading.h), which may take its time, and then what was read is understood.
 */
#ifndef FGRECLAIM_SAMPLER_H
#define FGRECLAIM_SAMPLER_H

#include "feature.h"
#include "hierarchy.h"
#include "listing.h"
#include "reading.h"

struct sampler {
	struct reading reading;
	struct listing listing;
	struct listing full;        /* of lru_gen_full; for the tiers alone */
	struct read_cost full_cost; /* of reading it */
	bool wants_tiers;           /* somebody does; it is read if it is due */
	uint64_t now_usec;          /* of the reading under way */
	uint64_t interval_usec;     /* likewise */
	uint64_t budget_usec;       /* likewise: CPU time for the counters of all memcgs */
	uint64_t share_usec;        /* of which each may cost so much, as far as is known */
	uint64_t closed_classes;    /* of whoever runs passes: bits of classes, see struct memcg */
	uint64_t *costs_usec;       /* scratch */
	size_t costs_capacity;
	uint64_t booked_usec; /* CPU time of the last reading, that of dear memcgs spread in time */
	unsigned flawed_records; /* of the last listing: not understood, or of nobody known */
};

int sampler_init(struct sampler *ret, const char *root);
void sampler_done(struct sampler *sampler);

/*
 * Prepares sampler->reading for the memcgs of the last scan; there must be no other scan before
 * sampler_take(). Hands over each memcg's outcome since its counters were last read and starts a new
 * one. Memcgs that are too dear to be read each time are skipped now and then, so that the counters
 * of all cost budget_usec in an interval. lru_gen: NULL where MGLRU is off; tiers: lru_gen_full can be
 * read, which is done where the last plan asks for it, and as seldom as a quarter more of the budget
 * pays for. Errors: -ENOMEM.
 */
int sampler_prepare(struct sampler *sampler, const struct hierarchy *hierarchy,
		    struct lru_gen *lru_gen, bool tiers, uint64_t now_usec, uint64_t interval_usec,
		    uint64_t budget_usec);

/* In place of the reading and of sampler_take(): outcomes go back to their memcgs. */
void sampler_put_off(struct sampler *sampler);

/*
 * Makes *ret of what was read; it points into the sampler until the next sampler_prepare().
 *
 * What could not be read of a memcg is unknown in its sample; a memcg that has gone meanwhile is
 * unpopulated, one in which a write of ours was under way meanwhile is busy. Errors: -ENOMEM.
 */
int sampler_take(struct sampler *sampler, const struct hierarchy *hierarchy,
		 const struct features *features, struct snapshot *ret);

#endif
