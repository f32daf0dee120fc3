/* SPDX-License-Identifier: MIT */
/*
 * The clock at a limit, flow by flow: what evidence it asks for, how it flushes on each kernel,
 * what it makes of the result, and what it never does. Times are in residence times of 20 s unless
 * said otherwise.
 */
#include "aging.h"
#include "policy-limit.h"

#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <cmocka.h>

static struct limit_host h;

#define TRES(n) ((n)*LIMIT_TRES)

/* For what gets done so much more is missed, in thousandths of what is usual: it costs more, and more
 * is evicted, whatever comes back. */
static void miss(uint64_t permille)
{
	h.cpu_usec = UINT64_C(500000) * 1000 / permille;
}

/* So many file refaults a second. 300 of them cost 12 % of the CPU time. */
static void begin(enum limit_kernel kernel, uint64_t refaults)
{
	limit_init(&h, kernel);
	h.refault_file = refaults;
	limit_run(&h, TRES(7));
	assert_int_equal(limit_state(&h)->residence.mode, RESIDENCE_BOUND);
}

static void run(uint64_t tres)
{
	limit_run(&h, TRES(tres));
}

static void assert_reason(enum reason reason)
{
	assert_string_equal(reason_to_string(limit_reason(&h)), reason_to_string(reason));
}

/* Runs until the verdict is this, at most so long; returns how long. */
static uint64_t run_until(enum reason reason, uint64_t tres)
{
	uint64_t usec = 0;

	while (limit_reason(&h) != reason) {
		if (usec > TRES(tres))
			fail_msg("%s, not %s", reason_to_string(limit_reason(&h)),
				 reason_to_string(reason));
		limit_run(&h, 1);
		usec = usec + h.w.plan.next_usec;
	}
	return usec;
}

/* M5: nothing is done to what goes on as ever, for three hours. */
static void test_steady_is_left_alone(void **arg)
{
	static const uint64_t refaults[] = {0, 40, 300, 900};

	(void)arg;
	for (size_t i = 0; i < sizeof(refaults) / sizeof(refaults[0]); i++) {
		/* What never comes back makes room for headroom. */
		enum reason reason = refaults[i] == 0 ? REASON_HEADROOM : REASON_STEADY;

		begin(KERNEL_612, refaults[i]);
		assert_reason(reason);
		run(400);
		assert_reason(reason);
		assert_int_equal(h.agings + h.refused, 0);
	}
}

/* A little noise each way, and a wall clock only. */
static void jitter(struct limit_host *host)
{
	host->refault_file = 300 + host->looks * 7 % 20;
}

static void test_noise_is_left_alone(void **arg)
{
	(void)arg;
	begin(KERNEL_612, 300);
	h.looked = jitter;
	run(400);
	assert_int_equal(h.agings + h.refused, 0);
	limit_init(&h, KERNEL_612);
	h.looked = jitter;
	h.cpu_usec = 0;
	run(400);
	assert_int_equal(h.agings + h.refused, 0);
}

/* Faster by half with half more misses a second: no regression by CPU time. */
static void test_faster_is_no_regression(void **arg)
{
	(void)arg;
	begin(KERNEL_612, 300);
	h.refault_file = 450;
	h.cpu_usec = 750000;
	run(20);
	assert_int_equal(h.agings, 0);
	h.cpu_usec = 400000;
	run(2);
	assert_true(h.agings > 0);
}

static void check_regression(uint64_t permille, bool flushes)
{
	begin(KERNEL_612, 300);
	miss(permille);
	run(4);
	if ((h.agings > 0) != flushes)
		fail_msg("%" PRIu64 " permille: %" PRIu64 " agings", permille, h.agings);
}

static void test_regression_of_four_percent(void **arg)
{
	(void)arg;
	check_regression(1020, false);
	check_regression(1030, false);
	check_regression(1060, true);
	check_regression(3000, true);
}

/* With fewer refaults than 5625 in a unit of 20 s, 8 % are needed. */
static void test_regression_with_few_refaults(void **arg)
{
	(void)arg;
	for (int few = 0; few <= 1; few++) {
		begin(KERNEL_612, few ? 200 : 300);
		miss(1060);
		run(4);
		assert_int_equal(h.agings > 0, !few);
		miss(1110);
		run(4);
		assert_true(h.agings > 0);
	}
}

/* An eighth of a unit at 1.2 times the cost: 2.5 % in the unit. */
static void test_one_bad_look_is_no_regression(void **arg)
{
	(void)arg;
	begin(KERNEL_612, 300);
	miss(1200);
	for (int i = 0; i < 8; i++) {
		limit_run(&h, 1);
		assert_reason(REASON_STEADY);
		miss(1000);
	}
}

/* 1406 refaults in a unit of 20 s: 70 a second. */
static void check_evidence(uint64_t refaults, bool flushes)
{
	begin(KERNEL_612, refaults);
	miss(2000);
	run(5);
	if ((h.agings > 0) != flushes)
		fail_msg("%" PRIu64 " refaults/s: %" PRIu64 " agings", refaults, h.agings);
}

static void test_regression_needs_numbers(void **arg)
{
	(void)arg;
	check_evidence(24, false);
	check_evidence(54, false); /* a window is up to a fifth too long */
	check_evidence(76, true);
}

