/* SPDX-License-Identifier: MIT */
/*
 * Which class a memcg is of: the one that its path fits, or one that user.fgreclaim.class asks for, on
 * it or on an ancestor.
 *
 * Whoever owns a cgroup may write there, so a class is followed only where it lowers what the agent
 * does: in no key may it be less careful than the class it takes the place of, and a memcg of no
 * class stays without. The outermost is heeded first, and each has to lower further. Hours= of all
 * of them hold.
 */
#ifndef FGRECLAIM_MEMCG_CLASS_H
#define FGRECLAIM_MEMCG_CLASS_H

#include "config.h"
#include "memcg.h"

#include <stdio.h>

/* Reads what is asked for and sets class_index, class_bits, asks and refused. Of the memcg match_index
 * and parent are set, and the parent is renewed already. Logs a change, at notice when it is refused
 * for the first time. */
void memcg_class_renew(struct memcg *memcg, const struct config *config);

/* asked: NULL or empty: nothing is asked for; refused: as in struct memcg.
 * "user.fgreclaim.class=NAME", with " not followed: WHY" where it is not; empty when
 * nothing is. Cut off to fit. Returns buf. */
const char *memcg_class_explain(const char *asked, const char *refused, char *buf, size_t size);

#endif
