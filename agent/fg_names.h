/* SPDX-License-Identifier: MIT */
/*
 * Whether a kernel promotes by frequency, by the names that it gives away: of its symbols, and of
 * its type information (BTF).
 */
#ifndef FGRECLAIM_FG_NAMES_H
#define FGRECLAIM_FG_NAMES_H

#include "fg_behaviour.h"

/* What knows of it, best first. */
enum fg_source {
	FG_SYMBOL,    /* /proc/kallsyms */
	FG_BTF,       /* /sys/kernel/btf/vmlinux; asked only where the first does not tell */
	FG_BEHAVIOUR, /* what generations and memory.stat have in common: fg_behaviour.h */
	_FG_SOURCE_MAX,
};

/* What one of them says, and why, for people. */
struct fg_evidence {
	enum fg_verdict says;
	char why[112];
};

/* Looks names up below root, at no more than some tens of megabytes. Sets FG_SYMBOL and FG_BTF of ret;
 * undecided where nothing can be read, or what can be read is not of a kernel with MGLRU. */
void fg_names_look(const char *root, struct fg_evidence ret[_FG_SOURCE_MAX]);

/* What they say together: undecided if none knows, and if they contradict each other. */
enum fg_verdict fg_conclude(const struct fg_evidence evidence[_FG_SOURCE_MAX]);

const char *fg_source_to_string(enum fg_source source);

#endif
