/* SPDX-License-Identifier: MIT */
/*
 * What a cgroup's path says about it: the units, and the walk over the names. See the header.
 */
#include "cgroup_name.h"
#include "macro.h"

static const char *const kinds[_CGROUP_KIND_MAX] = {
	[CGROUP_ROOT] = "root",           [CGROUP_OTHER] = "other",
	[CGROUP_SLICE] = "slice",         [CGROUP_UNIT] = "unit",
	[CGROUP_SESSION] = "session",     [CGROUP_MACHINE] = "machine",
	[CGROUP_PODS] = "pods",           [CGROUP_POD] = "pod",
	[CGROUP_CONTAINER] = "container", [CGROUP_MONITOR] = "monitor",
};

static const char *const runtimes[_CGROUP_RUNTIME_MAX] = {
	[RUNTIME_UNKNOWN] = "unknown",
	[RUNTIME_DOCKER] = "docker",
	[RUNTIME_PODMAN] = "podman",
	[RUNTIME_CRIO] = "cri-o",
	[RUNTIME_CONTAINERD] = "containerd",
	[RUNTIME_LXC] = "lxc",
	[RUNTIME_QEMU] = "qemu",
	[RUNTIME_NSPAWN] = "nspawn",
};

static const char *const classes[_POD_QOS_MAX] = {
	[POD_QOS_NONE] = "none",
	[POD_QOS_GUARANTEED] = "guaranteed",
	[POD_QOS_BURSTABLE] = "burstable",
	[POD_QOS_BESTEFFORT] = "besteffort",
};

const char *cgroup_kind_to_string(enum cgroup_kind kind)
{
	return kinds[kind];
}

const char *cgroup_runtime_to_string(enum cgroup_runtime runtime)
{
	return runtimes[runtime];
}

const char *pod_qos_to_string(enum pod_qos qos)
{
	return classes[qos];
}

/* What one manager knows of a path that starts at its own cgroup. */
struct place {
	struct name_part unit;
	struct name_part slice;
	struct name_part below;
};

/* Slices, then the first name that is not one: a unit, or nothing that a manager has made. */
static struct place find_unit(struct name_part path)
{
	struct place place = {NAME_PART_NONE, NAME_PART_NONE, NAME_PART_NONE};
	struct name_part outer = NAME_PART_NONE, name;

	for (;;) {
		place.below = path;
		if (!name_part_next(&path, &name)) {
			place.unit = place.slice;
			place.slice = outer;
			return place;
		}
		name = cgroup_unescape(name);
		if (!unit_name_is_valid(name))
			return place;
		if (!unit_name_is_slice(name)) {
			place.unit = name;
			place.below = path;
			return place;
		}
		outer = place.slice;
		place.slice = name;
	}
}

/* The number between the two, or UNIT_NO_UID. */
static uint32_t uid_between(const char *head, struct name_part name, const char *tail)
{
	uint64_t uid = 0;

	if (!name_part_take_head(&name, head) || !name_part_take_tail(&name, tail) ||
	    name.len == 0 || name.len > 10 || (name.p[0] == '0' && name.len > 1))
		return UNIT_NO_UID;
	for (size_t i = 0; i < name.len; i++) {
		if (name.p[i] < '0' || name.p[i] > '9')
			return UNIT_NO_UID;
		uid = uid * 10 + (uint64_t)(name.p[i] - '0');
	}
	return uid < UNIT_NO_UID ? (uint32_t)uid : UNIT_NO_UID;
}

static void find_user(struct place outer, struct cgroup_name *ret)
{
	struct place inner;

	ret->uid = uid_between("user@", outer.unit, ".service");
	if (ret->uid == UNIT_NO_UID) {
		ret->uid = uid_between("user-", outer.slice, ".slice");
		if (ret->uid == UNIT_NO_UID)
			ret->uid = uid_between("user-", outer.unit, ".slice");
		return;
	}
	inner = find_unit(outer.below);
	if (inner.unit.len == 0)
		return;
	ret->manager = outer.unit;
	ret->unit = inner.unit;
	ret->slice = inner.slice;
	ret->below = inner.below;
}

static enum cgroup_kind kind_of_unit(const struct cgroup_name *name)
{
	struct name_part rest = name->unit;

	if (name->path.len == 0)
		return CGROUP_ROOT;
	if (name->unit.len == 0)
		return CGROUP_OTHER;
	if (unit_name_is_slice(name->unit))
		return CGROUP_SLICE;
	/* Only logind's, not what a user's manager calls so. */
	if (name->uid != UNIT_NO_UID && name->manager.len == 0 &&
	    name_part_take_head(&rest, "session-") && name_part_take_tail(&rest, ".scope"))
		return CGROUP_SESSION;
	return CGROUP_UNIT;
}

void cgroup_name_parse(const char *path, size_t len, struct cgroup_name *ret)
{
	struct name_part rest = name_part_trim(name_part_of(path, len), '/');
	struct name_part name, above = NAME_PART_NONE;
	struct place outer = find_unit(rest);
	bool direct = false;

	*ret = (struct cgroup_name){
		.uid = UNIT_NO_UID,
		.unit = outer.unit,
		.manager = NAME_PART_NONE,
		.slice = outer.slice,
		.id = NAME_PART_NONE,
		.path = rest,
		.below = outer.below,
	};
	find_user(outer, ret);
	ret->kind = kind_of_unit(ret);
	for (size_t depth = 0; name_part_next(&rest, &name); depth++) {
		name = cgroup_unescape(name);
		direct = cgroup_name_recognise(name, above, depth, direct, ret);
		if (direct)
			ret->below = rest;
		above = name;
	}
	ret->below = name_part_trim(ret->below, '/');
}
