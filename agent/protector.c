/* SPDX-License-Identifier: MIT */
/*
 * memory.low: see protector.h.
 */
#include "protector.h"
#include "arith.h"
#include "cgroup_name.h"
#include "explain.h"
#include "kparse.h"
#include "log.h"
#include "macro.h"
#include "messages.h"
#include "protect_journal.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Kept by the unit over restarts: RuntimeDirectoryPreserve=. */
#define DIRECTORY "/run/fgreclaim"
#define JOURNAL   DIRECTORY "/protect"

struct protector {
	char *directory;
	char *path; /* of the journal */
	bool has_systemd;
	bool units_said;
	bool journal_failed;
	bool written; /* a journal is there */
};

struct protector *protector_free(struct protector *protector)
{
	if (!protector)
		return NULL;
	free(protector->directory);
	free(protector->path);
	free(protector);
	return NULL;
}

DEFINE_CLEANUP(struct protector *, protector_free)

int protector_new(const char *root, struct protector **ret)
{
	_cleanup_(protector_free_ptr) struct protector *protector = calloc(1, sizeof(*protector));
	char path[4096];

	if (!protector)
		return -ENOMEM;
	if (asprintf(&protector->directory, "%s" DIRECTORY, root) < 0)
		protector->directory = NULL;
	if (asprintf(&protector->path, "%s" JOURNAL, root) < 0)
		protector->path = NULL;
	if (!protector->directory || !protector->path)
		return -ENOMEM;
	/* As sd_booted(3) finds out. */
	snprintf(path, sizeof(path), "%s/run/systemd/system", root);
	protector->has_systemd = access(path, F_OK) == 0;
	*ret = TAKE_PTR(protector);
	return 0;
}

/* --- one memcg */

static uint64_t page_floor(uint64_t bytes)
{
	uint64_t page_bytes = (uint64_t)sysconf(_SC_PAGESIZE);

	return is_number(bytes) ? bytes - bytes % page_bytes : bytes;
}

/* A unit's own cgroup, the host's or a user's; not what a service has made below it for itself. */
static bool is_of_systemd(const struct protector *protector, const struct memcg *memcg)
{
	struct cgroup_name name;

	if (!protector->has_systemd)
		return false;
	cgroup_name_parse(memcg->path, strlen(memcg->path), &name);
	return name.unit.len > 0 && name.below.len == 0;
}

/* What the kernel has now, or SAMPLE_UNKNOWN. */
static uint64_t read_low(const struct memcg *memcg)
{
	uint64_t bytes = SAMPLE_UNKNOWN;
	char text[64];
	int len = memcg_read_low(memcg, text, sizeof(text));

	if (len >= 0)
		kparse_value(text, (size_t)len, &bytes);
	return bytes;
}

static int write_low(const struct memcg *memcg, uint64_t bytes)
{
	char text[32] = "max\n";

	if (is_number(bytes))
		snprintf(text, sizeof(text), "%" PRIu64 "\n", bytes);
	return memcg_write_low(memcg, text);
}

static void say_foreign(const struct memcg *memcg, uint64_t ours_bytes, uint64_t now_bytes)
{
	char ours[BYTES_TEXT_MAX], now[BYTES_TEXT_MAX];

	log_event(LOG_NOTICE, MESSAGE_PROTECT,
		  "%s: memory.low is %s and not the %s set by Protect=auto: left to whoever set it",
		  memcg->name, explain_bytes(now_bytes, now, sizeof(now)),
		  explain_bytes(ours_bytes, ours, sizeof(ours)));
}

/* Puts the original value back, unless somebody else has set another. */
static void give_back(struct memcg *memcg)
{
	struct memcg_low *low = &memcg->low;
	uint64_t now_bytes;

	if (low->owner != LOW_OURS)
		return;
	low->owner = LOW_FREE;
	now_bytes = read_low(memcg);
	if (now_bytes == SAMPLE_UNKNOWN || now_bytes == low->original_bytes)
		return;
	if (now_bytes != low->next_bytes && now_bytes != low->former_bytes) {
		say_foreign(memcg, low->next_bytes, now_bytes);
		return;
	}
	if (write_low(memcg, low->original_bytes) < 0)
		log_warning("%s: memory.low could not be put back", memcg->name);
	else
		log_debug("%s: memory.low is as before", memcg->name);
}

/* What is to be written, or SAMPLE_UNKNOWN: nothing. What an administrator has given is not lowered. */
static uint64_t wanted(const struct memcg *memcg, uint64_t original_bytes)
{
	uint64_t bytes = memcg->state.protect.low_bytes;

	return bytes == 0 || memcg->omitted ? SAMPLE_UNKNOWN
					    : page_floor(max_u64(bytes, original_bytes));
}

