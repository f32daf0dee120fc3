/* SPDX-License-Identifier: MIT */
/*
 * memory.low as the policy wants it, and back: at the end, after a crash, and with others who set it
 * too. The last test plays random histories; SEED=n repeats one.
 */
#include "protector.h"
#include "low.h"
#include "protect_journal.h"

#include <errno.h>
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/xattr.h>
#include <time.h>
#include <unistd.h>
#include <cmocka.h>

#include "hierarchy-tree.h"

#define MIB(n)  ((uint64_t)(n) << 20)
#define JOURNAL "run/fgreclaim/protect"

struct host {
	struct tree tree;
	struct protector *protector;
	uint64_t now_usec;
};

static void set_low(struct host *host, const char *path, uint64_t bytes)
{
	fixture_printf(host->tree.fixture, fixture_memcg_file(path, "memory.low"), "%" PRIu64 "\n",
		       bytes);
}

static uint64_t low_of(struct host *host, const char *path)
{
	char text[64];

	fixture_read(host->tree.fixture, fixture_memcg_file(path, "memory.low"), text,
		     sizeof(text));
	return strncmp(text, "max", 3) == 0 ? UINT64_MAX : strtoull(text, NULL, 10);
}

static bool has_journal(struct host *host)
{
	return access(fixture_path(host->tree.fixture, JOURNAL), F_OK) == 0;
}

static void add_memcg(struct host *host, const char *path, uint64_t low_bytes)
{
	add(&host->tree, path);
	set_low(host, path, low_bytes);
}

static void look(struct host *host)
{
	scan(&host->tree, ++host->now_usec);
}

static void start(struct host *host)
{
	const char *why;

	assert_int_equal(hierarchy_open(host->tree.fixture->root, &host->tree.hierarchy, &why), 0);
	look(host);
	assert_int_equal(
		protector_new(&(struct protector_settings){.root = host->tree.fixture->root,
							   .hierarchy = host->tree.hierarchy},
			      &host->protector),
		0);
	protector_recover(host->protector);
}

/* As kill -9: nothing is put back. */
static void crash(struct host *host)
{
	host->protector = protector_free(host->protector);
	host->tree.hierarchy = hierarchy_close(host->tree.hierarchy);
}

static void stop(struct host *host)
{
	protector_end(host->protector);
	crash(host);
}

static void host_open(struct host *host, void **state)
{
	*host = (struct host){0};
	tree_open(&host->tree, state);
	host->tree.hierarchy = hierarchy_close(host->tree.hierarchy);
	fixture_mkdir(host->tree.fixture, "run");
	add_memcg(host, "/a", 0);
	add_memcg(host, "/a/b", MIB(8));
	start(host);
}

static void host_close(struct host *host)
{
	if (host->protector)
		stop(host);
	config_free(host->tree.config);
}

static void want(struct host *host, const char *path, uint64_t bytes)
{
	find(&host->tree, path)->state.protect.low_bytes = bytes;
}

static void apply(struct host *host)
{
	protector_apply(host->protector, false);
}

static void test_follows_and_restores(void **state)
{
	struct host host;

	host_open(&host, state);
	apply(&host);
	assert_false(has_journal(&host));
	want(&host, "/a", MIB(50) + 17);
	want(&host, "/a/b", MIB(4));
	apply(&host);
	assert_int_equal(low_of(&host, "/a"), MIB(50));  /* whole pages, as the kernel has them */
	assert_int_equal(low_of(&host, "/a/b"), MIB(8)); /* not below the administrator's */
	assert_true(has_journal(&host));
	want(&host, "/a", MIB(60));
	want(&host, "/a/b", MIB(40));
	look(&host);
	apply(&host);
	assert_int_equal(low_of(&host, "/a"), MIB(60));
	assert_int_equal(low_of(&host, "/a/b"), MIB(40));
	/* No longer of such a class. */
	want(&host, "/a/b", 0);
	apply(&host);
	assert_int_equal(low_of(&host, "/a/b"), MIB(8));
	assert_int_equal(low_of(&host, "/a"), MIB(60));
	stop(&host);
	assert_int_equal(low_of(&host, "/a"), 0);
	assert_false(has_journal(&host));
	host_close(&host);
}