/* Misses that are refaults now and were none before: as much more has to be evicted as they may cost
 * more, here 12 pages a second. */
static void check_first_reads(uint64_t evicted, bool flushes)
{
	begin(KERNEL_612, 300);
	h.refault_file += 200;
	h.steal += evicted;
	run_until(REASON_MISSES_NO_MORE, 2);
	run(6);
	if ((h.agings > 0) != flushes)
		fail_msg("%" PRIu64 " pages/s more: %" PRIu64 " agings", evicted, h.agings);
	if (!flushes)
		assert_reason(REASON_STEADY);
}

static void test_first_reads_are_no_regression(void **arg)
{
	(void)arg;
	check_first_reads(0, false);
	check_first_reads(9, false);
	check_first_reads(25, true);
}

/* A unit's worth is compared: more evicted for one look of four is too little, and three units later it
 * would be too late. */
static void test_evictions_of_one_unit(void **arg)
{
	(void)arg;
	begin(KERNEL_612, 300);
	h.refault_file += 200;
	run_until(REASON_MISSES_NO_MORE, 2);
	h.steal += 36;
	limit_run(&h, TRES(1) / 4);
	h.steal -= 36;
	run(6);
	assert_int_equal(h.agings, 0);

	begin(KERNEL_612, 300);
	h.refault_file += 20;
	h.steal += 20;
	limit_run(&h, TRES(3) / 2);
	assert_true(h.agings > 0);
}

/* Seen on 6.12: what refaults cost while first reads were becoming refaults stood as reference, and
 * a drift went unseen until it had cost half of that again. */
static void drifts(struct limit_host *host)
{
	uint64_t usec = limit_usec(host);

	if (usec < TRES(16)) {
		host->refault_file = 200 + usec * 100 / TRES(16);
		host->steal = 1000 - usec * 100 / TRES(16);
		return;
	}
	host->refault_file = 300 + (usec - TRES(16)) * 4 / TRES(1);
	host->steal = 900 + (usec - TRES(16)) * 4 / TRES(1);
}

static void test_drift_after_first_reads(void **arg)
{
	(void)arg;
	limit_init(&h, KERNEL_612);
	h.looked = drifts;
	run(16);
	assert_int_equal(h.agings, 0);
	run(8);
	assert_true(h.agings > 0);
}

static void run_until_phase(enum gclk_phase phase)
{
	for (int i = 0; limit_state(&h)->gclk.phase != phase; i++) {
		if (i > 10000)
			fail_msg("phase %d for ever", (int)limit_state(&h)->gclk.phase);
		limit_run(&h, 1);
	}
}

/* What m was before a flush on evidence is past: the next regression is one against what is usual
 * since. */
static void test_reference_begins_anew(void **arg)
{
	uint64_t ref_ppm;

	(void)arg;
	begin(KERNEL_612, 300);
	ref_ppm = limit_state(&h)->gclk.ref_ppm;
	miss(2000);
	run_until_phase(GCLK_FLUSH);
	run_until_phase(GCLK_WATCH);
	run(2);
	assert_true(limit_state(&h)->gclk.has_ref);
	assert_in_range(limit_state(&h)->gclk.ref_ppm, ref_ppm * 3 / 2, ref_ppm * 5 / 2);
}

/* An aging that was only due hides nothing. */
static void test_reference_survives_what_was_due(void **arg)
{
	uint64_t ref_ppm;

	(void)arg;
	begin(KERNEL_614, 300);
	ref_ppm = limit_state(&h)->gclk.ref_ppm;
	run_until_phase(GCLK_FLUSH);
	assert_int_equal(limit_state(&h)->gclk.flushed_for, REASON_FLUSH_DUE);
	miss(1030);
	run_until_phase(GCLK_WATCH);
	run(2);
	assert_in_range(limit_state(&h)->gclk.ref_ppm, ref_ppm * 99 / 100, ref_ppm * 101 / 100);
}

static void test_blind_at_first(void **arg)
{
	(void)arg;
	limit_init(&h, KERNEL_612);
	limit_run(&h, TRES(4));
	assert_int_equal(limit_state(&h)->residence.mode, RESIDENCE_BOUND);
	miss(4000);
	limit_run(&h, TRES(6) - TRES(4) - SECONDS(5));
	assert_int_equal(h.agings, 0);
	assert_reason(REASON_LIMIT_WAIT);
	/* ... and no longer. */
	limit_run(&h, SECONDS(15));
	assert_true(h.agings > 0);
}

static void ages_well(struct limit_host *host)
{
	if (host->agings % 2 == 0)
		host->refault_file = 200;
}

/* Two agings up to 6.13, half a unit apart at least; the second waits for the oldest generation to
 * drain, and is not asked for in vain once the kernel has refused one. */
