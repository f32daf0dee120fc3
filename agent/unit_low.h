/* SPDX-License-Identifier: MIT */
/*
 * MemoryLow= of one unit, as Protect=auto has systemd set it and put it back. For protect_units.c.
 *
 * systemd is asked and not waited for; a unit whose answer is due is let be.
 */
#ifndef FGRECLAIM_UNIT_LOW_H
#define FGRECLAIM_UNIT_LOW_H

#include "bus.h"
#include "memcg.h"
#include "protect_journal.h"
#include "unit_name.h"

enum unit_state {
	UNIT_FREE,    /* nothing of ours is there */
	UNIT_OURS,    /* has ours, or had once and perhaps still has */
	UNIT_FOREIGN, /* had ours, and somebody else's since: let be while protection is wanted */
};

enum unit_step {
	STEP_NONE,
	STEP_CHANGE, /* to be asked for, once the journal says so */
	STEP_CHANGING,
	STEP_LOOKING,   /* asked what it is, before it is put back, */
	STEP_RESTORING, /* and that it be put back */
};

/* Who asks. */
struct unit_asker {
	sd_event *event;
	const char *root;    /* see drop_in.h */
	struct bus *bus;     /* NULL: not needed yet */
	uint64_t retry_usec; /* to ask again after a refusal, and look for a bus that is not there */
	void (*changed)(void *userdata); /* a unit is free or foreign that was ours */
	void *userdata;
	bool refused; /* told once */
	bool ending;  /* what is set is to be put back at once */
};

struct unit_low {
	struct unit_low *next;
	struct unit_asker *asker;
	struct protect_entry entry;
	char name[UNIT_NAME_LEN_MAX + 1];
	enum unit_state state;
	enum unit_step step;
	const struct memcg *memcg; /* that is to be protected: of this look; NULL: none is */
	uint64_t cgroup_id;        /* that it had when it was last looked at */
	unsigned strange;          /* looks in a row that found what we did not set, */
	unsigned unconnected;      /* or no bus */
	uint64_t retry_usec;       /* not before this */
};

/* Has the asker look for the bus: it is there some events later, or at once where it is ending.
 * Errors: as of bus_new(). */
int unit_asker_need_bus(struct unit_asker *asker);

/* Finds out what is to be asked for: then step is STEP_CHANGE. now_bytes: what the kernel has. */
void unit_low_follow(struct unit_low *unit, uint64_t now_bytes);

/* Asks for it. */
void unit_low_change(struct unit_low *unit);

/* Asks that it be put back, unless somebody else has set it. now_bytes: SAMPLE_UNKNOWN where the unit
 * has no cgroup. */
void unit_low_restore(struct unit_low *unit, uint64_t now_bytes);

#endif