static void test_dry_run(void **state)
{
	struct host host;

	host_open(&host, state);
	want(&host, "/a", MIB(50));
	protector_apply(host.protector, true);
	assert_int_equal(low_of(&host, "/a"), 0);
	assert_false(has_journal(&host));
	apply(&host);
	assert_int_equal(low_of(&host, "/a"), MIB(50));
	/* Switched to it by a reload. */
	protector_apply(host.protector, true);
	assert_int_equal(low_of(&host, "/a"), 0);
	assert_false(has_journal(&host));
	host_close(&host);
}

static void test_crash(void **state)
{
	struct host host;

	host_open(&host, state);
	want(&host, "/a", MIB(50));
	want(&host, "/a/b", MIB(40));
	apply(&host);
	crash(&host);
	assert_int_equal(low_of(&host, "/a"), MIB(50));
	start(&host);
	assert_int_equal(low_of(&host, "/a"), 0);
	assert_int_equal(low_of(&host, "/a/b"), MIB(8));
	assert_false(has_journal(&host));
	host_close(&host);
}

/* The journal says what is about to be written: a crash before the write, or half way, is no other. */
static void test_crash_before_the_write(void **state)
{
	struct host host;

	host_open(&host, state);
	want(&host, "/a", MIB(50));
	want(&host, "/a/b", MIB(40));
	apply(&host);
	want(&host, "/a", MIB(60));
	apply(&host);
	crash(&host);
	set_low(&host, "/a", MIB(50));
	start(&host);
	assert_int_equal(low_of(&host, "/a"), 0);
	assert_int_equal(low_of(&host, "/a/b"), MIB(8));
	host_close(&host);
}

/* What somebody else has set is theirs: while we run, at the end, and after a crash. */
static void test_foreign(void **state)
{
	struct host host;

	host_open(&host, state);
	want(&host, "/a", MIB(50));
	apply(&host);
	set_low(&host, "/a", MIB(7));
	want(&host, "/a", MIB(70));
	apply(&host);
	apply(&host);
	assert_int_equal(low_of(&host, "/a"), MIB(7));
	assert_int_equal(find(&host.tree, "/a")->low.owner, LOW_FOREIGN);
	stop(&host);
	assert_int_equal(low_of(&host, "/a"), MIB(7));
	start(&host);
	want(&host, "/a", MIB(50));
	want(&host, "/a/b", MIB(50));
	apply(&host);
	set_low(&host, "/a", MIB(9));
	stop(&host);
	assert_int_equal(low_of(&host, "/a"), MIB(9));
	start(&host);
	want(&host, "/a", MIB(50));
	apply(&host);
	crash(&host);
	set_low(&host, "/a", MIB(11));
	start(&host);
	assert_int_equal(low_of(&host, "/a"), MIB(11));
	host_close(&host);
}

static void test_made_anew(void **state)
{
	struct host host;

	host_open(&host, state);
	want(&host, "/a/b", MIB(50));
	apply(&host);
	crash(&host);
	drop(&host.tree, "/a/b");
	add_memcg(&host, "/other", 0); /* takes the inode number, perhaps */
	add_memcg(&host, "/a/b", MIB(50));
	start(&host);
	/* Of the same name and value, and another all the same, unless it got the same number. */
	if (!has_journal(&host))
		assert_true(low_of(&host, "/a/b") == MIB(50) || low_of(&host, "/a/b") == MIB(8));
	assert_int_equal(low_of(&host, "/other"), 0);
	host_close(&host);
}

static void test_journal_is_damaged(void **state)
{
	static const char *const bad[] = {
		"",
		"fgreclaim-protect 2\nend 0\n",
		"fgreclaim-protect 1\n",
		"fgreclaim-protect 1\nend 1\n",
		"fgreclaim-protect 1\n1 2 3 /a\nend 1\n",
		"fgreclaim-protect 1\n1 2 3 4 a\nend 1\n",
		"fgreclaim-protect 1\n1 2 3 4 /a\n",
	};
	struct protect_journal journal = {.n = 77};
	struct host host;

	host_open(&host, state);
	stop(&host);
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		fixture_write(host.tree.fixture, JOURNAL, bad[i]);
		assert_int_equal(
			protect_journal_read(fixture_path(host.tree.fixture, JOURNAL), &journal),
			-EBADMSG);
		assert_int_equal(journal.n, 77);
		start(&host);
		assert_false(has_journal(&host));
		assert_int_equal(access(fixture_path(host.tree.fixture, JOURNAL ".bad"), F_OK), 0);
		stop(&host);
	}
	host_close(&host);
}

