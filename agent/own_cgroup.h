/* SPDX-License-Identifier: MIT */
#ifndef FGRECLAIM_OWN_CGROUP_H
#define FGRECLAIM_OWN_CGROUP_H

/* The cgroup that this process is in, from the top of the hierarchy ("/": the root, and so in a
 * cgroup namespace). NULL: not known. To be freed. */
char *own_cgroup_path(void);

#endif
