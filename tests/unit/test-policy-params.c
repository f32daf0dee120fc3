/* SPDX-License-Identifier: MIT */
/*
 * Parameters, words and arithmetic: the defaults are valid, each rule is enforced at its edge,
 * every reason has a word of its own, and no sum or product wraps.
 */
#include "policy-world.h"
#include "arith.h"
#include "workingset.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>
#include <cmocka.h>

static struct policy_params params;

static void begin(void)
{
	params_init(&params);
	class_params_init(&params.classes[0], "default");
	params.n_classes = 1;
}

static void assert_wrong(const char *key)
{
	const char *why = params_check(&params);

	assert_non_null(why);
	if (!strstr(why, key))
		fail_msg("\"%s\" does not speak of %s", why, key);
	begin();
}

static void test_defaults_are_valid(void **arg)
{
	(void)arg;
	params_init(&params);
	assert_null(params_check(&params));
	begin();
	assert_null(params_check(&params));
	assert_int_equal(params.anon, ANON_AUTO);
	assert_int_equal(params.classes[0].reclaim, RECLAIM_ALL);
}

/* As fgreclaimd.conf(5) has them. */
static void test_defaults(void **arg)
{
	(void)arg;
	begin();
	assert_int_equal(params.write_max_bytes, MIB(16));
	assert_int_equal(params.concurrency, 2);
	assert_int_equal(params.cpu_budget_ppm, 10000);
	assert_int_equal(params.swap_write_bytes, 20 * MIB(1024));
	assert_int_equal(params.classes[0].weight, 100);
	assert_int_equal(params.classes[0].refault_limit_ppm, 5000);
	assert_int_equal(params.classes[0].pressure_limit_ppm, 1000);
	assert_int_equal(params.classes[0].floor_ppm, 250000);
	assert_int_equal(params.classes[0].floor_bytes, 0);
	assert_false(params.classes[0].churn);
}

/* The least and the most of everything. */
static void test_edges_are_valid(void **arg)
{
	(void)arg;
	params_init(&params);
	for (int i = 0; i < 64; i++)
		class_params_init(&params.classes[i], "c");
	params.n_classes = 64;
	params.write_max_bytes = 65536;
	params.concurrency = 1;
	params.cpu_budget_ppm = 1;
	params.classes[63].weight = 1;
	assert_null(params_check(&params));
	params.write_max_bytes = MIB(64);
	params.concurrency = 16;
	params.cpu_budget_ppm = 1000000;
	params.anon = ANON_NO;
	params.classes[63].reclaim = RECLAIM_NONE;
	params.classes[63].weight = 10000;
	params.classes[63].refault_limit_ppm = 1000000;
	params.classes[63].pressure_limit_ppm = 1000000;
	params.classes[63].floor_ppm = 1000000;
	assert_null(params_check(&params));
}

static void test_each_rule(void **arg)
{
	(void)arg;
	begin();
	params.write_max_bytes = 65535;
	assert_wrong("WriteMax=");
	params.write_max_bytes = MIB(64) + 1;
	assert_wrong("WriteMax=");
	params.concurrency = 0;
	assert_wrong("Concurrency=");
	params.concurrency = 17;
	assert_wrong("Concurrency=");
	params.cpu_budget_ppm = 0;
	assert_wrong("CpuBudget=");
	params.cpu_budget_ppm = 1000001;
	assert_wrong("CpuBudget=");
	params.anon = _ANON_POLICY_MAX;
	assert_wrong("Anon=");
	params.n_classes = 65;
	assert_wrong("classes");
	params.classes[0].name[0] = '\0';
	assert_wrong("name");
	params.classes[0].reclaim = _RECLAIM_KIND_MAX;
	assert_wrong("Reclaim=");
	params.classes[0].weight = 0;
	assert_wrong("Weight=");
	params.classes[0].weight = 10001;
	assert_wrong("Weight=");
	params.classes[0].refault_limit_ppm = PPM + 1;
	assert_wrong("RefaultLimit=");
	params.classes[0].pressure_limit_ppm = PPM + 1;
	assert_wrong("PressureLimit=");
	params.classes[0].floor_ppm = PPM + 1;
	assert_wrong("Floor=");
}

static void test_long_name_is_cut(void **arg)
{
	struct class_params class;
	char name[60];

	(void)arg;
	memset(name, 'x', sizeof(name) - 1);
	name[sizeof(name) - 1] = '\0';
	class_params_init(&class, name);
	assert_int_equal(strlen(class.name), 40);
}

static void test_words(void **arg)
{
	(void)arg;
	for (int i = 0; i < _RECLAIM_KIND_MAX; i++)
		assert_int_equal(
			reclaim_kind_from_string(reclaim_kind_to_string((enum reclaim_kind)i)), i);
	for (int i = 0; i < _ANON_POLICY_MAX; i++)
		assert_int_equal(
			anon_policy_from_string(anon_policy_to_string((enum anon_policy)i)), i);
	assert_int_equal(reclaim_kind_from_string("All"), _RECLAIM_KIND_MAX);
	assert_int_equal(anon_policy_from_string(""), _ANON_POLICY_MAX);
	assert_string_equal(reclaim_kind_to_string(_RECLAIM_KIND_MAX), "invalid");
	assert_string_equal(anon_policy_to_string(_ANON_POLICY_MAX), "invalid");
}

