/* SPDX-License-Identifier: MIT */
/*
 * Classes that are asked for: see memcg_class.h.
 */
#include "memcg_class.h"
#include "escape.h"
#include "log.h"
#include "macro.h"

#include <string.h>

/* Takes the class for the one of this name, if that lowers it. Returns NULL, or why not. */
static const char *lower(const struct config *config, const char *name, int32_t *class_index,
			 uint64_t *class_bits)
{
	const struct class_params *classes = config->policy.classes;
	int32_t asked = config_find_class(config, name);
	const char *raised;

	if (asked < 0)
		return "there is no such class";
	if (*class_index < 0)
		return "no class matches the cgroup, and nothing is done there anyway";
	raised = class_params_raised(&classes[*class_index], &classes[asked]);
	if (raised)
		return raised;
	*class_index = asked;
	*class_bits |= UINT64_C(1) << asked;
	return NULL;
}

/* Heeds what the memcg and its ancestors ask for, the outermost first. Returns why the memcg's own
 * wish is not followed, or NULL. */
static const char *heed(const struct memcg *memcg, const struct config *config,
			int32_t *class_index, uint64_t *class_bits)
{
	if (!memcg->asks)
		return NULL;
	if (memcg->parent)
		heed(memcg->parent, config, class_index, class_bits);
	return *memcg->asked_class ? lower(config, memcg->asked_class, class_index, class_bits)
				   : NULL;
}

void memcg_class_renew(struct memcg *memcg, const struct config *config)
{
	int32_t class_index = memcg->match_index;
	uint64_t class_bits = class_index < 0 ? 0 : UINT64_C(1) << class_index;
	const char *former = memcg->refused;
	char text[256];

	memcg_read_asked_class(memcg, memcg->asked_class, sizeof(memcg->asked_class));
	memcg->asks = *memcg->asked_class || (memcg->parent && memcg->parent->asks);
	memcg->refused = heed(memcg, config, &class_index, &class_bits);
	memcg->class_index = class_index;
	memcg->class_bits = class_bits;
	if (memcg->refused && memcg->refused != former)
		log_event(memcg->refusal_said ? LOG_DEBUG : LOG_NOTICE, NULL, "%s: %s", memcg->name,
			  memcg_class_explain(memcg->asked_class, memcg->refused, text,
					      sizeof(text)));
	memcg->refusal_said = memcg->refusal_said || memcg->refused;
}

const char *memcg_class_explain(const char *asked, const char *refused, char *buf, size_t size)
{
	_cleanup_free_ char *name = NULL;
	bool is_key = refused && !strchr(refused, ' ');

	buf[0] = '\0';
	if (!asked || !*asked)
		return buf;
	name = escape_text(asked, strlen(asked), true);
	snprintf(buf, size, "user.fgreclaim.class=%s%s%s%s", name ?: "?",
		 refused ? ", not followed: " : "", is_key ? "it would raise " : "", refused ?: "");
	if (is_key && strlen(buf) + 1 < size)
		strcat(buf, "=");
	return buf;
}
