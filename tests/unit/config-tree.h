/* SPDX-License-Identifier: MIT */
/*
 * For tests of the configuration: a temporary directory, made empty, filled, and removed whole; and
 * loading from it. To be included after cmocka.h.
 */
#ifndef FGRECLAIM_TESTS_CONFIG_TREE_H
#define FGRECLAIM_TESTS_CONFIG_TREE_H

/* Not "config.h": that may be the one of configure. */
#include "../../agent/config.h"

#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct tree {
	char root[64];
};

static inline void tree_path(const struct tree *tree, const char *name, char *ret, size_t size)
{
	int n = snprintf(ret, size, "%s/%s", tree->root, name);

	if (n < 0 || (size_t)n >= size)
		abort();
}

static inline void tree_make_dirs(const struct tree *tree, const char *name)
{
	char path[512];

	tree_path(tree, name, path, sizeof(path));
	for (char *p = path + strlen(tree->root) + 1; (p = strchr(p, '/')); p++) {
		*p = '\0';
		mkdir(path, 0755);
		*p = '/';
	}
}

/* Writes a file, and the directories that it needs; returns its path in a static buffer. */
static inline const char *tree_write(const struct tree *tree, const char *name, const void *data,
				     size_t len)
{
	static char path[512];
	int fd;

	tree_make_dirs(tree, name);
	tree_path(tree, name, path, sizeof(path));
	fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
	if (fd < 0 || write(fd, data, len) != (ssize_t)len || close(fd) < 0)
		abort();
	return path;
}

static inline const char *tree_write_text(const struct tree *tree, const char *name,
					  const char *text)
{
	return tree_write(tree, name, text, strlen(text));
}

static inline void tree_link(const struct tree *tree, const char *name, const char *target)
{
	char path[512];

	tree_make_dirs(tree, name);
	tree_path(tree, name, path, sizeof(path));
	if (symlink(target, path) < 0)
		abort();
}

static inline int tree_setup(void **state)
{
	struct tree *tree = calloc(1, sizeof(*tree));
	const char *base = getenv("TMPDIR");

	if (!tree)
		return -1;
	if (!base || strlen(base) > 40)
		base = "/tmp";
	snprintf(tree->root, sizeof(tree->root), "%s/config-XXXXXX", base);
	*state = tree;
	return mkdtemp(tree->root) ? 0 : -1;
}

static inline int tree_remove_one(const char *path, const struct stat *st, int type,
				  struct FTW *ftw)
{
	(void)st;
	(void)type;
	(void)ftw;
	return remove(path);
}

static inline int tree_teardown(void **state)
{
	struct tree *tree = *state;

	nftw(tree->root, tree_remove_one, 16, FTW_DEPTH | FTW_PHYS);
	free(tree);
	return 0;
}

#define TREE_TEST(f) cmocka_unit_test_setup_teardown(f, tree_setup, tree_teardown)

/* Loads text as the one file "x.conf". */
static inline int load_text(const struct tree *tree, const char *text, struct config **ret,
			    struct config_error *error)
{
	const char *path = tree_write_text(tree, "x.conf", text);

	error->text[0] = '\0';
	return config_load("", path, ret, error);
}

static inline struct config *must_load(const struct tree *tree, const char *text)
{
	struct config *config = NULL;
	struct config_error error;

	if (load_text(tree, text, &config, &error) < 0)
		fail_msg("%s", error.text);
	return config;
}

/* The message without the directory in front. */
static inline void assert_refused(const struct tree *tree, const char *text, const char *wanted)
{
	struct config *config = NULL;
	struct config_error error;

	assert_int_equal(load_text(tree, text, &config, &error), -EINVAL);
	assert_null(config);
	assert_memory_equal(error.text, tree->root, strlen(tree->root));
	assert_string_equal(error.text + strlen(tree->root) + 1, wanted);
}

#endif
