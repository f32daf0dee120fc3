/* SPDX-License-Identifier: MIT */
/*
 * The keys: what each value means, the ends of its range, and that what is written out loads again.
 */
#include <errno.h>
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "config-tree.h"

#define ARRAY_SIZE(a) (sizeof(a) / sizeof((a)[0]))

static void test_values(void **state)
{
	struct config *config = must_load(*state, "[Agent]\nInterval=1min 30s\nDryRun=no\n"
						  "CpuBudget=2.5%\nWriteMax = 64K\n"
						  "WriteDeadline=10s\nConcurrency=16\n"
						  "[Swap]\nAnon=no\n"
						  "[Class a]\nMatch=/a:b;c=d\nReclaim=file\n"
						  "Weight=10000\nRefaultLimit=0.1%/min\n"
						  "PressureLimit=100%\nFloor=64M\n"
						  "[Class  b ]\nFloor=64M\nFloor=0.5%\nFloor=10%\n"
						  "[Class c]\nFloor=0%\nChurn=yes\n");
	const struct class_params *class = config->policy.classes;

	assert_int_equal(config->interval_usec, 90000000);
	assert_false(config->dry_run);
	assert_int_equal(config->policy.cpu_budget_ppm, 25000);
	assert_int_equal(config->policy.write_max_bytes, 65536);
	assert_int_equal(config->write_deadline_usec, 10000000);
	assert_int_equal(config->policy.concurrency, 16);
	assert_int_equal(config->policy.anon, ANON_NO);
	assert_int_equal(config->policy.n_classes, 3);
	assert_int_equal(config->n_matches, 1);
	assert_string_equal(config->matches[0].pattern, "/a:b;c=d");
	assert_int_equal(class[0].reclaim, RECLAIM_FILE);
	assert_int_equal(class[0].weight, 10000);
	assert_int_equal(class[0].refault_limit_ppm, 1000);
	assert_int_equal(class[0].pressure_limit_ppm, 1000000);
	assert_int_equal(class[0].floor_bytes, 64 << 20);
	assert_int_equal(class[0].floor_ppm, 0);
	assert_string_equal(class[1].name, "b");
	assert_int_equal(class[1].floor_bytes, 0);
	assert_int_equal(class[1].floor_ppm, 100000);
	assert_int_equal(class[2].floor_ppm, 0);
	assert_false(class[1].churn);
	assert_true(class[2].churn);
	config_free(config);
}

/* The last value that passes and the first that does not, at both ends. */
static const struct {
	const char *section, *key, *good[2], *bad[3], *form;
} ranges[] = {
	{"Agent",
	 "Interval",
	 {"500ms", "1h"},
	 {"499ms", "3601s", "5"},
	 "a time of 500ms to 1h, with its unit"},
	{"Agent",
	 "WriteDeadline",
	 {"10ms", "10s"},
	 {"9999us", "10001ms", "x"},
	 "a time of 10ms to 10s, with its unit"},
	{"Agent",
	 "CpuBudget",
	 {"0.0001%", "100%"},
	 {"0%", "100.1%", "1"},
	 "a share above 0% and up to 100%"},
	{"Agent", "WriteMax", {"64K", "64M"}, {"65535", "65M", "16MB"}, "a size of 64K to 64M"},
	{"Agent", "FastPath", {"auto", "no"}, {"maybe", "Yes", "1"}, "one of auto, yes, no"},
	{"Agent",
	 "Ring",
	 {"io_uring", "threads"},
	 {"uring", "Auto", "yes"},
	 "one of auto, io_uring, threads"},
	{"Agent", "Concurrency", {"1", "16"}, {"0", "17", "4294967297"}, "a number of 1 to 16"},
	{"Agent", "DryRun", {"off", "TRUE"}, {"maybe", "2", "yes no"}, "yes or no"},
	{"Swap", "Anon", {"auto", "yes"}, {"Auto", "on", "maybe"}, "one of auto, yes, no"},
	{"Swap",
	 "WriteBudget",
	 {"0/day", "infinity"},
	 {"20G", "1G/h", "-1/day"},
	 "a size per day such as 20G/day, or infinity"},
	{"Class a",
	 "Reclaim",
	 {"none", "all"},
	 {"both", "File", "invalid"},
	 "one of none, file, anon, all"},
	{"Class a", "Weight", {"1", "10000"}, {"0", "10001", "-1"}, "a number of 1 to 10000"},
	{"Class a",
	 "RefaultLimit",
	 {"0%/min", "100%/min"},
	 {"100.1%/min", "1%", "1%/h"},
	 "a share per minute of 0%/min to 100%/min"},
	{"Class a",
	 "PressureLimit",
	 {"0%", "100%"},
	 {"100.0001%", "0.1", "1%/min"},
	 "a share of 0% to 100%"},
	{"Class a",
	 "Floor",
	 {"0", "100%"},
	 {"101%", "99999999999T", "quarter"},
	 "a size such as 64M, or a share of 0% to 100%"},
	{"Class a", "Protect", {"auto", "no"}, {"yes", "Auto", "0"}, "one of no, auto"},
	{"Class a",
	 "ProtectMax",
	 {"0.0001%", "100%"},
	 {"0%", "101%", "64M"},
	 "a share above 0% and up to 100%"},
	{"Class a", "Churn", {"yes", "no"}, {"maybe", "2", "yes no"}, "yes or no"},
};