static void test_flush_on_612(void **arg)
{
	uint64_t first_usec;

	(void)arg;
	begin(KERNEL_612, 300);
	h.aged = ages_well;
	miss(1333);
	run_until(REASON_FLUSH_REGRESSION, 2);
	assert_int_equal(h.agings, 1);
	first_usec = h.last_aged_usec;
	limit_run(&h, TRES(1) / 2 - SECONDS(4));
	assert_int_equal(h.agings, 1);
	run_until(REASON_OBSERVING, 6);
	assert_int_equal(h.agings, 2);
	assert_int_equal(h.forced, 0);
	assert_true(h.last_aged_usec - first_usec >= TRES(1) / 2);
	assert_in_range(h.refused, 0, 1);
	assert_in_range(run_until(REASON_STEADY, 4), TRES(3) - SECONDS(8), TRES(3) + SECONDS(8));
	run(100);
	assert_reason(REASON_STEADY);
	assert_int_equal(h.agings, 2);
	assert_int_equal(limit_state(&h)->gclk.failures, 0);
	assert_int_equal(limit_state(&h)->gclk.theta_ppm, 1040000);
}

static void test_flush_is_five_seconds_apart_at_least(void **arg)
{
	uint64_t first_usec;

	(void)arg;
	limit_init(&h, KERNEL_612);
	h.steal = 24576 / 4; /* T_res 4 s */
	h.refault_file = 3000;
	limit_run(&h, SECONDS(100));
	miss(2000);
	run_until(REASON_FLUSH_REGRESSION, 2);
	first_usec = h.last_aged_usec;
	while (h.agings < 2)
		limit_run(&h, 1);
	assert_in_range(h.last_aged_usec - first_usec, SECONDS(5), SECONDS(20));
}

/* One aging and no room for another: it is judged by the one, which has changed something. */
static void test_half_a_flush_is_judged(void **arg)
{
	(void)arg;
	begin(KERNEL_612, 300);
	h.undrained = true;
	miss(2000);
	run_until(REASON_FLUSH_REGRESSION, 2);
	run_until(REASON_FLUSH_FULL, 2);
	assert_in_range(run_until(REASON_OBSERVING, 7), TRES(4), TRES(6));
	run_until(REASON_NO_BETTER, 4);
	assert_int_equal(h.agings, 1);
	assert_int_equal(h.refused, 1); /* and never asked for again */
}

static void test_flush_gives_up(void **arg)
{
	uint64_t usec;

	(void)arg;
	begin(KERNEL_612, 300);
	h.idle_executor = true;
	miss(2000);
	run_until(REASON_FLUSH_REGRESSION, 2);
	usec = run_until(REASON_FLUSH_FAILED, 8);
	assert_in_range(usec, TRES(6) - SECONDS(5), TRES(6) + SECONDS(5));
	assert_int_equal(limit_state(&h)->gclk.failures, 0);
	/* Nor is the single aging judged that was due and did not happen. */
	begin(KERNEL_614, 300);
	h.idle_executor = true;
	run_until(REASON_FLUSH_DUE, 12);
	run_until(REASON_FLUSH_FAILED, 8);
}

/* A flush that made nothing better: theta grows, and the next one waits, longer each time. */
static uint64_t flushed[16], n_flushed;

static void note_flushes(struct limit_host *host)
{
	uint64_t usec = limit_state(host)->gclk.flushed_usec;

	if (usec && (n_flushed == 0 || flushed[n_flushed - 1] != usec) && n_flushed < 16)
		flushed[n_flushed++] = usec;
	/* Up and down, so that there is always a reason; and never better for it. */
	miss(host->looks / 16 % 2 ? 1000 : 3000);
	if (limit_state(host)->gclk.phase != GCLK_WATCH)
		miss(3166);
}

static void test_what_was_no_use_waits_longer(void **arg)
{
	(void)arg;
	n_flushed = 0;
	begin(KERNEL_612, 300);
	h.looked = note_flushes;
	run(800);
	assert_true(n_flushed >= 4);
	for (uint64_t i = 2; i < n_flushed; i++)
		if ((flushed[i] - flushed[i - 1]) * 2 < (flushed[i - 1] - flushed[i - 2]) * 3 &&
		    i < 7)
			fail_msg("flush %" PRIu64 " after %" PRIu64 " s, after %" PRIu64 " s", i,
				 (flushed[i] - flushed[i - 1]) / SECONDS(1),
				 (flushed[i - 1] - flushed[i - 2]) / SECONDS(1));
	/* 6, 12, 24 ... units after it was judged. */
	assert_in_range(flushed[1] - flushed[0], TRES(6), TRES(14));
	assert_in_range(limit_state(&h)->gclk.theta_ppm, 1170000, 2000000);
	printf("# made worse: %" PRIu64 " flushes in 800 residence times\n", n_flushed);
}

/* Whatever became of it, and however the residence time has changed since. */
static void test_one_flush_in_three_units(void **arg)
{
	(void)arg;
	begin(KERNEL_612, 300);
	limit_state(&h)->gclk.flushed_usec = h.w.snapshot.now_usec;
	miss(2000);
	limit_run(&h, TRES(3) - SECONDS(8));
	assert_int_equal(h.agings, 0);
	assert_reason(REASON_FLUSH_WAIT);
	run(1);
	assert_true(h.agings > 0);
}

