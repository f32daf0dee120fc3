/* SPDX-License-Identifier: MIT */
/*
 * memory.low: see protector.h.
 */
#include "protector.h"
#include "explain.h"
#include "log.h"
#include "low.h"
#include "macro.h"
#include "messages.h"
#include "protect_journal.h"
#include "protect_units.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Kept by the unit over restarts: RuntimeDirectoryPreserve=. */
#define DIRECTORY "/run/fgreclaim"
#define JOURNAL   DIRECTORY "/protect"
/* As sd_booted(3) finds out. */
#define BOOTED "/run/systemd/system"

struct protector {
	const struct hierarchy *hierarchy;
	struct protect_units *units; /* NULL: no systemd, or nobody who would wait for its answers */
	char *directory;
	char *path; /* of the journal */
	bool has_systemd;
	bool unwritten_said;
	bool journal_failed;
	bool written; /* a journal is there */
};

/* --- one memcg that systemd does not own */

/* Puts the original value back, unless somebody else has set another. */
static void give_back(struct memcg *memcg)
{
	struct memcg_low *low = &memcg->low;
	uint64_t now_bytes;

	if (low->owner != LOW_OURS)
		return;
	low->owner = LOW_FREE;
	now_bytes = low_read(memcg);
	if (now_bytes == SAMPLE_UNKNOWN || now_bytes == low->original_bytes)
		return;
	if (now_bytes != low->next_bytes && now_bytes != low->former_bytes) {
		low_say_foreign(memcg->name, low->next_bytes, now_bytes);
		return;
	}
	if (low_write(memcg, low->original_bytes) < 0)
		log_warning("%s: memory.low could not be put back", memcg->name);
	else
		log_debug("%s: memory.low is as before", memcg->name);
}

/* The first half of a change: what is there, and what is to be. True if there is to be a write. */
static bool prepare(const struct protector *protector, struct memcg *memcg)
{
	char unit[UNIT_NAME_LEN_MAX + 1];
	struct memcg_low *low = &memcg->low;
	uint64_t now_bytes, next_bytes;

	if (low->owner == LOW_FOREIGN ||
	    low_writer_of(memcg, protector->has_systemd, unit) != LOW_WRITER_SELF)
		return false;
	now_bytes = low_read(memcg);
	if (now_bytes == SAMPLE_UNKNOWN)
		return false;
	if (low->owner == LOW_OURS && now_bytes != low->next_bytes) {
		low_say_foreign(memcg->name, low->next_bytes, now_bytes);
		low->owner = LOW_FOREIGN;
		return false;
	}
	next_bytes = low_wanted(memcg, low->owner == LOW_OURS ? low->original_bytes : now_bytes);
	if (next_bytes == now_bytes)
		return false;
	if (low->owner == LOW_FREE)
		low->original_bytes = now_bytes;
	low->owner = LOW_OURS;
	low->former_bytes = now_bytes;
	low->next_bytes = next_bytes;
	return true;
}

/* The second half. */
static void carry_out(struct memcg *memcg)
{
	struct memcg_low *low = &memcg->low;
	int r = low_write(memcg, low->next_bytes);
	uint64_t now_bytes = low_read(memcg);

	if (r >= 0 && now_bytes == low->next_bytes)
		return;
	/* Refused, or gone: what is there counts. */
	if (!memcg_is_gone_errno(r))
		log_debug("%s: memory.low: %s", memcg->name, strerror(-r));
	low->next_bytes = low->former_bytes;
	if (now_bytes == low->original_bytes)
		low->owner = LOW_FREE;
}

/* --- all of them */