static void test_ranges(void **state)
{
	for (size_t i = 0; i < ARRAY_SIZE(ranges); i++) {
		char text[256], wanted[512];

		for (size_t j = 0; j < 2; j++) {
			snprintf(text, sizeof(text), "[%s]\n%s=%s\n", ranges[i].section,
				 ranges[i].key, ranges[i].good[j]);
			config_free(must_load(*state, text));
		}
		for (size_t j = 0; j < 3; j++) {
			snprintf(text, sizeof(text), "[%s]\n#\n%s=%s\n", ranges[i].section,
				 ranges[i].key, ranges[i].bad[j]);
			snprintf(wanted, sizeof(wanted), "x.conf:3: %s: \"%s\" is not %s",
				 ranges[i].key, ranges[i].bad[j], ranges[i].form);
			assert_refused(*state, text, wanted);
		}
		snprintf(text, sizeof(text), "[%s]\n%s=\n", ranges[i].section, ranges[i].key);
		snprintf(wanted, sizeof(wanted), "x.conf:2: %s: no value; it takes %s",
			 ranges[i].key, ranges[i].form);
		assert_refused(*state, text, wanted);
	}
}

/* Empty is a value here, and the last one counts. */
static void test_hours(void **state)
{
	struct config *config = must_load(*state, "[Class a]\nHours=22:00-06:00\n[Class b]\n"
						  "Hours=01:00-02:00, Sat 00:00-24:00\n[Class a]\n"
						  "Hours=\n");
	struct tm noon = {.tm_wday = 1, .tm_hour = 12};

	assert_int_equal(config->hours[0].n, 0);
	assert_int_equal(config->hours[1].n, 2);
	assert_int_equal(config_closed_classes(config, &noon), 2);
	config_free(config);
	assert_refused(*state, "[Class a]\nHours=always\n",
		       "x.conf:2: Hours: \"always\" is not windows such as 22:00-06:00 or "
		       "Mon..Fri 22:00-06:00, or empty");
}

static void dump(const struct config *config, char *ret, size_t size)
{
	FILE *f = fmemopen(ret, size, "w");

	assert_non_null(f);
	config_dump(config, f);
	assert_int_equal(fclose(f), 0);
}

static void assert_same(const struct config *a, const struct config *b)
{
	assert_memory_equal(a, b, offsetof(struct config, matches));
	assert_int_equal(a->n_matches, b->n_matches);
	for (size_t i = 0; i < a->n_matches; i++) {
		assert_string_equal(a->matches[i].pattern, b->matches[i].pattern);
		assert_int_equal(a->matches[i].class_index, b->matches[i].class_index);
	}
}

static void assert_round_trip(const struct tree *tree, const char *text)
{
	struct config *config = must_load(tree, text), *again;
	char dumped[4096];

	dump(config, dumped, sizeof(dumped));
	again = must_load(tree, dumped);
	assert_same(config, again);
	config_free(config);
	config_free(again);
}

