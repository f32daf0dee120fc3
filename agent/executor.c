/* SPDX-License-Identifier: MIT */
/*
 * Carries out plans.
 *
 * An action asks for its bytes in steps (write_size.h). Before each the memcg's numbers are read
 * anew, what protects it included, since a plan is made for the moment of its sample and
 * memory.reclaim and lru_gen heed neither the memcg's own memory.min and memory.low nor the floor of
 * its class. After it what was freed is measured (write_result.h). A step that freed nothing ends its
 * action. EAGAIN, EINTR and a vanished memcg are results, not errors.
 *
 * An action through lru_gen ends with the pass that it was made from: its generations are those of
 * that listing.
 */
#include "executor.h"
#include "arith.h"
#include "clock.h"
#include "in_flight.h"
#include "log.h"
#include "macro.h"
#include "protection.h"
#include "write_size.h"

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
	bool lone_running; /* one of an actuator of which only one may */
	struct write_book book;
};

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

/* paused_only: those of paused memcgs. */
static void drop_queued(struct executor *executor, bool paused_only)
{
	struct action **link = &executor->actions;

	while (*link) {
		struct action *action = *link;

		if (action->running || (paused_only && !action->memcg->paused)) {
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
	drop_queued(executor, false);
	zram_meter_done(&executor->book.meter);
	free(executor);
	return NULL;
}

void executor_configure(struct executor *executor, const struct config *config, bool dry_run)
{
	executor->config = config;
	executor->dry_run = dry_run || !executor->ring;
}

void executor_follow_swap(struct executor *executor, const char *root,
			  const struct swap_summary *swap)
{
	zram_meter_follow(&executor->book.meter, root, swap);
}

/* --- one step */

static int begin_step(struct action *action);

static void finish(struct action *action)
{
	struct executor *executor = action->executor;

	if (action->running) {
		action->running = false;
		action->memcg->busy = false;
		executor->n_running--;
		if (action->actuator->alone)
			executor->lone_running = false;
	}
	remove_action(executor, action);
}

static void on_written(struct ring_request *request, int result)
{
	struct action *action = request->userdata;
	struct executor *executor = action->executor;
	uint64_t freed_bytes;
	int r = write_book_enter(&executor->book, action, result, &freed_bytes);

	/* What was taken beyond the request is not asked for again. */
	action->remaining_bytes =
		saturating_sub(action->remaining_bytes, max_u64(action->step_bytes, freed_bytes));
	if (r < 0 || result < 0 || freed_bytes == 0 || action->remaining_bytes == 0 ||
	    executor->stopped || begin_step(action) < 0)
		finish(action);
	pump(executor);
}

static void dry_step(struct action *action)
{
	struct executor *executor = action->executor;
	const char *reason = reason_to_string(action->decision.reason);

	executor->book.totals.dry_bytes += action->remaining_bytes;
	log_action(action->memcg->name, reason, action->remaining_bytes, 0,
		   "%s: dry run, not done: %s, %" PRIu64 " kB", action->memcg->name,
		   write_book_word(action), action->remaining_bytes / 1024);
}

/* How much the next write of an action asks for; -ECANCELED: nothing, it has come to its end. */
static int size_step(struct action *action)
{
	const struct policy_params *params = &action->executor->config->policy;
	struct memcg *memcg = action->memcg;
	struct memcg_sample protection = {0};
	struct write_limits limits = {
		.wanted_bytes = action->remaining_bytes,
		.most_bytes = params->write_max_bytes,
		.slow_bytes = memcg->slow_bytes,
		.current_bytes = action->before.current_bytes,
		.excess_bytes = action->executor->book.excess_bytes[action->decision.action],
	};
	int r;

	/* Since the plan was made its owner may have marked it, or a reload have left it out. */
	if (memcg->omitted || memcg->paused || memcg->class_index < 0 ||
	    (size_t)memcg->class_index >= params->n_classes)
		return -ECANCELED;
	if (action->decision.action == ACTION_AGE) {
		action->step_bytes = 0;
		return 0;
	}
	r = memcg_read_protection(memcg, &protection.min_bytes);
	if (r < 0)
		return r;
	limits.keep_bytes = protection_floor_bytes(&params->classes[memcg->class_index],
						   &protection, &memcg->state);
	action->step_bytes = write_size(&limits);
	return action->step_bytes > 0 ? 0 : -ECANCELED;
}

/* Makes the next write of an action ready. 0, ACTUATOR_DRY, or -errno. */
static int prepare_step(struct action *action)
{
	int r = memcg_read_usage(action->memcg, &action->before);

	if (r >= 0)
		r = size_step(action);
	return r < 0 ? r : action->actuator->prepare(action, &action->request);
}

/* Submits the next write of an action. 0, or -errno and there will be no completion. */
static int begin_step(struct action *action)
{
	struct executor *executor = action->executor;
	struct ring_request *request = &action->request;
	int r = prepare_step(action);

	if (r == ACTUATOR_DRY) {
		dry_step(action);
		return -ECANCELED;
	}
	if (r < 0) {
		if (!memcg_is_gone_errno(r) && r != -ECANCELED)
			action->memcg->outcome.failures++;
		return r;
	}
	write_book_begin(&executor->book, action);
	request->deadline_usec = executor->config->write_deadline_usec;
	request->done = on_written;
	request->userdata = action;
	action->begun_usec = clock_usec(CLOCK_MONOTONIC);
	r = ring_write(executor->ring, request);
	if (r < 0) {
		write_book_drop(&executor->book, action);
		return r;
	}
	if (!action->running) {
		action->running = true;
		action->memcg->busy = true;
		executor->n_running++;
		if (action->actuator->alone)
			executor->lone_running = true;
	}
	return 0;
}

/* Its turn has come: nothing else of its memcg's is under way, nor another that it must not meet. */
static bool may_begin(const struct action *action)
{
	return !action->running && !action->memcg->busy &&
	       !(action->actuator->alone && action->executor->lone_running);
}

/* Begins queued actions while there is room for more writes. */
static void pump(struct executor *executor)
{
	struct action *action = executor->actions;

	while (action && !executor->stopped &&
	       executor->n_running < executor->config->policy.concurrency) {
		struct action *next = action->next;

		if (may_begin(action) &&
		    in_flight_has_room(executor->actions, action,
				       executor->config->policy.concurrency) &&
		    begin_step(action) < 0)
			finish(action);
		action = next;
	}
	if (!executor->actions)
		write_book_rest(&executor->book);
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

	drop_queued(executor, false);
	for (tail = &executor->actions; *tail; tail = &(*tail)->next)
		if ((*tail)->decision.action != ACTION_RECLAIM)
			(*tail)->remaining_bytes = 0;
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
	drop_queued(executor, false);
	if (executor->ring)
		ring_cancel_all(executor->ring);
}

void executor_pause(struct executor *executor)
{
	drop_queued(executor, true);
	for (struct action *action = executor->actions; action; action = action->next)
		if (action->running && action->memcg->paused)
			ring_cancel(executor->ring, &action->request);
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
	return write_book_lies(&executor->book);
}

const struct executor_totals *executor_totals(const struct executor *executor)
{
	return &executor->book.totals;
}

const struct lru_gen *executor_lru_gen(const struct executor *executor)
{
	return executor->lru_gen;
}
