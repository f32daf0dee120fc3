/* SPDX-License-Identifier: MIT */
/*
 * fgreclaimctl replay --sweep, which replay hands over to.
 */
#ifndef FGRECLAIM_CTL_REPLAY_H
#define FGRECLAIM_CTL_REPLAY_H

#include "ctl.h"

int ctl_sweep(const struct ctl *ctl);

#endif
