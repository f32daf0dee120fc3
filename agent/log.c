/* SPDX-License-Identifier: MIT */
/*
 * The journal, or stderr. The journal is used when $JOURNAL_STREAM names the very file that stderr
 * is, as systemd.exec(5) describes.
 */
#include "log.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdbool.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/uio.h>
#define SD_JOURNAL_SUPPRESS_LOCATION
#include <systemd/sd-journal.h>

#define LINE_MAX_BYTES 1024

static const char *const levels[] = {
	[LOG_EMERG] = "emerg", [LOG_ALERT] = "alert",     [LOG_CRIT] = "crit",
	[LOG_ERR] = "err",     [LOG_WARNING] = "warning", [LOG_NOTICE] = "notice",
	[LOG_INFO] = "info",   [LOG_DEBUG] = "debug",
};

static bool to_journal;
static int journal_level = LOG_DEBUG, stderr_level = LOG_NOTICE;

void log_open(void)
{
	const char *stream = getenv("JOURNAL_STREAM");
	const char *level = getenv("SYSTEMD_LOG_LEVEL");
	uintmax_t device, inode;
	struct stat st;

	to_journal = stream && sscanf(stream, "%" SCNuMAX ":%" SCNuMAX, &device, &inode) == 2 &&
		     fstat(STDERR_FILENO, &st) == 0 && st.st_dev == device && st.st_ino == inode;
	if (level && (strcmp(level, "debug") == 0 || strcmp(level, "7") == 0))
		stderr_level = LOG_DEBUG;
}

const char *log_level(void)
{
	return levels[to_journal ? journal_level : stderr_level];
}

int log_set_level(const char *level)
{
	for (size_t i = 0; i < ARRAY_SIZE(levels); i++)
		if (strcmp(levels[i], level) == 0) {
			*(to_journal ? &journal_level : &stderr_level) = (int)i;
			return 0;
		}
	return -EINVAL;
}

const char *log_target(void)
{
	return to_journal ? "journal" : "console";
}

int log_set_target(const char *target)
{
	if (strcmp(target, "journal") != 0 && strcmp(target, "console") != 0)
		return -EINVAL;
	to_journal = strcmp(target, "journal") == 0;
	return 0;
}

/* A field of the entry, whole: people look for cgroups by their names. Without memory it is left
 * out. */
static void put_field(struct iovec *entry, int *n, const char *format, ...) _printf_(3, 4);

static void put_field(struct iovec *entry, int *n, const char *format, ...)
{
	char *text;
	va_list ap;
	int len;

	va_start(ap, format);
	len = vasprintf(&text, format, ap);
	va_end(ap);
	if (len >= 0)
		entry[(*n)++] = (struct iovec){text, (size_t)len};
}

static void put(int priority, const char *message_id, const char *line,
		const struct log_field *fields, size_t n_fields)
{
	struct iovec entry[3 + LOG_FIELDS_MAX];
	int n = 0;

	if (priority > (to_journal ? journal_level : stderr_level))
		return;
	if (!to_journal) {
		fprintf(stderr, LOG_IDENTIFIER ": %s\n", line);
		return;
	}
	put_field(entry, &n, "MESSAGE=%s", line);
	put_field(entry, &n, "PRIORITY=%i", priority);
	if (message_id)
		put_field(entry, &n, "MESSAGE_ID=%s", message_id);
	for (size_t i = 0; i < n_fields && i < LOG_FIELDS_MAX; i++) {
		if (fields[i].text)
			put_field(entry, &n, "FGRECLAIM_%s=%s", fields[i].key, fields[i].text);
		else
			put_field(entry, &n, "FGRECLAIM_%s=%" PRIu64, fields[i].key,
				  fields[i].number);
	}
	sd_journal_sendv(entry, n);
	while (n > 0)
		free(entry[--n].iov_base);
}

static void put_formatted(int priority, const char *message_id, const struct log_field *fields,
			  size_t n_fields, const char *format, va_list ap)
{
	char line[LINE_MAX_BYTES];
	int saved_errno = errno;

	vsnprintf(line, sizeof(line), format, ap);
	put(priority, message_id, line, fields, n_fields);
	errno = saved_errno;
}

void log_event(int priority, const char *message_id, const char *format, ...)
{
	va_list ap;

	va_start(ap, format);
	put_formatted(priority, message_id, NULL, 0, format, ap);
	va_end(ap);
}

void log_fields(int priority, const char *message_id, const struct log_field *fields,
		size_t n_fields, const char *format, ...)
{
	va_list ap;

	va_start(ap, format);
	put_formatted(priority, message_id, fields, n_fields, format, ap);
	va_end(ap);
}

void log_action(const char *cgroup, const char *reason, uint64_t bytes, uint64_t took_usec,
		const char *format, ...)
{
	const struct log_field fields[] = {
		{.key = "CGROUP", .text = cgroup},
		{.key = "REASON", .text = reason},
		{.key = "BYTES", .number = bytes},
		{.key = "TOOK_USEC", .number = took_usec},
	};
	char line[LINE_MAX_BYTES];
	int saved_errno = errno;
	va_list ap;

	va_start(ap, format);
	vsnprintf(line, sizeof(line), format, ap);
	va_end(ap);
	put(LOG_DEBUG, NULL, line, fields, ARRAY_SIZE(fields));
	errno = saved_errno;
}