static void test_theta_adapts(void **arg)
{
	struct gclk_state *gclk = &limit_state(&h)->gclk;

	(void)arg;
	begin(KERNEL_612, 300);
	gclk = &limit_state(&h)->gclk;
	miss(1333);
	run_until(REASON_OBSERVING, 8);
	run_until(REASON_NO_BETTER, 5);
	assert_int_equal(gclk->theta_ppm, 1060000);
	assert_int_equal(gclk->failures, 1);
	gclk->theta_ppm = 1990000;
	gclk->failures = 7; /* the most */
	gclk->failed_usec = 0;
	gclk->flushed_usec = 0;
	run(4);
	miss(3000);
	run_until(REASON_OBSERVING, 12);
	run_until(REASON_NO_BETTER, 5);
	assert_int_equal(gclk->theta_ppm, 2000000);
	assert_int_equal(gclk->failures, 7);
}

/* Two thirds of the excess are left after one that made it better. */
static void test_theta_falls(void **arg)
{
	(void)arg;
	begin(KERNEL_612, 300);
	limit_state(&h)->gclk.theta_ppm = 1300000;
	h.aged = ages_well;
	miss(1500);
	run_until(REASON_OBSERVING, 8);
	run_until(REASON_STEADY, 5);
	assert_int_equal(limit_state(&h)->gclk.theta_ppm, 1200000);
}

/* Flushes at the first regression; so many refaults from then on, and later on. */
static uint32_t failures_of(uint64_t refaults, uint64_t later_tenths, uint64_t later)
{
	begin(KERNEL_612, 300);
	miss(1333);
	run_until(REASON_FLUSH_REGRESSION, 2);
	miss(1000);
	h.refault_file = refaults;
	run_until(REASON_OBSERVING, 6);
	limit_run(&h, TRES(3) * (30 - later_tenths) / 30);
	h.refault_file = later;
	while (limit_state(&h)->gclk.phase == GCLK_OBSERVE)
		limit_run(&h, 1);
	return limit_state(&h)->gclk.failures;
}

/* Before are two units, most of them without the regression; after is half of the observation. */
static void test_what_is_compared(void **arg)
{
	(void)arg;
	assert_int_equal(failures_of(200, 0, 200), 0);
	assert_int_equal(failures_of(325, 0, 325), 1);
	assert_int_equal(failures_of(900, 20, 200), 0);
	assert_int_equal(failures_of(900, 6, 200), 1);
}

/* A low from long ago fades: by 0.05 % a unit, 5 % in 100. */
static void test_reference_leaks(void **arg)
{
	(void)arg;
	begin(KERNEL_612, 300);
	for (int evicts = 0; evicts <= 1; evicts++) {
		const struct gclk_state *gclk = &limit_state(&h)->gclk;
		uint64_t ref_ppm, turnover_ppm;

		begin(KERNEL_612, 300);
		ref_ppm = gclk->ref_ppm;
		turnover_ppm = gclk->ref_turnover_ppm;
		limit_state(&h)->gclk.theta_ppm = 30 * PPM;
		miss(evicts ? 4000 : 1000);
		run(100);
		assert_in_range(gclk->ref_ppm, ref_ppm, ref_ppm * (evicts ? 106 : 101) / 100);
		if (evicts) {
			assert_true(gclk->ref_ppm > ref_ppm * 104 / 100);
			assert_in_range(gclk->ref_turnover_ppm, turnover_ppm * 104 / 100,
					turnover_ppm * 106 / 100);
		}
	}
}

/* --- anon */

static void anon_cold(struct limit_host *host, uint64_t refaults)
{
	limit_init(host, KERNEL_612);
	limit_sample(host)->lru_bytes[LRU_ANON] = MIB(60);
	limit_sample(host)->lru_bytes[LRU_FILE] = MIB(36);
	host->refault_file = refaults;
}

static void test_stuck_anon(void **arg)
{
	(void)arg;
	anon_cold(&h, 800);
	run_until(REASON_FLUSH_ANON, 7);
	assert_in_range(limit_usec(&h), TRES(6), TRES(7)); /* blind for six units */
	h.swap_out = 800;
	run_until(REASON_OBSERVING, 6);
	h.refault_file = 200;
	run(60);
	assert_int_equal(h.agings, 2);
	assert_int_equal(h.forced, 0);
}

static void check_not_stuck(const char *what)
{
	run(40);
	if (h.agings + h.refused > 0)
		fail_msg("%s: %" PRIu64 " agings", what, h.agings);
}

static void test_what_is_not_stuck(void **arg)
{
	(void)arg;
	anon_cold(&h, 110); /* 9 % of what is evicted */
	check_not_stuck("a stream");
	anon_cold(&h, 800);
	h.swap_out = 3; /* 64 pages in 21 s */
	check_not_stuck("anon that moves");
	anon_cold(&h, 800);
	h.refault_anon = 2;
	check_not_stuck("anon that comes back");
	anon_cold(&h, 800);
	h.w.snapshot.system.swap_total_bytes = h.w.snapshot.system.swap_free_bytes = 0;
	check_not_stuck("no swap");
	anon_cold(&h, 800);
	h.w.snapshot.system.swap_free_bytes = h.w.snapshot.system.swap_total_bytes / 5;
	check_not_stuck("a full swap");
	anon_cold(&h, 800);
	limit_sample(&h)->swap_max_bytes = 0;
	check_not_stuck("no swap for it");
	anon_cold(&h, 800);
	h.w.snapshot.system.swap_is_zram = false;
	check_not_stuck("swap on a disk");
	anon_cold(&h, 800);
	h.w.params.anon = ANON_NO;
	check_not_stuck("Anon=no");
	anon_cold(&h, 800);
	h.w.params.classes[0].reclaim = RECLAIM_FILE;
	check_not_stuck("Reclaim=file");
	anon_cold(&h, 800);
	limit_sample(&h)->lru_bytes[LRU_ANON] = MIB(9);
	limit_sample(&h)->lru_bytes[LRU_FILE] = MIB(87);
	check_not_stuck("little anon");
}

