/* SPDX-License-Identifier: MIT */
#ifndef FGRECLAIM_LISTING_TIERS_H
#define FGRECLAIM_LISTING_TIERS_H

#include "kparse.h"

/* Of a record of lru_gen_full what the policy looks at. n_tiers is 0 where the record does not tell:
 * in kernels without tiers of file, and where the rows are others than those that are known. */
void listing_take_tiers(const struct lru_gen_record *record, struct lruvec_tiers *ret);

#endif
