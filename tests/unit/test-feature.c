/* SPDX-License-Identifier: MIT */
/*
 * What the ladder says about who carries writes out, and whether the kernel promotes by frequency. All
 * else that is probed: cli/test-ladder.sh, cli/test-ctl-features.sh.
 */
#include "feature.h"
#include "macro.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
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

#define SYMBOLS "0000000000000000 T lru_gen_init_lruvec\n"
#define FG      "0000000000000000 T folio_inc_lru_refs\n"
/* What has the name in it: a program of somebody's, a part of the function, a module's function. */
#define NEARLY                                                      \
	"ffffffffc0000000 t bpf_prog_1_folio_inc_lru_refs\t[bpf]\n" \
	"ffffffff81000000 t folio_inc_lru_refs.cold\n"              \
	"ffffffffc0000000 t folio_inc_lru_refs\t[port]\n"

static void write_btf(const struct fixture *fixture, const char *name)
{
	const uint32_t lens[] = {24, 0, 4, 4, (uint32_t)(22 + strlen(name))};
	const unsigned char magic[] = {0x9F, 0xEB, 1, 0};
	FILE *file;

	fixture_write(fixture, "/sys/kernel/btf/vmlinux", "");
	file = fopen(fixture_path(fixture, "/sys/kernel/btf/vmlinux"), "we");
	assert_non_null(file);
	fwrite(magic, 1, sizeof(magic), file);
	fwrite(lens, 1, sizeof(lens), file);
	/* The one type; then the names. */
	fwrite("abcd", 1, 5, file);
	fwrite("lru_gen_init_lruvec", 1, 20, file);
	fwrite(name, 1, strlen(name) + 1, file);
	fwrite("folio_inc_lru_refs", 1, 19, file); /* behind the end */
	assert_int_equal(fclose(file), 0);
}

static void test_fast_path(void **state)
{
	static const struct {
		const char *symbols, *names; /* NULL: no such file */
		enum fg_verdict seen;
		bool present, unknown;
		const char *evidence;
	} cases[] = {
		/* Symbols tell, whatever BTF says. */
		{SYMBOLS FG, NULL, FG_UNDECIDED, true, false, "/proc/kallsyms holds folio_inc"},
		{SYMBOLS FG, "other", FG_YES, true, false, "/proc/kallsyms holds folio_inc"},
		{FG, NULL, FG_UNDECIDED, true, false, "/proc/kallsyms holds folio_inc"},
		{SYMBOLS, NULL, FG_UNDECIDED, false, false, "/proc/kallsyms holds no folio_inc"},
		{SYMBOLS, "folio_inc_lru_refs", FG_NO, false, false, "/proc/kallsyms holds no"},
		{SYMBOLS NEARLY, NULL, FG_UNDECIDED, false, false, "/proc/kallsyms holds no folio"},
		/* None, or a few that tell nothing: BTF does. */
		{NULL, "folio_inc_lru_refs", FG_UNDECIDED, true, false,
		 "/sys/kernel/btf/vmlinux h"},
		{"", "folio_inc_lru_refs", FG_YES, true, false, "/sys/kernel/btf/vmlinux holds f"},
		{NEARLY, "other", FG_UNDECIDED, false, false, "/sys/kernel/btf/vmlinux holds no f"},
		{NULL, "folio_inc_lru_refs_fast", FG_UNDECIDED, false, false,
		 "/sys/kernel/btf/vml"},
		/* Neither: how it behaves does. */
		{NULL, NULL, FG_YES, true, false, "active in memory.stat is not the two"},
		{"", NULL, FG_NO, false, false, "active in memory.stat follows the two"},
		{NULL, NULL, FG_UNDECIDED, false, true, "neither symbols nor BTF nor behaviour"},
		/* Contradictions: unknown is never yes. */
		{SYMBOLS FG, NULL, FG_NO, false, true,
		 "/proc/kallsyms holds folio_inc_lru_refs, but active in memory.stat follows"},
		{SYMBOLS, NULL, FG_YES, false, true,
		 "active in memory.stat is not the two youngest generations, but /proc/kallsyms "},
		{NULL, "folio_inc_lru_refs", FG_NO, false, true,
		 "/sys/kernel/btf/vmlinux holds folio_inc_lru_refs, but active in memory.stat f"},
		{NULL, "other", FG_YES, false, true,
		 "active in memory.stat is not the two youngest generations, but /sys/kernel/btf"},
	};
	const struct fixture *fixture = *state;

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct lru_gen lru_gen = {.read_fd = -1, .write_fd = -1};
		struct feature_host host = {
			.root = fixture->root,
			.why_not = "none",
			.lru_gen = &lru_gen,
			.fg_seen = cases[i].seen,
		};
		const struct feature_probe *probe;
		struct features features;

		fixture_write(fixture, "/proc/kallsyms", cases[i].symbols ? cases[i].symbols : "");
		if (!cases[i].symbols)
			fixture_remove(fixture, "/proc/kallsyms");
		write_btf(fixture, cases[i].names ? cases[i].names : "");
		if (!cases[i].names)
			fixture_remove(fixture, "/sys/kernel/btf/vmlinux");
		features_probe(&features, &host);
		probe = &features.probes[FEATURE_FG];
		if (probe->present != cases[i].present || probe->unknown != cases[i].unknown ||
		    strncmp(probe->evidence, cases[i].evidence, strlen(cases[i].evidence)) != 0)
			fail_msg("case %zu: %d, %d: %s", i, probe->present, probe->unknown,
				 probe->evidence);
		host.fast_path = cases[i].present ? FAST_PATH_NO : FAST_PATH_YES;
		features_probe(&features, &host);
		assert_int_equal(probe->present, !cases[i].present);
		assert_false(probe->unknown);
		feature_files_close(&host.files);
	}
}