/* The first half of a change: what is there, and what is to be. True if there is to be a write. */
static bool prepare(struct protector *protector, struct memcg *memcg)
{
	struct memcg_low *low = &memcg->low;
	uint64_t now_bytes, next_bytes;

	if (low->owner == LOW_FOREIGN || is_of_systemd(protector, memcg))
		return false;
	now_bytes = read_low(memcg);
	if (now_bytes == SAMPLE_UNKNOWN)
		return false;
	if (low->owner == LOW_OURS && now_bytes != low->next_bytes) {
		say_foreign(memcg, low->next_bytes, now_bytes);
		low->owner = LOW_FOREIGN;
		return false;
	}
	next_bytes = wanted(memcg, low->owner == LOW_OURS ? low->original_bytes : now_bytes);
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
	int r = write_low(memcg, low->next_bytes);
	uint64_t now_bytes = read_low(memcg);

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

static int write_journal(struct protector *protector, struct memcg *const *memcgs, size_t n)
{
	struct protect_journal journal = {0};
	int r = 0;

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

void protector_restore(struct protector *protector, const struct hierarchy *hierarchy)
{
	size_t n;
	struct memcg *const *memcgs = hierarchy_memcgs(hierarchy, &n);

	for (size_t i = 0; i < n; i++)
		give_back(memcgs[i]);
	if (protector->written)
		write_journal(protector, memcgs, n);
}

/* Once: units are many, and the reason is the same for all. */
static void say_units(struct protector *protector, const struct memcg *memcg)
{
	if (protector->units_said || memcg->state.protect.low_bytes == 0 ||
	    !is_of_systemd(protector, memcg))
		return;
	protector->units_said = true;
	log_event(LOG_NOTICE, MESSAGE_PROTECT,
		  "%s is a unit of systemd, and this version cannot have systemd set MemoryLow=: "
		  "Protect=auto holds for what the agent takes from units, and not for the kernel",
		  memcg->name);
}

/* What is no longer to be protected, or belongs to somebody whom we have not heard of before. */
static bool release(struct protector *protector, struct memcg *memcg)
{
	if (memcg->state.protect.low_bytes > 0 && !memcg->omitted) {
		say_units(protector, memcg);
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

void protector_apply(struct protector *protector, const struct hierarchy *hierarchy, bool dry_run)
{
	size_t n, n_changes = 0;
	struct memcg *const *memcgs = hierarchy_memcgs(hierarchy, &n);
	bool released = false;
	int r = 0;

	for (size_t i = 0; i < n; i++)
		say_held(memcgs[i]);
	if (dry_run) {
		protector_restore(protector, hierarchy);
		return;
	}
	for (size_t i = 0; i < n; i++) {
		released = release(protector, memcgs[i]) || released;
		memcgs[i]->low.changing =
			memcgs[i]->state.protect.low_bytes > 0 && prepare(protector, memcgs[i]);
		n_changes += memcgs[i]->low.changing;
	}
	if (n_changes > 0 || released)
		r = write_journal(protector, memcgs, n);
	for (size_t i = 0; i < n; i++) {
		if (!memcgs[i]->low.changing)
			continue;
		if (r >= 0) {
			carry_out(memcgs[i]);
			continue;
		}
		/* Without a journal nothing is set that a crash would leave behind. */
		memcgs[i]->low.next_bytes = memcgs[i]->low.former_bytes;
		if (memcgs[i]->low.former_bytes == memcgs[i]->low.original_bytes)
			memcgs[i]->low.owner = LOW_FREE;
	}
	if (r < 0 && !protector->journal_failed)
		log_event(LOG_WARNING, MESSAGE_PROTECT, "%s: %s; memory.low is not set",
			  protector->path, strerror(-r));
	protector->journal_failed = r < 0;
}

/* --- after a crash */

static void recover_one(const struct hierarchy *hierarchy, const struct protect_entry *entry)
{
	struct memcg *memcg = hierarchy_find(hierarchy, entry->path, strlen(entry->path));

	/* Gone, and its memory.low with it. */
	if (!memcg || memcg->id != entry->id)
		return;
	memcg->low.owner = LOW_OURS;
	memcg->low.original_bytes = entry->original_bytes;
	memcg->low.former_bytes = entry->former_bytes;
	memcg->low.next_bytes = entry->next_bytes;
	give_back(memcg);
}

void protector_recover(struct protector *protector, const struct hierarchy *hierarchy)
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
	for (size_t i = 0; i < journal.n; i++)
		recover_one(hierarchy, &journal.entries[i]);
	protect_journal_done(&journal);
	unlink(protector->path);
}
