/* SPDX-License-Identifier: MIT */
/*
 * No file is taken where tiers say that what leaves is in use: by each law that takes file.
 */
#include "policy-world.h"
#include "arith.h"

#include <setjmp.h>
#include <stdarg.h>
#include <cmocka.h>

static struct policy_world w;
static size_t root, slice, a, b;
static struct lruvec_tiers *a_tiers, *b_tiers;

static void finish(void)
{
	a_tiers = world_tiers(&w, a);
	b_tiers = world_tiers(&w, b);
	world_tick(&w);
}

/* Two streams under a limit of 512 MiB, of which 8 are free; the first brings in more. */
static void begin_streams(void)
{
	world_init(&w);
	root = world_add(&w, -1, 0, 0);
	slice = world_add(&w, (int)root, 0, 0);
	a = world_add(&w, (int)slice, 0, MIB(252));
	b = world_add(&w, (int)slice, 0, MIB(252));
	w.memcgs[slice].max_bytes = MIB(512);
	finish();
}

/* A database alone below its limit of 1 000 MiB, of which 5 are free. */
static void begin_alone(void)
{
	struct lruvec_sample *lruvec;

	world_init(&w);
	root = world_add(&w, -1, 0, 0);
	slice = world_add(&w, (int)root, 0, 0);
	a = b = world_add(&w, (int)slice, 0, MIB(990));
	lruvec = world_list(&w, a, (const uint64_t[]){0, 0, 0, 0});
	for (uint32_t g = 0; g < lruvec->n_gens; g++)
		lruvec->gens[g].pages[LRU_FILE] = PAGES(200);
	w.memcgs[a].max_bytes = MIB(1000);
	a_tiers = b_tiers = world_tiers(&w, a);
	world_tick(&w);
	world_read_file(&w, a, MIB(5));
	world_tick(&w);
}

static void come_back(struct lruvec_tiers *tiers, uint64_t pages)
{
	tiers->tiers[1].evicted_pages += pages;
	tiers->tiers[1].refaulted_pages += pages;
}

static void flow_streams(void)
{
	world_read_file(&w, a, MIB(4));
	world_read_file(&w, b, MIB(3));
	world_tick(&w);
	for (size_t i = a; i <= b; i++)
		if (world_decision(&w, i))
			world_take_file(&w, i, world_bytes(&w, i));
}

static void assert_held(size_t i)
{
	assert_null(world_decision(&w, i));
	assert_string_equal(reason_to_string(w.states[i].verdict.reason), "hold-tiers");
	assert_int_equal(w.states[i].verdict.limit, 100000);
	assert_true(w.states[i].verdict.measured > 100000);
}

static void hit(size_t i)
{
	w.memcgs[i].events_max++;
}

/* Of the two the other one pays, whether the limit is hit or not. */
static void test_sibling_pays(void **arg)
{
	(void)arg;
	begin_streams();
	flow_streams();
	assert_non_null(world_decision(&w, a));
	for (int i = 0; i < 30; i++) {
		come_back(a_tiers, 2000);
		hit(slice);
		flow_streams();
		assert_held(a);
		assert_non_null(world_decision(&w, b));
		assert_int_equal(world_decision(&w, b)->reason, REASON_HEADROOM);
	}
}

/* Nobody else gives, and the next look may be too late: what fills the limit is not held until that
 * takes from the one beside it. Half of the headroom is kept. */
static void test_filler_pays_before_the_limit_does(void **arg)
{
	const struct decision *d;
	uint64_t free_bytes, headroom_bytes;

	(void)arg;
	begin_streams();
	flow_streams();
	come_back(a_tiers, 2000);
	world_read_file(&w, a, MIB(4));
	world_tick(&w);
	d = world_decision(&w, a);
	assert_non_null(d);
	assert_int_equal(d->reason, REASON_HEADROOM);
	free_bytes = w.states[a].verdict.measured;
	headroom_bytes = w.states[a].verdict.limit;
	assert_true(free_bytes + d->bytes <= headroom_bytes / 2 + (256 << 10));
	/* What does not fill it is held. */
	world_take_file(&w, a, d->bytes);
	while (world_decision(&w, a) && w.states[a].inflow_mpps > 0) {
		come_back(a_tiers, 2000);
		world_tick(&w);
	}
	assert_held(a);
}

/* Within minutes of the last page that came back; sooner if the stream is large beside it. */
static void test_hold_ends(void **arg)
{
	int ticks = 0;

	(void)arg;
	begin_streams();
	flow_streams();
	come_back(a_tiers, 2000);
	flow_streams();
	assert_held(a);
	while (w.states[a].verdict.reason == REASON_HOLD_TIERS) {
		flow_streams();
		assert_true(++ticks < 60);
	}
	assert_true(ticks > 12);
}

/* The directories of a stream: one page in two hundred that leave. */
static void test_few_beside_a_stream(void **arg)
{
	(void)arg;
	begin_streams();
	for (int i = 0; i < 40; i++) {
		if (i >= 20)
			come_back(a_tiers, PAGES(4) / 200);
		flow_streams();
		assert_non_null(world_decision(&w, a));
	}
	come_back(a_tiers, PAGES(4));
	flow_streams();
	assert_held(a);
}

