/* SPDX-License-Identifier: MIT */
/*
 * The journal of original values: a line with the version, one for each cgroup, and one that says how
 * many there were, without which the file is not whole.
 */
#include "protect_journal.h"
#include "array.h"
#include "macro.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define VERSION_LINE "fgreclaim-protect 1\n"
#define END_WORD     "end "

void protect_journal_done(struct protect_journal *journal)
{
	for (size_t i = 0; i < journal->n; i++)
		free(journal->entries[i].path);
	free(journal->entries);
	*journal = (struct protect_journal){0};
}

int protect_journal_add(struct protect_journal *journal, const struct protect_entry *entry)
{
	char *path = strdup(entry->path);

	if (!path || array_reserve(journal->entries, journal->capacity, journal->n + 1) < 0) {
		free(path);
		return -ENOMEM;
	}
	journal->entries[journal->n] = *entry;
	journal->entries[journal->n++].path = path;
	return 0;
}

static int write_text(FILE *f, const struct protect_journal *journal)
{
	fputs(VERSION_LINE, f);
	for (size_t i = 0; i < journal->n; i++) {
		const struct protect_entry *entry = &journal->entries[i];

		/* The kernel lets no newline into a path. */
		fprintf(f, "%" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 " %s\n", entry->id,
			entry->original_bytes, entry->former_bytes, entry->next_bytes, entry->path);
	}
	fprintf(f, END_WORD "%zu\n", journal->n);
	return fflush(f) != 0 || ferror(f) ? -EIO : 0;
}

int protect_journal_write(const char *path, const struct protect_journal *journal)
{
	_cleanup_free_ char *fresh = NULL;
	FILE *f;
	int r;

	if (journal->n == 0)
		return unlink(path) < 0 && errno != ENOENT ? -errno : 0;
	if (asprintf(&fresh, "%s.new", path) < 0) {
		fresh = NULL;
		return -ENOMEM;
	}
	f = fopen(fresh, "we");
	if (!f)
		return -errno;
	r = write_text(f, journal);
	fclose(f);
	/* A crash of ours alone has to be outlived: where the host goes, so do its cgroups. */
	if (r >= 0 && rename(fresh, path) < 0)
		r = -errno;
	if (r < 0)
		unlink(fresh);
	return r;
}

static int read_entry(struct protect_journal *journal, char *line)
{
	struct protect_entry entry;
	int at = 0;

	line[strcspn(line, "\n")] = '\0';
	if (sscanf(line, "%" SCNu64 " %" SCNu64 " %" SCNu64 " %" SCNu64 " %n", &entry.id,
		   &entry.original_bytes, &entry.former_bytes, &entry.next_bytes, &at) != 4 ||
	    at == 0 || line[at] != '/')
		return -EBADMSG;
	entry.path = line + at;
	return protect_journal_add(journal, &entry);
}

static int read_text(FILE *f, struct protect_journal *journal)
{
	_cleanup_free_ char *line = NULL;
	size_t capacity = 0, n;
	int r;

	if (getline(&line, &capacity, f) < 0 || strcmp(line, VERSION_LINE) != 0)
		return -EBADMSG;
	while (getline(&line, &capacity, f) >= 0) {
		if (sscanf(line, END_WORD "%zu", &n) == 1)
			return n == journal->n ? 0 : -EBADMSG;
		r = read_entry(journal, line);
		if (r < 0)
			return r;
	}
	return -EBADMSG;
}

int protect_journal_read(const char *path, struct protect_journal *ret)
{
	struct protect_journal journal = {0};
	FILE *f = fopen(path, "re");
	int r;

	if (!f && errno != ENOENT)
		return -errno;
	r = f ? read_text(f, &journal) : 0;
	if (f)
		fclose(f);
	if (r < 0)
		protect_journal_done(&journal);
	else
		*ret = journal;
	return r;
}
