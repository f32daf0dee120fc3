/* SPDX-License-Identifier: MIT */
/*
 * The file: a line that names it and its version, and a line of numbers, the hour since the epoch and
 * the bytes of that hour and of those before. It is not synced to the disk: the loop must not wait
 * for one, and who loses power loses an hour's count, not a drive.
 */
#include "swap_writes.h"
#include "clock.h"
#include "file.h"
#include "log.h"
#include "macro.h"
#include "parse.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <string.h>

#define NAME     "swap-writes"
#define HEADER   "fgreclaim-swap-writes 1\n"
#define TEXT_MAX 1024

#define SAVE_USEC UINT64_C(60000000)

static int path_of(const struct swap_writes *writes, const char *name, char path[PATH_MAX])
{
	return snprintf(path, PATH_MAX, "%s/%s", writes->folder, name) < PATH_MAX ? 0
										  : -ENAMETOOLONG;
}

static int parse(char *text, struct swap_budget *ret)
{
	struct swap_budget budget;
	char *rest = text + strlen(HEADER), *word;
	uint64_t *numbers[1 + SWAP_BUDGET_HOURS] = {&budget.hour};

	if (strncmp(text, HEADER, strlen(HEADER)) != 0 || !*rest || rest[strlen(rest) - 1] != '\n')
		return -EINVAL;
	rest[strlen(rest) - 1] = '\0';
	for (size_t i = 0; i < SWAP_BUDGET_HOURS; i++)
		numbers[1 + i] = &budget.written_bytes[i];
	for (size_t i = 0; i < ARRAY_SIZE(numbers); i++) {
		word = strsep(&rest, " ");
		if (!word || parse_u64(word, numbers[i]) < 0)
			return -EINVAL;
	}
	if (rest)
		return -EINVAL;
	*ret = budget;
	return 0;
}

void swap_writes_open(struct swap_writes *ret, const char *folder)
{
	char path[PATH_MAX], text[TEXT_MAX];
	int r;

	*ret = (struct swap_writes){.folder = folder};
	if (!folder)
		return;
	r = path_of(ret, NAME, path);
	if (r >= 0)
		r = file_read_at(AT_FDCWD, path, text, sizeof(text));
	if (r == -ENOENT)
		return;
	if (r >= 0)
		r = (size_t)r == strlen(text) ? parse(text, &ret->budget) : -EINVAL;
	if (r < 0)
		log_warning(
			"%s/" NAME ": %s; what was swapped to a disk today is not known", folder,
			r == -EINVAL || r == -E2BIG ? "not a file of this version" : strerror(-r));
}

uint64_t swap_writes_book(struct swap_writes *writes, uint64_t bytes)
{
	uint64_t now_usec = clock_usec(CLOCK_REALTIME);

	if (bytes > 0) {
		swap_budget_book(&writes->budget, now_usec, bytes);
		writes->changed = true;
	}
	return swap_budget_written_bytes(&writes->budget, now_usec);
}

uint64_t swap_writes_follow(struct swap_writes *writes, uint64_t total_bytes)
{
	uint64_t bytes = total_bytes - writes->total_bytes;

	writes->total_bytes = total_bytes;
	return swap_writes_book(writes, bytes);
}

static int save(const struct swap_writes *writes)
{
	char path[PATH_MAX], new_path[PATH_MAX];
	_cleanup_file_ FILE *f = NULL;

	if (path_of(writes, NAME, path) < 0 || path_of(writes, NAME ".new", new_path) < 0)
		return -ENAMETOOLONG;
	f = fopen(new_path, "we");
	if (!f)
		return -errno;
	fprintf(f, HEADER "%" PRIu64, writes->budget.hour);
	for (size_t i = 0; i < SWAP_BUDGET_HOURS; i++)
		fprintf(f, " %" PRIu64, writes->budget.written_bytes[i]);
	fputc('\n', f);
	if (fflush(f) != 0 || rename(new_path, path) < 0)
		return -errno;
	return 0;
}

void swap_writes_save(struct swap_writes *writes, bool at_end)
{
	uint64_t now_usec = clock_usec(CLOCK_MONOTONIC);
	int r;

	if (!writes->folder || !writes->changed ||
	    (!at_end && writes->saved_usec && now_usec - writes->saved_usec < SAVE_USEC))
		return;
	writes->saved_usec = now_usec;
	r = save(writes);
	if (r >= 0)
		writes->changed = false;
	else if (!writes->failed)
		log_warning("%s/" NAME ": %s; WriteBudget= will start anew after a restart",
			    writes->folder, strerror(-r));
	writes->failed = r < 0;
}