/* A journal that cannot be written: nothing is set that nobody could take back. */
static void test_no_journal_no_write(void **state)
{
	struct host host;

	host_open(&host, state);
	fixture_write(host.tree.fixture, "run/fgreclaim", "in the way");
	want(&host, "/a", MIB(50));
	apply(&host);
	apply(&host);
	assert_int_equal(low_of(&host, "/a"), 0);
	assert_int_equal(find(&host.tree, "/a")->low.owner, LOW_FREE);
	fixture_remove(host.tree.fixture, "run/fgreclaim");
	apply(&host);
	assert_int_equal(low_of(&host, "/a"), MIB(50));
	host_close(&host);
}

/* users.md 46: below its own memory.high and memory.max, and that is said, once for each reason. */
static void test_held_down_is_said(void **state)
{
	struct verdict *verdict;
	struct memcg *memcg;
	struct host host;

	host_open(&host, state);
	memcg = find(&host.tree, "/a");
	verdict = &memcg->state.protect.verdict;
	want(&host, "/a", MIB(40));
	verdict->reason = REASON_PROTECT;
	apply(&host);
	assert_int_equal(memcg->low.said, 0);
	*verdict = (struct verdict){
		.reason = REASON_PROTECT_LIMIT, .measured = MIB(50), .limit = MIB(40)};
	apply(&host);
	assert_int_equal(memcg->low.said, 1 << (REASON_PROTECT_LIMIT - REASON_PROTECT));
	assert_int_equal(low_of(&host, "/a"), MIB(40));
	host_close(&host);
}

/* Units are systemd's; what is below them is theirs to whom it was delegated, but for another systemd. */
static void test_who_writes(void **state)
{
	static const struct {
		const char *path;
		enum low_writer writer, delegated;
	} cases[] = {
		{"/plain", LOW_WRITER_SELF, LOW_WRITER_SELF},
		{"/plain/a.service", LOW_WRITER_SELF, LOW_WRITER_SELF},
		{"/system.slice", LOW_WRITER_SYSTEMD, LOW_WRITER_SYSTEMD},
		{"/system.slice/db.service", LOW_WRITER_SYSTEMD, LOW_WRITER_SYSTEMD},
		{"/system.slice/db.service/worker", LOW_WRITER_NONE, LOW_WRITER_SELF},
		{"/system.slice/db.service/db.service", LOW_WRITER_NONE, LOW_WRITER_NONE},
		{"/system.slice/db.service/system.slice", LOW_WRITER_NONE, LOW_WRITER_NONE},
		{"/user.slice", LOW_WRITER_SYSTEMD, LOW_WRITER_SYSTEMD},
		{"/user.slice/user-7.slice", LOW_WRITER_SYSTEMD, LOW_WRITER_SYSTEMD},
		{"/user.slice/user-7.slice/user@7.service", LOW_WRITER_SYSTEMD, LOW_WRITER_SYSTEMD},
		{"/user.slice/user-7.slice/user@7.service/app.slice", LOW_WRITER_NONE,
		 LOW_WRITER_NONE},
		{"/user.slice/user-7.slice/user@7.service/app.slice/a.service", LOW_WRITER_NONE,
		 LOW_WRITER_NONE},
	};
	static const char *const delegated[] = {"/system.slice/db.service",
						"/user.slice/user-7.slice/user@7.service"};
	char unit[UNIT_NAME_LEN_MAX + 1];
	bool has_xattrs = true;
	struct host host;

	host_open(&host, state);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		add(&host.tree, cases[i].path);
	for (int pass = 0; pass < 2 && has_xattrs; pass++) {
		for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
			const struct memcg *memcg;

			look(&host);
			memcg = find(&host.tree, cases[i].path);
			assert_int_equal(low_writer_of(memcg, true, unit),
					 pass ? cases[i].delegated : cases[i].writer);
			assert_int_equal(low_writer_of(memcg, false, unit), LOW_WRITER_SELF);
		}
		for (size_t i = 0; i < sizeof(delegated) / sizeof(delegated[0]); i++)
			has_xattrs = setxattr(fixture_path(host.tree.fixture,
							   fixture_memcg_file(delegated[i], "")),
					      "user.delegate", "1", 1, 0) == 0;
	}
	low_writer_of(find(&host.tree, "/system.slice/db.service"), true, unit);
	assert_string_equal(unit, "db.service");
	host_close(&host);
}

