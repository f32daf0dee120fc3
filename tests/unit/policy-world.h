/* SPDX-License-Identifier: MIT */
/*
 * A host in memory for tests of the policy: snapshots are built by hand or by dice, plans are made,
 * and every plan is held against what no plan may ever do (policy_violation()).
 */
#ifndef FGRECLAIM_TESTS_POLICY_WORLD_H
#define FGRECLAIM_TESTS_POLICY_WORLD_H

#include "planner.h"

#define WORLD_MEMCGS_MAX  40
#define WORLD_LRUVECS_MAX 32
#define WORLD_NODES_MAX   2

#define MIB(n)     ((uint64_t)(n) << 20)
#define PAGE_BYTES UINT64_C(4096)
#define PAGES(n)   (MIB(n) / PAGE_BYTES)
#define SECONDS(n) ((uint64_t)(n)*1000000)
#define TICK_USEC  SECONDS(5)

struct policy_world {
	struct policy_params params;
	struct snapshot snapshot;
	struct memcg_sample memcgs[WORLD_MEMCGS_MAX];
	struct lruvec_sample lruvecs[WORLD_LRUVECS_MAX];
	struct lruvec_tiers tiers[WORLD_MEMCGS_MAX][WORLD_NODES_MAX];
	struct memcg_state states[WORLD_MEMCGS_MAX];
	uint64_t planned_bytes[WORLD_MEMCGS_MAX];
	struct decision decisions[WORLD_MEMCGS_MAX + WORLD_LRUVECS_MAX];
	size_t capacity; /* of plans; as much as they may need unless a test says otherwise */
	struct plan plan;
};

/* A host that can do everything, with swap in memory, one class of defaults and no memcg. */
void world_init(struct policy_world *w);

/* Adds a calm memcg of class 0 below parent (-1: none), known for an hour, and its memory to all
 * ancestors. A parent becomes an inner node. Returns its index. */
size_t world_add(struct policy_world *w, int parent, uint64_t anon_bytes, uint64_t file_bytes);

/* Appends a lruvec of four generations, 80, 60, 40 and 20 s old, with the anon MiB given, oldest
 * first. The lruvecs of one memcg must be added one after the other. */
struct lruvec_sample *world_list(struct policy_world *w, size_t i, const uint64_t *anon_mib);

/* Of one node, read at each look from now on: generation 10, four tiers, nothing counted yet. */
struct lruvec_tiers *world_tiers(struct policy_world *w, size_t i);

/* Counters of a memcg and of all its ancestors. */
void world_refault(struct policy_world *w, size_t i, enum lru_type type, uint64_t pages);
void world_scan(struct policy_world *w, size_t i, uint64_t pages);
void world_steal(struct policy_world *w, size_t i, uint64_t pages);

/* Anon pages touched for the first time: grows the memcg and all its ancestors. */
void world_touch_anon(struct policy_world *w, size_t i, uint64_t bytes);

/* File pages read in for the first time: grows the memcg and all its ancestors. */
void world_read_file(struct policy_world *w, size_t i, uint64_t bytes);

/* File pages taken out, by whomever: shrinks the memcg and all its ancestors; a scan and a steal.
 * */
void world_take_file(struct policy_world *w, size_t i, uint64_t bytes);

/* Plans at the present time. Returns NULL, or which rule the plan breaks. */
const char *world_try_plan(struct policy_world *w);

/* Fails the test. */
void world_fail(const char *why);

/* Plans one interval later, and fails the test for a rule broken. */
void world_tick(struct policy_world *w);
void world_ticks(struct policy_world *w, unsigned n);

/* Ticks after which SAVER is at its full pace with a memcg: something was evicted each time, and
 * nothing came back. */
void world_full_pace(struct policy_world *w, size_t i);

/* What the last plan decided for a memcg: the first decision, or NULL, and the bytes of all. */
const struct decision *world_decision(const struct policy_world *w, size_t i);
uint64_t world_bytes(const struct policy_world *w, size_t i);

/* What no plan may do, for a plan just made from a sound snapshot. */
const char *policy_violation(const struct policy_params *params, const struct snapshot *snapshot,
			     const struct memcg_state *states, const struct plan *plan);

#endif
