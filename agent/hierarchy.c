/* SPDX-License-Identifier: MIT */
/*
 * The cgroup tree. The only file that meets libcgroup, and only once, at start: it knows where the
 * memory controller is mounted and on which version. The recurring scan is our own, since libcgroup
 * walks files where directories are wanted.
 *
 * A scan reads directories only, and of those the ones that have changed; once in a while all of
 * them, since not every change is told. Each memcg that it meets is looked up by its inode; known
 * ones keep their descriptors and their history.
 */
#include "hierarchy.h"
#include "door.h"
#include "file.h"
#include "log.h"
#include "macro.h"
#include "memcg_class.h"
#include "memcg_index.h"
#include "never_touched.h"
#include "own_cgroup.h"
#include "tree_watch.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <libcgroup.h>
#include <limits.h>
#include <linux/magic.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/vfs.h>

/* Deeper trees are not looked into; systemd and Kubernetes stay below 12. */
#define DEPTH_MAX 64

/* What no event told of is found after this long. */
#define FULL_WALK_USEC (60 * UINT64_C(1000000))

struct hierarchy {
	int root_fd;
	bool live;
	struct own_cgroup own; /* of a live tree */
	uint64_t scan;
	struct memcg_index index;
	struct tree_watch watch;
	struct hierarchy_changes changes;
	uint64_t full_walk_usec; /* when all directories were last read; 0: they must be */
};

struct walk {
	struct hierarchy *hierarchy;
	const struct config *config;
	uint64_t now_usec;
	bool full;
	char path[PATH_MAX];
};

/* --- where it is */

/* Debian's libcgroup exports cgroup_get_controller_version() without declaring it; the type of the
 * mounted file system says the same. */
static int find_mount(char *path, size_t size, const char **ret_why)
{
	_cleanup_free_ char *mount = NULL;
	struct statfs fs;

	*ret_why = "cgroup v2 with the memory controller is not mounted";
	if (cgroup_init() != 0 || cgroup_get_subsys_mount_point("memory", &mount) != 0)
		return -ENODEV;
	if (statfs(mount, &fs) < 0)
		return -errno;
	if (fs.f_type != CGROUP2_SUPER_MAGIC) {
		*ret_why = "the memory controller is bound to cgroup v1";
		return -ENODEV;
	}
	if (strlen(mount) >= size)
		return -ENAMETOOLONG;
	strcpy(path, mount);
	return 0;
}

struct hierarchy *hierarchy_close(struct hierarchy *hierarchy)
{
	if (!hierarchy)
		return NULL;
	for (size_t i = 0; i < hierarchy->index.n; i++)
		memcg_free(hierarchy->index.memcgs[i]);
	memcg_index_done(&hierarchy->index);
	tree_watch_close(&hierarchy->watch);
	own_cgroup_done(&hierarchy->own);
	close_fd(&hierarchy->root_fd);
	free(hierarchy);
	return NULL;
}

DEFINE_CLEANUP(struct hierarchy *, hierarchy_close)

int hierarchy_open(const char *root, struct hierarchy **ret, const char **ret_why)
{
	_cleanup_(hierarchy_close_ptr) struct hierarchy *hierarchy = calloc(1, sizeof(*hierarchy));
	char path[PATH_MAX], controllers[4096];
	struct statfs fs;
	int r;

	if (!hierarchy)
		return -ENOMEM;
	hierarchy->root_fd = -1;
	tree_watch_open(&hierarchy->watch);
	*ret_why = "the cgroup file system cannot be opened";
	if (root[0] == '\0' || strcmp(root, "/") == 0) {
		r = find_mount(path, sizeof(path), ret_why);
		if (r < 0)
			return r;
	} else if ((size_t)snprintf(path, sizeof(path), "%s/sys/fs/cgroup", root) >= sizeof(path)) {
		return -ENAMETOOLONG;
	}
	hierarchy->root_fd = door_openat(AT_FDCWD, path, O_RDONLY | O_DIRECTORY);
	if (hierarchy->root_fd < 0)
		return hierarchy->root_fd == -ENOENT ? -ENODEV : hierarchy->root_fd;
	r = file_read_at(hierarchy->root_fd, "cgroup.controllers", controllers,
			 sizeof(controllers));
	if (r < 0 || !strstr(controllers, "memory")) {
		*ret_why = "there is no cgroup v2 hierarchy with the memory controller";
		return -ENODEV;
	}
	hierarchy->live = fstatfs(hierarchy->root_fd, &fs) == 0 && fs.f_type == CGROUP2_SUPER_MAGIC;
	if (hierarchy->live)
		own_cgroup_find(&hierarchy->own);
	*ret = TAKE_PTR(hierarchy);
	return 0;
}

