/* SPDX-License-Identifier: MIT */
/*
 * A whole lru_gen listing: which records are whose, and which must not be believed.
 *
 * A memcg is its line in the listing and the node blocks behind it. It counts as a whole or not at
 * all: where a part of it is damaged, or where another memcg has the same path, nobody can tell
 * what is true of it.
 */
#ifndef FGRECLAIM_LISTING_H
#define FGRECLAIM_LISTING_H

#include "hierarchy.h"
#include "kparse.h"

/* A namespace deeper than this is not recognised. */
#define LISTING_PREFIX_MAX 1024

enum listing_fault {
	LISTING_OK,
	LISTING_FLAWED,  /* one of its records is not whole */
	LISTING_STRAYED, /* a node block of nobody known follows it, or it is one */
	LISTING_TWICE,   /* its path is listed more than once */
	LISTING_REMOVED, /* its directory was removed; its memory is not all gone yet */
	LISTING_UNKNOWN, /* no memcg of the scan has its path: it came or went since */
	_LISTING_FAULT_MAX,
};

struct listing_entry {
	uint64_t memcg_id; /* as listed */
	const char *path;  /* inside the text, not terminated; empty: unknown, or no memcgs */
	size_t path_len;
	struct memcg *memcg; /* NULL: unknown, or no hierarchy was given */
	enum listing_fault fault;
	uint32_t n_records;
	uint32_t n_refused; /* of those: from the first fault on */
	uint32_t first_lruvec, n_lruvecs;
};

struct listing {
	struct listing_entry *entries; /* in the order of the listing */
	size_t n_entries, entries_capacity;
	struct lruvec_sample *lruvecs;
	size_t n_lruvecs, lruvecs_capacity;
	bool with_tiers;            /* keep them as well: to be set behind listing_init() */
	struct lruvec_tiers *tiers; /* one for each lruvec then */
	size_t tiers_capacity;
	unsigned refused_records; /* not understood, or of nobody known */
	/* What stands before our paths in the listing: in a cgroup namespace the top of our tree is
	 * not the top of the kernel's. Mostly empty. */
	char prefix[LISTING_PREFIX_MAX];
	size_t prefix_len;
	struct lru_gen_record *record; /* scratch */
	size_t *order;                 /* likewise: entries by path */
	size_t order_capacity;
};

int listing_init(struct listing *ret);
void listing_done(struct listing *listing);

/*
 * Takes in a listing in place of the former one. hierarchy: the scan to look paths up in, or NULL:
 * records are then judged among themselves. What is found lives as long as text and scan do.
 * Errors: -EINVAL  nothing in it looks like a listing, -ENOMEM; there are no entries then.
 */
int listing_read(struct listing *listing, const char *text, size_t len,
		 const struct hierarchy *hierarchy);

/* Of the entries that are LISTING_TWICE under the path of memcg, the one that is of its size: its
 * pages are as many as wanted_pages, but for a few batches, and those of no other entry are. NULL
 * where that is not so clear. */
const struct listing_entry *listing_settle_twice(const struct listing *listing,
						 const struct memcg *memcg, uint64_t wanted_pages);

/* A short word, such as "listed-twice". Never NULL. */
const char *listing_fault_to_string(enum listing_fault fault);

#endif