static void test_every_reason_has_its_word(void **arg)
{
	(void)arg;
	for (int i = 0; i < _REASON_MAX; i++) {
		const char *word = reason_to_string((enum reason)i);

		assert_string_not_equal(word, "invalid");
		for (int k = 0; k < i; k++)
			assert_string_not_equal(word, reason_to_string((enum reason)k));
	}
	assert_string_equal(reason_to_string(_REASON_MAX), "invalid");
}

static void test_arithmetic_saturates(void **arg)
{
	(void)arg;
	assert_int_equal(saturating_add(UINT64_MAX, 1), UINT64_MAX);
	assert_int_equal(saturating_sub(1, 2), 0);
	assert_int_equal(saturating_mul(UINT64_MAX, 2), UINT64_MAX);
	assert_int_equal(mul_div(7, 3, 2), 10);
	assert_int_equal(mul_div(1, 1, 0), UINT64_MAX);
	assert_int_equal(mul_div(UINT64_MAX, 4, 2), UINT64_MAX);
	assert_int_equal(mul_div(UINT64_MAX, 2, 4), UINT64_MAX / 4 * 2);
	assert_int_equal(counter_delta(5, 3), 2);
	assert_int_equal(counter_delta(3, 5), SAMPLE_UNKNOWN);
	assert_int_equal(counter_delta(SAMPLE_UNKNOWN, 5), SAMPLE_UNKNOWN);
	assert_int_equal(counter_delta(5, SAMPLE_UNKNOWN), SAMPLE_UNKNOWN);
	assert_int_equal(ewma(0, 100, 10, 10), 50);
	assert_int_equal(ewma(100, 0, 10, 10), 50);
	assert_int_equal(ewma(100, 0, 1, 0), 0);
}

/* Cold is what has missed two agings, however many generations a kernel keeps. */
static void test_cold_generations(void **arg)
{
	struct lruvec_sample lruvec = {.n_gens = 6};
	uint64_t cold_pages, young_pages;

	(void)arg;
	for (uint32_t g = 0; g < 6; g++) {
		lruvec.gens[g].age_msec = (6 - g) * 1000;
		lruvec.gens[g].pages[LRU_ANON] = UINT64_C(1) << g;
	}
	assert_true(workingset_is_cold(&lruvec, 2));
	assert_false(workingset_is_cold(&lruvec, 3));
	assert_false(workingset_is_cold(&lruvec, 6));
	assert_int_equal(workingset_unseen_usec(&lruvec, 2), SECONDS(3));
	assert_int_equal(workingset_unseen_usec(&lruvec, 3), 0);
	workingset_measure(&lruvec, 1, &cold_pages, &young_pages);
	assert_int_equal(cold_pages, 1 + 2 + 4);
	assert_int_equal(young_pages, 8 + 16 + 32);
}

/* In each key there is a class that is less careful by it alone. */
static void test_raised(void **arg)
{
	struct class_params a, b;

	(void)arg;
	class_params_init(&a, "a");
	class_params_init(&b, "b");
	assert_null(class_params_raised(&a, &b));
	b.weight--;
	assert_string_equal(class_params_raised(&a, &b), "Weight");
	assert_null(class_params_raised(&b, &a));
	b = a;
	b.refault_limit_ppm++;
	assert_string_equal(class_params_raised(&a, &b), "RefaultLimit");
	assert_null(class_params_raised(&b, &a));
	b = a;
	b.pressure_limit_ppm++;
	assert_string_equal(class_params_raised(&a, &b), "PressureLimit");
	assert_null(class_params_raised(&b, &a));
	b = a;
	b.churn = true;
	assert_string_equal(class_params_raised(&a, &b), "Churn");
	assert_null(class_params_raised(&b, &a));
	b = a;
	b.floor_ppm--;
	assert_string_equal(class_params_raised(&a, &b), "Floor");
	assert_null(class_params_raised(&b, &a));
	b.floor_ppm = 0;
	b.floor_bytes = UINT64_C(1) << 40;
	assert_string_equal(class_params_raised(&a, &b), "Floor");
	assert_string_equal(class_params_raised(&b, &a), "Floor");
	a.floor_ppm = 0;
	assert_null(class_params_raised(&a, &b));
	assert_string_equal(class_params_raised(&b, &a), "Floor");
	b = a;
	b.reclaim = RECLAIM_FILE;
	assert_null(class_params_raised(&a, &b));
	assert_string_equal(class_params_raised(&b, &a), "Reclaim");
	a.reclaim = RECLAIM_ANON;
	assert_string_equal(class_params_raised(&a, &b), "Reclaim");
	b.reclaim = RECLAIM_NONE;
	b.weight = 1;
	assert_null(class_params_raised(&a, &b));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_defaults_are_valid),
		cmocka_unit_test(test_defaults),
		cmocka_unit_test(test_edges_are_valid),
		cmocka_unit_test(test_each_rule),
		cmocka_unit_test(test_long_name_is_cut),
		cmocka_unit_test(test_raised),
		cmocka_unit_test(test_words),
		cmocka_unit_test(test_every_reason_has_its_word),
		cmocka_unit_test(test_arithmetic_saturates),
		cmocka_unit_test(test_cold_generations),
	};

	return cmocka_run_group_tests_name("policy-params", tests, NULL, NULL);
}
