/* SPDX-License-Identifier: MIT */
/*
 * The memcgs of one scan, to be found by path, by id and by watch, and those of the former scan by
 * id. Holds pointers only: who makes memcgs frees them.
 *
 * A scan is memcg_index_begin(), memcg_index_append() for each, memcg_index_end(). In between only
 * memcg_index_find_former() finds anything.
 */
#ifndef FGRECLAIM_MEMCG_INDEX_H
#define FGRECLAIM_MEMCG_INDEX_H

#include "memcg.h"

struct memcg_index {
	struct memcg **memcgs;       /* in the order appended */
	struct memcg **by_path;      /* the same, sorted */
	struct memcg **by_id;        /* likewise */
	struct memcg **by_watch;     /* likewise, those that are watched */
	struct memcg **former_by_id; /* of the former scan */
	size_t n, n_by_watch, n_former;
	size_t capacity; /* of each array */
};

void memcg_index_done(struct memcg_index *index);

void memcg_index_begin(struct memcg_index *index);

/* Sets memcg->index too. -ENOMEM leaves the scan as it was; memcg_index_end() cannot fail. */
int memcg_index_append(struct memcg_index *index, struct memcg *memcg);
void memcg_index_end(struct memcg_index *index);

/* NULL if there is none. */
struct memcg *memcg_index_find_former(const struct memcg_index *index, uint64_t id);
struct memcg *memcg_index_find_id(const struct memcg_index *index, uint64_t id);
/* Those of an id above this one, by id; *ret_n of them. */
struct memcg *const *memcg_index_after(const struct memcg_index *index, uint64_t id, size_t *ret_n);

struct memcg *memcg_index_find_watch(const struct memcg_index *index, int watch);
struct memcg *memcg_index_find_path(const struct memcg_index *index, const char *path, size_t len);

#endif
