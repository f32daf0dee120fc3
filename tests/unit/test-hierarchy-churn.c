/* SPDX-License-Identifier: MIT */
/*
 * Scans of trees that are too deep, and of trees that change all the time: nothing leaks, nothing
 * fails, and what stays is always found.
 */
#include "hierarchy.h"
#include "macro.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <sys/stat.h>
#include <cmocka.h>

#include "hierarchy-tree.h"

/* Deeper than is looked at, and longer than a path may be: left out, and no error. */
static void test_deep(void **state)
{
	int fd = -1, root_fd;
	char name[201];
	struct tree tree;

	tree_open(&tree, state);
	root_fd = open(fixture_path(*state, fixture_memcg_file("", "")), O_RDONLY | O_CLOEXEC);
	for (unsigned round = 0; round < 2; round++) {
		memset(name, 'd', sizeof(name) - 1);
		name[round == 0 ? 1 : 200] = '\0';
		fd = dup(root_fd);
		for (unsigned i = 0; i < 70; i++) {
			int below;

			assert_int_equal(mkdirat(fd, name, 0755), 0);
			below = openat(fd, name, O_RDONLY | O_CLOEXEC);
			close(fd);
			fd = below;
			close(openat(fd, "memory.current", O_WRONLY | O_CREAT | O_CLOEXEC, 0644));
		}
		close(fd);
	}
	close(root_fd);
	scan(&tree, 1);
	check(&tree);
	/* 64 levels of "/d", and as many of "/ddd..." as fit into 4096 bytes. */
	assert_int_equal(count(&tree), 1 + 64 + 4095 / 201);
	tree_close(&tree);
}

static void test_churn_leaks_nothing(void **state)
{
	size_t descriptors = 0;
	struct tree tree;

	tree_open(&tree, state);
	for (unsigned i = 0; i < 1000; i++) {
		char path[32];

		snprintf(path, sizeof(path), "/%u", i);
		add(&tree, path);
		strcat(path, "/below");
		add(&tree, path);
		if (i >= 10) {
			snprintf(path, sizeof(path), "/%u", i - 10);
			drop(&tree, path);
		}
		scan(&tree, i);
		assert_int_equal(count(&tree), 1 + 2 * (i < 10 ? i + 1 : 10));
		if (i == 20)
			descriptors = fixture_count_descriptors();
	}
	check(&tree);
	assert_int_equal(fixture_count_descriptors(), descriptors);
	tree_close(&tree);
}

static atomic_bool churning;

/* Makes and removes directories as fast as it can, to meet a scan between its steps. */
static void *churn(void *userdata)
{
	const char *top = userdata;
	char path[FIXTURE_PATH_MAX + 64];

	while (atomic_load(&churning))
		for (unsigned i = 0; i < 8; i++) {
			snprintf(path, sizeof(path), "%s/c%u", top, i);
			mkdir(path, 0755);
			strcat(path, "/memory.current");
			close(open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0644));
			snprintf(path, sizeof(path), "%s/c%u/memory.current", top, (i + 3) % 8);
			unlink(path);
			snprintf(path, sizeof(path), "%s/c%u", top, (i + 3) % 8);
			rmdir(path);
		}
	return NULL;
}

static void test_vanishing_during_a_scan(void **state)
{
	char top[FIXTURE_PATH_MAX];
	struct tree tree;
	pthread_t thread;

	tree_open(&tree, state);
	add(&tree, "/steady");
	strcpy(top, fixture_path(*state, fixture_memcg_file("", "")));
	atomic_store(&churning, true);
	assert_int_equal(pthread_create(&thread, NULL, churn, top), 0);
	for (unsigned i = 0; i < 500; i++) {
		scan(&tree, i);
		check(&tree);
		assert_non_null(find(&tree, "/steady"));
		assert_int_equal(find(&tree, "/steady")->first_seen_usec, 0);
	}
	atomic_store(&churning, false);
	pthread_join(thread, NULL);
	tree_close(&tree);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		FIXTURE_TEST(test_deep),
		FIXTURE_TEST(test_churn_leaks_nothing),
		FIXTURE_TEST(test_vanishing_during_a_scan),
	};

	return cmocka_run_group_tests_name("hierarchy-churn", tests, NULL, NULL);
}
