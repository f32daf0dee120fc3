/* SPDX-License-Identifier: MIT */
/*
 * What is told of a cgroup: a table that is whole, unknown told as unknown, the sentence with all that
 * made the decision, stalls in the account.
 */
#include "explain_memcg.h"
#include "ledger.h"
#include "macro.h"
#include "arith.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>
#include <cmocka.h>

#include "fixture.h"

#define MIB (UINT64_C(1) << 20)

static struct memcg *memcg;
static struct config *config;

static int setup(void **state)
{
	int r = fixture_setup(state);

	assert_int_equal(memcg_new(7, "/x.slice/db.service", -1, &memcg), 0);
	config = fixture_config(*state, "[Class db]\nMatch=/**/db.service\n");
	memcg->leaf = true;
	memcg->class_index = 0;
	return r;
}

static int teardown(void **state)
{
	memcg_free(memcg);
	config_free(config);
	return fixture_teardown(state);
}

#define LEDGER_TEST(f) cmocka_unit_test_setup_teardown(f, setup, teardown)

/* Each key once, each at a place of its own, of a type that is told. */
static void check_table(const struct field *fields, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		assert_non_null(fields[i].key);
		assert_true(fields[i].type == 's' || fields[i].type == 't');
		for (size_t j = 0; j < i; j++) {
			assert_string_not_equal(fields[i].key, fields[j].key);
			assert_int_not_equal(fields[i].offset, fields[j].offset);
		}
	}
}

static void test_tables(void **state _unused_)
{
	check_table(ledger_fields, LEDGER_FIELDS_N);
	check_table(ledger_totals_fields, LEDGER_TOTALS_N);
	assert_string_equal(ledger_fields[LEDGER_NAME_N - 1].key, "class");
	assert_string_equal(ledger_fields[LEDGER_LIST_N - 1].key, "protect_sentence");
	assert_string_equal(ledger_fields[LEDGER_REPORT_FIRST].key, "writes");
}

/* Before the first look nothing is known but who it is. */
static void test_unknown(void **state _unused_)
{
	static const char *const known[] = {"id", "backoffs", "hold_ms"};
	struct ledger_row row;

	ledger_fill(memcg, config, 1000, &row);
	assert_string_equal(row.path, "/x.slice/db.service");
	assert_string_equal(row.name, "db.service");
	assert_string_equal(row.class, "db");
	assert_null(row.floor_layer);
	assert_null(row.protect_reason);
	for (size_t i = 0; i < LEDGER_REPORT_FIRST; i++) {
		bool is_known = false;

		for (size_t k = 0; k < ARRAY_SIZE(known); k++)
			is_known |= strcmp(ledger_fields[i].key, known[k]) == 0;
		if (ledger_fields[i].type == 't' && !is_known &&
		    *(uint64_t *)((char *)&row + ledger_fields[i].offset) != SAMPLE_UNKNOWN)
			fail_msg("%s is known", ledger_fields[i].key);
	}
	ledger_explain(&row);
	assert_string_equal(row.explanation,
			    "nothing decided; holds unknown, to be left unknown; pages that come "
			    "back: anon unknown, file unknown; stalls: memory unknown, io unknown; "
			    "of evicted file came back unknown, of tier 1 and above unknown");
}

static void see(void)
{
	struct memcg_state *s = &memcg->state;

	s->dt_usec = s->last_usec = 5 * USEC_PER_SEC;
	s->refault_mpps[LRU_FILE] = 12345;
	s->stall_memory_ppm = 1234;
	s->stall_io_ppm = 999999;
	s->evicted_file_pages = 1000;
	s->returned_file_pages = 250;
	s->hold_until_usec = 70 * USEC_PER_SEC;
	s->backoffs = 3;
	s->verdict = (struct verdict){ACTION_NONE, REASON_HOLD_REFAULT, 12345, 8000, 0};
	memcg->seen = (struct memcg_seen){
		.look_usec = 6 * USEC_PER_SEC,
		.listed = true,
		.current_bytes = 512 * MIB,
		.floor_bytes = 128 * MIB,
		.floor_layer = "memory.low",
	};
}

