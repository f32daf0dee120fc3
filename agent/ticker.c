/* SPDX-License-Identifier: MIT */
/*
 * One pass after the other.
 */
#include "ticker.h"
#include "arith.h"
#include "clock.h"
#include "cpu_budget.h"
#include "log.h"
#include "macro.h"
#include "messages.h"
#include "worker.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

/* Passes may be this late, so that wake-ups coalesce; those asked for soon, by a tenth. */
#define ACCURACY_USEC UINT64_C(100000)

#define WHERE_MAX 256

/* Passes may have three quarters of the budget: a host of many cgroups leaves something for what the
 * passes are made for. */
#define PASSES_PPM 750000

/* A host that is out of threads or descriptors is asked again so soon. */
#define AGAIN_USEC USEC_PER_SEC

/* The counters of memcgs have half of the budget; scan, listing and plan have the rest. */
#define COUNTERS_DIVISOR 2

struct ticker {
	struct ticker_settings settings;
	const struct config *config;
	struct worker *worker;
	sd_event_source *next;    /* when the next pass is due */
	sd_event_source *slow;    /* when the reading under way is slow */
	struct cpu_budget passes; /* what looking and deciding costs */
	struct cpu_budget all;    /* the same and all else, the kernel's work for our writes too */
	uint64_t process_usec;    /* CPU time of the process that is booked there */
	uint64_t interval_usec;   /* as configured, or as the CPU budget allows */
	uint64_t made_up_usec;    /* all that was not waited for */
	uint64_t begin_cpu_usec;  /* that the pass under way has cost the loop */
	unsigned n_passes;
	bool stopped;
	bool stale;        /* the reading under way began before a stop */
	bool slow_said;    /* and no reading has been faster since */
	bool put_off_said; /* that passes are, and none has begun since */
};

static int arm(struct ticker *ticker, uint64_t next_usec)
{
	int r = sd_event_source_set_time_accuracy(ticker->next,
						  min_u64(next_usec / 10 + 1, ACCURACY_USEC));

	if (r >= 0)
		r = sd_event_source_set_time_relative(ticker->next, next_usec);
	return r < 0 ? r : sd_event_source_set_enabled(ticker->next, SD_EVENT_ONESHOT);
}

/* No pass now: what keeps it from being made is a state of the host that may end. Said once. */
static int put_off(struct ticker *ticker, const char *what, int error)
{
	if (!ticker->put_off_said)
		log_event(LOG_NOTICE, MESSAGE_DEGRADED, "%s: %s; trying again every second", what,
			  strerror(-error));
	ticker->put_off_said = true;
	return arm(ticker, AGAIN_USEC);
}

static int on_due(sd_event_source *source _unused_, uint64_t usec _unused_, void *userdata)
{
	struct ticker *ticker = userdata;
	const struct ticker_settings *settings = &ticker->settings;
	uint64_t begun_usec = clock_usec(CLOCK_THREAD_CPUTIME_ID), budget_usec;
	int r;

	settings->begin(settings->userdata);
	budget_usec = mul_div(ticker->interval_usec, ticker->config->policy.cpu_budget_ppm, PPM);
	r = pass_begin(settings->pass, ticker->config,
		       clock_usec(CLOCK_BOOTTIME) + ticker->made_up_usec, ticker->interval_usec,
		       budget_usec / COUNTERS_DIVISOR);
	ticker->begin_cpu_usec = clock_usec(CLOCK_THREAD_CPUTIME_ID) - begun_usec;
	if (r < 0)
		return put_off(ticker, "the cgroups cannot be looked at", r);
	r = worker_begin(ticker->worker, pass_read, settings->pass);
	if (r < 0) {
		pass_put_off(settings->pass);
		return put_off(ticker, "there is no thread to read with", r);
	}
	ticker->put_off_said = false;
	r = sd_event_source_set_time_relative(ticker->slow, settings->slow_usec);
	return r < 0 ? r : sd_event_source_set_enabled(ticker->slow, SD_EVENT_ONESHOT);
}

/* The kernel is at it still. There is nothing to be done but to wait, and to say so once. */
static int on_slow(sd_event_source *source _unused_, uint64_t usec _unused_, void *userdata)
{
	struct ticker *ticker = userdata;
	char where[WHERE_MAX];

	if (ticker->slow_said)
		return 0;
	ticker->slow_said = true;
	reading_where(&ticker->settings.pass->sampler.reading, where, sizeof(where));
	log_event(LOG_NOTICE, MESSAGE_SLOW,
		  "the kernel takes more than %" PRIu64 " s over its files, now over %s: waiting",
		  ticker->settings.slow_usec / USEC_PER_SEC, where);
	return 0;
}

/* How long idle memory has to wait by now. Threads of io_uring are of this process (own_cost.c). */
static uint64_t spend_all(struct ticker *ticker)
{
	uint64_t process_usec = clock_usec(CLOCK_PROCESS_CPUTIME_ID);
	uint64_t spent_usec = saturating_sub(process_usec, ticker->process_usec);

	ticker->process_usec = process_usec;
	return cpu_budget_spend(&ticker->all, clock_usec(CLOCK_MONOTONIC), spent_usec,
				ticker->config->policy.cpu_budget_ppm);
}

