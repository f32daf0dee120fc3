/* SPDX-License-Identifier: MIT */
/*
 * Working set by age. An aging (lru_gen "+") looks at the accessed bit of every mapped page: pages
 * found in use go to the generation that was youngest until then, and a new youngest one is made.
 * So the pages of generation g were last seen in use before generation g+1 was born, and every
 * aging since then has missed them.
 *
 * One missed aging proves little: a processor that still holds the translation in its TLB does not
 * set the bit again, and a hot page looks idle for a round (measured under emulation: a working set
 * of 100 MiB vanished for one or two agings). Two agings in a row were right 22 of 22 times.
 *
 * This holds for mapped pages, anon above all. Pages read through file descriptors do not move by
 * their accesses, so a file generation's age says nothing about use, and file is left out here.
 */
#include "workingset.h"
#include "arith.h"

bool workingset_is_cold(const struct lruvec_sample *lruvec, uint32_t index)
{
	/* Nor would lru_gen evict from the two youngest (MIN_NR_GENS). */
	return index < lruvec->n_gens && lruvec->n_gens - index > WORKINGSET_MISSED_AGINGS + 1;
}

uint64_t workingset_unseen_usec(const struct lruvec_sample *lruvec, uint32_t index)
{
	if (!workingset_is_cold(lruvec, index))
		return 0;

	return saturating_mul(lruvec->gens[index + 1].age_msec, 1000);
}

void workingset_measure(const struct lruvec_sample *lruvecs, uint32_t n, uint64_t *ret_cold_pages,
			uint64_t *ret_young_pages)
{
	uint64_t cold_pages = 0, young_pages = 0;

	for (uint32_t v = 0; v < n; v++)
		for (uint32_t g = 0; g < lruvecs[v].n_gens; g++) {
			uint64_t pages = number_or(lruvecs[v].gens[g].pages[LRU_ANON], 0);

			if (workingset_is_cold(&lruvecs[v], g))
				cold_pages = saturating_add(cold_pages, pages);
			else
				young_pages = saturating_add(young_pages, pages);
		}
	*ret_cold_pages = cold_pages;
	*ret_young_pages = young_pages;
}