bool hierarchy_is_live(const struct hierarchy *hierarchy)
{
	return hierarchy->live;
}

/* --- what is in it */

static void forget(struct hierarchy *hierarchy, struct memcg *memcg)
{
	tree_watch_remove(&hierarchy->watch, memcg->watch);
	memcg->watch = -1;
	if (memcg->references == 0)
		memcg_free(memcg);
	else
		memcg->scan = MEMCG_VANISHED;
}

/* Puts a memcg into this scan. */
static int list(struct walk *walk, struct memcg *memcg, struct memcg *parent)
{
	int r = memcg_index_append(&walk->hierarchy->index, memcg);

	if (r < 0)
		return r;
	memcg->scan = walk->hierarchy->scan;
	memcg->parent = parent;
	memcg->marked = (parent && parent->marked) || memcg_read_mark(memcg);
	memcg->omitted = memcg->marked || never_touched(memcg->path) ||
			 own_cgroup_is(&walk->hierarchy->own, memcg->id, memcg->path);
	memcg_class_renew(memcg, walk->config);
	memcg->leaf = true;
	if (parent)
		parent->leaf = false;
	return 0;
}

/* The memcg of an open directory: the known one, whose descriptors are good still, or a new one.
 * Takes over dir_fd. */
static int enter(struct walk *walk, int dir_fd, struct memcg *parent, struct memcg **ret)
{
	struct hierarchy *hierarchy = walk->hierarchy;
	_cleanup_close_ int owned_fd = dir_fd;
	struct memcg *memcg;
	struct stat st;
	int r;

	if (fstat(owned_fd, &st) < 0)
		return -errno;
	memcg = memcg_index_find_former(&hierarchy->index, st.st_ino);
	/* A fixture tree may hold hard links; and a renamed cgroup is a new one to the
	 * administrator. */
	if (memcg && (memcg->scan == hierarchy->scan || strcmp(memcg->path, walk->path) != 0))
		memcg = NULL;
	if (!memcg) {
		r = memcg_new(st.st_ino, walk->path, TAKE_FD(owned_fd), &memcg);
		if (r < 0)
			return r;
		memcg->first_seen_usec = walk->now_usec;
		memcg->match_index = config_classify(walk->config, memcg->path, NULL);
		/* Before its children are read: one that comes in between is read or told of. */
		memcg->watch = tree_watch_add(&hierarchy->watch, memcg->dir_fd);
		memcg->changed = true;
		/* Those of the first scan were there before us. */
		if (hierarchy->scan > 1) {
			hierarchy->changes.appeared++;
			log_debug("%s: appeared", memcg->name);
		}
	}
	r = list(walk, memcg, parent);
	if (r < 0) {
		if (memcg->scan == MEMCG_VANISHED)
			forget(hierarchy, memcg);
		return r;
	}
	memcg->next_sibling = NULL;
	if (parent && parent->last_child)
		parent->last_child->next_sibling = memcg;
	else if (parent)
		parent->first_child = memcg;
	if (parent)
		parent->last_child = memcg;
	*ret = memcg;
	return 0;
}

static int walk_below(struct walk *walk, struct memcg *memcg, unsigned depth);

static int walk_child(struct walk *walk, const char *name, struct memcg *parent, unsigned depth)
{
	size_t len = strlen(walk->path);
	struct memcg *memcg;
	int child_fd, r;

	child_fd = door_openat(parent->dir_fd, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW);
	if (child_fd < 0)
		return memcg_is_gone_errno(child_fd) ? 0 : child_fd;
	/* No memory controller here: none below either. */
	if (faccessat(child_fd, "memory.current", F_OK, 0) < 0) {
		close(child_fd);
		return 0;
	}
	if ((size_t)snprintf(walk->path + len, sizeof(walk->path) - len, "%s%s",
			     len == 1 ? "" : "/", name) >= sizeof(walk->path) - len) {
		walk->path[len] = '\0';
		close(child_fd);
		return 0;
	}
	r = enter(walk, child_fd, parent, &memcg);
	if (r >= 0)
		r = walk_below(walk, memcg, depth + 1);
	walk->path[len] = '\0';
	return memcg_is_gone_errno(r) ? 0 : r;
}

static int read_children(struct walk *walk, struct memcg *memcg, unsigned depth)
{
	int fd = door_openat(memcg->dir_fd, ".", O_RDONLY | O_DIRECTORY);
	struct dirent *entry;
	DIR *dir;
	int r = 0;

	memcg->first_child = memcg->last_child = NULL;
	if (fd < 0)
		return fd;
	dir = fdopendir(fd);
	if (!dir) {
		r = -errno;
		close(fd);
		return r;
	}
	memcg->changed = false;
	while (depth < DEPTH_MAX && r >= 0 && (entry = readdir(dir)))
		if (entry->d_type == DT_DIR && strcmp(entry->d_name, ".") != 0 &&
		    strcmp(entry->d_name, "..") != 0)
			r = walk_child(walk, entry->d_name, memcg, depth);
	closedir(dir);
	return r;
}

