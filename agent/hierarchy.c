/* SPDX-License-Identifier: MIT */
/*
 * The cgroup tree. The only file that meets libcgroup, and only once, at start: it knows where the
 * memory controller is mounted and on which version. The recurring scan is our own, since libcgroup
 * walks files where directories are wanted.
 *
 * A scan reads directories only. Each memcg that it meets is looked up by its inode; known ones keep
 * their descriptors and their history.
 */
#include "hierarchy.h"
#include "file.h"
#include "macro.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <libcgroup.h>
#include <limits.h>
#include <linux/magic.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <sys/xattr.h>

/* Deeper trees are not looked into; systemd and Kubernetes stay below 12. */
#define DEPTH_MAX 64

#define OMIT_XATTR "user.fgreclaim.omit"

struct hierarchy {
	int root_fd;
	bool live;
	char *own_path; /* our own cgroup, NULL: not known or not in this tree */
	uint64_t scan;
	struct memcg **memcgs;  /* of this scan, in walking order */
	struct memcg **by_path; /* the same, sorted */
	struct memcg **by_id;   /* those of the former scan, sorted */
	size_t n_memcgs, n_by_id;
	size_t capacity; /* of each of the three */
};

struct walk {
	struct hierarchy *hierarchy;
	const struct config *config;
	uint64_t now_usec;
	char path[PATH_MAX];
};

static int compare_ids(const void *a, const void *b)
{
	uint64_t x = (*(struct memcg *const *)a)->id, y = (*(struct memcg *const *)b)->id;

	return x < y ? -1 : x > y;
}

static int compare_paths(const void *a, const void *b)
{
	return strcmp((*(struct memcg *const *)a)->path, (*(struct memcg *const *)b)->path);
}

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

/* Our own path inside the hierarchy: the line "0::PATH" of /proc/self/cgroup. */
static char *find_own_path(void)
{
	char text[8192];
	char *line, *end;

	if (file_read_at(AT_FDCWD, "/proc/self/cgroup", text, sizeof(text)) < 0)
		return NULL;
	line = strncmp(text, "0::", 3) == 0 ? text : strstr(text, "\n0::");
	if (!line)
		return NULL;
	line = strchr(line, '/');
	if (!line)
		return NULL;
	end = strchrnul(line, '\n');
	return strndup(line, (size_t)(end - line));
}

struct hierarchy *hierarchy_close(struct hierarchy *hierarchy)
{
	if (!hierarchy)
		return NULL;
	for (size_t i = 0; i < hierarchy->n_memcgs; i++)
		memcg_free(hierarchy->memcgs[i]);
	free(hierarchy->memcgs);
	free(hierarchy->by_id);
	free(hierarchy->by_path);
	free(hierarchy->own_path);
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
	*ret_why = "the cgroup file system cannot be opened";
	if (root[0] == '\0' || strcmp(root, "/") == 0) {
		r = find_mount(path, sizeof(path), ret_why);
		if (r < 0)
			return r;
		hierarchy->own_path = find_own_path();
	} else if ((size_t)snprintf(path, sizeof(path), "%s/sys/fs/cgroup", root) >= sizeof(path)) {
		return -ENAMETOOLONG;
	}
	hierarchy->root_fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (hierarchy->root_fd < 0)
		return errno == ENOENT ? -ENODEV : -errno;
	r = file_read_at(hierarchy->root_fd, "cgroup.controllers", controllers,
			 sizeof(controllers));
	if (r < 0 || !strstr(controllers, "memory")) {
		*ret_why = "there is no cgroup v2 hierarchy with the memory controller";
		return -ENODEV;
	}
	hierarchy->live = fstatfs(hierarchy->root_fd, &fs) == 0 && fs.f_type == CGROUP2_SUPER_MAGIC;
	*ret = TAKE_PTR(hierarchy);
	return 0;
}

bool hierarchy_is_live(const struct hierarchy *hierarchy)
{
	return hierarchy->live;
}

/* --- what is in it */

static bool is_omitted(const struct hierarchy *hierarchy, const char *path, int dir_fd)
{
	char value[8];

	if (strcmp(path, "/") == 0 || strcmp(path, "/init.scope") == 0)
		return true;
	if (hierarchy->own_path && strcmp(path, hierarchy->own_path) == 0)
		return true;
	return fgetxattr(dir_fd, OMIT_XATTR, value, sizeof(value)) == 1 && value[0] == '1';
}

static struct memcg *find_by_id(const struct hierarchy *hierarchy, uint64_t id)
{
	struct memcg key = {.id = id}, *key_ptr = &key, **found;

	if (hierarchy->n_by_id == 0)
		return NULL;
	found = bsearch(&key_ptr, hierarchy->by_id, hierarchy->n_by_id, sizeof(*hierarchy->by_id),
			compare_ids);
	return found ? *found : NULL;
}

static int grow(struct memcg ***array, size_t capacity)
{
	struct memcg **grown = reallocarray(*array, capacity, sizeof(**array));

	if (!grown)
		return -ENOMEM;
	*array = grown;
	return 0;
}

