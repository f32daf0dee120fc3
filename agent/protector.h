/* SPDX-License-Identifier: MIT */
/*
 * Carries out Protect=auto: writes memory.low as the policy wants it (protect.h), and takes it back.
 *
 * Each value that is changed is kept, in memory and in a journal that outlives a crash, and put back
 * when its memcg is no longer to be protected, at the end, and by the next start. What somebody else
 * has set meanwhile is theirs: it stays, is told once, and nothing is written there any more.
 *
 * A cgroup that is a unit of systemd is systemd's to write. Without a bus nothing is written there:
 * the agent's own plans keep to the protection all the same (protection.c).
 */
#ifndef FGRECLAIM_PROTECTOR_H
#define FGRECLAIM_PROTECTOR_H

#include "hierarchy.h"

#include <stdbool.h>

struct protector;

/* root: "" for the host. Errors: -ENOMEM. */
int protector_new(const char *root, struct protector **ret);

/* Puts nothing back: see protector_restore(). NULL is allowed; returns NULL. */
struct protector *protector_free(struct protector *protector);

/* Puts back what a former run has left, after the first scan and before anything is written. A journal
 * that is not understood is told, and moved aside. */
void protector_recover(struct protector *protector, const struct hierarchy *hierarchy);

/* To be called after each plan. dry_run: nothing is written, and what was is put back. */
void protector_apply(struct protector *protector, const struct hierarchy *hierarchy, bool dry_run);

/* Puts all values back. */
void protector_restore(struct protector *protector, const struct hierarchy *hierarchy);

#endif
