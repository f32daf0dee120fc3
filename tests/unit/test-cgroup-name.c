/* SPDX-License-Identifier: MIT */
/*
 * Names of units and cgroups as hosts have them, all of their fields and what is displayed; there
 * and back for random unit names (environment: SEED); and any bytes at all.
 */
#include "cgroup_name.h"
#include "macro.h"

#include <errno.h>
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <cmocka.h>

#define ID   "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"
#define ID2  "fedcba9876543210fedcba9876543210fedcba9876543210fedcba9876543210"
#define UID  "2c48913c-b29f-11e7-9350-020968147796"
#define UID_ "2c48913c_b29f_11e7_9350_020968147796"
#define USER "/user.slice/user-1000.slice/user@1000.service"

/* Not given is empty; uid and qos are in the displayed name, or are of no user, of no class. */
static const struct {
	const char *path;
	enum cgroup_kind kind;
	enum cgroup_runtime runtime;
	const char *unit, *slice, *manager, *id, *pod, *below, *shown;
} names[] = {
	{"/", CGROUP_ROOT, .shown = "/"},
	{"", CGROUP_ROOT, .shown = "/"},
	/* --- systemd */
	{"/init.scope", CGROUP_UNIT, .unit = "init.scope", .shown = "init.scope"},
	{"/system.slice", CGROUP_SLICE, .unit = "system.slice", .shown = "system.slice"},
	{"/system.slice/mongod.service", CGROUP_UNIT, .unit = "mongod.service",
	 .slice = "system.slice", .shown = "mongod.service"},
	{"//system.slice//mongod.service/", CGROUP_UNIT, .unit = "mongod.service",
	 .slice = "system.slice", .shown = "mongod.service"},
	{"/my.slice/my-foo.slice/my-foo-group.slice", CGROUP_SLICE, .unit = "my-foo-group.slice",
	 .slice = "my-foo.slice", .shown = "my-foo-group.slice"},
	{"/system.slice/system-getty.slice/getty@tty1.service", CGROUP_UNIT,
	 .unit = "getty@tty1.service", .slice = "system-getty.slice",
	 .shown = "getty@tty1.service"},
	{"/system.slice/system-systemd\\x2dfsck.slice/systemd-fsck@dev-disk-by\\x2duuid-5E.service",
	 CGROUP_UNIT, .unit = "systemd-fsck@dev-disk-by\\x2duuid-5E.service",
	 .slice = "system-systemd\\x2dfsck.slice",
	 .shown = "systemd-fsck@dev-disk-by-uuid-5E.service"},
	{"/system.slice/system-backup\\x2dprune.slice", CGROUP_SLICE,
	 .unit = "system-backup\\x2dprune.slice", .slice = "system.slice",
	 .shown = "system-backup-prune.slice"},
	{"/system.slice/var-lib-my\\x2ddata.mount", CGROUP_UNIT,
	 .unit = "var-lib-my\\x2ddata.mount", .slice = "system.slice",
	 .shown = "mount /var/lib/my-data"},
	{"/system.slice/-.mount", CGROUP_UNIT, .unit = "-.mount", .slice = "system.slice",
	 .shown = "mount /"},
	{"/system.slice/dev-sda1.swap", CGROUP_UNIT, .unit = "dev-sda1.swap",
	 .slice = "system.slice", .shown = "swap /dev/sda1"},
	{"/system.slice/dbus.socket", CGROUP_UNIT, .unit = "dbus.socket", .slice = "system.slice",
	 .shown = "dbus.socket"},
	{"/system.slice/_memory.service", CGROUP_UNIT, .unit = "memory.service",
	 .slice = "system.slice", .shown = "memory.service"},
	{"/_memory.slice/__a.service", CGROUP_UNIT, .unit = "_a.service", .slice = "memory.slice",
	 .shown = "_a.service"},
	{"/system.slice/systemd-udevd.service/udev", CGROUP_UNIT, .unit = "systemd-udevd.service",
	 .slice = "system.slice", .below = "udev", .shown = "systemd-udevd.service/udev"},
	{"/system.slice/containerd.service/kubepods-x", CGROUP_UNIT, .unit = "containerd.service",
	 .slice = "system.slice", .below = "kubepods-x", .shown = "containerd.service/kubepods-x"},
	{"/system.slice/a.service/b.service/c", CGROUP_UNIT, .unit = "a.service",
	 .slice = "system.slice", .below = "b.service/c", .shown = "a.service/b.service/c"},
	{"/system.slice/stray/a.service", CGROUP_OTHER, .slice = "system.slice",
	 .below = "stray/a.service", .shown = "/system.slice/stray/a.service"},
	{"/system.slice/getty@.service", CGROUP_OTHER, .slice = "system.slice",
	 .below = "getty@.service", .shown = "/system.slice/getty@.service"},
	{"/system.slice/a.timer", CGROUP_OTHER, .slice = "system.slice", .below = "a.timer",
	 .shown = "/system.slice/a.timer"},
	{"/a--b.slice", CGROUP_OTHER, .below = "a--b.slice", .shown = "/a--b.slice"},
	{"/system.slice/@a.service", CGROUP_OTHER, .slice = "system.slice", .below = "@a.service",
	 .shown = "/system.slice/@a.service"},
	/* --- users */
	{"/user.slice/user-1000.slice", CGROUP_SLICE, .unit = "user-1000.slice",
	 .slice = "user.slice", .shown = "user-1000.slice"},
	{"/user.slice/user-1000.slice/session-3.scope", CGROUP_SESSION, .unit = "session-3.scope",
	 .slice = "user-1000.slice", .shown = "user 1000: session-3.scope"},
	{"/user.slice/user-112.slice/session-c1.scope", CGROUP_SESSION, .unit = "session-c1.scope",
	 .slice = "user-112.slice", .shown = "user 112: session-c1.scope"},
	{"/system.slice/session-3.scope", CGROUP_UNIT, .unit = "session-3.scope",
	 .slice = "system.slice", .shown = "session-3.scope"},
	{USER, CGROUP_UNIT, .unit = "user@1000.service", .slice = "user-1000.slice",
	 .shown = "user@1000.service"},
	{USER "/init.scope", CGROUP_UNIT, .unit = "init.scope", .manager = "user@1000.service",
	 .shown = "user 1000: init.scope"},
	{USER "/app.slice", CGROUP_SLICE, .unit = "app.slice", .manager = "user@1000.service",
	 .shown = "user 1000: app.slice"},
	{USER "/app.slice/app-gnome-firefox-2504.scope", CGROUP_UNIT,
	 .unit = "app-gnome-firefox-2504.scope", .slice = "app.slice",
	 .manager = "user@1000.service", .shown = "user 1000: app-gnome-firefox-2504.scope"},
	{USER "/app.slice/app-gnome-firefox\\x2dw-2504.scope", CGROUP_UNIT,
	 .unit = "app-gnome-firefox\\x2dw-2504.scope", .slice = "app.slice",
	 .manager = "user@1000.service", .shown = "user 1000: app-gnome-firefox-w-2504.scope"},
	{USER "/session.slice/org.gnome.Shell@wayland.service/x", CGROUP_UNIT,
	 .unit = "org.gnome.Shell@wayland.service", .slice = "session.slice",
	 .manager = "user@1000.service", .below = "x",
	 .shown = "user 1000: org.gnome.Shell@wayland.service/x"},
	{USER "/stray/a.service", CGROUP_UNIT, .unit = "user@1000.service",
	 .slice = "user-1000.slice", .below = "stray/a.service",
	 .shown = "user@1000.service/stray/a.service"},
	{"/user.slice/user-01.slice/user@01.service/a.service", CGROUP_UNIT,
	 .unit = "user@01.service", .slice = "user-01.slice", .below = "a.service",
	 .shown = "user@01.service/a.service"},
	{"/user.slice/user@4294967295.service/a.service", CGROUP_UNIT,
	 .unit = "user@4294967295.service", .slice = "user.slice", .below = "a.service",
	 .shown = "user@4294967295.service/a.service"},
	{USER "/session-3.scope", CGROUP_UNIT, .unit = "session-3.scope",
	 .manager = "user@1000.service", .shown = "user 1000: session-3.scope"},
	/* --- Docker */
	{"/system.slice/docker-" ID ".scope", CGROUP_CONTAINER, RUNTIME_DOCKER,
	 .unit = "docker-" ID ".scope", .slice = "system.slice", .id = ID,
	 .shown = "docker 0123456789ab"},
	{"/system.slice/docker-" ID ".scope/system.slice/cron.service", CGROUP_CONTAINER,
	 RUNTIME_DOCKER, .unit = "docker-" ID ".scope", .slice = "system.slice", .id = ID,
	 .below = "system.slice/cron.service",
	 .shown = "docker 0123456789ab/system.slice/cron.service"},
	{"/docker", CGROUP_OTHER, .below = "docker", .shown = "/docker"},
	{"/docker/" ID, CGROUP_CONTAINER, RUNTIME_DOCKER, .id = ID, .shown = "docker 0123456789ab"},
	{"/docker/" ID "/docker/" ID2 "/x", CGROUP_CONTAINER, RUNTIME_DOCKER, .id = ID2,
	 .below = "x", .shown = "docker fedcba987654/x"},
	{"/ecs/0123/" ID, CGROUP_CONTAINER, RUNTIME_UNKNOWN, .id = ID,
	 .shown = "container 0123456789ab"},
	{"/docker/0123456789ab", CGROUP_OTHER, .below = "docker/0123456789ab",
	 .shown = "/docker/0123456789ab"},
	{"/docker/" ID "0", CGROUP_OTHER, .below = "docker/" ID "0", .shown = "/docker/" ID "0"},
	{"/system.slice/docker-xyz.scope", CGROUP_UNIT, .unit = "docker-xyz.scope",
	 .slice = "system.slice", .shown = "docker-xyz.scope"},
	{"/system.slice/docker.service", CGROUP_UNIT, .unit = "docker.service",
	 .slice = "system.slice", .shown = "docker.service"},
	{"/system.slice:docker:" ID, CGROUP_CONTAINER, RUNTIME_DOCKER, .id = ID,
	 .shown = "docker 0123456789ab"},
	/* --- Podman */
	{"/machine.slice/libpod-" ID ".scope/container", CGROUP_CONTAINER, RUNTIME_PODMAN,
	 .unit = "libpod-" ID ".scope", .slice = "machine.slice", .id = ID, .below = "container",
	 .shown = "podman 0123456789ab/container"},
	{"/machine.slice/libpod-conmon-" ID ".scope", CGROUP_MONITOR, RUNTIME_PODMAN,
	 .unit = "libpod-conmon-" ID ".scope", .slice = "machine.slice", .id = ID,
	 .shown = "podman 0123456789ab monitor"},
	{USER "/user.slice/libpod-" ID ".scope/container", CGROUP_CONTAINER, RUNTIME_PODMAN,
	 .unit = "libpod-" ID ".scope", .slice = "user.slice", .manager = "user@1000.service",
	 .id = ID, .below = "container", .shown = "user 1000: podman 0123456789ab/container"},
	{"/machine.slice/machine-libpod_pod_" ID ".slice", CGROUP_POD, RUNTIME_PODMAN,
	 .unit = "machine-libpod_pod_" ID ".slice", .slice = "machine.slice", .pod = ID,
	 .shown = "pod 0123456789ab"},
	{USER "/user.slice/user-libpod_pod_" ID ".slice/libpod-" ID2 ".scope", CGROUP_CONTAINER,
	 RUNTIME_PODMAN, .unit = "libpod-" ID2 ".scope", .slice = "user-libpod_pod_" ID ".slice",
	 .manager = "user@1000.service", .id = ID2, .pod = ID,
	 .shown = "user 1000: pod 0123456789ab container fedcba987654"},
	{"/libpod_parent/" ID "/libpod-" ID2, CGROUP_CONTAINER, RUNTIME_PODMAN, .id = ID2,
	 .pod = ID, .shown = "pod 0123456789ab container fedcba987654"},
	{"/libpod_parent/libpod-" ID, CGROUP_CONTAINER, RUNTIME_PODMAN, .id = ID,
	 .shown = "podman 0123456789ab"},
	{"/system.slice/web.service/libpod-payload-" ID, CGROUP_CONTAINER, RUNTIME_PODMAN,
	 .unit = "web.service", .slice = "system.slice", .id = ID, .shown = "podman 0123456789ab"},
	{USER "/user.slice/nerdctl-" ID ".scope", CGROUP_CONTAINER, RUNTIME_CONTAINERD,
	 .unit = "nerdctl-" ID ".scope", .slice = "user.slice", .manager = "user@1000.service",
	 .id = ID, .shown = "user 1000: containerd 0123456789ab"},
	{"/machine.slice/machine-xlibpod_pod_" ID ".slice", CGROUP_SLICE,
	 .unit = "machine-xlibpod_pod_" ID ".slice", .slice = "machine.slice",
	 .shown = "machine-xlibpod_pod_" ID ".slice"},
	/* --- Kubernetes, systemd driver */
	{"/kubepods.slice", CGROUP_PODS, .unit = "kubepods.slice", .shown = "pods"},
	{"/kubepods.slice/kubepods-burstable.slice", CGROUP_PODS,
	 .unit = "kubepods-burstable.slice", .slice = "kubepods.slice",
	 .shown = "pods (burstable)"},
	{"/kubepods.slice/kubepods-burstable.slice/kubepods-burstable-pod1234_5678.slice",
	 CGROUP_POD, .unit = "kubepods-burstable-pod1234_5678.slice",
	 .slice = "kubepods-burstable.slice", .pod = "1234-5678",
	 .shown = "pod 1234-5678 (burstable)"},
	{"/kubepods.slice/kubepods-burstable.slice/kubepods-burstable-pod" UID_
	 ".slice/cri-containerd-" ID ".scope",
	 CGROUP_CONTAINER, RUNTIME_CONTAINERD, .unit = "cri-containerd-" ID ".scope",
	 .slice = "kubepods-burstable-pod" UID_ ".slice", .id = ID, .pod = UID,
	 .shown = "pod " UID " (burstable) container 0123456789ab"},
	{"/kubepods.slice/kubepods-pod" UID_ ".slice/crio-" ID ".scope/container", CGROUP_CONTAINER,
	 RUNTIME_CRIO, .unit = "crio-" ID ".scope", .slice = "kubepods-pod" UID_ ".slice", .id = ID,
	 .pod = UID, .below = "container",
	 .shown = "pod " UID " (guaranteed) container 0123456789ab/container"},
	{"/kubepods.slice/kubepods-besteffort.slice/kubepods-besteffort-pod" UID_
	 ".slice/crio-conmon-" ID ".scope",
	 CGROUP_MONITOR, RUNTIME_CRIO, .unit = "crio-conmon-" ID ".scope",
	 .slice = "kubepods-besteffort-pod" UID_ ".slice", .id = ID, .pod = UID,
	 .shown = "pod " UID " (besteffort) container 0123456789ab monitor"},
	{"/kubepods.slice/kubepods-pod" UID_ ".slice/docker-" ID ".scope", CGROUP_CONTAINER,
	 RUNTIME_DOCKER, .unit = "docker-" ID ".scope", .slice = "kubepods-pod" UID_ ".slice",
	 .id = ID, .pod = UID, .shown = "pod " UID " (guaranteed) container 0123456789ab"},
	{"/system.slice/docker-" ID2 ".scope/kubelet.slice/kubelet-kubepods.slice/"
	 "kubelet-kubepods-besteffort.slice/kubelet-kubepods-besteffort-pod" UID_
	 ".slice/cri-containerd-" ID ".scope",
	 CGROUP_CONTAINER, RUNTIME_CONTAINERD, .unit = "docker-" ID2 ".scope",
	 .slice = "system.slice", .id = ID, .pod = UID,
	 .shown = "pod " UID " (besteffort) container 0123456789ab"},
	{"/kubepods.slice/kubepods-podman.slice", CGROUP_PODS, .unit = "kubepods-podman.slice",
	 .slice = "kubepods.slice", .below = "kubepods-podman.slice",
	 .shown = "pods/kubepods-podman.slice"},
	{"/kubepods.slice/kubepods-burstableX.slice", CGROUP_PODS,
	 .unit = "kubepods-burstableX.slice", .slice = "kubepods.slice",
	 .below = "kubepods-burstableX.slice", .shown = "pods/kubepods-burstableX.slice"},
	/* --- Kubernetes, cgroupfs driver */
	{"/kubepods", CGROUP_PODS, .shown = "pods"},
	{"/kubepods/besteffort", CGROUP_PODS, .shown = "pods (besteffort)"},
	{"/kubepods/burstable/pod" UID, CGROUP_POD, .pod = UID, .shown = "pod " UID " (burstable)"},
	{"/kubepods/burstable/pod" UID "/" ID, CGROUP_CONTAINER, .id = ID, .pod = UID,
	 .shown = "pod " UID " (burstable) container 0123456789ab"},
	{"/kubepods/pod" UID "/crio-" ID, CGROUP_CONTAINER, RUNTIME_CRIO, .id = ID, .pod = UID,
	 .shown = "pod " UID " (guaranteed) container 0123456789ab"},
	{"/kubelet/kubepods/pod0123456789abcdef0123456789abcdef/" ID "/docker/" ID2,
	 CGROUP_CONTAINER, RUNTIME_DOCKER, .id = ID2, .pod = "0123456789abcdef0123456789abcdef",
	 .shown = "pod 0123456789abcdef0123456789abcdef (guaranteed) container fedcba987654"},
	{"/kubepods/burstable/x/pod" UID, CGROUP_PODS, .below = "x/pod" UID,
	 .shown = "pods (burstable)/x/pod" UID},
	{"/burstable/pod" UID, CGROUP_OTHER, .below = "burstable/pod" UID,
	 .shown = "/burstable/pod" UID},
	{"/system.slice/containerd.service/kubepods-besteffort-pod" UID_
	 ".slice:cri-containerd:" ID,
	 CGROUP_CONTAINER, RUNTIME_CONTAINERD, .unit = "containerd.service",
	 .slice = "system.slice", .id = ID, .pod = UID,
	 .shown = "pod " UID " (besteffort) container 0123456789ab"},
	{"/kubepods-pod" UID ".slice:crio:" ID, CGROUP_CONTAINER, RUNTIME_CRIO, .id = ID,
	 .pod = UID, .shown = "pod " UID " (guaranteed) container 0123456789ab"},
	{"/a:b:" ID, CGROUP_OTHER, .below = "a:b:" ID, .shown = "/a:b:" ID},
	{"/kubepods/burstable/besteffort", CGROUP_PODS, .below = "besteffort",
	 .shown = "pods (burstable)/besteffort"},
	{"/kubepods/burstable/pod12/kubepods", CGROUP_PODS, .shown = "pods"},
	/* --- LXC and machines */
	{"/lxc.payload.web-1/system.slice/cron.service", CGROUP_CONTAINER, RUNTIME_LXC,
	 .id = "web-1", .below = "system.slice/cron.service",
	 .shown = "lxc web-1/system.slice/cron.service"},
	{"/lxc.monitor.web-1", CGROUP_MONITOR, RUNTIME_LXC, .id = "web-1",
	 .shown = "lxc web-1 monitor"},
	{"/lxc/101/ns", CGROUP_CONTAINER, RUNTIME_LXC, .id = "101", .below = "ns",
	 .shown = "lxc 101/ns"},
	{"/lxc.payload/long-name-of-web", CGROUP_CONTAINER, RUNTIME_LXC, .id = "long-name-of-web",
	 .shown = "lxc long-name-of-web"},
	{"/lxc.payload.", CGROUP_OTHER, .below = "lxc.payload.", .shown = "/lxc.payload."},
	{"/x/lxc/101", CGROUP_OTHER, .below = "x/lxc/101", .shown = "/x/lxc/101"},
	{"/machine.slice/machine-qemu\\x2d1\\x2ddebian12.scope/libvirt/vcpu0", CGROUP_MACHINE,
	 RUNTIME_QEMU, .unit = "machine-qemu\\x2d1\\x2ddebian12.scope", .slice = "machine.slice",
	 .id = "qemu\\x2d1\\x2ddebian12", .below = "libvirt/vcpu0",
	 .shown = "machine qemu-1-debian12/libvirt/vcpu0"},
	{"/machine.slice/machine-lxc\\x2d4242\\x2dweb.scope", CGROUP_MACHINE, RUNTIME_LXC,
	 .unit = "machine-lxc\\x2d4242\\x2dweb.scope", .slice = "machine.slice",
	 .id = "lxc\\x2d4242\\x2dweb", .shown = "machine lxc-4242-web"},
	{"/machine.slice/systemd-nspawn@sid.service/payload", CGROUP_MACHINE, RUNTIME_NSPAWN,
	 .unit = "systemd-nspawn@sid.service", .slice = "machine.slice", .id = "sid",
	 .below = "payload", .shown = "machine sid/payload"},
	{"/machine.slice/machine-.scope", CGROUP_UNIT, .unit = "machine-.scope",
	 .slice = "machine.slice", .shown = "machine-.scope"},
	/* --- what must not get to a terminal */
	{"/a\x1b[2Jb\n", CGROUP_OTHER, .below = "a\x1b[2Jb\n", .shown = "/a\\x1b[2Jb\\x0a"},
	{"/system.slice/a\\x1b\\xc3\\xb6\\xc3\\xzz\\x.service", CGROUP_UNIT,
	 .unit = "a\\x1b\\xc3\\xb6\\xc3\\xzz\\x.service", .slice = "system.slice",
	 .shown = "a\\x1b\xc3\xb6\\xc3\\xzz\\x.service"},
	{"/\xe2\x80\xae-\xc0\xaf-\xed\xa0\x80-\xf4\x90\x80\x80-\xc2\x9b-\xf0\x9f\x98\x80",
	 CGROUP_OTHER,
	 .below = "\xe2\x80\xae-\xc0\xaf-\xed\xa0\x80-\xf4\x90\x80\x80-\xc2\x9b-\xf0\x9f\x98\x80",
	 .shown = "/\\xe2\\x80\\xae-\\xc0\\xaf-\\xed\\xa0\\x80-\\xf4\\x90\\x80\\x80-\\xc2\\x9b-"
		  "\xf0\x9f\x98\x80"},
};

