/* SPDX-License-Identifier: MIT */
/*
 * The cache that a database keeps for itself: what the kernel sees is its misses.
 */
#include "workload.h"

#include <stdlib.h>

struct app_cache {
	uint32_t room;   /* pages that still fit */
	uint32_t n_keys; /* the list's head is node n_keys */
	uint32_t *prev, *next;
	bool *held;
};

struct app_cache *app_cache_new(uint32_t n, uint32_t n_keys)
{
	struct app_cache *cache = calloc(1, sizeof(*cache));

	if (!cache)
		abort();
	cache->room = n;
	cache->n_keys = n_keys;
	cache->prev = calloc(n_keys + 1u, sizeof(*cache->prev));
	cache->next = calloc(n_keys + 1u, sizeof(*cache->next));
	cache->held = calloc(n_keys, sizeof(*cache->held));
	if (!cache->prev || !cache->next || !cache->held)
		abort();
	cache->prev[n_keys] = cache->next[n_keys] = n_keys;
	return cache;
}

struct app_cache *app_cache_free(struct app_cache *cache)
{
	if (!cache)
		return NULL;
	free(cache->prev);
	free(cache->next);
	free(cache->held);
	free(cache);
	return NULL;
}

static void take_out(struct app_cache *cache, uint32_t key)
{
	cache->next[cache->prev[key]] = cache->next[key];
	cache->prev[cache->next[key]] = cache->prev[key];
}

bool app_cache_access(struct app_cache *cache, uint32_t key)
{
	uint32_t head = cache->n_keys;
	bool hit = cache->held[key];

	if (hit) {
		take_out(cache, key);
	} else if (cache->room > 0) {
		cache->room--;
	} else {
		cache->held[cache->prev[head]] = false;
		take_out(cache, cache->prev[head]);
	}
	cache->held[key] = true;
	cache->prev[key] = head;
	cache->next[key] = cache->next[head];
	cache->prev[cache->next[head]] = key;
	cache->next[head] = key;
	return hit;
}
