/* SPDX-License-Identifier: MIT */
/*
 * What the policy answers: decisions to carry out, and for every memcg a verdict that explains
 * itself, the ones that are left alone included. Output types only.
 */
#ifndef FGRECLAIM_POLICY_PLAN_H
#define FGRECLAIM_POLICY_PLAN_H

#include "reason.h"
#include "sample.h"

enum action_kind {
	ACTION_NONE,
	ACTION_AGE,     /* lru_gen "+": create a generation, look at the accessed bits */
	ACTION_EVICT,   /* lru_gen "-": take from the oldest generation */
	ACTION_RECLAIM, /* memory.reclaim */
	ACTION_PROTECT, /* memory.low; never a decision, but a verdict of its own: protect.h */
	_ACTION_MAX,
};

#define SWAPPINESS_FILE_ONLY 0
#define SWAPPINESS_ANON      200
#define SWAPPINESS_DEFAULT   UINT32_MAX /* no swappiness= in the request */

struct decision {
	size_t memcg; /* index into snapshot.memcgs */
	enum action_kind action;
	enum reason reason;
	uint32_t node; /* of the lruvec: AGE and EVICT */
	uint64_t seq;  /* AGE: max_seq, EVICT: the generation to take from */
	bool force;    /* AGE: even if the oldest generation has to be merged into the next */
	uint32_t swappiness;
	uint64_t bytes; /* EVICT and RECLAIM */
	bool to_disk;   /* EVICT: what is swapped out is written to one */
};

/* Why a memcg is treated as it is: reason, the number measured and the limit it was held against.
 * Their unit belongs to the reason (reason.h). */
struct verdict {
	enum action_kind action;
	enum reason reason;
	uint64_t measured;
	uint64_t limit;
	uint64_t bytes; /* asked for, 0 without an action */
};

struct plan {
	struct decision *decisions; /* the caller's array */
	size_t capacity;
	size_t n_decisions;
	uint64_t swap_bytes; /* that the decisions will have swapped out, */
	uint64_t disk_bytes; /* of it: to a disk */
	uint64_t next_usec;  /* when to look again: snapshot.interval_usec or sooner */
};

#endif