/* From just above each of those limits on it is. */
static void test_what_is_just_stuck(void **arg)
{
	(void)arg;
	anon_cold(&h, 135);
	run(8);
	assert_true(h.agings > 0);
	anon_cold(&h, 800);
	limit_sample(&h)->lru_bytes[LRU_ANON] = MIB(11);
	limit_sample(&h)->lru_bytes[LRU_FILE] = MIB(85);
	run(8);
	assert_true(h.agings > 0);
	anon_cold(&h, 800);
	limit_sample(&h)->swap_current_bytes = MIB(100);
	run(8);
	assert_true(h.agings > 0);
	anon_cold(&h, 800);
	h.refault_anon = 1;
	run(8);
	assert_true(h.agings > 0);
	/* 32 pages in four units of 8 s. */
	anon_cold(&h, 2400);
	h.steal = 24576 / 8;
	h.swap_out = 1;
	run(6);
	assert_true(h.agings > 0);
}

/* Four units after anon last moved. */
static void test_anon_that_moved_of_late(void **arg)
{
	(void)arg;
	anon_cold(&h, 800);
	h.swap_out = 100;
	run(8);
	assert_int_equal(h.agings, 0);
	h.swap_out = 0;
	limit_run(&h, TRES(4) - SECONDS(8));
	assert_int_equal(h.agings, 0);
	run(1);
	assert_true(h.agings > 0);
}

/* Anon that stays whatever is done is not tried again and again. */
static void test_hopeless_anon(void **arg)
{
	(void)arg;
	n_flushed = 0;
	anon_cold(&h, 800);
	h.looked = note_flushes;
	h.refault_file = 700;
	run(500);
	assert_in_range(n_flushed, 2, 8);
}

static void test_shared_limit_takes_anon_alone(void **arg)
{
	size_t brother;

	(void)arg;
	for (int stuck = 0; stuck < 2; stuck++) {
		if (stuck)
			anon_cold(&h, 800);
		else
			limit_init(&h, KERNEL_612);
		h.w.memcgs[h.root].max_bytes = MIB(117);
		h.w.memcgs[h.root].current_bytes = MIB(96);
		limit_sample(&h)->max_bytes = SAMPLE_INFINITY;
		brother = world_add(&h.w, (int)h.root, 0, MIB(20));
		h.w.memcgs[brother].class_index = -1;
		run(8);
		assert_int_equal(limit_state(&h)->residence.mode, RESIDENCE_SHARED);
		miss(3000); /* a regression */
		run(6);
		assert_int_equal(h.agings > 0, stuck);
	}
}

/* --- 6.14 and later */

static void test_614_flushes_by_width(void **arg)
{
	struct gclk_state *gclk;
	uint64_t usec;

	(void)arg;
	begin(KERNEL_614, 300);
	gclk = &limit_state(&h)->gclk;
	usec = run_until(REASON_FLUSH_DUE, 12);
	assert_in_range(limit_usec(&h), TRES(8), TRES(12));
	run_until(REASON_OBSERVING, 6);
	assert_int_equal(h.agings, 1);
	assert_int_equal(h.refused, 0);
	/* Neither better nor worse: every eight units; the kernel's own aging is waited for. */
	run(5);
	usec = gclk->flushed_usec;
	run_until(REASON_FLUSH_DUE, 12);
	assert_in_range(gclk->flushed_usec - usec, TRES(8) - SECONDS(5), TRES(8) + SECONDS(8));
	assert_int_equal(gclk->width_ppm, 8000000);
}

/* After an aging that was due, so much is missed, and so much of it are refaults. */
static void check_width(uint64_t width_ppm, uint64_t permille, uint64_t refaults,
			uint64_t wanted_ppm)
{
	struct gclk_state *gclk;

	begin(KERNEL_614, 300);
	gclk = &limit_state(&h)->gclk;
	gclk->width_ppm = width_ppm;
	gclk->entered_usec = 0;
	run_until(REASON_FLUSH_DUE, 12);
	run_until(REASON_OBSERVING, 6);
	miss(permille);
	h.refault_file = refaults;
	while (gclk->phase == GCLK_OBSERVE)
		limit_run(&h, 1);
	assert_in_range(gclk->width_ppm, wanted_ppm - 1, wanted_ppm + 1);
}

