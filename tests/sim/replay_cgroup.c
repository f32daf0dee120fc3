/* SPDX-License-Identifier: MIT */
#include "replay_cgroup.h"
#include "arith.h"

#include <err.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define ROOT     "/sys/fs/cgroup"
#define LRU_GEN  "/sys/kernel/debug/lru_gen"
#define TEXT_MAX (1 << 20)

static const char *read_text(const char *path)
{
	static char text[TEXT_MAX];
	size_t length = 0;
	ssize_t n;
	int fd = open(path, O_RDONLY | O_CLOEXEC);

	if (fd < 0)
		err(1, "%s", path);
	while ((n = read(fd, text + length, sizeof(text) - 1 - length)) > 0)
		length += (size_t)n;
	close(fd);
	text[length] = '\0';
	return text;
}

/* True if the kernel took it. */
static bool write_text(const char *path, const char *format, ...)
{
	char text[256];
	va_list arguments;
	ssize_t n;
	int fd;

	va_start(arguments, format);
	vsnprintf(text, sizeof(text), format, arguments);
	va_end(arguments);
	fd = open(path, O_WRONLY | O_CLOEXEC);
	if (fd < 0)
		err(1, "%s", path);
	n = write(fd, text, strlen(text));
	close(fd);
	return n >= 0;
}

/* In static memory, until the next call. */
static const char *file_of(const char *directory, const char *name)
{
	static char *path;

	free(path);
	if (asprintf(&path, "%s/%s", directory, name) < 0)
		err(1, "memory");
	return path;
}

static uint64_t number_after(const char *text, const char *key)
{
	const char *at = strstr(text, key);

	if (!at)
		errx(1, "no%s", key);
	return strtoull(at + strlen(key), NULL, 10);
}

void real_cgroup_make(struct real_cgroup *ret, const char *parent, const char *name,
		      uint64_t max_pages)
{
	if (!write_text(file_of(parent, "cgroup.subtree_control"), "+memory"))
		err(1, "%s", parent);
	ret->max_pages = max_pages;
	ret->path = strdup(file_of(parent, name));
	if (!ret->path || mkdir(ret->path, 0755) < 0)
		err(1, "%s/%s", parent, name);
}

void real_cgroup_remove(struct real_cgroup *cgroup)
{
	if (rmdir(cgroup->path) < 0)
		err(1, "%s", cgroup->path);
	free(cgroup->path);
}

void real_cgroup_enter(const struct real_cgroup *cgroup)
{
	if (!write_text(file_of(cgroup->path, "cgroup.procs"), "0"))
		err(1, "%s", cgroup->path);
}

void real_cgroup_limit(const struct real_cgroup *cgroup)
{
	uint64_t bytes;

	if (cgroup->max_pages == SAMPLE_INFINITY)
		return;
	bytes = number_after(read_text(file_of(cgroup->path, "memory.stat")), "\nkernel ");
	bytes += cgroup->max_pages * KERNEL_PAGE_BYTES;
	if (!write_text(file_of(cgroup->path, "memory.max"), "%llu", (unsigned long long)bytes))
		err(1, "memory.max of %s", cgroup->path);
}

/* --- commands */

/* The memcg's number and its oldest and youngest generation; false without generations. */
static bool find_generations(const struct real_cgroup *cgroup, uint64_t *ret_id, uint64_t *ret_min,
			     uint64_t *ret_max)
{
	const char *text = read_text(LRU_GEN), *at, *end;
	unsigned long long seq;
	char line_end[300];

	snprintf(line_end, sizeof(line_end), " %s\n", cgroup->path + strlen(ROOT));
	at = strstr(text, line_end);
	if (!at)
		return false;
	end = at + strlen(line_end);
	while (at > text && at[-1] != '\n')
		at--;
	*ret_id = number_after(at, "memcg ");
	at = strchr(end, '\n'); /* the line of the node; generations follow, the oldest first */
	*ret_min = UINT64_MAX;
	*ret_max = 0;
	while (at && sscanf(++at, " %llu", &seq) == 1) {
		*ret_min = min_u64(*ret_min, seq);
		*ret_max = seq;
		at = strchr(at, '\n');
	}
	return *ret_max > 0;
}

void real_cgroup_command(const struct real_cgroup *cgroup, const struct blind *blind)
{
	uint64_t id, min, max;

	if (blind->reclaim_pages)
		write_text(file_of(cgroup->path, "memory.reclaim"), "%llu",
			   (unsigned long long)blind->reclaim_pages * KERNEL_PAGE_BYTES);
	else if (!find_generations(cgroup, &id, &min, &max))
		errx(1, "no generations of %s", cgroup->path);
	else if (blind->evict_pages)
		write_text(LRU_GEN, "- %llu 0 %llu %d %u", (unsigned long long)id,
			   (unsigned long long)min, BLIND_SWAPPINESS, blind->evict_pages);
	else if (!(blind->keep && max - min + 1 >= GENS))
		write_text(LRU_GEN, "+ %llu 0 %llu %d %d", (unsigned long long)id,
			   (unsigned long long)max, BLIND_SWAPPINESS, blind->force);
}

void real_cgroup_count(const struct real_cgroup *cgroup, struct counters *sums)
{
	const char *text = read_text(file_of(cgroup->path, "memory.stat"));
	uint64_t id, min, max;

	sums->refaults += number_after(text, "\nworkingset_refault_anon ") +
			  number_after(text, "\nworkingset_refault_file ");
	sums->pgscan += number_after(text, "\npgscan ");
	sums->pgsteal += number_after(text, "\npgsteal ");
	if (find_generations(cgroup, &id, &min, &max))
		sums->max_seq += max;
}
