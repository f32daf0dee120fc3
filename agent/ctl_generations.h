/* SPDX-License-Identifier: MIT */
/*
 * fgreclaimctl generations: a listing that has been read and judged, and its two printers.
 */
#ifndef FGRECLAIM_CTL_GENERATIONS_H
#define FGRECLAIM_CTL_GENERATIONS_H

#include "listing.h"
#include "lru_gen.h"

#include <sys/types.h>

struct generations {
	struct lru_gen lru_gen;
	size_t len; /* of lru_gen.text */
	struct listing listing;
	const struct listing_entry *shown; /* all of the same path; NULL: all of them */
	uint64_t dying;                    /* removed cgroups that are not gone yet */
};

/* Calls for each record that is to be shown, in order. last: of its entry. */
typedef void (*generations_show_t)(const struct lru_gen_record *record,
				   const struct listing_entry *entry, bool last, void *userdata);

/* all: those not to be shown too. */
void generations_walk(struct generations *generations, bool all, generations_show_t show,
		      void *userdata);

/* Why a record is not used, as a word; NULL: it is. */
const char *generations_why(const struct lru_gen_record *record, const struct listing_entry *entry);

void generations_print_table(struct generations *generations);
int generations_print_json(struct generations *generations);

#endif
