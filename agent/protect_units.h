/* SPDX-License-Identifier: MIT */
/*
 * Protect=auto for units: systemd is asked for their MemoryLow=, at run time only, and to put it back.
 *
 * A unit is its name: what systemd was told outlives the cgroup, and the next one of that name gets it.
 * So it is put back also for a unit that has stopped.
 */
#ifndef FGRECLAIM_PROTECT_UNITS_H
#define FGRECLAIM_PROTECT_UNITS_H

#include "hierarchy.h"
#include "protect_journal.h"
#include "unit_low.h"

struct protect_units;

/* asker: with event, retry_usec and changed. Errors: -ENOMEM. */
int protect_units_new(const struct unit_asker *asker, struct protect_units **ret);

/* Puts nothing back; what is under way has no answer any more. NULL is allowed; returns NULL. */
struct protect_units *protect_units_free(struct protect_units *units);

/* Takes over what a former run has set: it is put back when protect_units_look() next finds that it is
 * not wanted. Errors: -ENOMEM, and those of sd-event. */
int protect_units_adopt(struct protect_units *units, const struct protect_entry *entry);

/* The first half of a round: finds out what is to be changed, and asks for what is to be put back: of a
 * dry run all. True if something is to be changed, and the journal has to be written before. */
bool protect_units_look(struct protect_units *units, const struct hierarchy *hierarchy,
			bool dry_run);

/* Adds what a crash would leave behind. Errors: -ENOMEM. */
int protect_units_list(const struct protect_units *units, struct protect_journal *journal);

/* The second half: asks for the changes, or drops them. */
void protect_units_change(struct protect_units *units, bool may);

/* Asks for all to be put back, also of those whose change is under way. Nothing else after it. */
void protect_units_end(struct protect_units *units, const struct hierarchy *hierarchy);

/* True while an answer is due. */
bool protect_units_are_busy(const struct protect_units *units);

#endif
