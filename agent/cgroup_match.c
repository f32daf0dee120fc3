/* SPDX-License-Identifier: MIT */
/*
 * What a Match= line takes, see cgroup_match.h. The names come from cgroup_name.h, which knows how
 * managers and runtimes name their cgroups.
 */
#include "cgroup_match.h"
#include "cgroup_name.h"
#include "macro.h"
#include "path_glob.h"

#include <stdio.h>

#define WILDCARDS "*?["

static bool part_fits(const char *glob, struct name_part part)
{
	char text[UNIT_NAME_LEN_MAX + 1];

	/* No name of a file is longer. */
	if (part.len == 0 || part.len >= sizeof(text))
		return false;
	memcpy(text, part.p, part.len);
	text[part.len] = '\0';
	return path_glob_match(glob, text);
}

/* --- units */

static bool is_of_slices(const char *glob)
{
	struct name_part rest = name_part_text(glob);

	return name_part_take_tail(&rest, ".slice");
}

/* path: from the cgroup of the units' manager on. Slices come first, then at most one other unit:
 * what is below that has been made by somebody else. */
static bool unit_fits(const char *glob, struct name_part path)
{
	bool of_slices = is_of_slices(glob);
	struct name_part name;

	while (name_part_next(&path, &name)) {
		name = cgroup_unescape(name);
		if (!unit_name_is_slice(name))
			return !of_slices && unit_name_is_valid(name) && part_fits(glob, name);
		if (of_slices && part_fits(glob, name))
			return true;
	}
	return false;
}

static bool match_unit(const char *glob, const struct cgroup_name *name)
{
	return unit_fits(glob, name->path);
}

static bool match_user_unit(const char *glob, const struct cgroup_name *name)
{
	size_t above;

	if (name->manager.len == 0)
		return false;
	above = (size_t)(name->manager.p - name->path.p) + name->manager.len;
	return unit_fits(glob, name_part_skip(name->path, above));
}

static const char *check_unit(const char *glob)
{
	const char *type = strrchr(glob, '.');
	char text[UNIT_NAME_LEN_MAX + 1];
	const char *why = path_glob_check_name(glob);

	if (why)
		return why;
	if (strcmp(glob, "-.slice") == 0)
		return "all is in the root slice; that is \"/**\"";
	/* The type may be left to a wildcard; a name without any has to be whole. */
	if (!strpbrk(glob, WILDCARDS))
		snprintf(text, sizeof(text), "%s", glob);
	else if (!strpbrk(type ? type : glob, WILDCARDS))
		snprintf(text, sizeof(text), "x%s", type ? type : glob);
	else
		return NULL;
	if (!unit_name_is_valid(name_part_text(text)))
		return "no unit that has a cgroup is called so; a name is whole, as "
		       "mongod.service, and that of a template has an instance, as getty@*.service";
	return NULL;
}

/* --- containers and pods */

static bool is_users(const struct cgroup_name *name)
{
	return name->uid != UNIT_NO_UID;
}

/* The runtime before a "/", or _CGROUP_RUNTIME_MAX for one that does not exist; *glob moves behind
 * it. RUNTIME_UNKNOWN: none is named. */
static enum cgroup_runtime take_runtime(const char **glob)
{
	const char *slash = strchr(*glob, '/');
	enum cgroup_runtime runtime = RUNTIME_UNKNOWN;

	if (!slash)
		return RUNTIME_UNKNOWN;
	while (++runtime < _CGROUP_RUNTIME_MAX)
		if (name_part_equals(name_part_of(*glob, (size_t)(slash - *glob)),
				     cgroup_runtime_to_string(runtime)))
			break;
	*glob = slash + 1;
	return runtime;
}

static bool match_container(const char *glob, const struct cgroup_name *name)
{
	enum cgroup_runtime runtime = take_runtime(&glob);

	if (is_users(name) || (name->kind != CGROUP_CONTAINER && name->kind != CGROUP_MACHINE))
		return false;
	return (runtime == RUNTIME_UNKNOWN || runtime == name->runtime) &&
	       part_fits(glob, name->id);
}

static const char *check_container(const char *glob)
{
	if (take_runtime(&glob) == _CGROUP_RUNTIME_MAX)
		return "unknown runtime; there are docker, podman, cri-o, containerd, lxc, qemu "
		       "and nspawn";
	return path_glob_check_name(glob);
}

static bool match_pod(const char *glob, const struct cgroup_name *name)
{
	return !is_users(name) && part_fits(glob, name_part_text(name->pod));
}

static const char *check_pod(const char *glob)
{
	if (strchr(glob, '_'))
		return "a pod's UID has \"-\" between its groups here, as Kubernetes shows it";
	return path_glob_check_name(glob);
}

static bool match_qos(const char *glob, const struct cgroup_name *name)
{
	return !is_users(name) && strcmp(glob, pod_qos_to_string(name->qos)) == 0;
}

static const char *check_qos(const char *glob)
{
	for (enum pod_qos qos = POD_QOS_NONE + 1; qos < _POD_QOS_MAX; qos++)
		if (strcmp(glob, pod_qos_to_string(qos)) == 0)
			return NULL;
	return "not one of guaranteed, burstable, besteffort";
}

/* --- all of them */

static const struct named {
	const char *prefix;
	bool (*match)(const char *glob, const struct cgroup_name *name);
	const char *(*check)(const char *glob);
} all_named[] = {
	{"unit:", match_unit, check_unit},
	{"user-unit:", match_user_unit, check_unit},
	{"container:", match_container, check_container},
	{"pod:", match_pod, check_pod},
	{"qos:", match_qos, check_qos},
};

/* NULL: none of these prefixes. */
static const struct named *find_named(const char *pattern)
{
	for (size_t i = 0; i < ARRAY_SIZE(all_named); i++)
		if (strncmp(pattern, all_named[i].prefix, strlen(all_named[i].prefix)) == 0)
			return &all_named[i];
	return NULL;
}

bool cgroup_match_fits(const char *pattern, const char *cgroup_path)
{
	const struct named *named = find_named(pattern);
	struct cgroup_name name;

	if (!named)
		return path_glob_match(pattern, cgroup_path);
	cgroup_name_parse(cgroup_path, strlen(cgroup_path), &name);
	return named->match(pattern + strlen(named->prefix), &name);
}

const char *cgroup_match_check(const char *pattern)
{
	const struct named *named = find_named(pattern);
	size_t word = strspn(pattern, "abcdefghijklmnopqrstuvwxyz-");

	if (named)
		return named->check(pattern + strlen(named->prefix));
	if (word > 0 && pattern[word] == ':')
		return "unknown prefix; there are unit:, user-unit:, container:, pod: and qos:";
	return path_glob_check(pattern);
}
