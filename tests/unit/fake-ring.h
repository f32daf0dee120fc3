/* SPDX-License-Identifier: MIT */
/*
 * A ring with a kernel behind it, in place of ring.c: what is written to memory.reclaim or lru_gen
 * is noted down, and when the test says so it takes effect on the files of a fixture and completes,
 * all in the calling thread. Defines what executor.c needs of ring.h, so the linker takes no other.
 */
#ifndef FGRECLAIM_TESTS_FAKE_RING_H
#define FGRECLAIM_TESTS_FAKE_RING_H

#include "fixture.h"
#include "ring.h"

#define FAKE_RING_SLOTS 16

struct ring {
	const struct fixture *fixture;

	/* What each write does from now on. */
	int result;           /* 0: all of it has been written */
	uint64_t freed_bytes; /* memory.current falls by so much, or what was asked if less */
	uint64_t stolen_pages;
	int submit_error;

	struct ring_request *requests[FAKE_RING_SLOTS]; /* under way, oldest first */
	unsigned n_requests, most_requests, n_writes;
	bool ended[FAKE_RING_SLOTS]; /* of these: asked to end */
	bool cancelled;              /* all are */

	/* Every write, in order: "CGROUP: TEXT;", or "lru_gen: TEXT;". */
	char log[4096];
};

void fake_ring_init(struct ring *ret, const struct fixture *fixture);

/* Completes the oldest write under way, or all that there are and those that follow from them. */
void fake_ring_complete(struct ring *ring);
void fake_ring_complete_all(struct ring *ring);

#endif