static void check_part(const char *path, const char *field, struct name_part found,
		       const char *wanted)
{
	if (!name_part_equals(found, wanted ? wanted : ""))
		fail_msg("%s: %s is \"%.*s\"", path, field, (int)found.len, found.p);
}

static void test_names(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		const char *path = names[i].path;
		struct cgroup_name name;
		char shown[256];

		cgroup_name_parse(path, strlen(path), &name);
		if (name.kind != names[i].kind || name.runtime != names[i].runtime)
			fail_msg("%s: %s of %s", path, cgroup_kind_to_string(name.kind),
				 cgroup_runtime_to_string(name.runtime));
		check_part(path, "unit", name.unit, names[i].unit);
		check_part(path, "slice", name.slice, names[i].slice);
		check_part(path, "manager", name.manager, names[i].manager);
		check_part(path, "id", name.id, names[i].id);
		check_part(path, "pod", name_part_text(name.pod), names[i].pod);
		check_part(path, "below", name.below, names[i].below);
		cgroup_name_display(&name, shown, sizeof(shown));
		check_part(path, "shown", name_part_text(shown), names[i].shown);
	}
}

static void test_users(void **state)
{
	static const struct {
		const char *path;
		uint32_t uid;
	} users[] = {
		{"/user.slice/user-1000.slice", 1000},
		{"/user.slice/user-1000.slice/session-3.scope", 1000},
		{"/user.slice/user-1000.slice/user-runtime-dir@1000.service", 1000},
		{USER, 1000},
		{USER "/app.slice/user@7.service/user-8.slice", 1000},
		{"/user.slice/user-0.slice/user@0.service/a.scope", 0},
		{"/user.slice/user-4294967294.slice", 4294967294},
		{"/user.slice/user-4294967295.slice", UNIT_NO_UID},
		{"/user.slice/user-4294967296.slice", UNIT_NO_UID},
		{"/user.slice/user-18446744073709551617.slice", UNIT_NO_UID},
		{"/user.slice/user-01000.slice", UNIT_NO_UID},
		{"/user.slice/user-.slice", UNIT_NO_UID},
		{"/user.slice", UNIT_NO_UID},
		/* Whoever owns a.service may call things below as they like. */
		{"/system.slice/a.service/user.slice/user-1000.slice/user@1000.service",
		 UNIT_NO_UID},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(users); i++) {
		struct cgroup_name name;

		cgroup_name_parse(users[i].path, strlen(users[i].path), &name);
		if (name.uid != users[i].uid)
			fail_msg("%s: uid %" PRIu32, users[i].path, name.uid);
	}
}

