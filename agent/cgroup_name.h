/* SPDX-License-Identifier: MIT */
/*
 * What a cgroup's path says about it: unit, user, container, pod. Pure and total: any bytes in, no
 * I/O, no allocation, in time linear in the path.
 *
 * A path is from the hierarchy's root on. Whoever a cgroup was delegated to chose the names below
 * it: a user can make up any container or pod in there. So what is found is for display, and for
 * rules that only take something away; and uid tells whose it is.
 *
 * Sources: systemd.unit(5), user@.service(5), systemd.resource-control(5); paths seen on hosts and
 * in trackers with Docker, Podman, CRI-O, containerd, Kubernetes with either cgroup driver, LXC,
 * libvirt and systemd-nspawn (kata-containers/cgroups-rs#140, containerd/cgroups#221,
 * systemd/systemd#31573).
 */
#ifndef FGRECLAIM_CGROUP_NAME_H
#define FGRECLAIM_CGROUP_NAME_H

#include "unit_name.h"

/* What the cgroup is, or what is around it when below is not empty. Innermost first: a container in
 * a pod is a container. */
enum cgroup_kind {
	CGROUP_ROOT,
	CGROUP_OTHER,   /* a directory that is none of these */
	CGROUP_SLICE,   /* a unit of type slice */
	CGROUP_UNIT,    /* another unit */
	CGROUP_SESSION, /* the scope of a login session */
	CGROUP_MACHINE, /* a virtual machine, or a container that machined knows */
	CGROUP_PODS,    /* all of Kubernetes' pods, or those of one QoS class */
	CGROUP_POD,     /* of Kubernetes, or of Podman */
	CGROUP_CONTAINER,
	CGROUP_MONITOR, /* the runtime's own process beside a container, not the container */
	_CGROUP_KIND_MAX,
};
const char *cgroup_kind_to_string(enum cgroup_kind kind);

enum cgroup_runtime {
	RUNTIME_UNKNOWN, /* also: no container */
	RUNTIME_DOCKER,
	RUNTIME_PODMAN,
	RUNTIME_CRIO,
	RUNTIME_CONTAINERD,
	RUNTIME_LXC,
	RUNTIME_QEMU,
	RUNTIME_NSPAWN,
	_CGROUP_RUNTIME_MAX,
};
const char *cgroup_runtime_to_string(enum cgroup_runtime runtime);

enum pod_qos {
	POD_QOS_NONE, /* not in a pod of Kubernetes; with CGROUP_PODS: every class */
	POD_QOS_GUARANTEED,
	POD_QOS_BURSTABLE,
	POD_QOS_BESTEFFORT,
	_POD_QOS_MAX,
};
const char *pod_qos_to_string(enum pod_qos qos);

/* The length of a container's ID, in lower-case hexadecimal digits. Less of it is not an ID: it may
 * be anything. */
#define CONTAINER_ID_LEN 64

/* The pieces are of the path that was given, and live as long. Empty: there is none. */
struct cgroup_name {
	enum cgroup_kind kind;
	enum cgroup_runtime runtime;
	enum pod_qos qos;
	uint32_t uid; /* the user whose session, slice or user manager it is in; or UNIT_NO_UID */

	/*
	 * The unit as the managers of this host know it, "_" of the cgroup's name taken off; all
	 * that a service or scope has below it is the same unit. Below a user's manager it is that
	 * one's unit, and manager is the manager's own (user@1000.service). Units of a systemd in a
	 * container are not units here. Empty for CGROUP_ROOT and for directories outside of units.
	 */
	struct name_part unit;
	struct name_part manager;
	struct name_part slice; /* around the unit, of the same manager; none is "-.slice" */

	/* The container's ID, of CONTAINER_ID_LEN; or the name of an LXC container or of a machine,
	 * as it stands in the path: a machine's is escaped. */
	struct name_part id;

	/* "-" between the groups as Kubernetes writes it, whatever the path has; a static pod has
	 * no groups. The pod's ID with Podman. Terminated; empty: no pod. */
	char pod[CONTAINER_ID_LEN + 1];

	/* All of it; and what is below the container, pod, unit or else slice. No slash at the
	 * ends. */
	struct name_part path;
	struct name_part below;
};

void cgroup_name_parse(const char *path, size_t len, struct cgroup_name *ret);

/*
 * A short name for people, such as:
 *   mongod.service
 *   user 1000: app-gnome-firefox-2504.scope
 *   docker abcdef012345/init.scope
 *   pod 12345678-... (burstable) container abcdef012345
 * IDs of containers are cut to 12 digits, as their tools do; a pod's is not, since its tools want
 * all of it. Escapes of unit names are undone. Always printable UTF-8 in one line: what is not is
 * shown as "\x1b". Not unique, and never to be parsed.
 *
 * Cut off to fit, with an ellipsis at its end; terminated unless size is 0. Returns its length.
 */
size_t cgroup_name_display(const struct cgroup_name *name, char *buf, size_t size);

/* Used within: takes note of what one name of a path says about containers. above: the name above
 * it, with depth 0 empty; direct: that one said something too. True if this one does. */
bool cgroup_name_recognise(struct name_part name, struct name_part above, size_t depth, bool direct,
			   struct cgroup_name *ret);

#endif
