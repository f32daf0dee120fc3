/* SPDX-License-Identifier: MIT */
/*
 * The words for "file alone" and "anon alone" on kernels that take all of them, numbers only, or, for
 * memory.reclaim, none: what is found out by asking for nothing, what the ladder says of it, and what
 * is written then. The kernel is a fake one behind the door, and its file systems are said to be live.
 */
#include "door.h"
#include "feature.h"
#include "lru_gen_probe.h"
#include "macro.h"
#include "ring.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/magic.h>
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>
#include <sys/vfs.h>
#include <cmocka.h>

#include "fixture.h"

#define LISTING "sys/kernel/debug/lru_gen"

#define GENS                                                                                 \
	" node     0\n          2       2000          5          5 \n          3       1000" \
	"          5          5 \n"

enum words { WORDS_NONE, WORDS_NUMBERS, WORDS_MAX };

static enum words words;
static bool id_refused; /* the memcg behind an id has gone */
static char log_text[256];

static bool is_listing(int fd)
{
	char link[64], path[PATH_MAX];
	ssize_t n;

	snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
	n = readlink(link, path, sizeof(path) - 1);
	assert_true(n > 0);
	path[n] = '\0';
	return strstr(path, LISTING) != NULL;
}

/* In place of libc's: who asks is told that it is the kernel's own file. */
int fstatfs(int fd, struct statfs *ret)
{
	*ret = (struct statfs){.f_type = is_listing(fd) ? DEBUGFS_MAGIC : CGROUP2_SUPER_MAGIC};
	return 0;
}

int door_openat(int dir_fd, const char *path, int flags)
{
	int fd = openat(dir_fd, path, flags | O_CLOEXEC | O_NOCTTY);

	return fd < 0 ? -errno : fd;
}

ssize_t door_pread(int fd, void *buf, size_t size, off_t offset)
{
	ssize_t n = pread(fd, buf, size, offset);

	return n < 0 ? -errno : n;
}

/* As memory_reclaim() and lru_gen_seq_write() judge; what is no request for nothing fails the test. */
ssize_t door_ask(int fd, const char *text)
{
	size_t len = strlen(log_text);
	char word[8] = "";

	snprintf(log_text + len, sizeof(log_text) - len, "%s;", text);
	if (is_listing(fd)) {
		assert_int_equal(sscanf(text, "- %*u %*u 0 %7s 0", word), 1);
		assert_string_equal(text + strlen(text) - 2, " 0");
		if (id_refused)
			return -EINVAL;
	} else {
		assert_int_equal(sscanf(text, "0 swappiness=%7s", word), 1);
		if (words == WORDS_NONE)
			return -EINVAL;
	}
	if (strcmp(word, "max") == 0 && words != WORDS_MAX)
		return -EINVAL;
	return (ssize_t)strlen(text);
}

struct bench {
	struct config *config;
	struct hierarchy *hierarchy;
	struct lru_gen lru_gen;
	struct feature_host host;
	struct features features;
};

/* Listed are the root, init.scope, which is never touched, and /a. */
static void set_up(struct bench *bench, const struct fixture *fixture, enum words kernel)
{
	const char *why;

	words = kernel;
	id_refused = false;
	log_text[0] = '\0';
	fixture_add_cgroups(fixture);
	fixture_add_memcg(fixture, "/init.scope");
	fixture_add_memcg(fixture, "/a");
	fixture_write(fixture, "sys/kernel/mm/lru_gen/enabled", "0x0007\n");
	fixture_write(fixture, LISTING,
		      "memcg     1 /\n" GENS "memcg     2 /init.scope\n" GENS
		      "memcg     7 /a\n" GENS);
	*bench = (struct bench){.config = fixture_config(fixture, NULL)};
	assert_int_equal(hierarchy_open(fixture->root, &bench->hierarchy, &why), 0);
	assert_int_equal(hierarchy_scan(bench->hierarchy, bench->config, 0), 0);
	lru_gen_open(&bench->lru_gen, fixture->root);
	bench->host = (struct feature_host){
		.root = fixture->root,
		.hierarchy = bench->hierarchy,
		.lru_gen = &bench->lru_gen,
	};
	features_probe(&bench->features, &bench->host);
}

