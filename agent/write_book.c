/* SPDX-License-Identifier: MIT */
/*
 * The books of what was written.
 */
#include "write_book.h"
#include "arith.h"
#include "clock.h"
#include "log.h"
#include "macro.h"
#include "savings.h"
#include "write_size.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

/* So many are no accident. */
#define LIES_MAX 3

/* A memcg whose generations moved on in between is the exception: so many in a row, of all memcgs, and
 * the kernel does not take our commands. */
#define RACES_MAX 8

const char *write_book_word(const struct action *action)
{
	switch (action->decision.action) {
	case ACTION_AGE:
		return "aged";
	case ACTION_EVICT:
		return action->decision.swappiness == SWAPPINESS_FILE_ONLY ? "evicted file"
									   : "evicted cold anon";
	default:
		return "reclaimed file";
	}
}

static enum lru_type action_type(const struct action *action)
{
	return action->decision.action == ACTION_EVICT &&
			       action->decision.swappiness != SWAPPINESS_FILE_ONLY
		       ? LRU_ANON
		       : LRU_FILE;
}

void write_book_drop(struct write_book *book, const struct action *action)
{
	write_cpu_end(&book->cpu, action->cpu_mark, write_cpu_clock());
}

void write_book_begin(struct write_book *book, struct action *action)
{
	action->cpu_mark = write_cpu_begin(&book->cpu, write_cpu_clock());
	if (action_type(action) != LRU_ANON || book->zram_read)
		return;
	zram_meter_read(&book->meter, &book->zram);
	book->zram_read = true;
}

void write_book_rest(struct write_book *book)
{
	book->zram_read = false;
}

/* Adds what zram has grown by for this write. */
static void add_zram(struct write_book *book, const struct action *action,
		     struct write_effect *effect)
{
	struct zram_total after;
	uint64_t bytes;

	if (action_type(action) != LRU_ANON) {
		effect->cost_bytes = 0;
		return;
	}
	zram_meter_read(&book->meter, &after);
	bytes = zram_cost_bytes(&book->zram, &after, effect->stored_bytes);
	effect->cost_bytes = is_number(bytes) ? saturating_add(effect->cost_bytes, bytes) : bytes;
	book->zram = after;
}

/* What all writes together tell of this kernel; may change the judgement of this one. */
static enum write_result listen(struct write_book *book, const struct action *action, int result,
				enum write_result judged, const struct write_effect *effect)
{
	enum action_kind kind = action->decision.action;

	if (judged == WRITE_FREED && kind != ACTION_AGE)
		book->excess_bytes[kind] = write_size_excess(
			book->excess_bytes[kind], action->step_bytes, effect->freed_bytes);
	/* A kernel that freed something once is not one that lies. */
	if (kind == ACTION_RECLAIM && book->lies < LIES_MAX) {
		if (effect->freed_bytes > 0)
			book->lies = 0;
		else if (judged == WRITE_LIED)
			book->lies++;
	}
	if (kind != ACTION_RECLAIM && result >= 0)
		book->races = 0;
	if (judged == WRITE_RACED && result == -EINVAL && ++book->races > RACES_MAX)
		return WRITE_REFUSED;
	return judged;
}

/* What a write took. */
struct time_taken {
	uint64_t wall_usec, cpu_usec;
};

/* The same into the memcg's account as into the totals. */
static void book_account(struct account *account, const struct action *action, int result,
			 enum write_result judged, const struct write_effect *effect,
			 const struct time_taken *took)
{
	bool aging = action->decision.action == ACTION_AGE;

	account_add(account, ACCOUNT_WRITES, 1);
	account_add(account, ACCOUNT_FAILURES, write_failed(result, judged));
	account_add(account, ACCOUNT_AGINGS, aging && result >= 0);
	account_add(account, ACCOUNT_WRITE_USEC, took->wall_usec);
	account_add(account, ACCOUNT_CPU_USEC, took->cpu_usec);
	if (!effect->known || judged == WRITE_NOT_BEGUN)
		return;
	account_add(account, ACCOUNT_ASKED_BYTES, action->step_bytes);
	account_add(account, ACCOUNT_FREED_BYTES, effect->freed_bytes);
}