static void test_qos(void **state)
{
	static const char *const paths[_POD_QOS_MAX] = {"/kubepods", "/kubepods/pod12",
							"/kubepods/burstable/pod12",
							"/kubepods/besteffort"};
	struct cgroup_name name;

	(void)state;
	for (size_t i = 0; i < _POD_QOS_MAX; i++) {
		cgroup_name_parse(paths[i], strlen(paths[i]), &name);
		assert_int_equal(name.qos, i);
	}
}

/* --- unit to path; path NULL: no such name */
static const struct {
	const char *unit, *slice;
	uint32_t uid;
	const char *path;
} units[] = {
	{"mongod.service", "", UNIT_NO_UID, "/system.slice/mongod.service"},
	{"a.service", "my-foo.slice", UNIT_NO_UID, "/my.slice/my-foo.slice/a.service"},
	{"a.service", "-.slice", UNIT_NO_UID, "/a.service"},
	{"-.slice", "", UNIT_NO_UID, "/"},
	{"my-foo-group.slice", "", UNIT_NO_UID, "/my.slice/my-foo.slice/my-foo-group.slice"},
	{"my-foo.slice", "my.slice", UNIT_NO_UID, "/my.slice/my-foo.slice"},
	{"my.slice", "-.slice", UNIT_NO_UID, "/my.slice"},
	{"my-foo.slice", "your.slice", UNIT_NO_UID, NULL},
	{"my-foo.slice", "-.slice", UNIT_NO_UID, NULL},
	{"my.slice", "my.slice", UNIT_NO_UID, NULL},
	{"-.slice", "-.slice", UNIT_NO_UID, NULL},
	{"memory-a.slice", "", UNIT_NO_UID, "/_memory.slice/memory-a.slice"},
	{"io.service", "", UNIT_NO_UID, "/system.slice/_io.service"},
	{"getty@tty1.service", "", UNIT_NO_UID,
	 "/system.slice/system-getty.slice/getty@tty1.service"},
	{"systemd-fsck@dev-sda1.service", "", UNIT_NO_UID,
	 "/system.slice/system-systemd\\x2dfsck.slice/systemd-fsck@dev-sda1.service"},
	{"a\\x2db@c@d.service", "", UNIT_NO_UID,
	 "/system.slice/system-a\\x5cx2db.slice/a\\x2db@c@d.service"},
	{".a@b.service", "", UNIT_NO_UID, "/system.slice/system-\\x2ea.slice/_.a@b.service"},
	{"init.scope", "", UNIT_NO_UID, "/init.scope"},
	{"user@1000.service", "", UNIT_NO_UID, USER},
	{"user-runtime-dir@5.service", "", UNIT_NO_UID,
	 "/user.slice/user-5.slice/user-runtime-dir@5.service"},
	{"systemd-nspawn@sid.service", "", UNIT_NO_UID,
	 "/machine.slice/systemd-nspawn@sid.service"},
	{"session-3.scope", "user-1000.slice", UNIT_NO_UID,
	 "/user.slice/user-1000.slice/session-3.scope"},
	{"pipewire.service", "session.slice", 1000, USER "/session.slice/pipewire.service"},
	{"app-x.scope", "", 1000, USER "/app.slice/app-x.scope"},
	{"dbus-broker@x.service", "", 1000,
	 USER "/app.slice/app-dbus\\x2dbroker.slice/dbus-broker@x.service"},
	{"app-x.slice", "", 1000, USER "/app.slice/app-x.slice"},
	{"init.scope", "", 1000, USER "/init.scope"},
	{"-.slice", "", 1000, USER},
	{"", "", UNIT_NO_UID, NULL},
	{"a", "", UNIT_NO_UID, NULL},
	{".service", "", UNIT_NO_UID, NULL},
	{"a.timer", "", UNIT_NO_UID, NULL},
	{"a@.service", "", UNIT_NO_UID, NULL},
	{"@a.service", "", UNIT_NO_UID, NULL},
	{"a/b.service", "", UNIT_NO_UID, NULL},
	{"a b.service", "", UNIT_NO_UID, NULL},
	{"\xc3\xb6.service", "", UNIT_NO_UID, NULL},
	{"-a.slice", "", UNIT_NO_UID, NULL},
	{"a-.slice", "", UNIT_NO_UID, NULL},
	{"a--b.slice", "", UNIT_NO_UID, NULL},
	{"--.slice", "", UNIT_NO_UID, NULL},
	{"a@b.slice", "", UNIT_NO_UID, NULL},
	{"a.service", "b.service", UNIT_NO_UID, NULL},
	{"a.service", "b", UNIT_NO_UID, NULL},
	{"user@a--b.service", "", UNIT_NO_UID, NULL},
};

