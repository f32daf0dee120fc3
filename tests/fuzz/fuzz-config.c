/* SPDX-License-Identifier: MIT */
/*
 * Any bytes as a configuration file, through the line reader, inih and the checks. What loads must
 * be within the rules, load again from what is written out, and be written out the same again.
 */
#include "../../agent/config.h"

#include "cgroup_match.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static struct config *load(int fd, struct config_error *error)
{
	struct config *config = NULL;
	char path[64];

	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	return config_load("", path, &config, error) == 0 ? config : NULL;
}

/* Written to fd from its start, with the origins taken out: they differ. */
static char *dump(const struct config *config, size_t *ret_len)
{
	char *text = NULL, *to, *line, *next;
	FILE *f = open_memstream(&text, ret_len);

	if (!f)
		abort();
	config_dump(config, f);
	fclose(f);
	for (line = to = text; *line; line = next) {
		next = strchr(line, '\n') + 1;
		if (*line == '#')
			continue;
		memmove(to, line, (size_t)(next - line));
		to += next - line;
	}
	*to = '\0';
	*ret_len = (size_t)(to - text);
	return text;
}

static int memory_file(const void *data, size_t size)
{
	int fd = memfd_create("fuzz-config", MFD_CLOEXEC);

	if (fd < 0 || write(fd, data, size) != (ssize_t)size)
		abort();
	return fd;
}

static void check(struct config *config)
{
	struct config_error error = {""};
	size_t len, len_again;
	char *text = dump(config, &len), *text_again;
	int fd = memory_file(text, len);
	struct config *again = load(fd, &error);

	if (!again || params_check(&config->policy))
		abort();
	text_again = dump(again, &len_again);
	if (len != len_again || memcmp(text, text_again, len) != 0)
		abort();
	for (size_t i = 0; i < config->n_matches; i++) {
		const char *pattern = config->matches[i].pattern;

		if (cgroup_match_check(pattern))
			abort();
		config_classify(config, pattern, NULL);
		if (pattern[0] == '/' && !strpbrk(pattern, "*?[") &&
		    !cgroup_match_fits(pattern, pattern))
			abort();
	}
	close(fd);
	free(text);
	free(text_again);
	config_free(again);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct config_error error = {""};
	int fd = memory_file(data, size);
	struct config *config = load(fd, &error);

	if (config)
		check(config);
	else if (!error.text[0])
		abort();
	config_free(config);
	close(fd);
	return 0;
}
