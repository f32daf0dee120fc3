/* SPDX-License-Identifier: MIT */
#ifndef FGRECLAIM_POLICY_FLUSH_H
#define FGRECLAIM_POLICY_FLUSH_H

#include "view.h"

/* While gclk.phase is GCLK_WATCH: begins a flush if there is evidence for one. Sets the verdict. */
void flush_watch(const struct memcg_view *view, struct plan *plan);

/* While it is GCLK_FLUSH or GCLK_OBSERVE: goes on. Sets the verdict. */
void flush_plan(const struct memcg_view *view, struct plan *plan);

#endif
