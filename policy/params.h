/* SPDX-License-Identifier: MIT */
/*
 * What the administrator decided: global limits and one set of parameters per class. The defaults
 * and their reasons are in params.c.
 */
#ifndef FGRECLAIM_POLICY_PARAMS_H
#define FGRECLAIM_POLICY_PARAMS_H

#include "sample.h"

/* Longest name of a class, in bytes, and how many classes there may be. */
#define CLASS_NAME_MAX 40
#define CLASSES_MAX    64

/* Weight= of a memcg whose class says nothing else. */
#define WEIGHT_DEFAULT 100

enum reclaim_kind {
	RECLAIM_NONE,
	RECLAIM_FILE,
	RECLAIM_ANON,
	RECLAIM_ALL,
	_RECLAIM_KIND_MAX,
};

enum anon_policy {
	ANON_AUTO, /* only where swap is memory: zram, or zswap before the device */
	ANON_YES,
	ANON_NO,
	_ANON_POLICY_MAX,
};

struct class_params {
	char name[CLASS_NAME_MAX + 1];
	enum reclaim_kind reclaim;
	uint32_t weight;             /* 1 to 10000; 100: neither more nor less than others */
	uint64_t refault_limit_ppm;  /* per minute, of the memory that the memcg holds */
	uint64_t pressure_limit_ppm; /* memory and io "some" stall share of the time */
	uint64_t floor_bytes;        /* never below; used when floor_ppm is 0 */
	uint64_t floor_ppm;          /* never below this share of the peak working set */
	bool protect;                /* memory.low follows the working set */
	uint64_t protect_max_ppm;    /* up to this share of the parent's limit or of RAM, above 0 */
	bool churn;                  /* forced agings may be tried where loops exceed memory */
};

struct policy_params {
	uint64_t write_max_bytes;
	uint32_t concurrency;
	uint64_t cpu_budget_ppm; /* of one core, above 0 */
	enum anon_policy anon;
	uint64_t swap_write_bytes; /* to a disk, in any 24 hours; UINT64_MAX: no limit */
	size_t n_classes;
	struct class_params classes[CLASSES_MAX];
};

/* Fills *ret with the defaults and no class. */
void params_init(struct policy_params *ret);

/* Fills *ret with the defaults of a class; name is cut at CLASS_NAME_MAX. */
void class_params_init(struct class_params *ret, const char *name);

/* The first key, such as "Floor", by which a memcg would be treated less carefully with the one class
 * than with the other; NULL: in no respect. Floors of different kinds, bytes and a share, cannot be
 * told apart and count as less careful. The text is static. */
const char *class_params_raised(const struct class_params *from, const struct class_params *to);

/* Says which rule is violated, in a sentence for the administrator, or returns NULL: all is well.
 * The text is static. */
const char *params_check(const struct policy_params *params);

const char *reclaim_kind_to_string(enum reclaim_kind kind);
/* Returns _RECLAIM_KIND_MAX for an unknown word. */
enum reclaim_kind reclaim_kind_from_string(const char *s);
const char *anon_policy_to_string(enum anon_policy policy);
/* Returns _ANON_POLICY_MAX for an unknown word. */
enum anon_policy anon_policy_from_string(const char *s);

#endif
