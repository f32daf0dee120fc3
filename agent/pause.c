/* SPDX-License-Identifier: MIT */
#include "pause.h"
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

/* What is meant, as somebody has written it: len without slashes at the end. */
struct wanted {
	const char *text;
	size_t len;
	const char *path; /* that was found; NULL: none */
	bool twice;
};

static void offer(struct wanted *wanted, const char *path)
{
	size_t len = strlen(path);
	const char *end;

	if (len < wanted->len)
		return;
	end = path + len - wanted->len;
	if (memcmp(end, wanted->text, wanted->len) != 0)
		return;
	/* A path is meant as a whole; the end of one begins with a name. */
	if (end != path && (*wanted->text == '/' || end[-1] != '/'))
		return;
	wanted->twice = wanted->path && strcmp(wanted->path, path) != 0;
	wanted->path = path;
}

static struct wanted want(const char *cgroup)
{
	struct wanted wanted = {.text = *cgroup ? cgroup : HOST};

	wanted.len = strlen(wanted.text);
	while (wanted.len > 1 && wanted.text[wanted.len - 1] == '/')
		wanted.len--;
	return wanted;
}

static int look_up(const struct pause *pause, const char *cgroup, const char **ret_path)
{
	struct wanted wanted = want(cgroup);
	size_t n;
	struct memcg *const *memcgs = hierarchy_memcgs(pause->pass->hierarchy, &n);

	for (size_t i = 0; i < n && !wanted.twice; i++)
		offer(&wanted, memcgs[i]->path);
	if (wanted.twice)
		return -ENOTUNIQ;
	if (!wanted.path)
		return -ENOENT;
	*ret_path = wanted.path;
	return 0;
}

/* What is paused may be gone by now. */
static int look_up_paused(const struct pause *pause, const char *cgroup, const char **ret_path)
{
	struct wanted wanted = want(cgroup);

	for (size_t i = 0; i < pause->set.n && !wanted.twice; i++)
		offer(&wanted, pause->set.paths[i]);
	if (!wanted.path || wanted.twice)
		return look_up(pause, cgroup, ret_path);
	*ret_path = wanted.path;
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
