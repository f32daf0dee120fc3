/* SPDX-License-Identifier: MIT */
/*
 * The reasons a verdict can have. Behind each: what verdict.measured and verdict.limit mean.
 */
#ifndef FGRECLAIM_POLICY_REASON_H
#define FGRECLAIM_POLICY_REASON_H

enum reason {
	REASON_NONE,

	/* Not considered. */
	REASON_NO_CLASS,    /* no class matches */
	REASON_OMITTED,     /* marked by its owner, or never touched */
	REASON_PAUSED,      /* a command has paused it */
	REASON_CLASS_NONE,  /* Reclaim=none */
	REASON_HOURS,       /* outside the hours in which its class may be reclaimed from */
	REASON_INNER,       /* has children: they are looked at instead */
	REASON_OBSERVE,     /* the host allows no reclaim */
	REASON_SLOW,        /* usec that the reading took : most to act on */
	REASON_UNPOPULATED, /* no process */
	REASON_FROZEN,      /* frozen */
	REASON_BUSY,        /* a write is under way */
	REASON_NOT_READ,    /* usec since its counters were read : usec apart that they may be */
	REASON_UNKNOWN,     /* the counters that tell harm from none could not be read */
	REASON_FIRST_LOOK,  /* no former counters yet, or they were reset, or the clock jumped */
	REASON_YOUNG,       /* usec known : usec needed */
	REASON_SMALL,       /* bytes held : bytes worth looking at */

	/* Held back. */
	REASON_HOLD_REFAULT,  /* milli-pages/s refaulted : limit */
	REASON_HOLD_PRESSURE, /* ppm stalled : limit */
	REASON_HOLD_OOM,      /* OOM kills since the last look : 0 */
	REASON_HOLD_FAILED,   /* failed writes : 0 */
	REASON_HOLD_TIERS, /* ppm of the evicted file of tier 1 and above that came back : limit */
	REASON_HOLD_NO_YIELD, /* bytes freed : bytes asked */
	REASON_CPU_BUDGET,    /* usec until it has paid for what was done : 0 */
	REASON_OTHERS,        /* bytes that others took since the last look : most to go in it */
	REASON_FLOOR,         /* bytes held : floor */
	REASON_QUOTA,         /* bytes that the quotas leave : bytes wanted */

	/* Nothing to do for cold anon. */
	REASON_NO_GENERATIONS, /* no lru_gen, or MGLRU is off */
	REASON_NOT_LISTED,     /* its records were missing or torn in this scan */
	REASON_NO_SWAP,        /* bytes of swap free : bytes needed */
	REASON_ZSWAP_FULL,   /* bytes that zswap takes, and nothing may go past it : bytes needed */
	REASON_SWAP_DEVICE,  /* swap is a disk and Anon= does not allow that */
	REASON_SWAP_ROTATES, /* ... or rotates, which nothing allows */
	REASON_SWAP_BUDGET,  /* bytes written to a disk in a day : budget */
	REASON_ANON_OFF,     /* Anon=no, or the class takes file only */
	REASON_LITTLE_ANON,  /* bytes of anon : bytes worth aging for */
	REASON_FILE_MOSTLY,  /* bytes of anon : bytes of file */
	REASON_RECLAIMED,    /* usec since somebody else reclaimed here : usec of quiet needed */
	REASON_OLDEST_HOLDS_FILE, /* file pages in the oldest generation : most that a merge may move */
	REASON_AGE_NOT_DUE,       /* usec since the last aging : interval */
	REASON_AGE_DEAR,          /* usec since the last aging : interval that its cost allows */
	REASON_NOTHING_COLD,      /* pages in the oldest generation : 0 */

	/* Nothing to do for unused file. */
	REASON_LIMIT_NEAR, /* bytes free below a limit : from which it is near */
	REASON_IN_USE,     /* usec until the next trial of file that is in use throughout : 0 */

	/* Nothing to do under a limit. */
	REASON_TOO_FAST,    /* bytes it grows by a second : most that headroom can hold */
	REASON_LITTLE_FILE, /* bytes of clean file : bytes from which headroom may be taken of it */
	REASON_RETURNS,     /* ppm of the evicted file pages that came back : limit */
	REASON_NO_EVIDENCE, /* milli-pages/s newly brought in : from which it fills the limit */
	REASON_SWAPPINESS,  /* this kernel cannot reclaim file alone, and anon is not allowed */

	/* Nothing to do at a limit. */
	REASON_LIMIT_BOUND,    /* usec of residence : from which others' reclaim rules */
	REASON_LIMIT_WAIT,     /* usec since the last change : usec to wait before judging */
	REASON_STEADY,         /* ppm that refaults cost : from which to age */
	REASON_MISSES_NO_MORE, /* ppm that all it evicts would cost : from which to age */
	REASON_DIRTY,          /* bytes of dirty file : half of the file */
	REASON_FLUSH_WAIT,     /* usec since the last aging or flush : usec between two */
	REASON_FLUSH_FULL,     /* generations : room for them */
	REASON_FLUSH_FAILED,   /* agings that happened : wanted */
	REASON_OBSERVING,      /* usec since the last aging : usec of observation */
	REASON_NO_BETTER,      /* usec since the last flush was judged : usec to wait */
	REASON_FREQUENCY,      /* the kernel promotes by it, and is left to */
	REASON_FOUR,           /* generations : generations worth keeping */
	REASON_CHURN_PAUSE,    /* usec without agings : usec of the pause */
	REASON_CHURN_NO_GAIN,  /* ppm that refaults cost with agings : to be below */
	REASON_CHURN_LATE,     /* usec between two looks : usec wanted */
	REASON_UNMOVED,        /* agings in a row that did not happen : most */

	/* Action. */
	REASON_AGE,              /* usec since the last aging : interval */
	REASON_EVICT_COLD,       /* usec not seen in use : usec needed */
	REASON_UNUSED_FILE,      /* milli-pages/s refaulted : limit */
	REASON_USED_UP,          /* usec since the last aging : interval */
	REASON_HEADROOM,         /* bytes free below the limit : headroom wanted */
	REASON_TARGET,           /* bytes held : its target */
	REASON_FLUSH_REGRESSION, /* ppm that refaults cost : from which to age */
	REASON_FLUSH_ANON,       /* usec since anon was evicted : from which it is stuck */
	REASON_FLUSH_DUE,        /* usec since the last flush : interval */
	REASON_FLUSH_NEXT,       /* agings of the flush that happened : wanted */
	REASON_KEEP_FOUR,        /* generations : generations worth keeping */
	REASON_CHURN_TRIAL,      /* ppm that refaults cost before : what they may cost with it */
	REASON_CHURN,            /* ppm that refaults cost : what they cost without */

	/* Protect=auto: what memory.low follows, and what holds it below that. */
	REASON_PROTECT,        /* bytes of its working set : memory.low */
	REASON_PROTECT_MAX,    /* the same: ProtectMax= */
	REASON_PROTECT_LIMIT,  /* the same: its own memory.high or memory.max */
	REASON_PROTECT_PARENT, /* the same: what an ancestor's own memory.low grants */
	REASON_PROTECT_SHARE,  /* the same: others under the same limit ask for theirs */

	_REASON_MAX,
};

/* A short word for logs and metrics, such as "evict-cold". Never NULL. */
const char *reason_to_string(enum reason reason);

#endif