static int write_journal(struct protector *protector)
{
	struct protect_journal journal = {0};
	size_t n;
	struct memcg *const *memcgs = hierarchy_memcgs(protector->hierarchy, &n);
	int r = protector->units ? protect_units_list(protector->units, &journal) : 0;

	for (size_t i = 0; i < n && r >= 0; i++) {
		const struct memcg_low *low = &memcgs[i]->low;
		const struct protect_entry entry = {
			.id = memcgs[i]->id,
			.original_bytes = low->original_bytes,
			.former_bytes = low->former_bytes,
			.next_bytes = low->next_bytes,
			.path = memcgs[i]->path,
		};

		if (low->owner == LOW_OURS)
			r = protect_journal_add(&journal, &entry);
	}
	if (r >= 0 && journal.n > 0 && mkdir(protector->directory, 0755) < 0 && errno != EEXIST)
		r = -errno;
	if (r >= 0)
		r = protect_journal_write(protector->path, &journal);
	protector->written = r >= 0 ? journal.n > 0 : protector->written;
	protect_journal_done(&journal);
	return r;
}

static void on_unit_changed(void *userdata)
{
	write_journal(userdata);
}

static void give_all_back(struct protector *protector)
{
	size_t n;
	struct memcg *const *memcgs = hierarchy_memcgs(protector->hierarchy, &n);

	for (size_t i = 0; i < n; i++)
		give_back(memcgs[i]);
	if (protector->written)
		write_journal(protector);
}

void protector_end(struct protector *protector)
{
	give_all_back(protector);
	if (protector->units)
		protect_units_end(protector->units, protector->hierarchy);
}

bool protector_is_busy(const struct protector *protector)
{
	return protector->units && protect_units_are_busy(protector->units);
}

/* Once: cgroups are many, and the reason is the same for all. */
static void say_unwritten(struct protector *protector, const struct memcg *memcg)
{
	char unit[UNIT_NAME_LEN_MAX + 1];

	if (protector->unwritten_said || !low_is_wanted(memcg) ||
	    low_writer_of(memcg, protector->has_systemd, unit) != LOW_WRITER_NONE)
		return;
	protector->unwritten_said = true;
	log_event(LOG_NOTICE, MESSAGE_PROTECT,
		  "%s is another manager's to write: there Protect=auto holds for what the agent "
		  "takes itself, and not for the kernel",
		  memcg->name);
}

/* What is no longer to be protected, or belongs to somebody whom we have not heard of before. */
static bool release(struct protector *protector, struct memcg *memcg)
{
	if (low_is_wanted(memcg)) {
		say_unwritten(protector, memcg);
		return false;
	}
	if (memcg->low.owner == LOW_FOREIGN)
		memcg->low.owner = LOW_FREE;
	if (memcg->low.owner != LOW_OURS)
		return false;
	give_back(memcg);
	return true;
}

/* What holds protection below the working set is for the administrator to know, once each. */
static void say_held(struct memcg *memcg)
{
	const struct verdict *verdict = &memcg->state.protect.verdict;
	uint32_t bit;
	char sentence[160];

	if (verdict->reason <= REASON_PROTECT || verdict->reason > REASON_PROTECT_SHARE)
		return;
	bit = UINT32_C(1) << (verdict->reason - REASON_PROTECT);
	if (memcg->low.said & bit)
		return;
	memcg->low.said |= bit;
	explain_verdict(verdict, sentence, sizeof(sentence));
	log_event(LOG_NOTICE, MESSAGE_PROTECT, "%s: %s", memcg->name, sentence);
}

/* Without a journal nothing is set that a crash would leave behind. */
static void undo(struct memcg *memcg)
{
	memcg->low.next_bytes = memcg->low.former_bytes;
	if (memcg->low.former_bytes == memcg->low.original_bytes)
		memcg->low.owner = LOW_FREE;
}

static void change_all(struct protector *protector, struct memcg *const *memcgs, size_t n)
{
	int r = write_journal(protector);

	for (size_t i = 0; i < n; i++) {
		if (!memcgs[i]->low.changing)
			continue;
		if (r >= 0)
			carry_out(memcgs[i]);
		else
			undo(memcgs[i]);
	}
	if (protector->units)
		protect_units_change(protector->units, r >= 0);
	if (r < 0 && !protector->journal_failed)
		log_event(LOG_WARNING, MESSAGE_PROTECT, "%s: %s; memory.low is not set",
			  protector->path, strerror(-r));
	protector->journal_failed = r < 0;
}