static void book_totals(struct executor_totals *totals, const struct action *action, int result,
			enum write_result judged, const struct write_effect *effect,
			const struct time_taken *took)
{
	bool aging = action->decision.action == ACTION_AGE;
	uint64_t took_usec = took->wall_usec;
	uint64_t late_usec = saturating_sub(took_usec, action->request.deadline_usec);

	totals->writes++;
	totals->took_usec = saturating_add(totals->took_usec, took_usec);
	totals->cpu_usec = saturating_add(totals->cpu_usec, took->cpu_usec);
	totals->took_most_usec = max_u64(totals->took_most_usec, took_usec);
	totals->late_most_usec = max_u64(totals->late_most_usec, late_usec);
	totals->results[judged]++;
	totals->failures += write_failed(result, judged);
	totals->agings += aging && result >= 0;
	if (effect->known && judged != WRITE_NOT_BEGUN) {
		totals->asked_bytes += action->step_bytes;
		totals->freed_bytes += effect->freed_bytes;
		totals->cost_bytes =
			saturating_add(totals->cost_bytes, number_or(effect->cost_bytes, 0));
		if (action->decision.to_disk)
			totals->disk_bytes =
				saturating_add(totals->disk_bytes,
					       saturating_mul(effect->stolen_pages,
							      (uint64_t)sysconf(_SC_PAGESIZE)));
	}
}

/* Books one write that has ended. */
static void book_outcome(struct action *action, int result, enum write_result judged,
			 const struct write_effect *effect, uint64_t took_usec)
{
	struct memcg *memcg = action->memcg;
	struct outcome *outcome = &memcg->outcome;
	bool aging = action->decision.action == ACTION_AGE;

	outcome->writes++;
	outcome->failures += write_failed(result, judged);
	outcome->agings += aging && result >= 0;
	outcome->refused_agings += aging && result == -ERANGE;
	outcome->write_usec += took_usec;
	/* One that was never begun took none. */
	outcome->aging_usec += aging && judged != WRITE_NOT_BEGUN ? took_usec : 0;
	/* What cannot be measured is no yield of 0. */
	if (!effect->known || judged == WRITE_NOT_BEGUN)
		return;
	outcome->asked_bytes += action->step_bytes;
	outcome->freed_bytes += effect->freed_bytes;
	outcome->scanned_pages += effect->scanned_pages;
	outcome->to_disk |= action->decision.to_disk;
	outcome->stolen_pages[action_type(action)] += effect->stolen_pages;
	savings_book(memcg, action_type(action), effect->freed_bytes, effect->cost_bytes);
	if (result < 0 || judged == WRITE_FREED)
		memcg->slow_bytes = write_size_slow(memcg->slow_bytes, action->step_bytes, judged);
}

static void log_step(const struct action *action, int result, enum write_result judged,
		     const struct write_effect *effect, uint64_t took_usec)
{
	char cost[64] = "";
	const char *reason = reason_to_string(action->decision.reason);
	const char *name = action->memcg->name, *what = write_result_to_string(judged);
	const char *error = result < 0 ? strerror(-result) : "";

	if (is_number(effect->cost_bytes) && effect->cost_bytes > 0)
		snprintf(cost, sizeof(cost), "%" PRIu64 " kB of it stay as swap in memory, ",
			 effect->cost_bytes / 1024);
	if (action->decision.action == ACTION_AGE)
		log_action(name, reason, 0, took_usec, "%s: %s: %s%s%s", name,
			   write_book_word(action), what, result < 0 ? ": " : "", error);
	else
		log_action(name, reason, effect->freed_bytes, took_usec,
			   "%s: %s: freed %" PRIu64 " of %" PRIu64 " kB, %s%s%s%s", name,
			   write_book_word(action), effect->freed_bytes / 1024,
			   action->step_bytes / 1024, cost, what, result < 0 ? ": " : "", error);
}

int write_book_enter(struct write_book *book, struct action *action, int result,
		     uint64_t *ret_freed_bytes)
{
	const struct time_taken took = {
		.wall_usec = clock_usec(CLOCK_MONOTONIC) - action->begun_usec,
		.cpu_usec = write_cpu_end(&book->cpu, action->cpu_mark, write_cpu_clock()),
	};
	struct write_effect effect = {0};
	enum write_result judged = WRITE_GONE;
	struct memcg_usage after;
	int r = memcg_read_usage(action->memcg, &after);

	if (r >= 0)
		write_measure(action->decision.action, &action->before, &after, action->step_bytes,
			      &effect);
	add_zram(book, action, &effect);
	if (!memcg_is_gone_errno(r))
		judged = write_judge(action->decision.action, result, action->step_bytes, &effect);
	judged = listen(book, action, result, judged, &effect);
	book_totals(&book->totals, action, result, judged, &effect, &took);
	book_account(&action->memcg->account, action, result, judged, &effect, &took);
	book_outcome(action, result, judged, &effect, took.wall_usec);
	log_step(action, result, judged, &effect, took.wall_usec);
	*ret_freed_bytes = effect.freed_bytes;
	return r;
}

bool write_book_lies(const struct write_book *book)
{
	return book->lies >= LIES_MAX;
}
