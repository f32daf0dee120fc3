/* SPDX-License-Identifier: MIT */
/*
 * Containers, pods and machines by the names of their cgroups: see cgroup_name.h. One name of a
 * path at a time, from the root on; a later one replaces what it is more exact about.
 */
#include "cgroup_name.h"
#include "macro.h"

static bool is_hex(char c)
{
	return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f');
}

static bool is_container_id(struct name_part part)
{
	if (part.len != CONTAINER_ID_LEN)
		return false;
	for (size_t i = 0; i < part.len; i++)
		if (!is_hex(part.p[i]))
			return false;
	return true;
}

static void set_inmost(enum cgroup_kind kind, enum cgroup_runtime runtime, struct name_part id,
		       struct cgroup_name *ret)
{
	ret->kind = kind;
	ret->runtime = runtime;
	ret->id = id;
}

static void set_pods(enum pod_qos qos, struct cgroup_name *ret)
{
	set_inmost(CGROUP_PODS, RUNTIME_UNKNOWN, NAME_PART_NONE, ret);
	ret->qos = qos;
	ret->pod[0] = '\0';
}

/* The pod's uid, groups set apart by "-" or, with the systemd driver, "_". False: it is none. */
static bool set_pod(struct name_part uid, enum pod_qos qos, struct cgroup_name *ret)
{
	char pod[sizeof(ret->pod)];

	if (uid.len == 0 || uid.len >= sizeof(pod) || !is_hex(uid.p[0]) ||
	    !is_hex(uid.p[uid.len - 1]))
		return false;
	for (size_t i = 0; i < uid.len; i++) {
		pod[i] = uid.p[i] == '_' ? '-' : uid.p[i];
		if (!is_hex(pod[i]) && pod[i] != '-')
			return false;
	}
	set_inmost(CGROUP_POD, RUNTIME_UNKNOWN, NAME_PART_NONE, ret);
	/* Pods of this class have no folder of their own. */
	ret->qos = qos == POD_QOS_NONE ? POD_QOS_GUARANTEED : qos;
	memcpy(ret->pod, pod, uid.len);
	ret->pod[uid.len] = '\0';
	return true;
}

static enum pod_qos take_qos(struct name_part *part)
{
	if (name_part_take_head(part, "burstable"))
		return POD_QOS_BURSTABLE;
	return name_part_take_head(part, "besteffort") ? POD_QOS_BESTEFFORT : POD_QOS_NONE;
}

/* kubepods.slice, kubepods-burstable.slice, kubepods-burstable-podUID.slice; the name of another
 * slice may be in front (kubelet-kubepods.slice). */
static bool recognise_pod_slice(struct name_part name, struct cgroup_name *ret)
{
	enum pod_qos qos;

	if (!unit_name_is_slice(name))
		return false;
	name_part_take_tail(&name, ".slice");
	for (;;) {
		if (name.len == 0)
			return false;
		if (name_part_equals(name_part_take_until(&name, '-'), "kubepods"))
			break;
	}
	qos = take_qos(&name);
	if (qos != POD_QOS_NONE && name.len > 0 && !name_part_take_head(&name, "-"))
		return false;
	if (name.len > 0)
		return name_part_take_head(&name, "pod") && set_pod(name, qos, ret);
	set_pods(qos, ret);
	return true;
}

/* machine-libpod_pod_ID.slice, user-libpod_pod_ID.slice */
static bool recognise_podman_slice(struct name_part name, struct cgroup_name *ret)
{
	struct name_part id;

	if (!name_part_take_tail(&name, ".slice") || name.len < CONTAINER_ID_LEN)
		return false;
	id = name_part_skip(name, name.len - CONTAINER_ID_LEN);
	name.len -= CONTAINER_ID_LEN;
	if (!is_container_id(id) || !name_part_take_tail(&name, "libpod_pod_") ||
	    (name.len > 0 && name.p[name.len - 1] != '-') || !set_pod(id, POD_QOS_NONE, ret))
		return false;
	ret->runtime = RUNTIME_PODMAN;
	ret->qos = POD_QOS_NONE;
	return true;
}

/* The directories of the cgroupfs driver: kubepods/burstable/podUID, kubepods/podUID. */
static bool recognise_pod_directory(struct name_part name, bool direct, struct cgroup_name *ret)
{
	struct name_part rest = name;
	enum pod_qos qos = take_qos(&rest);

	if (name_part_equals(name, "kubepods")) {
		set_pods(POD_QOS_NONE, ret);
		return true;
	}
	if (!direct || ret->kind != CGROUP_PODS)
		return false;
	if (qos == POD_QOS_NONE)
		return name_part_take_head(&rest, "pod") && set_pod(rest, ret->qos, ret);
	if (rest.len > 0 || ret->qos != POD_QOS_NONE)
		return false;
	set_pods(qos, ret);
	return true;
}

/* What runtimes put before the ID. The longer one first where one starts as another does. */
static const struct prefix {
	const char *text;
	enum cgroup_runtime runtime;
	enum cgroup_kind kind;
} prefixes[] = {
	{"docker-", RUNTIME_DOCKER, CGROUP_CONTAINER},
	{"libpod-conmon-", RUNTIME_PODMAN, CGROUP_MONITOR},
	{"libpod-payload-", RUNTIME_PODMAN, CGROUP_CONTAINER},
	{"libpod-", RUNTIME_PODMAN, CGROUP_CONTAINER},
	{"crio-conmon-", RUNTIME_CRIO, CGROUP_MONITOR},
	{"crio-", RUNTIME_CRIO, CGROUP_CONTAINER},
	{"cri-containerd-", RUNTIME_CONTAINERD, CGROUP_CONTAINER},
	{"nerdctl-", RUNTIME_CONTAINERD, CGROUP_CONTAINER},
};

