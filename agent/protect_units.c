/* SPDX-License-Identifier: MIT */
/*
 * The units whose MemoryLow= is ours: see protect_units.h.
 */
#include "protect_units.h"
#include "clock.h"
#include "low.h"
#include "macro.h"

#include <errno.h>
#include <string.h>

struct protect_units {
	struct unit_asker asker;
	struct unit_low *first;
};

/* --- the list */

static struct unit_low *find(struct protect_units *units, const char *path)
{
	struct unit_low *unit = units->first;

	while (unit && strcmp(unit->entry.path, path) != 0)
		unit = unit->next;
	return unit;
}

static struct unit_low *add(struct protect_units *units, const char *name, const char *path)
{
	struct unit_low *unit = calloc(1, sizeof(*unit));

	if (!unit)
		return NULL;
	unit->entry.path = strdup(path);
	if (!unit->entry.path) {
		free(unit);
		return NULL;
	}
	snprintf(unit->name, sizeof(unit->name), "%s", name);
	unit->asker = &units->asker;
	unit->next = units->first;
	units->first = unit;
	return unit;
}

static void take_out(struct unit_low **at)
{
	struct unit_low *unit = *at;

	*at = unit->next;
	free(unit->entry.path);
	free(unit);
}

/* Who is to be protected, those that we have not heard of yet among them. */
static void mark(struct protect_units *units, const struct hierarchy *hierarchy)
{
	char name[UNIT_NAME_LEN_MAX + 1];
	size_t n;
	struct memcg *const *memcgs = hierarchy_memcgs(hierarchy, &n);

	for (size_t i = 0; i < n; i++) {
		struct unit_low *unit;

		if (!low_is_wanted(memcgs[i]) ||
		    low_writer_of(memcgs[i], true, name) != LOW_WRITER_SYSTEMD)
			continue;
		unit = find(units, memcgs[i]->path);
		if (!unit)
			unit = add(units, name, memcgs[i]->path);
		if (unit)
			unit->memcg = memcgs[i];
	}
}

/* --- rounds */

/* Of the cgroup that was protected. Another one of its name may not have what its unit says: systemd
 * makes empty ones of units that do not run. */
static uint64_t read_now(const struct unit_low *unit, const struct hierarchy *hierarchy)
{
	const struct memcg *memcg =
		hierarchy_find(hierarchy, unit->entry.path, strlen(unit->entry.path));

	return memcg && memcg->id == unit->cgroup_id ? low_read(memcg) : SAMPLE_UNKNOWN;
}

bool protect_units_look(struct protect_units *units, const struct hierarchy *hierarchy,
			bool dry_run)
{
	uint64_t now_usec = clock_usec(CLOCK_MONOTONIC);
	struct unit_low **at = &units->first;
	bool changes = false;

	for (struct unit_low *unit = units->first; unit; unit = unit->next)
		unit->memcg = NULL;
	if (!dry_run)
		mark(units, hierarchy);
	while (*at) {
		struct unit_low *unit = *at;

		if (unit->step == STEP_NONE && now_usec >= unit->retry_usec) {
			if (unit->memcg)
				unit_low_follow(unit, low_read(unit->memcg));
			else
				unit_low_restore(unit, read_now(unit, hierarchy));
		}
		changes = changes || unit->step == STEP_CHANGE;
		if (!unit->memcg && unit->step == STEP_NONE && unit->state == UNIT_FREE)
			take_out(at);
		else
			at = &unit->next;
	}
	return changes;
}

int protect_units_list(const struct protect_units *units, struct protect_journal *journal)
{
	int r = 0;

	for (const struct unit_low *unit = units->first; unit && r >= 0; unit = unit->next)
		if (unit->state == UNIT_OURS || unit->step == STEP_CHANGE)
			r = protect_journal_add(journal, &unit->entry);
	return r;
}

void protect_units_change(struct protect_units *units, bool may)
{
	for (struct unit_low *unit = units->first; unit; unit = unit->next) {
		if (unit->step != STEP_CHANGE)
			continue;
		unit->step = STEP_NONE;
		if (may)
			unit_low_change(unit);
		else
			unit->entry.next_bytes = unit->entry.former_bytes;
	}
}

void protect_units_end(struct protect_units *units, const struct hierarchy *hierarchy)
{
	units->asker.ending = true;
	for (struct unit_low *unit = units->first; unit; unit = unit->next)
		if (unit->step == STEP_NONE)
			unit_low_restore(unit, read_now(unit, hierarchy));
}

bool protect_units_are_busy(const struct protect_units *units)
{
	for (const struct unit_low *unit = units->first; unit; unit = unit->next)
		if (unit->step != STEP_NONE)
			return true;
	return false;
}

/* --- life */

int protect_units_adopt(struct protect_units *units, const struct protect_entry *entry)
{
	const char *name = strrchr(entry->path, '/');
	struct unit_low *unit;
	char *path;
	int r = unit_asker_need_bus(&units->asker);

	if (r < 0)
		return r;
	unit = add(units, cgroup_unescape(name_part_text(name + 1)).p, entry->path);
	if (!unit)
		return -ENOMEM;
	path = unit->entry.path;
	unit->entry = *entry;
	unit->entry.path = path;
	unit->state = UNIT_OURS;
	return 0;
}

struct protect_units *protect_units_free(struct protect_units *units)
{
	if (!units)
		return NULL;
	bus_free(units->asker.bus);
	while (units->first)
		take_out(&units->first);
	free(units);
	return NULL;
}

int protect_units_new(const struct unit_asker *asker, struct protect_units **ret)
{
	struct protect_units *units = calloc(1, sizeof(*units));

	if (!units)
		return -ENOMEM;
	units->asker = *asker;
	*ret = units;
	return 0;
}
