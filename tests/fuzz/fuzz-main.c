/* SPDX-License-Identifier: MIT */
/*
 * Replays inputs through a fuzz target without a fuzzer: files, and directories with all in them,
 * given as arguments. So gcc and `make check` run the corpus, and a crash found elsewhere can be
 * looked at. Exit: 0, 1 when an input cannot be read, or abort() out of the target.
 */
#include "macro.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdint.h>
#include <string.h>
#include <sys/stat.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static int replay_file(const char *path)
{
	_cleanup_file_ FILE *f = fopen(path, "re");
	_cleanup_free_ uint8_t *data = NULL;
	struct stat st;
	size_t size;

	if (!f || fstat(fileno(f), &st) < 0)
		return -errno;
	size = (size_t)st.st_size;
	data = malloc(size ? size : 1);
	if (!data)
		return -ENOMEM;
	if (fread(data, 1, size, f) != size)
		return -EIO;
	LLVMFuzzerTestOneInput(data, size);
	return 0;
}

static int replay(const char *path);

static int replay_directory(const char *path)
{
	char name[PATH_MAX];
	struct dirent *entry;
	int r = 0, error;
	DIR *d = opendir(path);

	if (!d)
		return -errno;
	while ((entry = readdir(d))) {
		if (entry->d_name[0] == '.')
			continue;
		if (snprintf(name, sizeof(name), "%s/%s", path, entry->d_name) >= (int)sizeof(name))
			error = -ENAMETOOLONG;
		else
			error = replay(name);
		r = r < 0 ? r : error;
	}
	closedir(d);
	return r;
}

static int replay(const char *path)
{
	struct stat st;

	if (stat(path, &st) < 0)
		return -errno;
	return S_ISDIR(st.st_mode) ? replay_directory(path) : replay_file(path);
}

int main(int argc, char **argv)
{
	int result = 0;

	for (int i = 1; i < argc; i++) {
		int r = replay(argv[i]);

		if (r < 0) {
			fprintf(stderr, "%s: %s\n", argv[i], strerror(-r));
			result = 1;
		}
	}
	return result;
}
