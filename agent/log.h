/* SPDX-License-Identifier: MIT */
/*
 * Log lines for people, with fields for machines. Goes to the journal when stderr is connected to
 * it, else to stderr.
 *
 * Three levels only: warning and notice for changes in the state of the daemon or the host, debug
 * for each action. $SYSTEMD_LOG_LEVEL=debug shows the latter on stderr too; the journal gets all, unless
 * told otherwise while the agent runs.
 */
#ifndef FGRECLAIM_LOG_H
#define FGRECLAIM_LOG_H

#include "macro.h"

#include <stdint.h>
#include <syslog.h>

void log_open(void);

/* What entries are known by. */
#define LOG_IDENTIFIER "fgreclaimd"

/* The least urgent level that is logged where it is logged to, by its name in syslog.conf(5), and this
 * place: "journal" or "console", which is stderr. To set them: -EINVAL: there is no such. */
const char *log_level(void);
int log_set_level(const char *level);
const char *log_target(void);
int log_set_target(const char *target);

/* message_id: one of messages.h, or NULL. */
void log_event(int priority, const char *message_id, const char *format, ...) _printf_(3, 4);

/* A field of a journal entry; on stderr there is the line alone. */
struct log_field {
	const char *key;  /* without the "FGRECLAIM_" that all have in front */
	const char *text; /* NULL: the number is it */
	uint64_t number;
};
#define LOG_FIELDS_MAX 8

/* The same with fields, LOG_FIELDS_MAX at most. */
void log_fields(int priority, const char *message_id, const struct log_field *fields,
		size_t n_fields, const char *format, ...) _printf_(5, 6);

/* What was done to a cgroup, after the fact: bytes is what was measured, and how long it took. At
 * debug. */
void log_action(const char *cgroup, const char *reason, uint64_t bytes, uint64_t took_usec,
		const char *format, ...) _printf_(5, 6);

#define log_warning(...) log_event(LOG_WARNING, NULL, __VA_ARGS__)
#define log_notice(...)  log_event(LOG_NOTICE, NULL, __VA_ARGS__)
#define log_debug(...)   log_event(LOG_DEBUG, NULL, __VA_ARGS__)

#endif