static void test_614_width_adapts(void **arg)
{
	(void)arg;
	check_width(9000000, 900, 300, 6000000);
	check_width(6000000, 900, 300, 5000000);
	check_width(8000000, 1100, 300, 16000000);
	check_width(40000000, 1100, 300, 64000000);
	check_width(8000000, 1000, 300, 8000000);
	check_width(8000000, 1006, 300, 8000000);
	check_width(8000000, 994, 300, 8000000);
	/* More of the misses are refaults, and no more is missed. */
	check_width(8000000, 1000, 400, 8000000);
	check_width(8000000, 1006, 400, 8000000);
	check_width(8000000, 1015, 400, 16000000);
}

/* Evidence counts here as well, also what has crept up over agings that were only due. */
static void test_614_regression(void **arg)
{
	uint64_t flushed_usec;

	(void)arg;
	begin(KERNEL_614, 300);
	run_until(REASON_FLUSH_DUE, 12);
	run_until(REASON_OBSERVING, 6);
	run_until(REASON_STEADY, 4);
	flushed_usec = limit_state(&h)->gclk.flushed_usec;
	miss(1030);
	run_until(REASON_FLUSH_DUE, 12);
	assert_true(limit_state(&h)->gclk.flushed_usec > flushed_usec);
	run_until(REASON_OBSERVING, 6);
	run_until(REASON_STEADY, 4);
	assert_int_equal(h.agings, 2);
	assert_int_equal(limit_state(&h)->gclk.theta_ppm, 1040000);
	miss(1100);
	run_until(REASON_FLUSH_REGRESSION, 12);
	assert_int_equal(h.agings, 3);
	run_until(REASON_OBSERVING, 6);
	assert_int_equal(h.agings, 4);
	run_until(REASON_NO_BETTER, 4);
	assert_int_equal(limit_state(&h)->gclk.theta_ppm, 1060000);
}

/* --- frequency-guided promotion */

static void test_fg_keeps_four(void **arg)
{
	(void)arg;
	limit_init(&h, KERNEL_614);
	h.w.snapshot.system.capability = CAPABILITY_FAST_PATH;
	limit_sample(&h)->counts_proactive = true;
	run(20);
	assert_true(h.agings > 10);
	assert_int_equal(h.forced, 0);
	assert_int_equal(limit_state(&h)->gclk.flushed_usec, 0);
	assert_true(h.n_gens >= 3);
	h.n_gens = 4;
	limit_init(&h, KERNEL_612);
	h.w.snapshot.system.capability = CAPABILITY_TIERS;
	run(20);
	assert_int_equal(h.agings, 0);
}

/* On top of a kernel that ages as up to 6.13 there is nothing to keep, nor to flush for misses. */
static void test_fg_is_left_alone(void **arg)
{
	(void)arg;
	begin(KERNEL_612, 300);
	h.w.snapshot.system.capability = CAPABILITY_FAST_PATH;
	limit_state(&h)->aging.aged_by_itself = 100;
	miss(2000);
	run(20);
	assert_int_equal(h.agings, 0);
	assert_reason(REASON_FREQUENCY);
	h.w.snapshot.system.capability = CAPABILITY_TIERS;
	limit_state(&h)->aging.aged_by_itself = 0;
	miss(4000);
	run(20);
	assert_true(h.agings > 0);
}

static void test_fg_anon_is_stuck(void **arg)
{
	(void)arg;
	anon_cold(&h, 800);
	h.w.snapshot.system.capability = CAPABILITY_FAST_PATH;
	run_until(REASON_FLUSH_ANON, 7);
	h.swap_out = 800;
	run_until(REASON_OBSERVING, 6);
	assert_int_equal(h.agings, 2);
}

/* --- what stops it */

static void check_stopped(enum reason reason)
{
	miss(2000);
	run(3);
	assert_int_equal(h.agings, 0);
	assert_reason(reason);
}

static void test_who_is_not_aged(void **arg)
{
	struct memcg_state *state = &h.w.states[1];

	(void)arg;
	begin(KERNEL_612, 300);
	h.w.snapshot.system.capability = CAPABILITY_RECLAIM;
	check_stopped(REASON_NO_GENERATIONS);
	begin(KERNEL_612, 300);
	h.unlisted = true;
	check_stopped(REASON_NOT_LISTED);
	begin(KERNEL_612, 300);
	h.w.params.classes[0].reclaim = RECLAIM_ANON;
	check_stopped(REASON_ANON_OFF);
	begin(KERNEL_612, 300);
	limit_sample(&h)->file_dirty_bytes = LIMIT_FILE / 2 + MIB(1);
	check_stopped(REASON_DIRTY);
	assert_int_equal(state->verdict.measured, LIMIT_FILE / 2 + MIB(1));
	assert_int_equal(state->verdict.limit, LIMIT_FILE / 2);
	begin(KERNEL_612, 300);
	limit_sample(&h)->file_writeback_bytes = SAMPLE_UNKNOWN;
	check_stopped(REASON_DIRTY);
	begin(KERNEL_612, 300);
	state->hold = (struct verdict){.reason = REASON_HOLD_OOM};
	state->hold_until_usec = h.w.snapshot.now_usec + SECONDS(3600);
	check_stopped(REASON_HOLD_OOM);
	begin(KERNEL_612, 300);
	limit_sample(&h)->lru_bytes[LRU_ANON] = SAMPLE_UNKNOWN;
	miss(2000);
	run(3);
	assert_int_equal(h.agings, 0);
	/* A flush sets anon free: swap on a disk forbids it, unless there is little. */
	for (int little = 0; little < 2; little++) {
		if (little)
			limit_init(&h, KERNEL_612);
		else
			anon_cold(&h, 300);
		h.w.snapshot.system.swap_is_zram = false;
		h.refault_file = 300;
		run(8);
		miss(2000);
		run(3);
		assert_int_equal(h.agings > 0, little);
	}
	/* What it is to mend does not stop it. */
	begin(KERNEL_612, 300);
	state->hold = (struct verdict){.reason = REASON_HOLD_PRESSURE};
	state->hold_until_usec = h.w.snapshot.now_usec + SECONDS(3600);
	limit_sample(&h)->file_dirty_bytes = LIMIT_FILE / 2 - MIB(1);
	miss(2000);
	run(3);
	assert_true(h.agings > 0);
}