static int to_path(const char *unit, const char *slice, uint32_t uid, char *buf, size_t size)
{
	return unit_name_to_path(name_part_text(unit), name_part_text(slice), uid, buf, size);
}

static void test_to_path(void **state)
{
	char path[256], small[256];

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(units); i++) {
		const char *wanted = units[i].path;
		int r = to_path(units[i].unit, units[i].slice, units[i].uid, path, sizeof(path));

		if (!wanted) {
			if (r != -EINVAL)
				fail_msg("\"%s\" in \"%s\": %d", units[i].unit, units[i].slice, r);
			continue;
		}
		if (r != (int)strlen(wanted) || strcmp(path, wanted) != 0)
			fail_msg("\"%s\" in \"%s\": %d %s", units[i].unit, units[i].slice, r, path);
		for (size_t size = 0; size <= strlen(wanted); size++) {
			small[size] = '!';
			r = to_path(units[i].unit, units[i].slice, units[i].uid, small, size);
			assert_int_equal(r, -ENAMETOOLONG);
			assert_int_equal(small[size], '!');
		}
	}
}

static void test_longest(void **state)
{
	static char path[65536];
	char unit[300];

	(void)state;
	memset(unit, 'a', sizeof(unit));
	strcpy(unit + 247, ".service");
	assert_int_equal(strlen(unit), 255);
	assert_int_equal(to_path(unit, "", UNIT_NO_UID, path, sizeof(path)), 13 + 1 + 255);
	/* One byte more; and as many, but the cgroup's name would have one more. */
	unit[247] = 'a';
	strcpy(unit + 248, ".service");
	assert_false(unit_name_is_valid(name_part_text(unit)));
	assert_int_equal(to_path(unit, "", UNIT_NO_UID, path, sizeof(path)), -EINVAL);
	strcpy(unit + 247, ".service");
	unit[0] = '_';
	assert_int_equal(to_path(unit, "", UNIT_NO_UID, path, sizeof(path)), -EINVAL);
	/* A template whose slice cannot be named. */
	memset(unit, 'a', sizeof(unit));
	strcpy(unit + 245, "@b.socket");
	assert_int_equal(to_path(unit, "", UNIT_NO_UID, path, sizeof(path)), -EINVAL);
	assert_true(to_path(unit, "a.slice", UNIT_NO_UID, path, sizeof(path)) > 0);
	/* Nor this one, though what there is room for looks like a slice's name. */
	memset(unit, '-', 60);
	strcpy(unit + 60, "aa.slicex@b.socket");
	assert_int_equal(to_path(unit, "", UNIT_NO_UID, path, sizeof(path)), -EINVAL);
	/* Slices in slices. */
	for (size_t i = 0; i < 249; i++)
		unit[i] = i % 2 ? '-' : 'a';
	strcpy(unit + 249, ".slice");
	assert_int_equal(to_path(unit, "", UNIT_NO_UID, path, 4096), -ENAMETOOLONG);
	assert_true(to_path(unit, "", UNIT_NO_UID, path, sizeof(path)) > 4096);
}