/* docker-ID.scope, and the same without ".scope" where systemd did not make it. */
static bool recognise_scope(struct name_part name, struct cgroup_name *ret)
{
	name_part_take_tail(&name, ".scope");
	for (size_t i = 0; i < ARRAY_SIZE(prefixes); i++) {
		struct name_part id = name;

		if (!name_part_take_head(&id, prefixes[i].text) || !is_container_id(id))
			continue;
		set_inmost(prefixes[i].kind, prefixes[i].runtime, id, ret);
		return true;
	}
	return false;
}

/* SLICE:RUNTIME:ID, meant for runc's systemd driver but taken for a path by its cgroupfs driver. */
static bool recognise_colons(struct name_part name, struct cgroup_name *ret)
{
	struct name_part id = name;
	struct name_part slice = name_part_take_until(&id, ':');
	struct name_part runtime = name_part_take_until(&id, ':');
	enum cgroup_runtime found = RUNTIME_UNKNOWN;

	if (!is_container_id(id) || (slice.len > 0 && !unit_name_is_slice(slice)))
		return false;
	for (size_t i = 0; i < ARRAY_SIZE(prefixes); i++) {
		struct name_part rest = name_part_text(prefixes[i].text);

		/* The prefix but for its dash. */
		rest.len--;
		if (rest.len == runtime.len && memcmp(rest.p, runtime.p, rest.len) == 0)
			found = prefixes[i].runtime;
	}
	if (!recognise_pod_slice(slice, ret))
		recognise_podman_slice(slice, ret);
	set_inmost(CGROUP_CONTAINER, found, id, ret);
	return true;
}

/* A name that is all ID: the directory above says whose, or it does not. */
static bool recognise_id(struct name_part name, struct name_part above, struct cgroup_name *ret)
{
	if (!is_container_id(name))
		return false;
	if (name_part_equals(above, "libpod_parent")) {
		set_pod(name, POD_QOS_NONE, ret);
		ret->runtime = RUNTIME_PODMAN;
		ret->qos = POD_QOS_NONE;
		return true;
	}
	set_inmost(CGROUP_CONTAINER,
		   name_part_equals(above, "docker") ? RUNTIME_DOCKER : RUNTIME_UNKNOWN, name, ret);
	return true;
}

/* lxc.payload.NAME, lxc.monitor.NAME; up to LXC 3, and with Proxmox VE, a directory in between. */
static bool recognise_lxc(struct name_part name, struct name_part above, size_t depth,
			  struct cgroup_name *ret)
{
	struct name_part rest = name;

	if (name_part_equals(name, "lxc.monitor.") || name_part_equals(name, "lxc.payload."))
		return false;
	if (name_part_take_head(&rest, "lxc.monitor."))
		set_inmost(CGROUP_MONITOR, RUNTIME_LXC, rest, ret);
	else if (name_part_equals(above, "lxc.monitor"))
		set_inmost(CGROUP_MONITOR, RUNTIME_LXC, name, ret);
	else if (name_part_take_head(&rest, "lxc.payload."))
		set_inmost(CGROUP_CONTAINER, RUNTIME_LXC, rest, ret);
	else if (name_part_equals(above, "lxc.payload") ||
		 (depth == 1 && name_part_equals(above, "lxc")))
		set_inmost(CGROUP_CONTAINER, RUNTIME_LXC, name, ret);
	else
		return false;
	return true;
}

/* machine-NAME.scope, libvirt's with the driver in front of NAME; systemd-nspawn@NAME.service */
static bool recognise_machine(struct name_part name, struct cgroup_name *ret)
{
	enum cgroup_runtime runtime = RUNTIME_NSPAWN;
	struct name_part id = name, rest;

	if (!unit_name_is_valid(name))
		return false;
	if (!name_part_take_head(&id, "systemd-nspawn@") || !name_part_take_tail(&id, ".service")) {
		id = name;
		if (!name_part_take_head(&id, "machine-") || !name_part_take_tail(&id, ".scope"))
			return false;
		rest = id;
		runtime = RUNTIME_UNKNOWN;
		if (name_part_take_head(&rest, "qemu\\x2d"))
			runtime = RUNTIME_QEMU;
		else if (name_part_take_head(&rest, "lxc\\x2d"))
			runtime = RUNTIME_LXC;
	}
	if (id.len == 0)
		return false;
	set_inmost(CGROUP_MACHINE, runtime, id, ret);
	return true;
}

bool cgroup_name_recognise(struct name_part name, struct name_part above, size_t depth, bool direct,
			   struct cgroup_name *ret)
{
	return recognise_pod_slice(name, ret) || recognise_podman_slice(name, ret) ||
	       recognise_pod_directory(name, direct, ret) || recognise_scope(name, ret) ||
	       recognise_colons(name, ret) || recognise_id(name, above, ret) ||
	       recognise_lxc(name, above, depth, ret) || recognise_machine(name, ret);
}
