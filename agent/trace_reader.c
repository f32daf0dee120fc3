/* SPDX-License-Identifier: MIT */
/*
 * Reads a trace, tick by tick.
 */
#include "trace_reader.h"
#include "array.h"
#include "macro.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>

void trace_reader_done(struct trace_reader *reader)
{
	trace_parse_done(&reader->parse);
	config_free(reader->config);
	free(reader->text);
	*reader = (struct trace_reader){0};
}

static int fail(struct trace_reader *reader, int r, const char *why)
{
	snprintf(reader->error, sizeof(reader->error), "%s:%ju: %s", reader->name,
		 (uintmax_t)reader->line, why);
	return r;
}

/* The next line without its end; its length, 0 at the end of the file, or an error. */
static ssize_t read_line(struct trace_reader *reader)
{
	size_t len = 0;
	int c;

	reader->line++;
	while ((c = getc_unlocked(reader->file)) != EOF && c != '\n') {
		if (len == TRACE_LINE_BYTES_MAX)
			return fail(reader, -EINVAL, "a line longer than any of a trace");
		if (array_reserve(reader->text, reader->capacity, len + 1) < 0)
			return fail(reader, -ENOMEM, strerror(ENOMEM));
		reader->text[len++] = (char)c;
	}
	if (ferror(reader->file))
		return fail(reader, -EIO, strerror(EIO));
	if (c == EOF && len > 0)
		return fail(reader, -EINVAL, "cut off");
	if (c != EOF && len == 0)
		return fail(reader, -EINVAL, "empty");
	return (ssize_t)len;
}

int trace_config_load(const char *text, struct config **ret, struct config_error *error)
{
	_cleanup_close_ int fd = memfd_create("trace-config", MFD_CLOEXEC);
	size_t len = strlen(text);
	char path[64];

	if (fd < 0 || write(fd, text, len) != (ssize_t)len) {
		snprintf(error->text, sizeof(error->text), "%s", strerror(errno));
		return -EIO;
	}
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	return config_load("", path, ret, error);
}

static int load_config(struct trace_reader *reader)
{
	struct config_error error = {""};
	struct config *config;
	char why[400];
	int r = trace_config_load(reader->parse.config, &config, &error);

	if (r < 0) {
		snprintf(why, sizeof(why), "its configuration: %.300s",
			 strrchr(error.text, '/') ? strrchr(error.text, '/') + 1 : error.text);
		return fail(reader, r, why);
	}
	config_free(reader->config);
	reader->config = config;
	reader->n_configs++;
	return 0;
}

static int check_tick(struct trace_reader *reader)
{
	const char *why;

	why = trace_frame_check(&reader->parse.frame, reader->config->policy.n_classes);
	return why ? fail(reader, -EINVAL, why) : 1;
}

int trace_reader_next(struct trace_reader *reader)
{
	for (;;) {
		ssize_t len = read_line(reader);
		int r;

		if (len < 0)
			return (int)len;
		if (len == 0)
			return reader->parse.begun ? 0 : fail(reader, -EINVAL, "no trace: empty");
		r = trace_parse(&reader->parse, reader->text, (size_t)len);
		if (r < 0)
			return fail(reader, r, r == -ENOMEM ? strerror(ENOMEM) : reader->parse.why);
		if (r == TRACE_LINE_TICK)
			return check_tick(reader);
		if (!reader->parse.begun)
			return fail(reader, -EINVAL, "no header before it");
		r = load_config(reader);
		if (r < 0)
			return r;
	}
}