static void reclaims(struct limit_host *host)
{
	limit_sample(host)->outcome.asked_bytes = MIB(1);
	limit_sample(host)->outcome.freed_bytes = MIB(1);
}

/* SPLIT or whoever evicts here: not judged, then or three units later. */
static void test_other_actions_blind(void **arg)
{
	(void)arg;
	begin(KERNEL_612, 300);
	for (int i = 0; i < 30; i++) {
		reclaims(&h);
		limit_run(&h, 1);
	}
	miss(2000);
	limit_run(&h, TRES(3) - SECONDS(8));
	assert_int_equal(h.agings, 0);
	assert_reason(REASON_LIMIT_WAIT);
}

/* Costs by CPU time are not compared with costs by wall time. */
static void test_another_measure_is_no_regression(void **arg)
{
	(void)arg;
	begin(KERNEL_612, 300);
	for (int i = 0; i < 4; i++) {
		h.cpu_usec = i % 2 ? 500000 : 0;
		run(20);
		assert_int_equal(h.agings, 0);
		assert_reason(REASON_STEADY);
	}
}

/* Headroom for it alone is taken all the time, and is no change. */
static void test_headroom_does_not_blind(void **arg)
{
	(void)arg;
	begin(KERNEL_612, 300);
	limit_state(&h)->gclk.taken_for = REASON_HEADROOM;
	for (int i = 0; i < 30; i++) {
		reclaims(&h);
		limit_run(&h, 1);
		assert_reason(REASON_STEADY);
	}
	/* An aging takes nothing. */
	miss(2000);
	run_until(REASON_FLUSH_REGRESSION, 2);
	assert_int_equal(limit_state(&h)->gclk.taken_for, REASON_HEADROOM);
	limit_state(&h)->gclk.taken_for = REASON_TARGET;
	reclaims(&h);
	limit_run(&h, 1);
	assert_reason(REASON_LIMIT_WAIT);
}

/* --- breaks */

static void check_break(const char *what)
{
	uint64_t agings = h.agings;

	miss(3000);
	limit_run(&h, TRES(3) - SECONDS(10));
	if (h.agings != agings)
		fail_msg("%s: aged at once", what);
	miss(1000);
	run(60);
	if (h.agings > agings + 2)
		fail_msg("%s: %" PRIu64 " agings", what, h.agings - agings);
}

static void test_breaks(void **arg)
{
	uint64_t kept;

	(void)arg;
	begin(KERNEL_612, 300);
	h.unlisted = true;
	limit_run(&h, SECONDS(3600));
	h.unlisted = false;
	check_break("no listing for an hour");

	begin(KERNEL_612, 300);
	h.w.snapshot.now_usec += SECONDS(3600);
	limit_run(&h, SECONDS(5));
	check_break("suspended");

	begin(KERNEL_612, 300);
	h.w.snapshot.now_usec -= SECONDS(3600);
	limit_run(&h, SECONDS(5));
	check_break("clock set back");

	begin(KERNEL_612, 300);
	kept = limit_sample(&h)->pgsteal_pages;
	limit_sample(&h)->pgsteal_pages = 0;
	limit_run(&h, 1);
	limit_sample(&h)->pgsteal_pages = kept;
	check_break("counter reset");

	begin(KERNEL_612, 300);
	limit_sample(&h)->id++;
	limit_run(&h, 1);
	check_break("id reused");

	begin(KERNEL_612, 300);
	h.w.snapshot.system.capability = CAPABILITY_RECLAIM;
	h.unlisted = true;
	limit_run(&h, SECONDS(600));
	h.unlisted = false;
	h.w.snapshot.system.capability = CAPABILITY_GENERATIONS;
	check_break("MGLRU off and on");
}

static void check_gap(uint64_t tres, enum reason reason)
{
	begin(KERNEL_612, 300);
	h.unlisted = true;
	run(tres);
	h.unlisted = false;
	limit_run(&h, 1);
	assert_reason(reason);
}

static void test_listing_gap(void **arg)
{
	(void)arg;
	check_gap(2, REASON_STEADY);
	check_gap(4, REASON_LIMIT_WAIT);
}