static void test_explanation(void **state _unused_)
{
	static const char wanted[] =
		"held: evicted pages come back at 12.3 pages/s (limit 8.0 pages/s); refused for 60 "
		"s more, harmed 3 times in a row; holds 512M, to be left 128M by memory.low; pages "
		"that come back: anon 0.0/s, file 12.3/s; stalls: memory 0.12 %, io 99.99 %; of "
		"evicted file came back 25.00 %, of tier 1 and above unknown";
	struct ledger_row row;
	char buf[LEDGER_EXPLAIN_MAX];

	see();
	ledger_fill(memcg, config, 10 * USEC_PER_SEC, &row);
	ledger_explain(&row);
	assert_string_equal(row.explanation, wanted);
	assert_int_equal(row.age_msec, 5000);
	assert_int_equal(row.look_age_msec, 4000);
	/* In a smaller buffer the start of it. */
	for (size_t size = 1; size < sizeof(wanted); size++) {
		memset(buf, 'X', sizeof(buf));
		explain_memcg(&row, buf, size);
		assert_int_equal(strlen(buf), size - 1);
		assert_memory_equal(buf, wanted, size - 1);
		assert_int_equal(buf[size], 'X');
	}
	/* What no class is of is not considered, and there is no more to be said. */
	memcg->class_index = -1;
	memcg->state.verdict = (struct verdict){.reason = REASON_NO_CLASS};
	ledger_fill(memcg, config, 10 * USEC_PER_SEC, &row);
	ledger_explain(&row);
	assert_null(row.class);
	assert_string_equal(row.explanation, "watched only: no class matches it");
}

/* Of a recording nobody knows how old anything is. */
static void test_recording(void **state _unused_)
{
	struct ledger_row row;

	see();
	ledger_fill(memcg, config, 0, &row);
	assert_int_equal(row.age_msec, SAMPLE_UNKNOWN);
	assert_int_equal(row.look_age_msec, SAMPLE_UNKNOWN);
	assert_int_equal(row.hold_msec, SAMPLE_UNKNOWN);
	assert_int_equal(row.current_bytes, 512 * MIB);
}

static void test_account(void **state _unused_)
{
	struct ledger_row row;

	account_add(&memcg->account, ACCOUNT_FREED_BYTES, 9 * MIB);
	memcg->freed.held_bytes[LRU_ANON] = 4 * MIB;
	memcg->freed.held_bytes[LRU_FILE] = 2 * MIB;
	memcg->freed.cost_bytes = MIB;
	ledger_fill(memcg, config, 1, &row);
	assert_int_equal(row.net_bytes, SAMPLE_UNKNOWN);
	ledger_fill_account(memcg, ACCOUNT_SINCE_START, &row);
	assert_int_equal(row.account[ACCOUNT_FREED_BYTES], 9 * MIB);
	assert_int_equal(row.out_bytes, 6 * MIB);
	assert_int_equal(row.net_bytes, 5 * MIB);
	/* Of some of it nobody knows what swap took. */
	memcg->freed.unpriced_bytes = 1;
	ledger_fill_account(memcg, ACCOUNT_SINCE_START, &row);
	assert_int_equal(row.swap_cost_bytes, SAMPLE_UNKNOWN);
	assert_int_equal(row.net_bytes, SAMPLE_UNKNOWN);
}

/* Of our time, of those of a class, and over a look without a counter. */
static void test_stalls(void **state _unused_)
{
	struct account_clock clock = {.start_usec = 0};
	uint64_t *counter_usec = &memcg->state.last.psi_memory_some_usec;
	const uint64_t *stall_usec = &memcg->account.values[ACCOUNT_STALL_USEC];

	*counter_usec = 5000;
	assert_int_equal(ledger_look(&clock, &memcg, 1, 1), 0);
	assert_int_equal(*stall_usec, 0);
	*counter_usec = 5700;
	assert_int_equal(ledger_look(&clock, &memcg, 1, 2), 700);
	*counter_usec = SAMPLE_UNKNOWN;
	assert_int_equal(ledger_look(&clock, &memcg, 1, 3), 0);
	*counter_usec = 6000;
	assert_int_equal(ledger_look(&clock, &memcg, 1, ACCOUNT_GAP_USEC), 300);
	assert_int_equal(*stall_usec, 1000);
	assert_int_equal(clock.n, 1);
	assert_non_null(memcg->past.points);
	memcg->class_index = -1;
	*counter_usec = 7000;
	assert_int_equal(ledger_look(&clock, &memcg, 1, ACCOUNT_GAP_USEC + 1), 0);
	assert_int_equal(*stall_usec, 1000);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		LEDGER_TEST(test_tables),      LEDGER_TEST(test_unknown),
		LEDGER_TEST(test_explanation), LEDGER_TEST(test_recording),
		LEDGER_TEST(test_account),     LEDGER_TEST(test_stalls),
	};

	return cmocka_run_group_tests_name("ledger", tests, NULL, NULL);
}
