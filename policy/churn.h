/* SPDX-License-Identifier: MIT */
#ifndef FGRECLAIM_POLICY_CHURN_H
#define FGRECLAIM_POLICY_CHURN_H

#include "view.h"

/* True, with a verdict and the first aging, if a trial begins: the class allows it and all the
 * signs of a loop larger than memory are there. */
bool churn_begins(const struct memcg_view *view, struct plan *plan);

/* Goes on with a trial or with what it has shown to pay, and asks to be called soon. Sets the
 * verdict. */
void churn_plan(const struct memcg_view *view, struct plan *plan);

#endif