static void test_refusal_ends_a_flush(void **arg)
{
	(void)arg;
	begin(KERNEL_612, 300);
	miss(2000);
	run_until(REASON_FLUSH_REGRESSION, 2);
	h.w.snapshot.system.capability = CAPABILITY_RECLAIM;
	limit_run(&h, 1);
	assert_int_equal(limit_state(&h)->gclk.phase, GCLK_WATCH);
}

/* What was learned stays over a break, the other memcg's under the same number does not. */
static void test_habits_stay(void **arg)
{
	struct memcg_state *state = &h.w.states[1];

	(void)arg;
	begin(KERNEL_612, 300);
	state->gclk.theta_ppm = 1500000;
	state->gclk.failures = 3;
	state->gclk.failed_usec = h.w.snapshot.now_usec;
	state->aging.refused = true;
	h.w.snapshot.now_usec += SECONDS(3600);
	limit_run(&h, SECONDS(5));
	assert_int_equal(state->gclk.theta_ppm, 1500000);
	assert_int_equal(state->gclk.failures, 3);
	assert_true(state->aging.refused);
	h.w.snapshot.now_usec -= SECONDS(36000);
	limit_run(&h, SECONDS(5));
	assert_true(state->gclk.failed_usec <= h.w.snapshot.now_usec);
	limit_sample(&h)->id++;
	limit_run(&h, SECONDS(5));
	assert_int_equal(state->gclk.theta_ppm, 0);
}

/* Eight looks in a residence time, as often as that needs and no more. */
static void test_looks(void **arg)
{
	(void)arg;
	begin(KERNEL_612, 300);
	assert_in_range(h.w.plan.next_usec, LIMIT_TRES / 8 - SECONDS(1) / 4,
			LIMIT_TRES / 8 + SECONDS(1) / 4);
	h.steal = 24576 * 4;
	limit_run(&h, SECONDS(300));
	assert_int_equal(h.w.plan.next_usec, 500000);
	limit_init(&h, KERNEL_612);
	h.steal = 24576 / 200;
	limit_run(&h, SECONDS(200));
	assert_int_equal(limit_state(&h)->residence.mode, RESIDENCE_BOUND);
	/* No sooner than headroom asks for. */
	assert_in_range(h.w.plan.next_usec, SECONDS(2), TICK_USEC);
}

static void test_state_is_bounded(void **arg)
{
	(void)arg;
	printf("# sizeof(struct memcg_state): %zu bytes\n", sizeof(struct memcg_state));
	/* Twice for each of 5000 cgroups, a fifth of what the unit's MemoryMax= allows. */
	assert_true(sizeof(struct memcg_state) <= 2304);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_steady_is_left_alone),
		cmocka_unit_test(test_noise_is_left_alone),
		cmocka_unit_test(test_faster_is_no_regression),
		cmocka_unit_test(test_regression_of_four_percent),
		cmocka_unit_test(test_regression_with_few_refaults),
		cmocka_unit_test(test_one_bad_look_is_no_regression),
		cmocka_unit_test(test_regression_needs_numbers),
		cmocka_unit_test(test_first_reads_are_no_regression),
		cmocka_unit_test(test_evictions_of_one_unit),
		cmocka_unit_test(test_drift_after_first_reads),
		cmocka_unit_test(test_reference_begins_anew),
		cmocka_unit_test(test_reference_survives_what_was_due),
		cmocka_unit_test(test_blind_at_first),
		cmocka_unit_test(test_flush_on_612),
		cmocka_unit_test(test_flush_is_five_seconds_apart_at_least),
		cmocka_unit_test(test_half_a_flush_is_judged),
		cmocka_unit_test(test_flush_gives_up),
		cmocka_unit_test(test_what_was_no_use_waits_longer),
		cmocka_unit_test(test_one_flush_in_three_units),
		cmocka_unit_test(test_theta_adapts),
		cmocka_unit_test(test_theta_falls),
		cmocka_unit_test(test_what_is_compared),
		cmocka_unit_test(test_reference_leaks),
		cmocka_unit_test(test_stuck_anon),
		cmocka_unit_test(test_what_is_not_stuck),
		cmocka_unit_test(test_what_is_just_stuck),
		cmocka_unit_test(test_anon_that_moved_of_late),
		cmocka_unit_test(test_hopeless_anon),
		cmocka_unit_test(test_shared_limit_takes_anon_alone),
		cmocka_unit_test(test_614_flushes_by_width),
		cmocka_unit_test(test_614_width_adapts),
		cmocka_unit_test(test_614_regression),
		cmocka_unit_test(test_fg_keeps_four),
		cmocka_unit_test(test_fg_is_left_alone),
		cmocka_unit_test(test_fg_anon_is_stuck),
		cmocka_unit_test(test_who_is_not_aged),
		cmocka_unit_test(test_other_actions_blind),
		cmocka_unit_test(test_headroom_does_not_blind),
		cmocka_unit_test(test_another_measure_is_no_regression),
		cmocka_unit_test(test_breaks),
		cmocka_unit_test(test_listing_gap),
		cmocka_unit_test(test_refusal_ends_a_flush),
		cmocka_unit_test(test_habits_stay),
		cmocka_unit_test(test_looks),
		cmocka_unit_test(test_state_is_bounded),
	};

	return cmocka_run_group_tests_name("policy-flush", tests, NULL, NULL);
}
