/* SPDX-License-Identifier: MIT */
#include "write_text.h"

#include <errno.h>
#include <unistd.h>

ssize_t write_text(int fd, const char *text, size_t len)
{
	ssize_t n = pwrite(fd, text, len, 0);

	if (n < 0 && errno == ESPIPE)
		n = write(fd, text, len);
	return n < 0 ? -errno : n;
}
