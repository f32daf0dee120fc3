/* SPDX-License-Identifier: MIT */
/*
 * Whether a kernel promotes by frequency, judged by what it does: where neither its symbols nor its
 * BTF can be read, and against what these say, since code that is there may be off.
 *
 * On a stock MGLRU kernel "active" in memory.stat is by definition the two youngest generations.
 * With frequency-guided promotion it is the pages with three accesses or more, wherever they are.
 * Rows of anon with flows of tier 1 and above are no evidence: stock kernels have them as well, of
 * anon that came back from swap and of shared memory that is read.
 */
#ifndef FGRECLAIM_FG_BEHAVIOUR_H
#define FGRECLAIM_FG_BEHAVIOUR_H

#include "sample.h"

/* Memcgs that are remembered from look to look, by their ids. */
#define FG_BEHAVIOUR_FOLLOWED 32

/* One memcg, in pages; seqs: of the youngest generations of its lruvecs, added up. */
struct fg_look {
	uint64_t id;
	uint64_t seqs;
	uint64_t all;
	uint64_t young; /* in the two youngest generations */
};

struct fg_behaviour {
	unsigned unlike; /* looks at memcgs in which active was clearly not the two youngest */
	unsigned falls;  /* times that active fell as these did, with a new generation */
	struct fg_look alike[FG_BEHAVIOUR_FOLLOWED]; /* the last one in which they were the same */
};

enum fg_verdict {
	FG_UNDECIDED,
	FG_NO,
	FG_YES,
};

/* Takes a snapshot into account: those of its memcgs that hold more than FG_LEAST_BYTES. Only leaves
 * whose memory.stat counts what their listing does: elsewhere it has that of other memcgs in it,
 * children or dying ones. */
#define FG_LEAST_BYTES (UINT64_C(64) << 20)
void fg_behaviour_look(struct fg_behaviour *behaviour, const struct snapshot *snapshot);

/* Undecided for ever where looks do not agree. One snapshot of many memcgs can say yes, never no. */
enum fg_verdict fg_behaviour_judge(const struct fg_behaviour *behaviour);

#endif
