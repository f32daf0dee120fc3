/* SPDX-License-Identifier: MIT */
#ifndef FGRECLAIM_WRITE_TEXT_H
#define FGRECLAIM_WRITE_TEXT_H

#include <sys/types.h>

/* Writes a request to one of the kernel's files, at its start. A file without offsets is written to as
 * it is, as io_uring does: lru_gen has none for writing, since seq_open() takes FMODE_PWRITE away. Bytes,
 * or -errno. */
ssize_t write_text(int fd, const char *text, size_t len);

#endif