static void test_round_trip(void **state)
{
	char text[512];

	assert_round_trip(*state, "");
	assert_round_trip(*state,
			  "[Agent]\nInterval=1h\nWriteDeadline=1234567us\nWriteMax=65537\n"
			  "CpuBudget=0.0203%\nConcurrency=3\nRing=threads\nDryRun=no\n[Swap]\nAnon="
			  "yes\nWriteBudget=1.5G/day\n"
			  "[Class x]\nMatch=/a:b\nMatch=/[!;#]**\nFloor=1.5G\nWeight=1\n"
			  "Hours=Mon..Fri 22:00-06:00, Sun 00:00-24:00\nProtect=auto\n"
			  "ProtectMax=33%\n"
			  "[Class y]\n[Class z.1-_]\nFloor=0\nReclaim=none\n"
			  "RefaultLimit=12.3456%/min\nPressureLimit=100%\nMatch=/z\n"
			  "[Class x]\nMatch=/later\n");
	snprintf(text, sizeof(text), "[Class a]\nMatch=/%0191d\n", 0);
	assert_round_trip(*state, text);
}

static void test_dump_text(void **state)
{
	struct config *config = must_load(*state, "[Agent]\nInterval=120s\nWriteMax=1024K\n"
						  "[Class a]\nMatch=/a\nFloor=2048M\n"
						  "PressureLimit=0.05%\n");
	char text[4096], *origin;

	dump(config, text, sizeof(text));
	origin = strstr(text, "# ");
	assert_non_null(origin);
	assert_non_null(strstr(origin, "/x.conf:5\nMatch=/a\n"));
	*origin = '\0';
	assert_string_equal(text,
			    "[Agent]\nInterval=2min\nDryRun=yes\nCpuBudget=1%\nWriteMax=1M\n"
			    "WriteDeadline=500ms\nConcurrency=2\nFastPath=auto\nRing=auto\n\n[Swap]"
			    "\nAnon=auto\nWriteBudget=20G/day\n\n"
			    "[Metrics]\nTextfile=\nTopMemcgs=0\n\n[Class a]\n");
	assert_string_equal(strstr(origin + 1, "Reclaim="),
			    "Reclaim=all\nWeight=100\nRefaultLimit=0.5%/min\n"
			    "PressureLimit=0.05%\nFloor=2G\nChurn=no\nProtect=no\n"
			    "ProtectMax=50%\nHours=\n");
	config_free(config);
}

/* A file of the source tree, whole. */
static void read_source(const char *name, char *ret, size_t size)
{
	const char *srcdir = getenv("srcdir");
	char path[512];
	FILE *f;

	snprintf(path, sizeof(path), "%s/%s", srcdir ? srcdir : ".", name);
	f = fopen(path, "re");
	if (!f)
		fail_msg("%s: %s", path, strerror(errno));
	ret[fread(ret, 1, size - 1, f)] = '\0';
	fclose(f);
}

/* What is installed changes nothing; nor does it with "#" taken off what is no prose. */
static void test_installed_default(void **state)
{
	struct config *defaults = must_load(*state, ""), *config;
	char text[16384];
	size_t n = 0;

	read_source("conf/fgreclaimd.conf", text, sizeof(text));
	config = must_load(*state, text);
	assert_same(config, defaults);
	config_free(config);
	for (char *p = text; *p; p = strchr(p, '\n') + 1) {
		if (p[0] == '#' && p[1] != ' ' && p[1] != '\n') {
			memmove(p, p + 1, strlen(p));
			n++;
		}
	}
	config = must_load(*state, text);
	assert_same(config, defaults);
	/* All keys, and the line of the class. */
	assert_int_equal(n, 23);
	assert_string_not_equal(config->matches[0].origin, "built in");
	config_free(config);
	config_free(defaults);
}

static const char *example_class(const char *name, const char *path, struct tree *tree)
{
	static char class[CLASS_NAME_MAX + 1];
	char file[128], text[16384];
	struct config *config;
	int32_t index;

	snprintf(file, sizeof(file), "conf/%s.conf", name);
	read_source(file, text, sizeof(text));
	config = must_load(tree, text);
	index = config_classify(config, path, NULL);
	strcpy(class, index < 0 ? "none" : config->policy.classes[index].name);
	config_free(config);
	return class;
}

