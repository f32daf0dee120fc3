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
	uint64_t events_high;
	uint64_t events_max;
	uint64_t events_oom_kill;
	uint64_t psi_memory_some_usec;
	uint64_t psi_io_some_usec;
	uint64_t file_pages;
	uint64_t current_bytes;
	uint64_t swap_current_bytes;
	uint64_t cpu_usec;
};

/* residence.c: whose law a memcg is under. */
enum residence_mode {
	RESIDENCE_FREE,   /* nobody's limit turns its memory over: SAVER */
	RESIDENCE_SHARED, /* under a limit shared with others: SPLIT on the parent */
	RESIDENCE_BOUND,  /* under its own, or alone under one: GCLK */
};

struct residence_state {
	uint64_t known_usec;   /* that the averages have seen so far */
	uint64_t steal_mpps;   /* pages evicted, in thousandths a second, averaged */
	uint64_t limit_mpps;   /* of these: for a limit's sake, by the kernel or by us */
	uint64_t usec;         /* T_res: unknown, or infinite without evictions */
	uint64_t limit_usec;   /* the same by those alone */
	uint64_t pressed_usec; /* when a limit of its own last pressed */
	uint64_t hit_usec;     /* when it was last hit; 0: never */
	enum residence_mode mode;
	bool changing; /* another mode's condition holds ... */
	enum residence_mode next_mode;
	uint64_t since_usec; /* ... since then */
};

/* progress.c: running totals at one moment, and a ring of them. */
#define PROGRESS_POINTS 32
struct progress_point {
	uint64_t now_usec;
	uint64_t cost_usec;
	uint64_t turnover_usec;
	uint64_t progress_usec;
};

struct progress_state {
	bool by_cpu;
	uint16_t n_points, next;
	struct progress_point total;
	struct progress_point points[PROGRESS_POINTS];
};

/* aging.c: what became of our agings, and what the kernel does by itself. */
struct aging_state {
	bool pending; /* asked for, and not seen yet: */
	bool was_full;
	bool refused; /* ERANGE has been answered */
	uint32_t node;
	uint64_t seq;
	uint64_t asked_usec;
	uint32_t moved;   /* agings asked for that happened */
	uint32_t unmoved; /* in a row: that did not */
	uint64_t moved_usec;

	uint64_t seen_usec; /* when seqs were summed up last; 0: never */
	uint64_t seqs;
	uint32_t n_lruvecs;
	uint32_t ours; /* agings since then */

	uint64_t took_usec; /* those asked for last, as far as they have ended */

	uint32_t aged_full;      /* unforced agings that were granted with all generations there */
	uint32_t aged_by_itself; /* generations that nobody of us asked for, under a limit */
};

/* gclk.c and churn.c */
enum gclk_phase {
	GCLK_WATCH,
	GCLK_FLUSH,
	GCLK_OBSERVE,
	GCLK_CHURN_TRIAL,
	GCLK_CHURN,
	GCLK_CHURN_PAUSE, /* to see whether it still pays */
};

struct gclk_state {
	enum reason taken_for; /* why we last took something here */
	bool under_limit;      /* the fields below belong to the present time under a limit */
	enum gclk_phase phase;
	uint32_t failures;     /* flushes in a row that made nothing better: a habit, see below */
	uint64_t began_usec;   /* of the phase */
	uint64_t entered_usec; /* came under the limit */
	uint64_t listed_usec;  /* last listing */
	uint64_t blind_since_usec; /* no judgement for so many tenths of a unit since then */
	uint32_t blind_tenths;
	enum reason flushed_for;      /* the last flush, and */
	uint64_t flushed_usec;        /* when it began; 0: none */
	uint32_t moved;               /* aging.moved when the phase began */
	bool by_cpu;                  /* what progress was measured by */
	bool has_ref;                 /* the next two are known: */
	uint64_t ref_ppm;             /* m_ref, and */
	uint64_t ref_turnover_ppm;    /* e_ref of flush.c */
	uint64_t leaked_usec;         /* when it last leaked */
	uint64_t before_ppm;          /* m before the action under observation, */
	uint64_t before_turnover_ppm; /* and what was evicted */
	uint64_t anon_usec;           /* when anon was last seen to be evicted */
	uint64_t swap_mark_bytes;     /* swapped out by then */

	/* Habits: kept when history starts over. 0: not learned yet. */
	uint64_t theta_ppm;
	uint64_t width_ppm;   /* w: units between flushes, in millionths */
	uint64_t failed_usec; /* when the last of the failures was judged */
	uint32_t churn_failures;
	uint32_t churn_late; /* looks in a row that came too late */
	uint64_t churn_failed_usec;
	uint64_t churn_period_usec; /* between two agings, while it goes on */
};

/* tier.c: file of tier 1 and above that leaves and comes back */
struct tier_state {
	uint64_t read_usec;       /* when it was last read; 0: never */
	uint64_t seqs;            /* of the oldest generations then, summed up, */
	uint64_t refaulted_pages; /* and what these had counted by then */
	uint64_t evicted_pages;
	uint32_t returned_pages; /* fading sums, of read_usec: what came back, */
	uint32_t left_pages;     /* and what left */
};

/* protection.c: of this snapshot. */
struct protection {
	uint64_t min_bytes; /* effective ones */
	uint64_t low_bytes;
	uint64_t children_min_bytes; /* what its children claim together */
	uint64_t children_low_bytes;
	uint64_t locked_bytes; /* of a leaf: what nobody can reclaim */
};

