/* SPDX-License-Identifier: MIT */
/*
 * Carries out plans.
 *
 * An action asks for its bytes in steps of WriteMax at most, so that no write holds the cgroup's
 * directory for long and a deadline loses little. After each step the growth of pgsteal (or the
 * fall of memory.current, whichever says more: memory.stat may lag by a batch) is what was freed. A
 * step that freed nothing ends its action. EAGAIN, EINTR and a vanished memcg are results, not
 * errors.
 */
#include "executor.h"
#include "arith.h"
#include "clock.h"
#include "in_flight.h"
#include "log.h"
#include "macro.h"
#include "savings.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

struct executor {
	struct ring *ring;
	const struct lru_gen *lru_gen;
	const struct config *config;
	bool dry_run;
	bool stopped;
	struct action *actions; /* queued and running, in the order of the plan */
	unsigned n_running;
	struct executor_totals totals;
	unsigned lies; /* successes of memory.reclaim in a row that freed nothing */
};

/* So many, of requests that the lag of memory.stat cannot hide, are no accident. */
#define LIES_MAX        3
#define LIE_LEAST_BYTES (UINT64_C(1) << 20)

static void pump(struct executor *executor);

int executor_new(struct ring *ring, const struct lru_gen *lru_gen, struct executor **ret)
{
	struct executor *executor = calloc(1, sizeof(*executor));

	if (!executor)
		return -ENOMEM;
	executor->ring = ring;
	executor->lru_gen = lru_gen;
	*ret = executor;
	return 0;
}

static void action_free(struct action *action)
{
	memcg_unref(action->memcg);
	free(action);
}

/* Takes the action out of the list and frees it. */
static void remove_action(struct executor *executor, struct action *action)
{
	struct action **link = &executor->actions;

	while (*link != action)
		link = &(*link)->next;
	*link = action->next;
	action_free(action);
}

static void drop_queued(struct executor *executor)
{
	struct action **link = &executor->actions;

	while (*link) {
		struct action *action = *link;

		if (action->running) {
			link = &action->next;
			continue;
		}
		*link = action->next;
		action_free(action);
	}
}

struct executor *executor_free(struct executor *executor)
{
	if (!executor)
		return NULL;
	drop_queued(executor);
	free(executor);
	return NULL;
}

void executor_configure(struct executor *executor, const struct config *config, bool dry_run)
{
	executor->config = config;
	executor->dry_run = dry_run || !executor->ring;
}

/* --- one step */

static const char *action_word(const struct action *action)
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

/* What became of a write. A deadline is no failure of the memcg's: ECANCELED says that no worker
 * had begun it, EINTR that it took too long, and then what it freed is known from the counters. */
static bool is_failure(const struct action *action, int result, uint64_t freed_bytes)
{
	/* The generations may have moved on since the listing. */
	bool raced = action->decision.action != ACTION_RECLAIM &&
		     (result == -EINVAL || result == -ERANGE || result == -EEXIST);

	return result < 0 && freed_bytes == 0 && !raced && result != -ECANCELED &&
	       result != -EINTR && !memcg_is_gone_errno(result);
}