/* Nobody is there who would wait for systemd's answers: then units are not written. */
static void test_units_are_systemds(void **state)
{
	struct host host;

	host_open(&host, state);
	add_memcg(&host, "/system.slice", 0);
	add_memcg(&host, "/system.slice/db.service", 0);
	add_memcg(&host, "/other", 0);
	stop(&host);
	fixture_mkdir(host.tree.fixture, "run/systemd/system");
	start(&host);
	want(&host, "/system.slice", MIB(50));
	want(&host, "/system.slice/db.service", MIB(50));
	want(&host, "/other", MIB(50));
	apply(&host);
	assert_int_equal(low_of(&host, "/system.slice"), 0);
	assert_int_equal(low_of(&host, "/system.slice/db.service"), 0);
	assert_int_equal(low_of(&host, "/other"), MIB(50));
	host_close(&host);
}

/* --- random histories */

static uint64_t dice_state;

static uint64_t roll(uint64_t n)
{
	dice_state = dice_state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
	return (dice_state >> 33) % n;
}

static const char *const paths[] = {"/a", "/a/b", "/c"};

/* Who is down after a step has to be up for the next one. */
static void step(struct host *host, uint64_t *theirs)
{
	size_t i = roll(3);

	switch (roll(6)) {
	case 0:
		crash(host);
		start(host);
		break;
	case 1:
		stop(host);
		start(host);
		break;
	case 2: /* set-property: no value that we could have set */
		theirs[i] = MIB(1000 + roll(1000)) + 4096;
		set_low(host, paths[i], theirs[i]);
		break;
	case 3: /* stopped and started, with what its file says */
		drop(&host->tree, paths[2]);
		look(host);
		add_memcg(host, paths[2], theirs[2] = 0);
		break;
	case 4: /* a class loses Protect=auto */
		look(host);
		want(host, paths[i], 0);
		apply(host);
		break;
	default:
		look(host);
		for (size_t j = 0; j < 3; j++)
			want(host, paths[j], MIB(1 + roll(500)));
		apply(host);
	}
}

static void test_random_histories(void **state)
{
	const char *given = getenv("SEED");
	uint64_t seed = given ? strtoull(given, NULL, 10) : (uint64_t)time(NULL);
	uint64_t theirs[] = {0, MIB(8), 0};
	struct host host;

	printf("# SEED=%" PRIu64 "\n", seed);
	host_open(&host, state);
	add_memcg(&host, paths[2], 0);
	for (uint64_t at = 0; at < 400; at++) {
		dice_state = seed + at;
		for (uint64_t n = 1 + roll(12); n > 0; n--)
			step(&host, theirs);
		if (roll(2)) {
			crash(&host);
			start(&host);
		}
		stop(&host);
		for (size_t i = 0; i < 3; i++)
			if (low_of(&host, paths[i]) != theirs[i])
				fail_msg("%s: %" PRIu64 " is left, not %" PRIu64 " (SEED=%" PRIu64
					 ", history %" PRIu64 ")",
					 paths[i], low_of(&host, paths[i]), theirs[i], seed, at);
		assert_false(has_journal(&host));
		start(&host);
	}
	host_close(&host);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		FIXTURE_TEST(test_follows_and_restores),
		FIXTURE_TEST(test_dry_run),
		FIXTURE_TEST(test_crash),
		FIXTURE_TEST(test_crash_before_the_write),
		FIXTURE_TEST(test_foreign),
		FIXTURE_TEST(test_made_anew),
		FIXTURE_TEST(test_journal_is_damaged),
		FIXTURE_TEST(test_no_journal_no_write),
		FIXTURE_TEST(test_held_down_is_said),
		FIXTURE_TEST(test_who_writes),
		FIXTURE_TEST(test_units_are_systemds),
		FIXTURE_TEST(test_random_histories),
	};

	return cmocka_run_group_tests_name("protector", tests, NULL, NULL);
}
