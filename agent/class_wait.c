/* SPDX-License-Identifier: MIT */
/*
 * Classes that wait: see class_wait.h.
 */
#include "class_wait.h"

uint64_t class_wait_find(const struct config *config, struct memcg *const *memcgs, size_t n)
{
	uint64_t waiting = 0;

	for (size_t i = 0; i < config->policy.n_classes; i++)
		waiting |= UINT64_C(1) << i;
	for (size_t i = 0; i < n && waiting; i++)
		waiting &= ~memcgs[i]->class_bits;
	return waiting;
}

/* The class's first Match=, or NULL. */
static const struct config_match *first_match(const struct config *config, size_t class_index)
{
	for (size_t i = 0; i < config->n_matches; i++)
		if (config->matches[i].class_index == (int32_t)class_index)
			return &config->matches[i];
	return NULL;
}

const char *class_wait_explain(const struct config *config, size_t class_index, char *buf,
			       size_t size)
{
	const struct config_match *match = first_match(config, class_index);
	const char *name = config->policy.classes[class_index].name;

	if (match)
		snprintf(buf, size, "class %s: no cgroup belongs to it yet, see %s", name,
			 match->origin);
	else
		snprintf(buf, size, "class %s: no cgroup belongs to it, it has no Match=", name);
	return buf;
}