static void test_examples(void **state)
{
#define CONTAINERD "/system.slice/containerd.service/"
#define ID         "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"
#define USER       "/user.slice/user-1000.slice/user@1000.service"
	static const struct {
		const char *name, *path, *class;
	} cases[] = {
		{"examples/loop", "/loop.slice/epoch.service", "loop"},
		{"examples/database", "/system.slice/mongod.service", "database"},
		{"examples/database", "/system.slice/mongod.service/sub", "database"},
		{"examples/database",
		 "/system.slice/system-postgresql.slice/postgresql@15-main.service", "database"},
		{"examples/database", "/system.slice/postgresql.service", "none"},
		{"examples/database", USER "/app.slice/mongod.service", "none"},
		{"profiles/mongod", "/system.slice/mongod.service", "mongod"},
		{"profiles/postgresql",
		 "/system.slice/system-postgresql.slice/postgresql@15-main.service", "postgresql"},
		{"profiles/mariadb", "/system.slice/mariadb.service", "mariadb"},
		{"profiles/redis", "/system.slice/redis-server.service", "redis"},
		{"profiles/memcached", "/system.slice/memcached.service", "memcached"},
		{"profiles/mongod", "/system.slice/system-mongod.slice/mongod@rs1.service",
		 "mongod"},
		{"profiles/postgresql", "/system.slice/postgresql-16.service", "postgresql"},
		{"profiles/mariadb", "/system.slice/mysqld.service", "mariadb"},
		{"profiles/redis",
		 "/system.slice/system-redis\\x2dserver.slice/redis-server@2.service", "redis"},
		{"profiles/redis", "/system.slice/valkey-server.service", "redis"},
		{"profiles/memcached", "/system.slice/system-memcached.slice/memcached@b.service",
		 "memcached"},
		{"profiles/java", "/system.slice/elasticsearch.service", "java"},
		{"profiles/java", "/system.slice/tomcat10.service", "java"},
		{"profiles/java", "/system.slice/kafka.service/worker", "java"},
		{"profiles/java", "/system.slice/java.service", "none"},
		{"profiles/ci-runner", "/ci.slice/run-u1.scope", "ci-runner"},
		{"profiles/ci-runner", "/system.slice/actions.runner.a-b.c.service", "ci-runner"},
		{"profiles/ci-runner", "/system.slice/gitlab-runner.service", "ci-runner"},
		{"profiles/ci-runner", "/system.slice/ci.service", "none"},
		{"profiles/desktop", USER "/session.slice/org.gnome.Shell@wayland.service",
		 "desktop-session"},
		{"profiles/desktop", USER "/background.slice/tracker-miner-fs-3.service",
		 "desktop-background"},
		{"profiles/desktop", USER "/app.slice/app-firefox-1.scope", "desktop-apps"},
		{"profiles/desktop", USER "/init.scope", "none"},
		{"profiles/desktop", "/system.slice/cron.service", "none"},
		{"profiles/batch", "/batch.slice/run-u12.service", "batch"},
		{"profiles/batch", "/system.slice/cron.service", "none"},
		{"examples/containers", "/system.slice/docker-" ID ".scope", "containers"},
		{"examples/containers", "/system.slice/docker-" ID ".scope/init.scope",
		 "containers"},
		{"examples/containers", "/system.slice/docker.service", "none"},
		{"examples/containers", "/docker/" ID, "containers"},
		{"examples/containers", "/machine.slice/libpod-" ID ".scope/container",
		 "containers"},
		{"examples/containers", USER "/user.slice/libpod-" ID ".scope/container",
		 "containers"},
		{"examples/containers", USER "/app.slice/docker/" ID, "none"},
		{"examples/containers",
		 "/kubepods.slice/kubepods-besteffort.slice/kubepods-besteffort-pod1.slice/"
		 "cri-containerd-" ID ".scope",
		 "pods-besteffort"},
		{"examples/containers",
		 "/kubepods.slice/kubepods-burstable.slice/kubepods-burstable-pod1.slice/"
		 "crio-" ID ".scope",
		 "pods-burstable"},
		{"examples/containers",
		 "/kubepods.slice/kubepods-pod1.slice/cri-containerd-" ID ".scope",
		 "pods-guaranteed"},
		{"examples/containers", "/kubepods/burstable/pod1/" ID, "pods-burstable"},
		{"examples/containers",
		 CONTAINERD "kubepods-besteffort-pod1.slice:cri-containerd:" ID, "pods-besteffort"},
		{"examples/containers", CONTAINERD "kubepods-pod1.slice:cri-containerd:" ID,
		 "pods-guaranteed"},
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++)
		assert_string_equal(example_class(cases[i].name, cases[i].path, *state),
				    cases[i].class);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TREE_TEST(test_values),    TREE_TEST(test_ranges),
		TREE_TEST(test_hours),     TREE_TEST(test_round_trip),
		TREE_TEST(test_dump_text), TREE_TEST(test_installed_default),
		TREE_TEST(test_examples),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
