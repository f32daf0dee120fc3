/* SPDX-License-Identifier: MIT */
/*
 * systemd keeps a property that it is asked to set at run time in a drop-in until the next boot, also
 * after the former value was put back. We may not remove it; whoever removes us may, and finds here
 * which are ours.
 */
#ifndef FGRECLAIM_DROP_IN_H
#define FGRECLAIM_DROP_IN_H

#include <stdbool.h>
#include <stdint.h>

/* Whether the unit has one for MemoryLow=; root: as of --root=. One that is there before we first ask is
 * somebody else's, or was noted. */
bool drop_in_exists(const char *root, const char *unit);

/* Adds a line "UNIT BYTES" to ROOT/run/fgreclaim/drop-ins. BYTES: what will be put back. As long as the
 * drop-in says just that, nobody else has set it since. A failure is said at level debug: then the
 * drop-in stays until the next boot. */
void drop_in_note(const char *root, const char *unit, uint64_t original_bytes);

#endif
