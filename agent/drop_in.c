/* SPDX-License-Identifier: MIT */
/*
 * Drop-ins that systemd makes for us: see drop_in.h.
 */
#include "drop_in.h"
#include "log.h"
#include "macro.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define NOTES "/run/fgreclaim/drop-ins"

bool drop_in_exists(const char *root, const char *unit)
{
	char path[PATH_MAX];

	/* One that cannot be named is as good as somebody else's. */
	if ((size_t)snprintf(path, sizeof(path),
			     "%s/run/systemd/system.control/%s.d/50-MemoryLow.conf", root,
			     unit) >= sizeof(path))
		return true;
	return access(path, F_OK) == 0;
}

void drop_in_note(const char *root, const char *unit, uint64_t original_bytes)
{
	_cleanup_close_ int fd = -1;
	char path[PATH_MAX];

	snprintf(path, sizeof(path), "%s" NOTES, root);
	fd = open(path, O_WRONLY | O_APPEND | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600);
	if (fd < 0 || dprintf(fd, "%s %" PRIu64 "\n", unit, original_bytes) < 0)
		log_debug("%s: %s", path, strerror(errno));
}
