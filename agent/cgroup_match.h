/* SPDX-License-Identifier: MIT */
/*
 * What a Match= line takes: a glob of cgroup paths (path_glob.h), or a glob of names with what is
 * named in front. All that is within the thing named belongs to it, however deep. Pure.
 *
 *  "unit:GLOB"       units of the system's manager; a GLOB that ends in ".slice" is one of slices
 *  "user-unit:GLOB"  the same of users' managers
 *  "container:GLOB"  IDs or names of containers; "container:RUNTIME/GLOB" those of one runtime
 *  "pod:GLOB"        UIDs of pods as Kubernetes writes them, IDs of Podman's pods
 *  "qos:CLASS"       pods of one QoS class of Kubernetes
 *
 * Users make up what names they like below their own manager: there only "user-unit:" and paths
 * fit. A container can make up containers and pods below itself, too, but no unit.
 */
#ifndef FGRECLAIM_CGROUP_MATCH_H
#define FGRECLAIM_CGROUP_MATCH_H

#include <stdbool.h>

/* pattern: one that cgroup_match_check() found nothing wrong with. */
bool cgroup_match_fits(const char *pattern, const char *cgroup_path);

/* Says why a pattern could never mean what its author wanted, or returns NULL: it is fine. The text
 * is static. */
const char *cgroup_match_check(const char *pattern);

#endif