void protector_apply(struct protector *protector, bool dry_run)
{
	bool changes = protector->units &&
		       protect_units_look(protector->units, protector->hierarchy, dry_run);
	size_t n;
	struct memcg *const *memcgs = hierarchy_memcgs(protector->hierarchy, &n);

	for (size_t i = 0; i < n; i++)
		say_held(memcgs[i]);
	if (dry_run) {
		give_all_back(protector);
		return;
	}
	for (size_t i = 0; i < n; i++) {
		struct memcg *memcg = memcgs[i];

		changes = release(protector, memcg) || changes;
		memcg->low.changing = low_is_wanted(memcg) && prepare(protector, memcg);
		changes = changes || memcg->low.changing;
	}
	if (changes)
		change_all(protector, memcgs, n);
}

/* --- after a crash */

static int recover_one(struct protector *protector, const struct protect_entry *entry)
{
	struct memcg *memcg;

	if (entry->id == 0)
		return protector->units ? protect_units_adopt(protector->units, entry) : 0;
	memcg = hierarchy_find(protector->hierarchy, entry->path, strlen(entry->path));
	/* Gone, and its memory.low with it. */
	if (!memcg || memcg->id != entry->id)
		return 0;
	memcg->low.owner = LOW_OURS;
	memcg->low.original_bytes = entry->original_bytes;
	memcg->low.former_bytes = entry->former_bytes;
	memcg->low.next_bytes = entry->next_bytes;
	give_back(memcg);
	return 0;
}

void protector_recover(struct protector *protector)
{
	struct protect_journal journal = {0};
	char aside[4096];
	int r = protect_journal_read(protector->path, &journal);

	if (r < 0) {
		snprintf(aside, sizeof(aside), "%s.bad", protector->path);
		log_event(LOG_WARNING, MESSAGE_PROTECT,
			  "%s: %s; what a former run has set of memory.low is not known, see %s",
			  protector->path, r == -EBADMSG ? "not understood" : strerror(-r), aside);
		rename(protector->path, aside);
		return;
	}
	if (journal.n > 0)
		log_event(LOG_NOTICE, MESSAGE_PROTECT,
			  "a former run ended without putting memory.low back: doing it for %zu "
			  "cgroups",
			  journal.n);
	for (size_t i = 0; i < journal.n && r >= 0; i++)
		r = recover_one(protector, &journal.entries[i]);
	if (r < 0)
		log_event(LOG_WARNING, MESSAGE_PROTECT, "memory.low is left: %s", strerror(-r));
	else if (journal.n > 0)
		write_journal(protector);
	protect_journal_done(&journal);
}

/* --- life */

struct protector *protector_free(struct protector *protector)
{
	if (!protector)
		return NULL;
	protect_units_free(protector->units);
	free(protector->directory);
	free(protector->path);
	free(protector);
	return NULL;
}

DEFINE_CLEANUP(struct protector *, protector_free)

int protector_new(const struct protector_settings *settings, struct protector **ret)
{
	_cleanup_(protector_free_ptr) struct protector *protector = calloc(1, sizeof(*protector));
	_cleanup_free_ char *booted = NULL;
	int r = 0;

	if (!protector)
		return -ENOMEM;
	protector->hierarchy = settings->hierarchy;
	if (asprintf(&protector->directory, "%s" DIRECTORY, settings->root) < 0)
		protector->directory = NULL;
	if (asprintf(&protector->path, "%s" JOURNAL, settings->root) < 0)
		protector->path = NULL;
	if (asprintf(&booted, "%s" BOOTED, settings->root) < 0)
		booted = NULL;
	if (!protector->directory || !protector->path || !booted)
		return -ENOMEM;
	protector->has_systemd = access(booted, F_OK) == 0;
	if (protector->has_systemd && settings->event) {
		const struct unit_asker asker = {
			.event = settings->event,
			.root = settings->root,
			.retry_usec = settings->retry_usec,
			.changed = on_unit_changed,
			.userdata = protector,
		};

		r = protect_units_new(&asker, &protector->units);
	}
	if (r < 0)
		return r;
	*ret = TAKE_PTR(protector);
	return 0;
}