/* Without tiers, all is as it was: on kernels that have none, or where they are denied. */
static void test_without_tiers(void **arg)
{
	(void)arg;
	begin_streams();
	w.memcgs[a].n_tiers = w.memcgs[b].n_tiers = 0;
	for (int i = 0; i < 10; i++) {
		come_back(a_tiers, 2000);
		flow_streams();
		assert_non_null(world_decision(&w, a));
	}
}

/* With frequency-guided promotion the rule is the same. */
static void test_fast_path(void **arg)
{
	(void)arg;
	begin_streams();
	w.snapshot.system.capability = CAPABILITY_FAST_PATH;
	flow_streams();
	come_back(a_tiers, 2000);
	flow_streams();
	assert_held(a);
}

/* For so long, each second: pages of two loops that fill their limit leave and come back. */
static void churn(unsigned seconds, uint64_t pages_a, uint64_t pages_b)
{
	for (unsigned i = 0; i < seconds; i += 5) {
		world_scan(&w, a, 5 * pages_a);
		world_steal(&w, a, 5 * pages_a);
		world_refault(&w, a, LRU_FILE, 5 * pages_a);
		world_scan(&w, b, 5 * pages_b);
		world_steal(&w, b, 5 * pages_b);
		world_refault(&w, b, LRU_FILE, 5 * pages_b);
		world_tick(&w);
		world_read_file(&w, a, -world_bytes(&w, a));
	}
}

/* One page in ten of those that the other gets back: what it has above its target is to go there. */
static void test_target(void **arg)
{
	(void)arg;
	begin_streams();
	world_ticks(&w, 2);
	churn(30, 10, 100);
	world_read_file(&w, b, MIB(5));
	churn(5, 10, 100);
	assert_non_null(world_decision(&w, a));
	assert_int_equal(world_decision(&w, a)->reason, REASON_TARGET);
	come_back(a_tiers, 2000);
	world_read_file(&w, b, MIB(8));
	churn(5, 10, 100);
	assert_held(a);
	/* A limit that is hit takes anyway. */
	hit(slice);
	come_back(a_tiers, 2000);
	churn(5, 10, 100);
	assert_non_null(world_decision(&w, a));
	assert_int_equal(world_decision(&w, a)->reason, REASON_TARGET);
}

static void test_headroom(void **arg)
{
	(void)arg;
	begin_alone();
	assert_int_equal(world_decision(&w, a)->reason, REASON_HEADROOM);
	come_back(a_tiers, 2000);
	world_tick(&w);
	assert_held(a);
	/* Hit: it is the limit's doing, and so it is for ten minutes. */
	hit(a);
	for (int i = 0; i < 120; i++) {
		come_back(a_tiers, 2000);
		world_tick(&w);
		assert_int_equal(world_decision(&w, a)->reason, REASON_HEADROOM);
	}
	come_back(a_tiers, 2000);
	world_tick(&w);
	assert_held(a);
	/* No more comes back: what is in use fits. */
	world_ticks(&w, 90);
	assert_int_equal(world_decision(&w, a)->reason, REASON_HEADROOM);
}

/* What was hit is a limit below: this one is far. */
static void test_hit_below(void **arg)
{
	(void)arg;
	begin_alone();
	w.memcgs[a].max_bytes = MIB(1400);
	hit(a);
	world_tick(&w);
	w.memcgs[a].max_bytes = MIB(1000);
	come_back(a_tiers, 2000);
	world_tick(&w);
	assert_held(a);
}

/* lru_gen_full is dear: it is read where a limit is near, and where that matters. */
static void test_wants_tiers(void **arg)
{
	(void)arg;
	begin_streams();
	assert_true(w.states[slice].wants_tiers);
	world_tick(&w);
	assert_true(w.states[slice].wants_tiers);
	w.memcgs[slice].max_bytes = MIB(600);
	world_tick(&w);
	assert_false(w.states[slice].wants_tiers);
	w.memcgs[slice].max_bytes = MIB(525);
	world_tick(&w);
	assert_true(w.states[slice].wants_tiers);
	/* Nobody to choose from. */
	w.memcgs[a].populated = w.memcgs[b].populated = false;
	world_tick(&w);
	assert_false(w.states[slice].wants_tiers);

	begin_alone();
	assert_true(w.states[a].wants_tiers);
	w.memcgs[a].max_bytes = MIB(1200);
	world_tick(&w);
	assert_false(w.states[a].wants_tiers);
	/* Where no headroom is kept. */
	w.memcgs[a].max_bytes = MIB(1000);
	w.memcgs[a].counts_proactive = true;
	world_tick(&w);
	assert_false(w.states[a].wants_tiers);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_sibling_pays),
		cmocka_unit_test(test_filler_pays_before_the_limit_does),
		cmocka_unit_test(test_hold_ends),
		cmocka_unit_test(test_few_beside_a_stream),
		cmocka_unit_test(test_without_tiers),
		cmocka_unit_test(test_fast_path),
		cmocka_unit_test(test_target),
		cmocka_unit_test(test_headroom),
		cmocka_unit_test(test_hit_below),
		cmocka_unit_test(test_wants_tiers),
	};

	return cmocka_run_group_tests_name("policy-tier-laws", tests, NULL, NULL);
}
