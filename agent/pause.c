/* SPDX-License-Identifier: MIT */
#include "pause.h"
#include "cgroup_find.h"
#include "escape.h"
#include "log.h"
#include "macro.h"

#include <errno.h>
#include <string.h>

#define HOST "/"

void pause_done(struct pause *pause)
{
	pause_set_done(&pause->set);
}

/* --- which cgroup is meant */

static int look_up(const struct pause *pause, const char *cgroup, const char **ret_path)
{
	size_t n;
	struct memcg *const *memcgs = hierarchy_memcgs(pause->pass->hierarchy, &n);
	struct memcg *memcg;
	int r = cgroup_find(cgroup, memcgs, n, &memcg);

	if (r < 0)
		return r;
	*ret_path = memcg->path;
	return 0;
}

/* What is paused may be gone by now. */
static int look_up_paused(const struct pause *pause, const char *cgroup, const char **ret_path)
{
	struct cgroup_find find = cgroup_find_begin(cgroup);

	for (size_t i = 0; i < pause->set.n && !find.twice; i++)
		cgroup_find_offer(&find, pause->set.paths[i]);
	if (!find.path || find.twice)
		return look_up(pause, cgroup, ret_path);
	*ret_path = find.path;
	return 0;
}

/* --- what is done */

static char *as_text(const char *path)
{
	return escape_text(path, strlen(path), true);
}

static void say(const char *path, const char *what)
{
	_cleanup_free_ char *name = as_text(path);
	const struct log_field field = {.key = "CGROUP", .text = name};

	if (strcmp(path, HOST) == 0)
		log_notice("the host: %s", what);
	else
		log_fields(LOG_NOTICE, NULL, &field, name ? 1 : 0, "%s: %s", name ?: "?", what);
}

/* Those that go on do so as after a long absence. */
static void renew(struct pause *pause)
{
	size_t n;
	struct memcg *const *memcgs = hierarchy_memcgs(pause->pass->hierarchy, &n);

	for (size_t i = 0; i < n; i++)
		if (memcgs[i]->paused && !pause_set_find(&pause->set, memcgs[i]->path))
			pass_rebase_memcg(memcgs[i]);
	pass_pause(pause->pass, &pause->set);
	executor_pause(pause->executor);
	pause->changed(pause->userdata);
}

int pause_begin(struct pause *pause, const char *cgroup, char **ret_path)
{
	const char *path, *covered;
	int r = look_up(pause, cgroup, &path);

	if (r < 0)
		return r;
	covered = pause_set_find(&pause->set, path);
	if (!covered)
		r = pause_set_add(&pause->set, path);
	if (r < 0)
		return r;
	*ret_path = as_text(covered ?: path);
	if (covered)
		return 0;
	say(path, "paused: nothing is reclaimed or protected until fgreclaimctl resume");
	renew(pause);
	return 0;
}

int pause_end(struct pause *pause, const char *cgroup, char **ret_path)
{
	_cleanup_free_ char *path = NULL;
	const char *found, *covered;
	int r = look_up_paused(pause, cgroup, &found);

	if (r < 0)
		return r;
	covered = pause_set_find(&pause->set, found);
	if (covered && strcmp(covered, found) != 0) {
		*ret_path = as_text(covered);
		return -EBUSY;
	}
	/* What was found may be the very string that is taken out. */
	path = strdup(found);
	if (!path)
		return -ENOMEM;
	if (pause_set_remove(&pause->set, path) > 0) {
		say(path, "goes on after a pause");
		renew(pause);
	}
	*ret_path = as_text(path);
	return 0;
}
