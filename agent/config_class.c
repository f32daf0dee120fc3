/* SPDX-License-Identifier: MIT */
/*
 * A loaded configuration: the classes of cgroups, when they are closed, and all of it as text.
 */
#include "config.h"

#include "cgroup_match.h"
#include "config_keys.h"

#include <string.h>

int32_t config_classify(const struct config *config, const char *cgroup_path,
			const struct config_match **ret_match)
{
	const struct config_match *found = NULL;

	for (size_t i = 0; i < config->n_matches && !found; i++)
		if (cgroup_match_fits(config->matches[i].pattern, cgroup_path))
			found = &config->matches[i];
	if (ret_match)
		*ret_match = found;
	return found ? found->class_index : -1;
}

int32_t config_find_class(const struct config *config, const char *name)
{
	for (size_t i = 0; i < config->policy.n_classes; i++)
		if (strcmp(config->policy.classes[i].name, name) == 0)
			return (int32_t)i;
	return -1;
}

uint64_t config_closed_classes(const struct config *config, const struct tm *shown)
{
	uint64_t closed = 0;

	for (size_t i = 0; i < config->policy.n_classes; i++)
		if (!hours_contain(&config->hours[i], shown))
			closed |= UINT64_C(1) << i;
	return closed;
}

void config_dump(const struct config *config, FILE *f)
{
	const struct policy_params *policy = &config->policy;
	size_t m = 0;

	fputs("[Agent]\n", f);
	config_keys_print(SECTION_AGENT, config, f);
	fputs("\n[Swap]\n", f);
	config_keys_print(SECTION_SWAP, config, f);
	fputs("\n[Metrics]\n", f);
	config_keys_print(SECTION_METRICS, config, f);
	for (size_t i = 0; i < policy->n_classes; i++) {
		fprintf(f, "\n[Class %s]\n", policy->classes[i].name);
		for (; m < config->n_matches && config->matches[m].class_index == (int32_t)i; m++)
			fprintf(f, "# %s\nMatch=%s\n", config->matches[m].origin,
				config->matches[m].pattern);
		config_keys_print(SECTION_CLASS, &policy->classes[i], f);
		fputs("Hours=", f);
		hours_print(&config->hours[i], f);
		fputc('\n', f);
	}
}