static void test_escape(void **state)
{
	static const struct {
		const char *name, *cgroup;
	} pairs[] = {
		{"foobar", "foobar"},
		{"foobar.service", "foobar.service"},
		{".foobar", "_.foobar"},
		{"_foobar", "__foobar"},
		{"", "_"},
		{"_", "__"},
		{".", "_."},
		{"tasks", "_tasks"},
		{"tasks.service", "tasks.service"},
		{"notify_on_release", "_notify_on_release"},
		{"release_agent", "_release_agent"},
		{"cgroup.service", "_cgroup.service"},
		{"cgroups.service", "cgroups.service"},
		{"cpu.service", "_cpu.service"},
		{"cpuset.service", "_cpuset.service"},
		{"cpufreq.service", "cpufreq.service"},
		{"memory.slice", "_memory.slice"},
		{"memory", "memory"},
		{"memory-a.slice", "memory-a.slice"},
		{"io.mount", "_io.mount"},
		{"pids.a", "_pids.a"},
		{"devices.scope", "_devices.scope"},
		{"blkio.x", "_blkio.x"},
		{"bpf-firewall.service", "_bpf-firewall.service"},
		{"hugetlb.service", "hugetlb.service"},
	};
	char buf[300], huge[256];

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(pairs); i++) {
		struct name_part name = name_part_text(pairs[i].name), back;
		int len = (int)strlen(pairs[i].cgroup);

		assert_int_equal(cgroup_escape(name, buf, sizeof(buf)), len);
		assert_string_equal(buf, pairs[i].cgroup);
		assert_int_equal(cgroup_needs_escape(name), strlen(buf) != name.len);
		back = cgroup_unescape(name_part_text(buf));
		check_part(buf, "name", back, pairs[i].name);
		assert_int_equal(cgroup_escape(name, buf, (size_t)len), -ENAMETOOLONG);
	}
	assert_int_equal(cgroup_escape(name_part_text("a/b"), buf, sizeof(buf)), -EINVAL);
	assert_int_equal(cgroup_escape(name_part_of("a\0b", 3), buf, sizeof(buf)), -EINVAL);
	memset(huge, '_', sizeof(huge));
	assert_int_equal(cgroup_escape(name_part_of(huge, 254), buf, sizeof(buf)), 255);
	assert_int_equal(cgroup_escape(name_part_of(huge, 255), buf, sizeof(buf)), -EINVAL);
}

