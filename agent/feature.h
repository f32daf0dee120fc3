/* SPDX-License-Identifier: MIT */
/*
 * What this host can do: probed, never guessed from a version, and never by a write that does
 * anything. Each probe keeps its evidence, for people.
 */
#ifndef FGRECLAIM_FEATURE_H
#define FGRECLAIM_FEATURE_H

#include "config.h"
#include "fg_names.h"
#include "hierarchy.h"
#include "kparse.h"
#include "lru_gen.h"
#include "sample.h"
#include "swap.h"

enum feature {
	FEATURE_CGROUP,      /* cgroup v2 with the memory controller */
	FEATURE_RECLAIM,     /* memory.reclaim can be written */
	FEATURE_SWAPPINESS,  /* ... and takes swappiness= */
	FEATURE_MGLRU,       /* MGLRU is on */
	FEATURE_LRU_GEN,     /* lru_gen can be read and written */
	FEATURE_ANON_ONLY,   /* ... and takes swappiness "max" */
	FEATURE_TIERS,       /* lru_gen_full can be read */
	FEATURE_FG,          /* frequency-guided promotion in the kernel */
	FEATURE_PSI,         /* pressure stall information */
	FEATURE_SWAP,        /* a swap area */
	FEATURE_SWAP_MEMORY, /* ... and all of them are memory: zram, or zswap before them */
	FEATURE_RING,        /* io_uring */
	FEATURE_WRITES,      /* somebody to carry writes out: io_uring, or threads in its place */
	_FEATURE_MAX,
};

struct feature_probe {
	bool present;
	bool unwanted; /* missing by the administrator's own choice */
	bool unknown;  /* nothing tells, or the evidence contradicts itself: not taken as present */
	char evidence[192];
};

struct features {
	struct feature_probe probes[_FEATURE_MAX];
	struct fg_evidence fg[_FG_SOURCE_MAX]; /* each on its own */
	enum capability capability;
	uint64_t min_ttl_msec; /* of MGLRU; 0 where it has none */
	bool swap_is_zram;     /* all areas are */
	bool swap_rotates;     /* an area that is not is on a disk that rotates */
	bool zswap;            /* it is on, before all of them */
	uint64_t zswap_pool_ppm; /* what its pool may hold of the host's memory and takes more again */
};

/* Files that are looked at again and again. All zeros: not open yet. */
struct feature_files {
	struct kept_file mglru;
	struct kept_file min_ttl;
	struct kept_file zswap;
	struct kept_file zswap_percent;
	struct kept_file zswap_threshold;
	struct swap_watch swap;
};

/* What is probed. All that it points to must stay as long as it is used. */
struct feature_host {
	const char *root;
	struct hierarchy *hierarchy; /* NULL: none, and why_not says why */
	const char *why_not;
	struct lru_gen *lru_gen;
	enum ring_choice ring;    /* what the administrator wants writes to be carried out by */
	int ring_error;           /* 0, or what ring_open() returned for that */
	int uring_error;          /* what it said of io_uring */
	enum fast_path fast_path; /* what the administrator knows of the kernel */
	enum fg_verdict fg_seen;  /* what its behaviour says of FG */
	bool reclaim_lies;        /* memory.reclaim reports success and frees nothing */
	struct feature_files files;
};

void feature_files_close(struct feature_files *files);

/* memory.reclaim and lru_gen are probed with requests for nothing, on one memcg that may be touched,
 * and on live trees only: the files of a fixture tree are taken as they are. */
void features_probe(struct features *ret, struct feature_host *host);

/* Looks again at what may change while the agent runs: MGLRU, debugfs and swap, memory.reclaim as
 * long as it was not found, and whether it lies. True if anything did. */
bool features_refresh(struct features *features, struct feature_host *host);

const char *feature_to_string(enum feature feature);
const char *capability_to_string(enum capability capability);

/* What to do about a feature that is missing, in a sentence; NULL if it is there, if nothing is
 * lost or can be done, if that is how the administrator wants it, or if another one has to come
 * first. */
const char *features_remedy(const struct features *features, enum feature feature);

#endif
