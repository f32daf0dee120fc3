/* SPDX-License-Identifier: MIT */
#ifndef FGRECLAIM_POLICY_SAVER_FILE_H
#define FGRECLAIM_POLICY_SAVER_FILE_H

#include "view.h"

/* Decides what to do about unused file of one memcg from which nothing else is taken. Appends a
 * decision to plan if there is something, and then, or where file is most of the memcg, sets
 * state->verdict. Returns the bytes planned to be taken. */
uint64_t saver_file_plan(const struct memcg_view *view, struct plan *plan);

#endif