/* What systemd-escape 252 printed; NULL: it refused. */
static void test_unescape(void **state)
{
	static const struct {
		const char *name, *plain, *path;
	} pairs[] = {
		{"home-foo\\x2dbar", "home/foo-bar", "/home/foo-bar"},
		{"-", "/", "/"},
		{"\\x2d", "-", "/-"},
		{"Hall\\xc3\\xb6chen\\x2c",
		 "Hall\xc3\xb6"
		 "chen,",
		 "/Hall\xc3\xb6"
		 "chen,"},
		{"a\\xC3", "a\xc3", "/a\xc3"},
		{"--a", "//a", NULL},
		{"a-", "a/", NULL},
		{"a-.-b", "a/./b", NULL},
		{"..-b", "../b", NULL},
		{"a-...-b", "a/.../b", "/a/.../b"},
		{"\\x2e\\x2e", "..", NULL},
		{"a\\x", NULL, NULL},
		{"a\\xzz", NULL, NULL},
		{"a\\n", NULL, NULL},
		{"a\\", NULL, NULL},
		{"a\\x00", NULL, NULL},
	};
	char buf[64];

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(pairs) * 2; i++) {
		struct name_part name = name_part_text(pairs[i / 2].name);
		const char *wanted = i % 2 ? pairs[i / 2].path : pairs[i / 2].plain;
		int r = unit_name_unescape(name, i % 2, buf, sizeof(buf));

		if (r != (wanted ? (int)strlen(wanted) : -EINVAL) ||
		    (wanted && strcmp(buf, wanted) != 0))
			fail_msg("%s: %d %s", pairs[i / 2].name, r, r < 0 ? "" : buf);
		if (wanted)
			assert_int_equal(unit_name_unescape(name, i % 2, buf, (size_t)r),
					 -ENAMETOOLONG);
	}
}

