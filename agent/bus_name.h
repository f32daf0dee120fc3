/* SPDX-License-Identifier: MIT */
/*
 * How the agent and what it answers are called on the bus. Names do not change their meaning; another
 * meaning gets another number.
 */
#ifndef FGRECLAIM_BUS_NAME_H
#define FGRECLAIM_BUS_NAME_H

#define BUS_NAME      "org.fgreclaim1"
#define BUS_PATH      "/org/fgreclaim1"
#define BUS_INTERFACE "org.fgreclaim1.Manager"

/* Errors of its methods. */
#define BUS_ERROR_NO_CGROUP     "org.fgreclaim1.NoSuchCgroup"
#define BUS_ERROR_AMBIGUOUS     "org.fgreclaim1.AmbiguousCgroup"
#define BUS_ERROR_PAUSED_ABOVE  "org.fgreclaim1.PausedAbove"
#define BUS_ERROR_CONFIGURATION "org.fgreclaim1.BadConfiguration"

#endif
