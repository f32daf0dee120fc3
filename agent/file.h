/* SPDX-License-Identifier: MIT */
/*
 * Whole reads of small kernel files. A file that does not fit is an error, never cut.
 */
#ifndef FGRECLAIM_FILE_H
#define FGRECLAIM_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Reads from offset 0 until the end into buf and ends it with NUL. Returns the length, -E2BIG if
 * there is more than size - 1 bytes, or -errno. EINTR is retried. */
int file_read(int fd, char *buf, size_t size);

/* The same for a path below dir_fd (AT_FDCWD: any path). */
int file_read_at(int dir_fd, const char *path, char *buf, size_t size);

/* The same for ROOT followed by name. */
int file_read_below(const char *root, const char *name, char *buf, size_t size);

/* A file that is read again and again and stays open in between. All zeros: not open yet. */
struct kept_file {
	bool open;
	int fd;
};

/* The same; opens it where it is not open, and closes it after an error: the next time it may be
 * another one. */
int kept_file_read(struct kept_file *file, const char *root, const char *name, char *buf,
		   size_t size);
void kept_file_close(struct kept_file *file);

/* Bytes to look for, NULs among them. */
struct file_needle {
	const char *bytes;
	size_t len;
};

/* Of a string constant: without the NUL at its end. */
#define FILE_NEEDLE(text)                \
	{                                \
		(text), sizeof(text) - 1 \
	}

/*
 * Looks for each needle in the bytes of the file from offset on, most_bytes of them or up to its end:
 * files of many megabytes too, in pieces. Returns bit i for needles[i], or -errno; the first one ends
 * the search. There are 1 to 31 needles, none empty.
 */
int file_look_for(const char *path, uint64_t offset, uint64_t most_bytes,
		  const struct file_needle *needles, size_t n_needles);

/* As many open files as this process may have at all: a memcg needs a dozen. */
void file_raise_descriptor_limit(void);

#endif
