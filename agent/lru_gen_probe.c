/* SPDX-License-Identifier: MIT */
/*
 * Sources: mm/vmscan.c run_eviction() of Linux 6.1, 6.12 and 6.16: a "-" for 0 pages ends before it
 * looks for any, and generation 0 is one that has been since the memcg was made. EINVAL may also be
 * the memcg's, which has gone: only of one where a number is taken does it tell about the word.
 */
#include "lru_gen_probe.h"
#include "door.h"
#include "listing.h"
#include "macro.h"

#include <errno.h>
#include <inttypes.h>

static int ask(const struct lru_gen *lru_gen, uint64_t id, uint32_t node, const char *swappiness)
{
	char text[64];
	ssize_t n;

	snprintf(text, sizeof(text), "- %" PRIu64 " %" PRIu32 " 0 %s 0", id, node, swappiness);
	n = door_ask(lru_gen->write_fd, text);
	return n < 0 ? (int)n : 0;
}

static const struct listing_entry *find(const struct listing *listing)
{
	for (size_t i = 0; i < listing->n_entries; i++) {
		const struct listing_entry *entry = &listing->entries[i];

		if (entry->fault == LISTING_OK && entry->memcg && !entry->memcg->omitted &&
		    entry->n_lruvecs > 0)
			return entry;
	}
	return NULL;
}

static int probe(struct lru_gen *lru_gen, const struct listing *listing)
{
	const struct listing_entry *entry = find(listing);
	uint32_t node;
	int r;

	if (!entry)
		return -ENODEV;
	node = listing->lruvecs[entry->first_lruvec].node;
	r = ask(lru_gen, entry->memcg_id, node, "200");
	if (r < 0)
		return r;
	lru_gen->takes_max = ask(lru_gen, entry->memcg_id, node, "max") == 0;
	lru_gen->asked = true;
	return 0;
}

int lru_gen_probe(struct lru_gen *lru_gen, const struct hierarchy *hierarchy)
{
	_cleanup_(listing_done) struct listing listing;
	ssize_t len = lru_gen_read(lru_gen);
	int r = listing_init(&listing);

	if (r >= 0)
		r = len < 0 ? (int)len
			    : listing_read(&listing, lru_gen->text, (size_t)len, hierarchy);
	return r < 0 ? r : probe(lru_gen, &listing);
}
