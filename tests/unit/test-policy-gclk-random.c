/* SPDX-License-Identifier: MIT */
/*
 * Jobs at their limit with random kernels, workloads and mishaps, over long histories. Beside the
 * rules of policy-rules.c, which see one look, an audit with a memory of its own holds each history
 * against what GCLK promises. SEED=n repeats a run; the seed is printed.
 */
#include "arith.h"
#include "policy-dice.h"
#include "policy-limit.h"

#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <cmocka.h>

#define HISTORIES 300
#define LOOKS     2000

/* What the audit remembers of a job. */
struct audit {
	uint64_t id, now_usec;
	uint64_t rebased_usec; /* the last break in its history */
	uint64_t pressed_usec; /* its limit was near or hit */
	uint64_t events;
	uint64_t refused;      /* agings that the kernel had refused until then */
	uint64_t flushed_usec; /* begin of the last flush */
	uint64_t failures, failed_usec;
	uint64_t anon_usec, swap_bytes;
};

static uint64_t seed, at;
static struct limit_host h, twin;
static struct audit audit;
static struct dice dice;
static uint64_t n_looks, n_flushes, n_churns, n_keeps, n_failed;

static void violated(const char *why)
{
	fail_msg("%s (SEED=%" PRIu64 ", history %" PRIu64 ", look %" PRIu64 ")", why, seed, at,
		 h.looks);
}

static void follow_facts(void)
{
	const struct memcg_sample *m = limit_sample(&h);
	uint64_t now_usec = h.w.snapshot.now_usec;
	uint64_t limit_bytes = min_u64(m->max_bytes, m->high_bytes);

	if (m->id != audit.id || now_usec <= audit.now_usec ||
	    now_usec - audit.now_usec > 12 * h.w.snapshot.interval_usec) {
		bool same = m->id == audit.id;

		/* Habits stay over a break, at the latest of now. */
		audit = (struct audit){
			.id = m->id,
			.flushed_usec = same ? min_u64(audit.flushed_usec, now_usec) : 0,
			.failures = same ? audit.failures : 0,
			.failed_usec = min_u64(audit.failed_usec, now_usec),
			.refused = h.refused,
		};
		audit.rebased_usec = audit.anon_usec = now_usec;
		audit.swap_bytes = m->swap_current_bytes;
	}
	audit.now_usec = now_usec;
	if (m->current_bytes > limit_bytes / 100 * 97 || m->events_max != audit.events)
		audit.pressed_usec = now_usec;
	audit.events = m->events_max;
	/* In one look: what trickles in is not moving. */
	if (m->swap_current_bytes > audit.swap_bytes + MIB(1))
		audit.anon_usec = now_usec;
	audit.swap_bytes = m->swap_current_bytes;
}

static void check_flush(const struct decision *d, uint64_t unit_usec)
{
	const struct gclk_state *gclk = &limit_state(&h)->gclk;
	uint64_t now_usec = audit.now_usec;
	bool begins = d->reason != REASON_FLUSH_NEXT;

	if (!begins) {
		if (now_usec - audit.flushed_usec > 6 * unit_usec)
			violated("a flush without end");
		return;
	}
	n_flushes++;
	if (audit.flushed_usec && now_usec - audit.flushed_usec < 3 * unit_usec)
		violated("two flushes in three residence times");
	if (gclk->failures > 0 && now_usec - audit.failed_usec < (3 * unit_usec) << gclk->failures)
		violated("a flush that was no use is tried again too soon");
	if (now_usec - audit.rebased_usec < 3 * unit_usec)
		violated("a flush right after a break");
	if (d->reason == REASON_FLUSH_ANON && now_usec - audit.anon_usec < 2 * unit_usec)
		violated("a flush for anon that moves");
	audit.flushed_usec = now_usec;
}

static void check_decisions(void)
{
	const struct gclk_state *gclk = &limit_state(&h)->gclk;
	uint64_t unit_usec = max_u64(limit_state(&h)->residence.usec, SECONDS(4));

	if (gclk->failures != audit.failures) {
		if (gclk->failures > audit.failures) {
			audit.failed_usec = audit.now_usec;
			n_failed++;
		}
		audit.failures = gclk->failures;
	}
	for (size_t i = 0; i < h.w.plan.n_decisions; i++) {
		const struct decision *d = &h.w.decisions[i];

		if (d->memcg != h.job || d->action != ACTION_AGE || d->reason == REASON_AGE ||
		    d->reason == REASON_USED_UP)
			continue;
		if (audit.now_usec - audit.pressed_usec > SECONDS(200))
			violated("ages by a limit that does not press");
		/* One may have been lost in a break. */
		if (h.refused > audit.refused + 2)
			violated("asked again after a refusal");
		if (d->force)
			n_churns++;
		else if (d->reason == REASON_KEEP_FOUR)
			n_keeps++;
		else
			check_flush(d, unit_usec);
	}
}

static void looked(struct limit_host *host)
{
	(void)host;
	n_looks++;
	follow_facts();
	check_decisions();
}

