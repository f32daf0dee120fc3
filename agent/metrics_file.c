/* SPDX-License-Identifier: MIT */
/*
 * Metrics as a file for node_exporter's textfile collector, which reads NAME.prom at any time: what it
 * finds is always whole.
 */
#include "macro.h"
#include "metrics.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>

/* Its collector runs as another user. */
#define FILE_MODE 0644

int metrics_file_write(const char *path, const struct metrics *metrics,
		       const struct metrics_host *host)
{
	char temporary[CONFIG_TEXTFILE_MAX + 8];
	FILE *f;
	int fd, r;

	/* Not *.prom, or it would be read. A file of the same name is of a run that was cut short. */
	snprintf(temporary, sizeof(temporary), "%s.new", path);
	if (unlink(temporary) < 0 && errno != ENOENT)
		return -errno;
	fd = open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, FILE_MODE);
	if (fd < 0)
		return -errno;
	f = fdopen(fd, "w");
	if (!f) {
		close(fd);
		return -ENOMEM;
	}
	r = metrics_write(metrics, host, f);
	if (r == 0 && (fchmod(fd, FILE_MODE) < 0 || fflush(f) != 0 || ferror(f)))
		r = errno > 0 ? -errno : -EIO;
	if (fclose(f) != 0 && r == 0)
		r = -errno;
	if (r == 0 && rename(temporary, path) < 0)
		r = -errno;
	if (r < 0)
		unlink(temporary);
	return r;
}
