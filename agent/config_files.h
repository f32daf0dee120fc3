/* SPDX-License-Identifier: MIT */
/*
 * Which files make up the configuration, in which order, and their lines as inih may see them.
 *
 * The order is that of systemd (standard-conf.xml): see config_load() in config.h.
 */
#ifndef FGRECLAIM_CONFIG_FILES_H
#define FGRECLAIM_CONFIG_FILES_H

#include "config.h"

#include <stdio.h>

/* Longest line in bytes, comments excepted. inih cuts longer ones silently and goes on to parse the
 * rest as a line of its own: its buffer of 200 holds "\n" and NUL as well. */
#define CONFIG_LINE_MAX 198

struct config_files {
	char **paths; /* to be read in this order: later values win */
	size_t n;
};

void config_files_done(struct config_files *files);

/* Finds the files of the standard places under root. A directory that is not there is none.
 * Returns 0 or -errno with *error filled in. */
int config_files_find(const char *root, struct config_files *ret, struct config_error *error);

struct config_reader {
	FILE *file;
	unsigned int line; /* number of the line read last, from 1 */
	const char *fault; /* static text: why that line was refused */
	int r;             /* 0, or -errno of reading */
	char text[CONFIG_LINE_MAX + 1];
};

/* Opens a regular file, or /dev/null. -EISDIR: a directory; -ENOTSUP: any other kind of file. */
int config_reader_open(struct config_reader *ret, const char *path);
void config_reader_close(struct config_reader *reader);

/*
 * An ini_reader: hands out exactly one line for each line of the file, ended by "\n", so that
 * inih's count of lines is ours. Comments become empty lines; a UTF-8 byte order mark, and "\r" at
 * the end of a line, are taken off. NULL: end of file, or fault or r is set.
 *
 * What inih would understand otherwise than the author is refused: long lines, white space at the
 * start (it would continue the value of the line before), white space with ";" or "#" after it (it
 * would cut the value there), ":" for "=", text after "]", and control characters.
 */
char *config_reader_next(char *buf, int size, void *reader);

#endif