/* protect.c */
struct protect_state {
	uint64_t low_bytes;        /* what memory.low is to be; 0: whatever it is without us */
	uint64_t workingset_bytes; /* as measured last, with returned_bytes; 0: not yet */
	uint64_t returned_bytes;
	uint64_t unproven_bytes; /* new file that may never be used again, fading */
	uint64_t peak_bytes;     /* held of late, fading towards what is held */
	uint64_t wanted_bytes;   /* follows workingset_bytes */
	uint64_t followed_usec;  /* when it last did */
	uint64_t raised_usec;    /* when it was last no more than needed */
	uint64_t most_bytes;     /* of this plan: what may be had at most, */
	uint64_t asked_bytes;    /* what of it is asked for, */
	uint64_t sum_bytes;      /* what those below ask for together, */
	uint64_t others_bytes;   /* and what is protected there by others */
	struct verdict verdict;
};

/* Leaves of this snapshot, by index: see siblings.h. */
struct siblings {
	uint32_t first, last; /* of the list of a memcg */
	uint32_t next;        /* of a leaf in a list */
};

/* What a memcg with a limit remembers of those that share it (targets.c). */
struct sharing {
	uint64_t fingerprint; /* of who they are; 0: no targets */
	uint64_t bound_usec;  /* when the limit was last near */
	uint64_t moved_usec;
	uint32_t moves;     /* since the last judgement */
	bool judged_before; /* former_wait is to be compared with */
	uint64_t wait;      /* weighted usec of refault wait since then, in thousandths */
	uint64_t former_wait;
	uint64_t judged_usec;
	uint64_t block_usec;
	uint64_t blocked_until_usec;
};

/* advice.c */
enum advice_kind {
	ADVICE_NONE,
	ADVICE_THRASHES,
	ADVICE_CROWDED,
	ADVICE_CORNERED,
	_ADVICE_MAX,
};
struct advice_state {
	enum advice_kind due;             /* to be said after this very plan */
	uint64_t limit_bytes;             /* the one in question, at the last look */
	uint64_t own_bytes;               /* anon, shmem and locked pages, likewise */
	uint64_t since_usec[_ADVICE_MAX]; /* when it got into this state; 0: it is not in it */
	uint64_t told_usec[_ADVICE_MAX];  /* when this was last due; 0: never */
};

struct memcg_state {
	uint64_t id;
	bool primed;         /* last holds counters of this memcg */
	bool rebase;         /* set from outside: its history starts over at the next look */
	bool wants_tiers;    /* file may soon be taken for its limit: see tier.h */
	bool gives;          /* targets.c: what it holds above its target is worth more elsewhere */
	uint8_t file_pauses; /* saver_file.c: in a row, the exponent of the next one */
	uint32_t penalty;    /* targets.c: times its utility is halved */
	uint64_t last_usec;
	uint64_t looked_usec; /* the last look of all, that need not have read the counters */
	uint64_t dt_usec;     /* between the last two looks */
	struct memcg_counters last;

	/* refault.c */
	uint64_t refault_mpps[_LRU_TYPE_MAX]; /* thousandths of a page per second, averaged */
	uint64_t inflow_mpps;                 /* file pages that were not here before, likewise */
	uint64_t inflow_now_mpps;             /* the same since the last look alone */
	uint64_t growth_bps;                  /* bytes charged per second, averaged */
	uint64_t growth_now_bps;              /* the same since the last look alone */
	uint64_t evicted_file_pages;          /* fading sums: what left, */
	uint64_t returned_file_pages;         /* and what of it came back, within a minute or so; */
	uint64_t settled_file_pages;          /* what left before that, */
	uint64_t returned_long_file_pages;    /* and all that came back in ten minutes or so */
	uint64_t foreign_usec;                /* when somebody else last reclaimed here */
	struct tier_state tier;

	/* pressure.c */
	uint32_t stall_memory_ppm;
	uint32_t stall_io_ppm;
	uint32_t baseline_memory_ppm;
	uint32_t baseline_io_ppm;

	/* workingset.c */
	uint64_t working_set_bytes; /* anon seen in use within the last agings; 0: not measured */
	uint64_t cold_bytes;

	/* protection.c */
	uint64_t peak_bytes;
	struct protection protection;
	struct protect_state protect;

	/* saver.c, width.c, credit.c */
	uint64_t age_interval_usec;
	uint64_t aged_usec;   /* last aging asked for */
	uint64_t widened_for; /* the hold that last widened the interval */
	int64_t credit;    /* refaults allowed but not had, in thousandths; below 0: the reverse */
	uint32_t due_mpps; /* refaults that evictions bring and the average does not show yet */
	uint32_t hazard_ppb; /* of the oldest generation in use, a second; 0: not seen yet */
	uint32_t sweep_ppm;  /* of its memory a second that is evicted at most; 0: not begun */

	/* saver_file.c, credit.c */
	uint32_t file_sweep_ppm; /* likewise */
	uint32_t file_out_pages; /* that we took and that are not back, fading */
	uint32_t file_pause_until_sec;
	uint32_t mean_stall_io_ppm; /* pressure.c; averaged as refaults are */
	uint32_t foreign_pages;     /* refault.c: taken by others since the last look */

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
	struct sharing sharing;
	/* at a limit */
	struct siblings siblings;
	uint32_t n_leaves; /* below it or itself, populated and not small, in this snapshot */
	struct residence_state residence;
	struct progress_state progress;
	struct aging_state aging;
	struct gclk_state gclk;

	/* backoff.c */
	uint64_t hold_until_usec;
	struct verdict hold;
	uint32_t backoffs; /* in a row: the exponent of the next hold */
	uint32_t barren;   /* rounds in a row that freed next to nothing */

	struct advice_state advice;

	struct verdict verdict;
};

#endif
