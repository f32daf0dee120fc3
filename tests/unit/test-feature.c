/* SPDX-License-Identifier: MIT */
/*
 * What the ladder says about who carries writes out. All else that is probed: cli/test-ladder.sh,
 * cli/test-ctl-features.sh.
 */
#include "feature.h"
#include "macro.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>
#include <cmocka.h>

#include "fixture.h"

static void test_who_writes(void **state)
{
	static const struct {
		enum ring_choice choice;
		int uring_error, ring_error;
		bool uring, writes, uring_remedy, writes_remedy;
		const char *evidence;
	} cases[] = {
		{RING_AUTO, 0, 0, true, true, false, false, "through io_uring"},
		{RING_IO_URING, 0, 0, true, true, false, false, "through io_uring"},
		{RING_AUTO, -EPERM, 0, false, true, true, false, "through threads"},
		{RING_AUTO, -ENOSYS, 0, false, true, true, false, "through threads"},
		{RING_THREADS, -ECANCELED, 0, false, true, false, false, "through threads"},
		/* What to do about it is said once. */
		{RING_IO_URING, -EPERM, -EPERM, false, false, false, true, "Ring=io_uring: "},
		{RING_AUTO, -EPERM, -EMFILE, false, false, false, true, "Ring=auto: "},
	};
	const struct fixture *fixture = *state;
	struct config *config = fixture_config(fixture, NULL);
	struct hierarchy *hierarchy;
	struct lru_gen lru_gen;
	const char *why;

	fixture_add_cgroups(fixture);
	fixture_add_memcg(fixture, "/a");
	assert_int_equal(hierarchy_open(fixture->root, &hierarchy, &why), 0);
	assert_int_equal(hierarchy_scan(hierarchy, config, 0), 0);
	lru_gen_open(&lru_gen, fixture->root);
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct features features;

		features_probe(&features, &(struct feature_host){
						  .root = fixture->root,
						  .hierarchy = hierarchy,
						  .lru_gen = &lru_gen,
						  .ring = cases[i].choice,
						  .ring_error = cases[i].ring_error,
						  .uring_error = cases[i].uring_error,
					  });
		assert_int_equal(features.probes[FEATURE_RING].present, cases[i].uring);
		assert_int_equal(features.probes[FEATURE_WRITES].present, cases[i].writes);
		assert_int_equal(features_remedy(&features, FEATURE_RING) != NULL,
				 cases[i].uring_remedy);
		assert_int_equal(features_remedy(&features, FEATURE_WRITES) != NULL,
				 cases[i].writes_remedy);
		assert_memory_equal(features.probes[FEATURE_WRITES].evidence, cases[i].evidence,
				    strlen(cases[i].evidence));
		assert_int_equal(features.capability,
				 cases[i].writes ? CAPABILITY_RECLAIM : CAPABILITY_OBSERVE);
	}
	lru_gen_close(&lru_gen);
	hierarchy_close(hierarchy);
	config_free(config);
}

int main(void)
{
	const struct CMUnitTest tests[] = {FIXTURE_TEST(test_who_writes)};

	return cmocka_run_group_tests_name("feature", tests, NULL, NULL);
}