/* --- random */

static uint64_t seed;

static uint64_t random_next(void)
{
	seed ^= seed << 13;
	seed ^= seed >> 7;
	seed ^= seed << 17;
	return seed;
}

static int set_seed(void **state)
{
	const char *given = getenv("SEED");

	(void)state;
	seed = given ? strtoull(given, NULL, 0) : 20240229;
	seed = seed ? seed : 1;
	return 0;
}

/* Letters that matter; a quarter of the names look like a file of the kernel. */
static void random_name(const char *const *types, size_t n_types, char *ret)
{
	static const char letters[] = "aaabcz019-_.\\:@";
	static const char *const heads[] = {"memory.", "cgroup.", "_",  ".",
					    "io.",     "cpu.",    "a@", "user@"};
	size_t len = 1 + random_next() % 24;

	*ret = '\0';
	if (random_next() % 4 == 0)
		strcpy(ret, heads[random_next() % ARRAY_SIZE(heads)]);
	ret += strlen(ret);
	for (size_t i = 0; i < len; i++)
		*ret++ = letters[random_next() % (sizeof(letters) - 1)];
	strcpy(ret, types[random_next() % n_types]);
}

static void test_round_trip(void **state)
{
	static const char *const types[] = {".service", ".scope", ".slice",
					    ".socket",  ".mount", ".swap"};
	static const char *const slices[] = {".slice"};
	size_t there = 0, in_slice = 0, of_user = 0;

	(void)state;
	for (size_t i = 0; i < 300000; i++) {
		char unit[64], slice[64] = "", path[1024];
		uint32_t uid = random_next() % 3 ? UNIT_NO_UID : (uint32_t)random_next() % 2000;
		struct cgroup_name name;
		int r;

		random_name(types, ARRAY_SIZE(types), unit);
		if (random_next() % 3 == 0)
			random_name(slices, 1, slice);
		r = to_path(unit, slice, uid, path, sizeof(path));
		if (r < 0) {
			assert_int_equal(r, -EINVAL);
			continue;
		}
		cgroup_name_parse(path, (size_t)r, &name);
		/* The root slice has the manager's own cgroup, which is shown as that. */
		if (strcmp(unit, "-.slice") == 0)
			continue;
		if (name.below.len > 0 || !name_part_equals(name.unit, unit))
			fail_msg("%s in \"%s\": %s, %.*s", unit, slice, path, (int)name.unit.len,
				 name.unit.p);
		if (*slice && strcmp(slice, "-.slice") != 0)
			check_part(path, "slice", name.slice, slice);
		if (uid != UNIT_NO_UID) {
			assert_int_equal(name.uid, uid);
			assert_true(name.manager.len > 0);
		}
		there++;
		in_slice += *slice != '\0';
		of_user += uid != UNIT_NO_UID;
	}
	/* Else the inputs would show little. */
	assert_true(there > 100000 && in_slice > 10000 && of_user > 30000);
}