/* What the behaviour says is heard at each look, and a contradiction has a remedy. */
static void test_fast_path_that_is_off(void **state)
{
	const struct fixture *fixture = *state;
	struct lru_gen lru_gen = {.read_fd = -1, .write_fd = -1, .full_readable = true};
	struct feature_host host = {
		.root = fixture->root,
		.why_not = "none",
		.lru_gen = &lru_gen,
	};
	struct features features;

	fixture_write(fixture, "/proc/kallsyms", SYMBOLS FG);
	features_probe(&features, &host);
	assert_true(features.probes[FEATURE_FG].present);
	assert_null(features_remedy(&features, FEATURE_FG));
	assert_false(features_refresh(&features, &host));
	host.fg_seen = FG_NO;
	assert_true(features_refresh(&features, &host));
	assert_false(features.probes[FEATURE_FG].present);
	assert_non_null(strstr(features_remedy(&features, FEATURE_FG), "FastPath=yes"));
	host.fg_seen = FG_YES;
	assert_true(features_refresh(&features, &host));
	assert_true(features.probes[FEATURE_FG].present);
	/* Nobody misses it where it is known not to be there. */
	fixture_write(fixture, "/proc/kallsyms", SYMBOLS);
	host.fg_seen = FG_NO;
	features_probe(&features, &host);
	assert_null(features_remedy(&features, FEATURE_FG));
	feature_files_close(&host.files);
}

/* Nothing that is no BTF, or cut, is believed. */
static void test_damaged_btf(void **state)
{
	const struct fixture *fixture = *state;
	struct fg_evidence evidence[_FG_SOURCE_MAX];
	const char *path;

	write_btf(fixture, "folio_inc_lru_refs");
	path = fixture_path(fixture, "/sys/kernel/btf/vmlinux");
	fg_names_look(fixture->root, evidence);
	assert_int_equal(evidence[FG_BTF].says, FG_YES);
	for (off_t len = 60; len >= 0; len--) {
		assert_int_equal(truncate(path, len), 0);
		fg_names_look(fixture->root, evidence);
		assert_int_equal(evidence[FG_BTF].says, len >= 49 ? FG_NO : FG_UNDECIDED);
	}
	fixture_write(fixture, "/sys/kernel/btf/vmlinux",
		      "neither the magic nor anything else, folio_inc_lru_refs");
	fg_names_look(fixture->root, evidence);
	assert_int_equal(evidence[FG_BTF].says, FG_UNDECIDED);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		FIXTURE_TEST(test_who_writes),
		FIXTURE_TEST(test_fast_path),
		FIXTURE_TEST(test_fast_path_that_is_off),
		FIXTURE_TEST(test_damaged_btf),
	};

	return cmocka_run_group_tests_name("feature", tests, NULL, NULL);
}
