/* SPDX-License-Identifier: MIT */
/*
 * Names of systemd units and of their cgroups. Pure and total: any bytes in, no I/O, no allocation.
 *
 * Three escapings meet here and must not be mixed up: "\x2d" is part of a unit's name and stands in
 * the path as it is; "_" is put before a cgroup's name that would look like a file of the kernel;
 * and the dashes of a slice's name are its parents.
 *
 * Sources: systemd.unit(5) (names, string escaping), systemd.slice(5), systemd.resource-control(5)
 * (Slice=), and what systemd 252 was seen to do.
 */
#ifndef FGRECLAIM_UNIT_NAME_H
#define FGRECLAIM_UNIT_NAME_H

#include "name_part.h"

#include <stdint.h>

#define UNIT_NAME_LEN_MAX 255        /* bytes, as of a file name; systemd's limit too */
#define UNIT_NO_UID       UINT32_MAX /* (uid_t)-1 is no user */

/* A unit that can have a cgroup: of type service, scope, slice, socket, mount or swap, no template,
 * and well-formed (a slice's dashes too). */
bool unit_name_is_valid(struct name_part name);

/* The same, and it is a slice; "-.slice", the root, is one. */
bool unit_name_is_slice(struct name_part name);

/*
 * The cgroup of a unit, from the hierarchy's root on: "/" first, none at the end unless it is all.
 * slice: the one it is in, or an empty piece: the one systemd chooses when neither the unit's file
 * nor who started it says another. So ask systemd first for all but slices. For a slice it is left
 * out or its parent. uid: whose user manager has the unit, or UNIT_NO_UID: the system's.
 *
 * Returns the length; buf is terminated. The time is that of writing the path.
 * -EINVAL: no such name, or not this slice; -ENAMETOOLONG: does not fit. Then buf is scratch.
 */
int unit_name_to_path(struct name_part unit, struct name_part slice, uint32_t uid, char *buf,
		      size_t size);

/*
 * What systemd-escape --unescape prints, with as_path also --path: "-" becomes "/" and "\x2d" the
 * byte. To be displayed only; and since it may be any byte but NUL, not to a terminal as it is.
 *
 * name is without the type at its end. Returns the length; buf is terminated.
 * -EINVAL: not the result of escaping; -ENAMETOOLONG: does not fit in size. Then buf is scratch.
 */
int unit_name_unescape(struct name_part name, bool as_path, char *buf, size_t size);

/* True if systemd puts "_" before this name when it makes a cgroup of it. */
bool cgroup_needs_escape(struct name_part name);

/* Name to cgroup. Returns the length; buf is terminated. -EINVAL: could be no file's name even so;
 * -ENAMETOOLONG: does not fit in size. Then buf is scratch. */
int cgroup_escape(struct name_part name, char *buf, size_t size);

/* Cgroup to name: one "_" at its start goes off. The piece is one of the given piece. */
struct name_part cgroup_unescape(struct name_part name);

#endif