/* Books one finished write; returns the bytes that it freed. */
static uint64_t account(struct action *action, const struct memcg_usage *after, int result)
{
	struct executor_totals *totals = &action->executor->totals;
	struct outcome *outcome = &action->memcg->outcome;
	uint64_t page_bytes = (uint64_t)sysconf(_SC_PAGESIZE);
	uint64_t stolen_pages =
		number_or(counter_delta(after->pgsteal_pages, action->before.pgsteal_pages), 0);
	uint64_t scanned_pages =
		number_or(counter_delta(after->pgscan_pages, action->before.pgscan_pages), 0);
	uint64_t fallen_bytes =
		is_number(after->current_bytes) && is_number(action->before.current_bytes)
			? saturating_sub(action->before.current_bytes, after->current_bytes)
			: 0;
	uint64_t took_usec = clock_usec(CLOCK_MONOTONIC) - action->begun_usec;
	bool aging = action->decision.action == ACTION_AGE;
	uint64_t freed_bytes =
		aging ? 0 : max_u64(saturating_mul(stolen_pages, page_bytes), fallen_bytes);
	bool failed = is_failure(action, result, freed_bytes);

	outcome->writes++;
	outcome->failures += failed;
	outcome->agings += aging && result >= 0;
	outcome->refused_agings += aging && result == -ERANGE;
	outcome->write_usec += took_usec;
	/* Agings walk one after the other (they are writes to one file), so that this may hold the time
	 * of the one before, too. One that was never begun took none. */
	outcome->aging_usec += aging && result != -ECANCELED ? took_usec : 0;
	outcome->scanned_pages += scanned_pages;
	outcome->stolen_pages[action_type(action)] += stolen_pages;
	if (action_type(action) == LRU_ANON)
		totals->stolen_anon_bytes = saturating_add(
			totals->stolen_anon_bytes, saturating_mul(stolen_pages, page_bytes));
	totals->writes++;
	totals->failures += failed;
	totals->agings += aging && result >= 0;
	if (!aging && result != -ECANCELED) {
		outcome->asked_bytes += action->step_bytes;
		outcome->freed_bytes += freed_bytes;
		savings_book(action->memcg, action_type(action), freed_bytes);
		totals->asked_bytes += action->step_bytes;
		totals->freed_bytes += freed_bytes;
	}
	return freed_bytes;
}

/* A kernel that freed something once is not one that lies. */
static void listen(struct executor *executor, const struct action *action, int result,
		   uint64_t freed_bytes)
{
	if (action->decision.action != ACTION_RECLAIM || executor->lies >= LIES_MAX)
		return;
	if (freed_bytes > 0)
		executor->lies = 0;
	else if (result >= 0 && action->step_bytes >= LIE_LEAST_BYTES)
		executor->lies++;
}

static void log_step(const struct action *action, int result, uint64_t freed_bytes)
{
	const char *reason = reason_to_string(action->decision.reason);

	if (action->decision.action == ACTION_AGE)
		log_action(action->memcg->name, reason, 0, "%s: %s: %s", action->memcg->name,
			   action_word(action), result < 0 ? strerror(-result) : "done");
	else
		log_action(action->memcg->name, reason, freed_bytes,
			   "%s: %s: freed %" PRIu64 " of %" PRIu64 " kB%s%s", action->memcg->name,
			   action_word(action), freed_bytes / 1024, action->step_bytes / 1024,
			   result < 0 ? ", " : "", result < 0 ? strerror(-result) : "");
}

static int begin_step(struct action *action);

static void finish(struct action *action)
{
	struct executor *executor = action->executor;

	if (action->running) {
		action->running = false;
		action->memcg->busy = false;
		executor->n_running--;
	}
	remove_action(executor, action);
}

static void on_written(struct ring_request *request, int result)
{
	struct action *action = request->userdata;
	struct executor *executor = action->executor;
	struct memcg_usage after;
	uint64_t freed_bytes = 0;
	int r = memcg_read_usage(action->memcg, &after);

	if (r >= 0) {
		freed_bytes = account(action, &after, result);
		listen(executor, action, result, freed_bytes);
		log_step(action, result, freed_bytes);
	}
	action->remaining_bytes = saturating_sub(action->remaining_bytes, action->step_bytes);
	if (r < 0 || result < 0 || freed_bytes == 0 || action->remaining_bytes == 0 ||
	    executor->stopped || begin_step(action) < 0)
		finish(action);
	pump(executor);
}

static void dry_step(struct action *action)
{
	struct executor *executor = action->executor;
	const char *reason = reason_to_string(action->decision.reason);

	executor->totals.dry_bytes += action->remaining_bytes;
	log_action(action->memcg->name, reason, action->remaining_bytes,
		   "%s: dry run, not done: %s, %" PRIu64 " kB", action->memcg->name,
		   action_word(action), action->remaining_bytes / 1024);
}

