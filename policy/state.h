/* SPDX-License-Identifier: MIT */
/*
 * What the policy remembers of one memcg from tick to tick. The caller owns it, keeps one per
 * cgroup id and hands it in beside the sample; all zeros is a memcg never seen before.
 */
#ifndef FGRECLAIM_POLICY_STATE_H
#define FGRECLAIM_POLICY_STATE_H

#include "plan.h"

/* Running totals at the last look, to take deltas from. */
struct memcg_counters {
	uint64_t refault_pages[_LRU_TYPE_MAX];
	uint64_t pgscan_pages;
	uint64_t pgsteal_pages;
	uint64_t events_max;
	uint64_t events_oom_kill;
	uint64_t psi_memory_some_usec;
	uint64_t psi_io_some_usec;
	uint64_t file_pages;
	uint64_t current_bytes;
	uint64_t swap_current_bytes;
};

/* What a memcg with a limit remembers of those that share it (targets.c). */
struct sharing {
	uint64_t fingerprint; /* of who they are; 0: no targets */
	uint64_t bound_usec;  /* when the limit was last near */
	uint64_t moved_usec;
	uint64_t moves; /* since the last judgement */
	uint64_t wait;  /* weighted usec of refault wait since then, in thousandths */
	uint64_t former_wait;
	uint64_t judged_usec;
	bool judged_before; /* former_wait is to be compared with */
	uint64_t block_usec;
	uint64_t blocked_until_usec;
};

/* advice.c */
struct advice_state {
	bool due;             /* to be said after this very plan */
	uint64_t limit_bytes; /* the lower of memory.max and memory.high, at the last look */
	uint64_t since_usec;  /* when it began to thrash there; 0: it does not */
	uint64_t told_usec;   /* when advice was last due; 0: never */
};

struct memcg_state {
	uint64_t id;
	bool primed; /* last holds counters of this memcg */
	uint64_t last_usec;
	uint64_t dt_usec; /* between the last two looks */
	struct memcg_counters last;

	/* refault.c */
	uint64_t refault_mpps[_LRU_TYPE_MAX]; /* thousandths of a page per second, averaged */
	uint64_t inflow_mpps;                 /* file pages that were not here before, likewise */
	uint64_t growth_bps;                  /* bytes charged per second, averaged */
	uint64_t evicted_file_pages;          /* fading sums: what left, */
	uint64_t returned_file_pages;         /* and what of it came back, within a minute or so; */
	uint64_t settled_file_pages;          /* what left before that, */
	uint64_t returned_long_file_pages;    /* and all that came back in ten minutes or so */
	uint64_t foreign_usec;                /* when somebody else last reclaimed here */

	/* pressure.c */
	uint64_t stall_memory_ppm;
	uint64_t stall_io_ppm;
	uint64_t baseline_memory_ppm;
	uint64_t baseline_io_ppm;

	/* workingset.c */
	uint64_t working_set_bytes; /* anon seen in use within the last agings; 0: not measured */
	uint64_t cold_bytes;

	/* protection.c */
	uint64_t peak_bytes;

	/* saver.c, width.c, credit.c */
	uint64_t age_interval_usec;
	uint64_t credit;      /* refaults allowed but not had, in thousandths; */
	uint64_t debt;        /* had but not allowed: one of the two is 0 */
	uint64_t hazard_ppb;  /* of the oldest generation in use, a second; 0: not seen yet */
	uint64_t sweep_ppm;   /* of its memory a second that is evicted at most; 0: not begun */
	uint64_t aged_usec;   /* last aging asked for */
	uint64_t widened_for; /* the hold that last widened the interval */

	/* utility.c */
	uint64_t evict_mpps;
	uint64_t return_mpps[_LRU_TYPE_MAX];
	uint64_t outstanding_pages;
	uint64_t utility;

	/* targets.c: of a sibling, and of the memcg whose limit they share */
	uint64_t target_bytes;
	uint64_t safe_target_bytes; /* to come back to */
	uint64_t grown_from_bytes;  /* target and */
	uint64_t grown_from_mpps;   /* refaults where its growth began */
	bool gives;                 /* what it holds above its target is worth more elsewhere */
	uint32_t penalty;           /* times its utility is halved */
	struct sharing sharing;

	/* backoff.c */
	uint64_t hold_until_usec;
	struct verdict hold;
	uint32_t backoffs; /* in a row: the exponent of the next hold */
	uint32_t barren;   /* rounds in a row that freed next to nothing */

	struct advice_state advice;

	struct verdict verdict;
};

#endif