static void build(struct limit_host *host, struct dice *d)
{
	limit_init(host, dice_once_in(d, 2) ? KERNEL_614 : KERNEL_612);
	if (dice_once_in(d, 4)) {
		host->w.snapshot.system.capability = CAPABILITY_FAST_PATH;
		limit_sample(host)->counts_proactive = host->kernel == KERNEL_614;
	}
	host->w.params.classes[0].churn = dice_once_in(d, 2);
	host->undrained = dice_once_in(d, 4);
	if (host->undrained)
		host->file_pages[0] *= 20;
	if (dice_once_in(d, 2)) {
		limit_sample(host)->lru_bytes[LRU_ANON] = MIB(40);
		limit_sample(host)->lru_bytes[LRU_FILE] = MIB(56);
	}
	host->steal = 24576 / (1 + dice_below(d, 200)) + 1;
	host->cpu_usec = dice_once_in(d, 4) ? 0 : 10000 + dice_below(d, 2000000);
}

/* The workload changes its mind now and then. */
static void change(struct limit_host *host, struct dice *d)
{
	if (dice_once_in(d, 60))
		host->refault_file = dice_below(d, host->steal + 1);
	if (dice_once_in(d, 100))
		host->swap_out = dice_once_in(d, 2) ? dice_below(d, 400) : 0;
	if (dice_once_in(d, 200))
		host->refault_anon = dice_once_in(d, 4) ? dice_below(d, 100) : 0;
	if (dice_once_in(d, 300))
		host->steal = 24576 / (1 + dice_below(d, 200)) + 1;
	if (dice_once_in(d, 100))
		host->look_usec = dice_once_in(d, 4) ? dice_below(d, SECONDS(30)) + 1 : 0;
}

/* What befalls a daemon. */
static void befall(struct limit_host *host, struct dice *d)
{
	struct memcg_sample *m = limit_sample(host);

	host->unlisted = host->unlisted ? !dice_once_in(d, 20) : dice_once_in(d, 200);
	host->idle_executor = host->idle_executor ? !dice_once_in(d, 20) : dice_once_in(d, 200);
	m->busy = dice_once_in(d, 20);
	if (dice_once_in(d, 300))
		host->cpu_usec = host->cpu_usec ? 0 : 500000;
	if (dice_once_in(d, 300))
		m->max_bytes = dice_once_in(d, 2) ? MIB(97) : SAMPLE_INFINITY;
	host->hits = m->max_bytes == MIB(97);
	if (dice_once_in(d, 500))
		host->w.snapshot.now_usec += SECONDS(60 + dice_below(d, 10000));
	if (dice_once_in(d, 1000))
		host->w.snapshot.now_usec -= SECONDS(dice_below(d, 10000));
	if (dice_once_in(d, 1000))
		m->id++;
	if (dice_once_in(d, 1000))
		m->pgsteal_pages = m->refault_pages[LRU_FILE] = 0;
}

static void live(struct limit_host *host, struct dice *d, uint64_t n)
{
	for (uint64_t i = 0; i < n; i++) {
		change(host, d);
		befall(host, d);
		limit_run(host, 1);
	}
}

static void test_promises(void **arg)
{
	(void)arg;
	for (at = 0; at < HISTORIES; at++) {
		dice = (struct dice){.state = seed + at * 1000003};
		build(&h, &dice);
		memset(&audit, 0, sizeof(audit));
		h.looked = looked;
		live(&h, &dice, LOOKS);
	}
	printf("# SEED=%" PRIu64 ": %" PRIu64 " looks, %" PRIu64 " flushes, %" PRIu64
	       " of them no use, %" PRIu64 " forced agings, %" PRIu64 " to keep four\n",
	       seed, n_looks, n_flushes, n_failed, n_churns, n_keeps);
	assert_true(n_flushes > 100 && n_failed > 10 && n_churns > 10 && n_keeps > 100);
}

/* Whatever befalls the daemon, what goes on as ever is not flushed up to 6.13. */
static void test_steady_is_left_alone(void **arg)
{
	(void)arg;
	for (at = 0; at < HISTORIES; at++) {
		dice = (struct dice){.state = seed + at * 1000003};
		limit_init(&h, KERNEL_612);
		h.steal = 24576 / (1 + dice_below(&dice, 200)) + 1;
		h.refault_file = dice_below(&dice, h.steal + 1);
		for (int i = 0; i < 500; i++) {
			befall(&h, &dice);
			limit_run(&h, 1);
		}
		if (h.agings + h.refused > 0)
			violated("flushed without any change");
	}
}

static void test_same_history_same_plan(void **arg)
{
	struct dice twins;

	(void)arg;
	for (at = 0; at < HISTORIES / 10; at++) {
		dice = twins = (struct dice){.state = seed + at * 1000003};
		build(&h, &dice);
		build(&twin, &twins);
		memset(twin.w.decisions, 0x5a, sizeof(twin.w.decisions));
		for (int i = 0; i < LOOKS; i++) {
			live(&h, &dice, 1);
			live(&twin, &twins, 1);
			if (h.agings != twin.agings || h.refused != twin.refused ||
			    h.w.plan.next_usec != twin.w.plan.next_usec ||
			    limit_reason(&h) != limit_reason(&twin))
				violated("another plan for the same history");
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_promises),
		cmocka_unit_test(test_steady_is_left_alone),
		cmocka_unit_test(test_same_history_same_plan),
	};
	const char *env = getenv("SEED");

	seed = env ? strtoull(env, NULL, 10) : (uint64_t)time(NULL);
	return cmocka_run_group_tests_name("policy-gclk-random", tests, NULL, NULL);
}