/* Submits the next write of an action. 0, or -errno and there will be no completion. */
static int begin_step(struct action *action)
{
	struct executor *executor = action->executor;
	struct ring_request *request = &action->request;
	int r;

	action->step_bytes =
		min_u64(action->remaining_bytes, executor->config->policy.write_max_bytes);
	r = memcg_read_usage(action->memcg, &action->before);
	if (r < 0)
		return r;
	r = action->actuator->prepare(action, request);
	if (r == ACTUATOR_DRY) {
		dry_step(action);
		return -ECANCELED;
	}
	if (r < 0) {
		if (!memcg_is_gone_errno(r))
			action->memcg->outcome.failures++;
		return r;
	}
	request->deadline_usec = executor->config->write_deadline_usec;
	request->done = on_written;
	request->userdata = action;
	action->begun_usec = clock_usec(CLOCK_MONOTONIC);
	r = ring_write(executor->ring, request);
	if (r < 0)
		return r;
	if (!action->running) {
		action->running = true;
		action->memcg->busy = true;
		executor->n_running++;
	}
	return 0;
}

/* Begins queued actions while there is room for more writes. */
static void pump(struct executor *executor)
{
	struct action *action = executor->actions;

	while (action && !executor->stopped &&
	       executor->n_running < executor->config->policy.concurrency) {
		struct action *next = action->next;

		if (!action->running && !action->memcg->busy &&
		    in_flight_has_room(executor->actions, action,
				       executor->config->policy.concurrency) &&
		    begin_step(action) < 0)
			finish(action);
		action = next;
	}
}

/* --- plans */

static const struct actuator *choose_actuator(const struct executor *executor,
					      enum action_kind kind)
{
	if (executor->dry_run)
		return &actuator_null;
	return kind == ACTION_RECLAIM ? &actuator_reclaim : &actuator_lru_gen;
}

void executor_start(struct executor *executor, const struct plan *plan, struct memcg *const *memcgs)
{
	struct action **tail;

	drop_queued(executor);
	tail = &executor->actions;
	while (*tail)
		tail = &(*tail)->next;
	for (size_t i = 0; i < plan->n_decisions; i++) {
		const struct decision *decision = &plan->decisions[i];
		struct action *action = calloc(1, sizeof(*action));

		if (!action)
			break;
		*action = (struct action){
			.executor = executor,
			.actuator = choose_actuator(executor, decision->action),
			.memcg = memcg_ref(memcgs[decision->memcg]),
			.decision = *decision,
			.listing_id = memcgs[decision->memcg]->listing_id,
			.remaining_bytes = decision->bytes,
		};
		*tail = action;
		tail = &action->next;
	}
	pump(executor);
}

void executor_stop(struct executor *executor)
{
	executor->stopped = true;
	drop_queued(executor);
	if (executor->ring)
		ring_cancel_all(executor->ring);
}

void executor_resume(struct executor *executor)
{
	executor->stopped = false;
}

bool executor_is_stalled(const struct executor *executor, uint64_t now_usec)
{
	uint64_t patience_usec =
		saturating_add(executor->config->write_deadline_usec, EXECUTOR_STALL_USEC);

	for (const struct action *action = executor->actions; action; action = action->next)
		if (action->running && saturating_sub(now_usec, action->begun_usec) > patience_usec)
			return true;
	return false;
}

bool executor_is_idle(const struct executor *executor)
{
	return executor->actions == NULL;
}

bool executor_reclaim_lies(const struct executor *executor)
{
	return executor->lies >= LIES_MAX;
}

const struct executor_totals *executor_totals(const struct executor *executor)
{
	return &executor->totals;
}

const struct lru_gen *executor_lru_gen(const struct executor *executor)
{
	return executor->lru_gen;
}