/* Makes room in all three arrays at once, so that a scan cannot fail after its walk. */
static int append(struct hierarchy *hierarchy, struct memcg *memcg)
{
	if (hierarchy->n_memcgs == hierarchy->capacity) {
		size_t capacity = hierarchy->capacity ? 2 * hierarchy->capacity : 64;

		if (grow(&hierarchy->memcgs, capacity) < 0 ||
		    grow(&hierarchy->by_path, capacity) < 0 ||
		    grow(&hierarchy->by_id, capacity) < 0)
			return -ENOMEM;
		hierarchy->capacity = capacity;
	}
	memcg->index = hierarchy->n_memcgs;
	hierarchy->memcgs[hierarchy->n_memcgs++] = memcg;
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
	memcg = find_by_id(hierarchy, st.st_ino);
	/* A fixture tree may hold hard links; and a renamed cgroup is a new one to the administrator. */
	if (memcg && (memcg->scan == hierarchy->scan || strcmp(memcg->path, walk->path) != 0))
		memcg = NULL;
	if (!memcg) {
		r = memcg_new(st.st_ino, walk->path, TAKE_FD(owned_fd), &memcg);
		if (r < 0)
			return r;
		memcg->first_seen_usec = walk->now_usec;
		memcg->class_index = config_classify(walk->config, memcg->path, NULL);
	}
	r = append(hierarchy, memcg);
	if (r < 0) {
		if (memcg->scan == MEMCG_VANISHED)
			memcg_free(memcg);
		return r;
	}
	memcg->scan = hierarchy->scan;
	memcg->omitted = is_omitted(hierarchy, memcg->path, memcg->dir_fd);
	memcg->parent = parent;
	memcg->leaf = true;
	if (parent)
		parent->leaf = false;
	*ret = memcg;
	return 0;
}

static int walk_children(struct walk *walk, int dir_fd, struct memcg *parent, unsigned depth);

static int walk_child(struct walk *walk, int dir_fd, const char *name, struct memcg *parent,
		      unsigned depth)
{
	size_t len = strlen(walk->path);
	struct memcg *memcg;
	int child_fd, r;

	child_fd = openat(dir_fd, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (child_fd < 0)
		return memcg_is_gone_errno(-errno) ? 0 : -errno;
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
		r = walk_children(walk, memcg->dir_fd, memcg, depth + 1);
	walk->path[len] = '\0';
	return memcg_is_gone_errno(r) ? 0 : r;
}

static int walk_children(struct walk *walk, int dir_fd, struct memcg *parent, unsigned depth)
{
	int fd = openat(dir_fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	struct dirent *entry;
	DIR *dir;
	int r = 0;

	if (fd < 0)
		return -errno;
	dir = fdopendir(fd);
	if (!dir) {
		r = -errno;
		close(fd);
		return r;
	}
	while (depth < DEPTH_MAX && r >= 0 && (entry = readdir(dir)))
		if (entry->d_type == DT_DIR && strcmp(entry->d_name, ".") != 0 &&
		    strcmp(entry->d_name, "..") != 0)
			r = walk_child(walk, dir_fd, entry->d_name, parent, depth);
	closedir(dir);
	return r;
}

static void sort_copy(const struct hierarchy *hierarchy, struct memcg **to,
		      int (*compare)(const void *, const void *))
{
	if (hierarchy->n_memcgs == 0)
		return;
	memcpy(to, hierarchy->memcgs, hierarchy->n_memcgs * sizeof(*to));
	qsort(to, hierarchy->n_memcgs, sizeof(*to), compare);
}

/* Frees the memcgs of the former scan that this one did not find. One with a write under way is kept
 * alive by the write's owner and found gone there; here it is only forgotten. */
static void drop_vanished(struct hierarchy *hierarchy)
{
	for (size_t i = 0; i < hierarchy->n_by_id; i++) {
		struct memcg *memcg = hierarchy->by_id[i];

		if (memcg->scan == hierarchy->scan)
			continue;
		if (memcg->references == 0)
			memcg_free(memcg);
		else
			memcg->scan = MEMCG_VANISHED;
	}
}

int hierarchy_scan(struct hierarchy *hierarchy, const struct config *config, uint64_t now_usec)
{
	struct walk walk = {
		.hierarchy = hierarchy,
		.config = config,
		.now_usec = now_usec,
		.path = "/",
	};
	struct memcg *root;
	int fd, r;

	sort_copy(hierarchy, hierarchy->by_id, compare_ids);
	hierarchy->n_by_id = hierarchy->n_memcgs;
	hierarchy->n_memcgs = 0;
	hierarchy->scan++;

	fd = openat(hierarchy->root_fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	r = fd < 0 ? -errno : enter(&walk, fd, NULL, &root);
	if (r >= 0)
		r = walk_children(&walk, hierarchy->root_fd, root, 0);
	drop_vanished(hierarchy);
	sort_copy(hierarchy, hierarchy->by_path, compare_paths);
	return r;
}

void hierarchy_classify(struct hierarchy *hierarchy, const struct config *config)
{
	for (size_t i = 0; i < hierarchy->n_memcgs; i++)
		hierarchy->memcgs[i]->class_index =
			config_classify(config, hierarchy->memcgs[i]->path, NULL);
}

struct memcg *const *hierarchy_memcgs(const struct hierarchy *hierarchy, size_t *ret_n)
{
	*ret_n = hierarchy->n_memcgs;
	return hierarchy->memcgs;
}

uint64_t hierarchy_scan_number(const struct hierarchy *hierarchy)
{
	return hierarchy->scan;
}

struct memcg *hierarchy_find(const struct hierarchy *hierarchy, const char *path, size_t len)
{
	size_t low = 0, high = hierarchy->n_memcgs;

	while (low < high) {
		size_t middle = low + (high - low) / 2;
		struct memcg *memcg = hierarchy->by_path[middle];
		int order = strncmp(memcg->path, path, len);

		if (order == 0 && memcg->path[len])
			order = 1;
		if (order == 0)
			return memcg;
		if (order < 0)
			low = middle + 1;
		else
			high = middle;
	}
	return NULL;
}
