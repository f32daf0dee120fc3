/* SPDX-License-Identifier: MIT */
/*
 * MemoryLow= of one unit: see unit_low.h.
 */
#include "unit_low.h"
#include "arith.h"
#include "clock.h"
#include "drop_in.h"
#include "log.h"
#include "low.h"
#include "macro.h"
#include "messages.h"

#include <errno.h>
#include <string.h>

#define PROPERTY "MemoryLow"

/* A cgroup has the value of its unit a moment after it was made, and a bus is connected to between two
 * looks: only what is seen so often in a row counts. */
#define STRANGE_LOOKS 2

/* --- what comes of it */

static void settle(struct unit_low *unit, enum unit_state state)
{
	struct unit_asker *asker = unit->asker;

	unit->state = state;
	unit->step = STEP_NONE;
	unit->strange = 0;
	asker->changed(asker->userdata);
}

static void settle_foreign(struct unit_low *unit, uint64_t now_bytes)
{
	low_say_foreign(unit->name, unit->entry.next_bytes, now_bytes);
	settle(unit, unit->memcg ? UNIT_FOREIGN : UNIT_FREE);
}

/* It is asked again after a while. */
static void fail(struct unit_low *unit, int r, const char *error)
{
	struct unit_asker *asker = unit->asker;

	unit->step = STEP_NONE;
	if (r == -ENOTCONN && ++unit->unconnected < STRANGE_LOOKS)
		return;
	unit->retry_usec = saturating_add(clock_usec(CLOCK_MONOTONIC), asker->retry_usec);
	log_event(asker->refused ? LOG_DEBUG : LOG_WARNING, MESSAGE_PROTECT,
		  "systemd was asked to set MemoryLow= of %s: %s; where it does not, Protect=auto "
		  "holds for what the agent takes itself, and not for the kernel",
		  unit->name, error ?: strerror(-r));
	asker->refused = true;
}

static bool has_no_unit(const struct bus_answer *answer)
{
	return answer->error && strcmp(answer->error, BUS_NO_SUCH_UNIT) == 0;
}

/* UINT64_MAX is systemd's infinity. */
static uint64_t from_systemd(uint64_t value)
{
	return value == UINT64_MAX ? SAMPLE_INFINITY : value;
}

static uint64_t to_systemd(uint64_t bytes)
{
	return is_number(bytes) ? bytes : UINT64_MAX;
}

static bool is_known(const struct unit_low *unit, uint64_t bytes)
{
	return bytes == unit->entry.next_bytes || bytes == unit->entry.former_bytes;
}

/* --- put back */

static void on_restored(const struct bus_answer *answer, void *userdata)
{
	struct unit_low *unit = userdata;

	if (answer->r < 0 && !has_no_unit(answer)) {
		fail(unit, answer->r, answer->error);
		return;
	}
	log_debug("%s: MemoryLow= is as before", unit->name);
	settle(unit, UNIT_FREE);
}

static void on_looked(const struct bus_answer *answer, void *userdata)
{
	struct unit_low *unit = userdata;
	uint64_t bytes = from_systemd(answer->value);
	int r;

	if (answer->r < 0 && !has_no_unit(answer)) {
		fail(unit, answer->r, answer->error);
		return;
	}
	if (answer->r < 0 || bytes == unit->entry.original_bytes) {
		settle(unit, UNIT_FREE);
		return;
	}
	if (!is_known(unit, bytes)) {
		/* 0 is also what a unit has that was forgotten and is another one by now. */
		if (bytes == 0)
			settle(unit, UNIT_FREE);
		else
			settle_foreign(unit, bytes);
		return;
	}
	r = bus_set_unit_property(unit->asker->bus, unit->name, PROPERTY,
				  to_systemd(unit->entry.original_bytes), on_restored, unit);
	if (r < 0)
		fail(unit, r, NULL);
	else
		unit->step = STEP_RESTORING;
}

int unit_asker_need_bus(struct unit_asker *asker)
{
	const struct bus_settings settings = {
		.event = asker->event,
		.retry_usec = asker->retry_usec,
	};

	int r = asker->bus ? 0 : bus_new(&settings, &asker->bus);

	/* Whoever ends before the first look has not been connected yet, and will not come back to it. */
	if (r >= 0 && asker->ending)
		bus_connect(asker->bus);
	return r;
}

/* systemd is asked first: the cgroup may be gone, and it is by systemd's word that the next one of the
 * name goes. */
static void look(struct unit_low *unit)
{
	int r = unit_asker_need_bus(unit->asker);

	if (r >= 0)
		r = bus_get_unit_property(unit->asker->bus, unit->name, PROPERTY, on_looked, unit);
	if (r < 0) {
		fail(unit, r, NULL);
		return;
	}
	unit->unconnected = 0;
	unit->step = STEP_LOOKING;
}

/* Whether the kernel has what somebody else has set. */
static bool is_strange(struct unit_low *unit, uint64_t now_bytes)
{
	if (is_known(unit, now_bytes)) {
		unit->strange = 0;
		return false;
	}
	unit->strange++;
	return true;
}

void unit_low_restore(struct unit_low *unit, uint64_t now_bytes)
{
	if (unit->state != UNIT_OURS) {
		unit->state = UNIT_FREE;
		return;
	}
	if (now_bytes == SAMPLE_UNKNOWN || now_bytes == unit->entry.original_bytes ||
	    !is_strange(unit, now_bytes))
		look(unit);
	else if (unit->strange >= STRANGE_LOOKS || unit->asker->ending)
		settle_foreign(unit, now_bytes);
}

/* --- changed */

static void on_changed(const struct bus_answer *answer, void *userdata)
{
	struct unit_low *unit = userdata;

	unit->step = STEP_NONE;
	if (answer->r < 0)
		fail(unit, answer->r, answer->error);
	/* No longer wanted meanwhile. */
	if (unit->asker->ending || (answer->r >= 0 && !unit->memcg))
		look(unit);
}

void unit_low_follow(struct unit_low *unit, uint64_t now_bytes)
{
	struct protect_entry *entry = &unit->entry;
	uint64_t next_bytes;

	if (unit->state == UNIT_FOREIGN || now_bytes == SAMPLE_UNKNOWN)
		return;
	unit->cgroup_id = unit->memcg->id;
	if (unit->state == UNIT_FREE) {
		entry->original_bytes = now_bytes;
	} else if (is_strange(unit, now_bytes)) {
		if (unit->strange >= STRANGE_LOOKS)
			settle_foreign(unit, now_bytes);
		return;
	}
	next_bytes = low_wanted(unit->memcg, entry->original_bytes);
	if (next_bytes == now_bytes)
		return;
	entry->former_bytes = now_bytes;
	entry->next_bytes = next_bytes;
	unit->step = STEP_CHANGE;
}

void unit_low_change(struct unit_low *unit)
{
	bool is_first = unit->state == UNIT_FREE && !drop_in_exists(unit->asker->root, unit->name);
	int r = unit_asker_need_bus(unit->asker);

	if (r >= 0)
		r = bus_set_unit_property(unit->asker->bus, unit->name, PROPERTY,
					  to_systemd(unit->entry.next_bytes), on_changed, unit);
	if (r < 0) {
		unit->entry.next_bytes = unit->entry.former_bytes;
		fail(unit, r, NULL);
		return;
	}
	if (is_first)
		drop_in_note(unit->asker->root, unit->name, unit->entry.original_bytes);
	unit->unconnected = 0;
	unit->step = STEP_CHANGING;
	unit->state = UNIT_OURS;
}
