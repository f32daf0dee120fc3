/* SPDX-License-Identifier: MIT */
/*
 * Whether a kernel promotes by frequency, judged by what it does, for hosts where neither its
 * symbols nor its BTF can be read.
 *
 * On a stock MGLRU kernel "active" in memory.stat is by definition the two youngest generations.
 * With frequency-guided promotion it is the pages with three accesses or more, wherever they are.
 */
#ifndef FGRECLAIM_FG_BEHAVIOUR_H
#define FGRECLAIM_FG_BEHAVIOUR_H

#include "sample.h"

struct fg_behaviour {
	unsigned alike;  /* looks at memcgs in which active was the two youngest */
	unsigned unlike; /* ... and in which it was clearly not */
};

enum fg_verdict {
	FG_UNDECIDED,
	FG_NO,
	FG_YES,
};

/* Takes a snapshot into account: those of its memcgs that can tell the two apart, that is hold more
 * than FG_LEAST_BYTES and a good part of them outside the two youngest generations. */
#define FG_LEAST_BYTES (UINT64_C(64) << 20)
void fg_behaviour_look(struct fg_behaviour *behaviour, const struct snapshot *snapshot);

/* Decided after a few looks that agree; undecided for ever where they do not. */
enum fg_verdict fg_behaviour_judge(const struct fg_behaviour *behaviour);

#endif
