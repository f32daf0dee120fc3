/* SPDX-License-Identifier: MIT */
/*
 * For tests of the hierarchy: a fixture tree that is scanned. To be included after cmocka.h.
 */
#ifndef FGRECLAIM_TESTS_HIERARCHY_TREE_H
#define FGRECLAIM_TESTS_HIERARCHY_TREE_H

#include "fixture.h"
#include "hierarchy.h"

#include <string.h>

struct tree {
	const struct fixture *fixture;
	struct config *config;
	struct hierarchy *hierarchy;
};

/* Marks a directory as a memcg; the scan looks at no more than this. */
static inline void add(const struct tree *tree, const char *path)
{
	fixture_write(tree->fixture, fixture_memcg_file(path, "memory.current"), "4096\n");
}

static inline void drop(const struct tree *tree, const char *path)
{
	fixture_remove(tree->fixture, fixture_memcg_file(path, ""));
}

static inline void scan(const struct tree *tree, uint64_t now_usec)
{
	assert_int_equal(hierarchy_scan(tree->hierarchy, tree->config, now_usec), 0);
}

static inline void tree_open(struct tree *tree, void **state)
{
	const char *why;

	tree->fixture = *state;
	fixture_add_cgroups(tree->fixture);
	tree->config = fixture_config(tree->fixture, NULL);
	assert_int_equal(hierarchy_open(tree->fixture->root, &tree->hierarchy, &why), 0);
	assert_false(hierarchy_is_live(tree->hierarchy));
}

static inline void tree_close(struct tree *tree)
{
	assert_null(hierarchy_close(tree->hierarchy));
	config_free(tree->config);
}

static inline struct memcg *find(const struct tree *tree, const char *path)
{
	return hierarchy_find(tree->hierarchy, path, strlen(path));
}

static inline size_t count(const struct tree *tree)
{
	size_t n;

	hierarchy_memcgs(tree->hierarchy, &n);
	return n;
}

/* What holds of every scan, whatever is in the tree. */
static inline void check(const struct tree *tree)
{
	size_t n;
	struct memcg *const *memcgs = hierarchy_memcgs(tree->hierarchy, &n);

	assert_true(n >= 1);
	assert_string_equal(memcgs[0]->path, "/");
	assert_null(memcgs[0]->parent);
	for (size_t i = 0; i < n; i++) {
		const struct memcg *memcg = memcgs[i];

		assert_int_equal(memcg->index, i);
		assert_int_equal(memcg->scan, hierarchy_scan_number(tree->hierarchy));
		assert_ptr_equal(find(tree, memcg->path), memcg);
		if (i == 0)
			continue;
		assert_true(memcg->parent->index < i);
		assert_false(memcg->parent->leaf);
		assert_ptr_equal(memcgs[memcg->parent->index], memcg->parent);
	}
}

#endif
