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
#define SD_JOURNAL_SUPPRESS_LOCATION
#include <systemd/sd-journal.h>

#define LINE_MAX_BYTES 1024

static bool to_journal;
static int stderr_level = LOG_NOTICE;

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

static void to_stderr(int priority, const char *line)
{
	if (priority <= stderr_level)
		fprintf(stderr, "fgreclaimd: %s\n", line);
}

void log_event(int priority, const char *message_id, const char *format, ...)
{
	char line[LINE_MAX_BYTES], id[64];
	int saved_errno = errno;
	va_list ap;

	va_start(ap, format);
	vsnprintf(line, sizeof(line), format, ap);
	va_end(ap);
	snprintf(id, sizeof(id), "MESSAGE_ID=%s", message_id ? message_id : "");
	if (!to_journal)
		to_stderr(priority, line);
	else if (message_id)
		sd_journal_send("MESSAGE=%s", line, "PRIORITY=%i", priority, "%s", id, NULL);
	else
		sd_journal_send("MESSAGE=%s", line, "PRIORITY=%i", priority, NULL);
	errno = saved_errno;
}

void log_action(const char *cgroup, const char *reason, uint64_t bytes, const char *format, ...)
{
	char line[LINE_MAX_BYTES];
	int saved_errno = errno;
	va_list ap;

	va_start(ap, format);
	vsnprintf(line, sizeof(line), format, ap);
	va_end(ap);
	if (to_journal)
		sd_journal_send("MESSAGE=%s", line, "PRIORITY=%i", LOG_DEBUG, "FGRECLAIM_CGROUP=%s",
				cgroup, "FGRECLAIM_REASON=%s", reason, "FGRECLAIM_BYTES=%" PRIu64,
				bytes, NULL);
	else
		to_stderr(LOG_DEBUG, line);
	errno = saved_errno;
}
