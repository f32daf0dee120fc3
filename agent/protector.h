/* SPDX-License-Identifier: MIT */
/*
 * Carries out Protect=auto: has memory.low be as the policy wants it (protect.h), and takes it back.
 *
 * Each value that is changed is kept, in memory and in a journal that outlives a crash, and put back
 * when its memcg is no longer to be protected, at the end, and by the next start. What somebody else
 * has set meanwhile is theirs: it stays, is told once, and nothing is set there any more.
 *
 * A unit's own cgroup is systemd's to write, which is asked to (protect_units.h). Where it refuses, and
 * where a cgroup is another manager's, the agent's own plans keep to the protection all the same
 * (protection.c).
 */
#ifndef FGRECLAIM_PROTECTOR_H
#define FGRECLAIM_PROTECTOR_H

#include "hierarchy.h"

#include <stdbool.h>
#include <systemd/sd-event.h>

/* How long after a refusal systemd is asked again, and a bus that is not there is looked for. */
#define PROTECTOR_RETRY_USEC (60 * UINT64_C(1000000))

struct protector;

struct protector_settings {
	const char *root; /* "" for the host */
	const struct hierarchy *hierarchy;
	sd_event *event;     /* NULL: systemd is not asked for anything */
	uint64_t retry_usec; /* PROTECTOR_RETRY_USEC, but in tests */
};

/* The hierarchy must stay. Errors: -ENOMEM. */
int protector_new(const struct protector_settings *settings, struct protector **ret);

/* Puts nothing back: see protector_end(). NULL is allowed; returns NULL. */
struct protector *protector_free(struct protector *protector);

/* Puts back what a former run has left, after the first scan and before anything is set; of units with
 * the first protector_apply(). A journal that is not understood is told, and moved aside. */
void protector_recover(struct protector *protector);

/* To be called after each plan. dry_run: nothing is set, and what was is put back. */
void protector_apply(struct protector *protector, bool dry_run);

/* Puts all values back. Nothing but protector_is_busy() and protector_free() after it. */
void protector_end(struct protector *protector);

/* True while an answer of systemd is due. What is not put back when it is freed is for the next start. */
bool protector_is_busy(const struct protector *protector);

#endif