static bool is_within(struct name_part inner, const char *text, size_t len)
{
	return inner.len == 0 ||
	       (inner.p >= text && inner.len <= len && inner.p + inner.len <= text + len);
}

/* The text ends where its memory does, so that sanitizers and valgrind see a byte too many. */
static void check_any(const char *text, size_t len)
{
	_cleanup_free_ char *copy = malloc(len ? len : 1);
	char whole[1024], part[1024];
	struct cgroup_name name;
	size_t whole_len, part_len, size = random_next() % 100;

	assert_non_null(copy);
	memcpy(copy, text, len);
	cgroup_name_parse(copy, len, &name);
	assert_true(name.kind < _CGROUP_KIND_MAX && name.runtime < _CGROUP_RUNTIME_MAX);
	assert_true(is_within(name.unit, copy, len) && is_within(name.manager, copy, len) &&
		    is_within(name.slice, copy, len) && is_within(name.id, copy, len) &&
		    is_within(name.path, copy, len) && is_within(name.below, copy, len));
	assert_true(name.unit.len == 0 || unit_name_is_valid(name.unit));
	assert_true(name.slice.len == 0 || unit_name_is_slice(name.slice));
	whole_len = cgroup_name_display(&name, whole, sizeof(whole));
	assert_int_equal(strlen(whole), whole_len);
	for (size_t i = 0; i < whole_len; i++)
		assert_true((unsigned char)whole[i] >= 0x20 && whole[i] != 0x7f);
	part[size] = '!';
	part_len = cgroup_name_display(&name, part, size);
	assert_int_equal(part[size], '!');
	assert_true(size == 0 || (part_len < size && part[part_len] == '\0'));
	if (size > whole_len)
		assert_string_equal(part, whole);
	else if (size > 3)
		assert_true(part_len >= 3 && strcmp(part + part_len - 3, "\xe2\x80\xa6") == 0 &&
			    memcmp(part, whole, part_len - 3) == 0);
}

static void test_truncated(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		for (size_t len = 0; len <= strlen(names[i].path); len++)
			check_any(names[i].path, len);
}

static void test_damaged(void **state)
{
	(void)state;
	for (size_t i = 0; i < 100000; i++) {
		const char *path = names[random_next() % ARRAY_SIZE(names)].path;
		const char *other = names[random_next() % ARRAY_SIZE(names)].path;
		size_t len = strlen(path), keep = random_next() % (len + 1);
		char text[600];

		snprintf(text, sizeof(text), "%.*s%s", (int)keep, path, other);
		len = strlen(text);
		for (size_t n = random_next() % 4; n > 0 && len > 0; n--)
			text[random_next() % len] = (char)random_next();
		check_any(text, len);
	}
}

/* Seconds would be a sign of more than linear time. */
static void test_long(void **state)
{
	static const char *const units_of[] = {
		"/",     "/a.slice",          "/kubepods", "/pod1",           "-", "a:",
		"\\x2d", "/0123456789abcdef", "kubepods-", "/user@1.service", "_"};
	static char text[1 << 20];

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(units_of); i++) {
		struct cgroup_name name;
		char shown[64];
		size_t len = strlen(units_of[i]);

		for (size_t at = 0; at + len <= sizeof(text); at += len)
			memcpy(text + at, units_of[i], len);
		cgroup_name_parse(text, sizeof(text) - sizeof(text) % len, &name);
		cgroup_name_display(&name, shown, sizeof(shown));
	}
}

static void test_cut(void **state)
{
	static const char path[] = "/system.slice/\\xc3\\xb6\\xc3\\xb6.service";
	struct cgroup_name name;
	char buf[8];

	(void)state;
	cgroup_name_parse(path, strlen(path), &name);
	assert_int_equal(cgroup_name_display(&name, buf, 0), 0);
	assert_int_equal(cgroup_name_display(&name, buf, 1), 0);
	assert_string_equal(buf, "");
	assert_int_equal(cgroup_name_display(&name, buf, 3), 0);
	assert_int_equal(cgroup_name_display(&name, buf, 4), 3);
	assert_string_equal(buf, "\xe2\x80\xa6");
	/* Never half a character. */
	assert_int_equal(cgroup_name_display(&name, buf, 7), 5);
	assert_string_equal(buf, "\xc3\xb6\xe2\x80\xa6");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_names),     cmocka_unit_test(test_users),
		cmocka_unit_test(test_qos),       cmocka_unit_test(test_to_path),
		cmocka_unit_test(test_longest),   cmocka_unit_test(test_escape),
		cmocka_unit_test(test_unescape),  cmocka_unit_test(test_round_trip),
		cmocka_unit_test(test_truncated), cmocka_unit_test(test_damaged),
		cmocka_unit_test(test_long),      cmocka_unit_test(test_cut),
	};

	return cmocka_run_group_tests(tests, set_seed, NULL);
}