static void tear_down(struct bench *bench)
{
	feature_files_close(&bench->host.files);
	lru_gen_close(&bench->lru_gen);
	hierarchy_close(bench->hierarchy);
	config_free(bench->config);
}

static void assert_evicts(const struct bench *bench, uint32_t swappiness, const char *command)
{
	struct decision decision = {
		.action = ACTION_EVICT, .node = 0, .seq = 3, .swappiness = swappiness};
	char text[RING_TEXT_MAX];

	assert_true(lru_gen_format(&bench->lru_gen, &decision, 7, 512, text, sizeof(text)) > 0);
	assert_string_equal(text, command);
}

static void test_kernels(void **state)
{
	static const struct {
		enum words words;
		bool swappiness, anon_only;
		const char *evict_anon;
	} kernels[] = {
		{WORDS_NONE, false, false, "- 7 0 3 200 512"},
		{WORDS_NUMBERS, true, false, "- 7 0 3 200 512"},
		{WORDS_MAX, true, true, "- 7 0 3 max 512"},
	};
	const struct fixture *fixture = *state;

	for (size_t i = 0; i < ARRAY_SIZE(kernels); i++) {
		struct bench bench;
		const struct feature_probe *probes = bench.features.probes;

		set_up(&bench, fixture, kernels[i].words);
		assert_string_equal(log_text, "0 swappiness=60;- 7 0 0 200 0;- 7 0 0 max 0;");
		assert_int_equal(probes[FEATURE_SWAPPINESS].present, kernels[i].swappiness);
		assert_int_equal(probes[FEATURE_ANON_ONLY].present, kernels[i].anon_only);
		/* Nothing that anybody has to do something about. */
		assert_null(features_remedy(&bench.features, FEATURE_ANON_ONLY));
		assert_evicts(&bench, SWAPPINESS_ANON, kernels[i].evict_anon);
		assert_evicts(&bench, SWAPPINESS_FILE_ONLY, "- 7 0 3 0 512");
		/* Settled: no other look asks again. */
		log_text[0] = '\0';
		assert_false(features_refresh(&bench.features, &bench.host));
		assert_string_equal(log_text, "");
		tear_down(&bench);
	}
}

/* A memcg that goes between listing and request says nothing about the words. */
static void test_vanished_memcg(void **state)
{
	struct bench bench;

	set_up(&bench, *state, WORDS_MAX);
	id_refused = true;
	bench.lru_gen.asked = bench.lru_gen.takes_max = false;
	assert_true(features_refresh(&bench.features, &bench.host));
	assert_false(bench.features.probes[FEATURE_ANON_ONLY].present);
	assert_evicts(&bench, SWAPPINESS_ANON, "- 7 0 3 200 512");
	id_refused = false;
	assert_true(features_refresh(&bench.features, &bench.host));
	assert_true(bench.features.probes[FEATURE_ANON_ONLY].present);
	assert_evicts(&bench, SWAPPINESS_ANON, "- 7 0 3 max 512");
	tear_down(&bench);
}

/* Nobody who may be touched is listed: nobody is asked. */
static void test_nobody_to_ask(void **state)
{
	const struct fixture *fixture = *state;
	struct bench bench;

	set_up(&bench, fixture, WORDS_MAX);
	fixture_write(fixture, LISTING, "memcg     1 /\n" GENS);
	bench.lru_gen.asked = bench.lru_gen.takes_max = false;
	log_text[0] = '\0';
	assert_int_equal(lru_gen_probe(&bench.lru_gen, bench.hierarchy), -ENODEV);
	fixture_write(fixture, LISTING, "");
	assert_true(lru_gen_probe(&bench.lru_gen, bench.hierarchy) < 0);
	assert_false(bench.lru_gen.asked || bench.lru_gen.takes_max);
	assert_string_equal(log_text, "");
	tear_down(&bench);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		FIXTURE_TEST(test_kernels),
		FIXTURE_TEST(test_vanished_memcg),
		FIXTURE_TEST(test_nobody_to_ask),
	};

	return cmocka_run_group_tests_name("swappiness", tests, NULL, NULL);
}
