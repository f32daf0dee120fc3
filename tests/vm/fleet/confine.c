/* SPDX-License-Identifier: MIT */
/*
 * What a container runtime does to a program last: a cgroup namespace with a mount of its own, one
 * capability, no new privileges, and a seccomp profile in the form of OCI runtimes. Linked statically,
 * so that it runs in a root file system that has nothing for it.
 *
 *   confine PROFILE errno|kill PROGRAM [ARGUMENT]...
 *
 * errno: what the profile does not allow is refused, as it says. kill: it ends the program.
 */
#define _GNU_SOURCE
#include <err.h>
#include <jansson.h>
#include <linux/capability.h>
#include <sched.h>
#include <seccomp.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <unistd.h>

static void enter_namespaces(void)
{
	if (unshare(CLONE_NEWCGROUP | CLONE_NEWNS) < 0)
		err(1, "unshare");
	if (mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) < 0)
		err(1, "/");
	/* The host's, which is the same file system: a mount over it would be refused. */
	if (umount2("/sys/fs/cgroup", MNT_DETACH) < 0)
		err(1, "/sys/fs/cgroup");
	if (mount("cgroup2", "/sys/fs/cgroup", "cgroup2", MS_RDONLY, NULL) < 0)
		err(1, "cgroup2");
}

static void keep_one_capability(int kept)
{
	for (int capability = 0; capability <= CAP_LAST_CAP; capability++)
		if (capability != kept && prctl(PR_CAPBSET_DROP, capability, 0, 0, 0) < 0)
			err(1, "capability %d", capability);
}

/* One name of a rule. Names that this machine has no call for are passed over, as runtimes do. */
static void allow(scmp_filter_ctx filter, const char *name, json_t *args)
{
	int call = seccomp_syscall_resolve_name(name), r;
	json_t *arg = json_array_get(args, 0);

	if (call == __NR_SCMP_ERROR)
		return;
	if (arg && (json_array_size(args) != 1 ||
		    strcmp(json_string_value(json_object_get(arg, "op")), "SCMP_CMP_EQ") != 0))
		errx(1, "%s: arguments that are not understood here", name);
	if (arg)
		r = seccomp_rule_add(
			filter, SCMP_ACT_ALLOW, call, 1,
			SCMP_CMP((unsigned)json_integer_value(json_object_get(arg, "index")),
				 SCMP_CMP_EQ,
				 (scmp_datum_t)json_integer_value(json_object_get(arg, "value"))));
	else
		r = seccomp_rule_add(filter, SCMP_ACT_ALLOW, call, 0);
	if (r < 0)
		errx(1, "%s: %s", name, strerror(-r));
}

static void load_profile(const char *path, bool kill)
{
	json_error_t error;
	json_t *profile = json_load_file(path, 0, &error), *rules, *rule, *name;
	scmp_filter_ctx filter;
	size_t i, j;
	int r;

	if (!profile)
		errx(1, "%s:%d: %s", path, error.line, error.text);
	r = (int)json_integer_value(json_object_get(profile, "defaultErrnoRet"));
	filter = seccomp_init(kill ? SCMP_ACT_KILL_PROCESS : SCMP_ACT_ERRNO((uint16_t)r));
	if (!filter)
		errx(1, "seccomp_init");
	rules = json_object_get(profile, "syscalls");
	json_array_foreach(rules, i, rule)
	{
		json_array_foreach(json_object_get(rule, "names"), j, name)
			allow(filter, json_string_value(name), json_object_get(rule, "args"));
	}
	r = seccomp_load(filter);
	if (r < 0)
		errx(1, "seccomp_load: %s", strerror(-r));
}

int main(int argc, char **argv)
{
	if (argc < 4)
		errx(2, "usage: confine PROFILE errno|kill PROGRAM [ARGUMENT]...");
	enter_namespaces();
	keep_one_capability(CAP_DAC_OVERRIDE);
	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0)
		err(1, "no new privileges");
	load_profile(argv[1], strcmp(argv[2], "kill") == 0);
	execv(argv[3], argv + 3);
	err(1, "%s", argv[3]);
}