/* The children of a directory that has not changed are those of the former scan. */
static int keep_children(struct walk *walk, struct memcg *memcg, unsigned depth)
{
	for (struct memcg *child = memcg->first_child; child; child = child->next_sibling) {
		size_t len = strlen(walk->path);
		int r = list(walk, child, memcg);

		if (r < 0)
			return r;
		strcpy(walk->path, child->path);
		r = walk_below(walk, child, depth + 1);
		walk->path[len] = '\0';
		if (r < 0 && !memcg_is_gone_errno(r))
			return r;
	}
	return 0;
}

static int walk_below(struct walk *walk, struct memcg *memcg, unsigned depth)
{
	if (walk->full || memcg->changed || memcg->watch < 0)
		return read_children(walk, memcg, depth);
	return keep_children(walk, memcg, depth);
}

/* Frees the memcgs of the former scan that this one did not find. One with a write under way is
 * kept alive by the write's owner and found gone there; here it is only forgotten. */
static void drop_vanished(struct hierarchy *hierarchy)
{
	for (size_t i = 0; i < hierarchy->index.n_former; i++) {
		struct memcg *memcg = hierarchy->index.former_by_id[i];

		if (memcg->scan == hierarchy->scan)
			continue;
		hierarchy->changes.vanished++;
		log_debug("%s: vanished", memcg->name);
		forget(hierarchy, memcg);
	}
}

static void mark_changed(int number, void *userdata)
{
	struct hierarchy *hierarchy = userdata;
	struct memcg *memcg = memcg_index_find_watch(&hierarchy->index, number);

	if (memcg)
		memcg->changed = true;
}

/* The top of the tree: known, or entered now. */
static int walk_root(struct walk *walk)
{
	struct hierarchy *hierarchy = walk->hierarchy;
	struct memcg *root;
	int fd, r;

	fd = fcntl(hierarchy->root_fd, F_DUPFD_CLOEXEC, 0);
	r = fd < 0 ? -errno : enter(walk, fd, NULL, &root);
	return r < 0 ? r : walk_below(walk, root, 0);
}

int hierarchy_scan(struct hierarchy *hierarchy, const struct config *config, uint64_t now_usec)
{
	struct walk walk = {
		.hierarchy = hierarchy,
		.config = config,
		.now_usec = now_usec,
		.path = "/",
	};
	int r;

	if (!tree_watch_drain(&hierarchy->watch, mark_changed, hierarchy))
		hierarchy->full_walk_usec = 0;
	walk.full = hierarchy->full_walk_usec == 0 || now_usec < hierarchy->full_walk_usec ||
		    now_usec - hierarchy->full_walk_usec >= FULL_WALK_USEC;
	memcg_index_begin(&hierarchy->index);
	hierarchy->scan++;

	r = walk_root(&walk);
	/* A walk that ended early has lost the children of what it did not reach. */
	if (r < 0)
		hierarchy->full_walk_usec = 0;
	else if (walk.full)
		hierarchy->full_walk_usec = now_usec;
	drop_vanished(hierarchy);
	memcg_index_end(&hierarchy->index);
	return r;
}

void hierarchy_classify(struct hierarchy *hierarchy, const struct config *config)
{
	for (size_t i = 0; i < hierarchy->index.n; i++) {
		struct memcg *memcg = hierarchy->index.memcgs[i];

		memcg->match_index = config_classify(config, memcg->path, NULL);
		memcg_class_renew(memcg, config);
	}
}

struct hierarchy_changes hierarchy_changes(const struct hierarchy *hierarchy)
{
	return hierarchy->changes;
}

struct memcg *const *hierarchy_memcgs(const struct hierarchy *hierarchy, size_t *ret_n)
{
	*ret_n = hierarchy->index.n;
	return hierarchy->index.memcgs;
}

uint64_t hierarchy_scan_number(const struct hierarchy *hierarchy)
{
	return hierarchy->scan;
}

struct memcg *hierarchy_find(const struct hierarchy *hierarchy, const char *path, size_t len)
{
	return memcg_index_find_path(&hierarchy->index, path, len);
}

struct memcg *hierarchy_find_id(const struct hierarchy *hierarchy, uint64_t id)
{
	return memcg_index_find_id(&hierarchy->index, id);
}

struct memcg *const *hierarchy_after(const struct hierarchy *hierarchy, uint64_t id, size_t *ret_n)
{
	return memcg_index_after(&hierarchy->index, id, ret_n);
}