/* Plans; *ret_next_usec: when to begin the next pass. */
static int end_pass(struct ticker *ticker, uint64_t *ret_next_usec)
{
	const struct ticker_settings *settings = &ticker->settings;
	uint64_t begun_usec = clock_usec(CLOCK_THREAD_CPUTIME_ID), wait_usec, cpu_usec;
	uint64_t passes_ppm = mul_div(ticker->config->policy.cpu_budget_ppm, PASSES_PPM, PPM);
	struct plan plan;
	int r;

	settings->pass->cpu_wait_usec = spend_all(ticker);
	r = pass_end(settings->pass, ticker->config, &plan);
	if (r < 0)
		return r;
	ticker->n_passes++;
	settings->planned(&plan, settings->userdata);
	cpu_usec = ticker->begin_cpu_usec + settings->pass->sampler.booked_usec +
		   clock_usec(CLOCK_THREAD_CPUTIME_ID) - begun_usec;
	wait_usec = cpu_budget_spend(&ticker->passes, clock_usec(CLOCK_MONOTONIC), cpu_usec,
				     max_u64(passes_ppm, 1));
	ticker->interval_usec = max_u64(ticker->config->interval_usec, wait_usec);
	*ret_next_usec = max_u64(plan.next_usec, wait_usec);
	return 0;
}

/* The reading has ended. */
static void on_read(void *userdata)
{
	struct ticker *ticker = userdata;
	uint64_t next_usec;
	int r;

	sd_event_source_set_enabled(ticker->slow, SD_EVENT_OFF);
	if (ticker->settings.pass->sampler.reading.took_usec < ticker->settings.slow_usec)
		ticker->slow_said = false;
	if (ticker->stopped)
		return;
	if (ticker->stale) {
		ticker->stale = false;
		next_usec = ticker->interval_usec;
		r = 0;
	} else {
		r = end_pass(ticker, &next_usec);
	}
	if (r >= 0 && ticker->settings.hurry) {
		ticker->made_up_usec += next_usec;
		next_usec = 0;
	}
	if (r >= 0 && !ticker->stopped)
		r = arm(ticker, next_usec);
	if (r < 0)
		sd_event_exit(ticker->settings.event, r);
}

struct ticker *ticker_free(struct ticker *ticker)
{
	if (!ticker)
		return NULL;
	sd_event_source_disable_unref(ticker->next);
	sd_event_source_disable_unref(ticker->slow);
	worker_free(ticker->worker);
	free(ticker);
	return NULL;
}

DEFINE_CLEANUP(struct ticker *, ticker_free)

int ticker_new(const struct ticker_settings *settings, const struct config *config,
	       struct ticker **ret)
{
	_cleanup_(ticker_free_ptr) struct ticker *ticker = calloc(1, sizeof(*ticker));
	int r;

	if (!ticker)
		return -ENOMEM;
	ticker->settings = *settings;
	ticker->config = config;
	ticker->interval_usec = config->interval_usec;
	cpu_budget_init(&ticker->passes, clock_usec(CLOCK_MONOTONIC));
	cpu_budget_init(&ticker->all, clock_usec(CLOCK_MONOTONIC));
	ticker->process_usec = clock_usec(CLOCK_PROCESS_CPUTIME_ID);
	r = worker_new(settings->event, on_read, ticker, &ticker->worker);
	if (r >= 0)
		r = sd_event_add_time_relative(settings->event, &ticker->slow, CLOCK_MONOTONIC, 0,
					       ACCURACY_USEC, on_slow, ticker);
	if (r >= 0)
		r = sd_event_add_time_relative(settings->event, &ticker->next, CLOCK_MONOTONIC, 0,
					       ACCURACY_USEC, on_due, ticker);
	if (r < 0)
		return r;
	sd_event_source_set_enabled(ticker->slow, SD_EVENT_OFF);
	sd_event_source_set_description(ticker->slow, "slow");
	sd_event_source_set_description(ticker->next, "tick");
	r = sd_event_source_set_exit_on_failure(ticker->next, true);
	if (r < 0)
		return r;
	*ret = TAKE_PTR(ticker);
	return 0;
}

void ticker_configure(struct ticker *ticker, const struct config *config)
{
	ticker->config = config;
}

void ticker_stop(struct ticker *ticker)
{
	ticker->stopped = true;
	sd_event_source_set_enabled(ticker->next, SD_EVENT_OFF);
}

void ticker_resume(struct ticker *ticker)
{
	int r;

	ticker->stopped = false;
	ticker->stale = worker_is_busy(ticker->worker);
	if (ticker->stale)
		return;
	r = arm(ticker, ticker->settings.hurry ? 0 : ticker->interval_usec);
	if (r < 0)
		sd_event_exit(ticker->settings.event, r);
}

bool ticker_is_busy(const struct ticker *ticker)
{
	return worker_is_busy(ticker->worker);
}

uint64_t ticker_spent_usec(const struct ticker *ticker)
{
	return ticker->passes.spent_usec;
}

unsigned ticker_n_passes(const struct ticker *ticker)
{
	return ticker->n_passes;
}
