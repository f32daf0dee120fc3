/* SPDX-License-Identifier: MIT */
/*
 * Who may have the places that Concurrency= gives.
 */
#ifndef FGRECLAIM_IN_FLIGHT_H
#define FGRECLAIM_IN_FLIGHT_H

#include "actuator.h"

/* True if one more action of action's class may run: of all classes that have some in the list, each
 * has an even share of the places, rounded up, so that none waits for all the others. */
bool in_flight_has_room(const struct action *actions, const struct action *action,
			uint32_t concurrency);

#endif
