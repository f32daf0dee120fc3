/* SPDX-License-Identifier: MIT */
/*
 * The memcgs of one scan: sorted arrays of pointers, made anew with each scan. Simpler than tables
 * that are kept up to date, ordered, and cheap: a few thousand entries at most.
 */
#include "memcg_index.h"
#include "array.h"
#include "macro.h"

#include <errno.h>
#include <string.h>

void memcg_index_done(struct memcg_index *index)
{
	free(index->memcgs);
	free(index->by_path);
	free(index->by_id);
	free(index->by_watch);
	free(index->former_by_id);
	*index = (struct memcg_index){0};
}

void memcg_index_begin(struct memcg_index *index)
{
	struct memcg **former = index->former_by_id;

	index->former_by_id = index->by_id;
	index->n_former = index->n;
	index->by_id = former;
	index->n = 0;
	index->n_by_watch = 0;
}

int memcg_index_append(struct memcg_index *index, struct memcg *memcg)
{
	if (index->n == index->capacity) {
		size_t capacity = array_capacity(index->capacity, index->n + 1);

		if (array_resize(index->memcgs, capacity) < 0 ||
		    array_resize(index->by_path, capacity) < 0 ||
		    array_resize(index->by_id, capacity) < 0 ||
		    array_resize(index->by_watch, capacity) < 0 ||
		    array_resize(index->former_by_id, capacity) < 0)
			return -ENOMEM;
		index->capacity = capacity;
	}
	memcg->index = index->n;
	index->memcgs[index->n++] = memcg;
	return 0;
}

static int compare_paths(const void *a, const void *b)
{
	return strcmp((*(struct memcg *const *)a)->path, (*(struct memcg *const *)b)->path);
}

static int compare_ids(const void *a, const void *b)
{
	uint64_t x = (*(struct memcg *const *)a)->id, y = (*(struct memcg *const *)b)->id;

	return x < y ? -1 : x > y;
}

static int compare_watches(const void *a, const void *b)
{
	int x = (*(struct memcg *const *)a)->watch, y = (*(struct memcg *const *)b)->watch;

	return x < y ? -1 : x > y;
}

static void sort(struct memcg **array, size_t n, int (*compare)(const void *, const void *))
{
	if (n)
		qsort(array, n, sizeof(*array), compare);
}

void memcg_index_end(struct memcg_index *index)
{
	for (size_t i = 0; i < index->n; i++) {
		index->by_path[i] = index->by_id[i] = index->memcgs[i];
		if (index->memcgs[i]->watch >= 0)
			index->by_watch[index->n_by_watch++] = index->memcgs[i];
	}
	sort(index->by_path, index->n, compare_paths);
	sort(index->by_id, index->n, compare_ids);
	sort(index->by_watch, index->n_by_watch, compare_watches);
}

static struct memcg *find(struct memcg *const *array, size_t n, const struct memcg *key,
			  int (*compare)(const void *, const void *))
{
	struct memcg *const *found = n ? bsearch(&key, array, n, sizeof(*array), compare) : NULL;

	return found ? *found : NULL;
}

struct memcg *memcg_index_find_former(const struct memcg_index *index, uint64_t id)
{
	const struct memcg key = {.id = id};

	return find(index->former_by_id, index->n_former, &key, compare_ids);
}

struct memcg *memcg_index_find_id(const struct memcg_index *index, uint64_t id)
{
	const struct memcg key = {.id = id};

	return find(index->by_id, index->n, &key, compare_ids);
}

struct memcg *const *memcg_index_after(const struct memcg_index *index, uint64_t id, size_t *ret_n)
{
	size_t low = 0, high = index->n;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (index->by_id[middle]->id > id)
			high = middle;
		else
			low = middle + 1;
	}
	*ret_n = index->n - low;
	return index->by_id + low;
}

struct memcg *memcg_index_find_watch(const struct memcg_index *index, int watch)
{
	const struct memcg key = {.watch = watch};

	return find(index->by_watch, index->n_by_watch, &key, compare_watches);
}

struct memcg *memcg_index_find_path(const struct memcg_index *index, const char *path, size_t len)
{
	size_t low = 0, high = index->n;

	while (low < high) {
		size_t middle = low + (high - low) / 2;
		struct memcg *memcg = index->by_path[middle];
		int order = strncmp(memcg->path, path, len);

		if (order == 0 && memcg->path[len])
			order = 1;
		if (order == 0)
			return memcg;
		if (order < 0)
			low = middle + 1;
		else
			high = middle;
	}
	return NULL;
}
