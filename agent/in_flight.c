/* SPDX-License-Identifier: MIT */
#include "in_flight.h"
#include "quota.h"

bool in_flight_has_room(const struct action *actions, const struct action *action,
			uint32_t concurrency)
{
	bool seen[CLASSES_MAX] = {false};
	uint32_t n_running = 0, n_classes = 0;

	for (const struct action *other = actions; other; other = other->next) {
		int32_t class = other->memcg->class_index;

		if (class == action->memcg->class_index)
			n_running += other->running;
		if (class < 0 || class >= CLASSES_MAX || seen[class])
			continue;
		seen[class] = true;
		n_classes++;
	}
	return n_running < quota_in_flight(concurrency, n_classes);
}
