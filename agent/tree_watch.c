/* SPDX-License-Identifier: MIT */
/*
 * inotify(7) on cgroup directories. Cgroups come and go by mkdir(2) and rmdir(2) alone, and these
 * are seen. What the kernel does by itself is not: the files of a controller appear in all children
 * when somebody writes cgroup.subtree_control, so that write is what is watched for.
 */
#include "tree_watch.h"
#include "macro.h"

#include <errno.h>
#include <limits.h>
#include <string.h>
#include <sys/inotify.h>

#define CONTROL_FILE "cgroup.subtree_control"

void tree_watch_open(struct tree_watch *ret)
{
	ret->fd = inotify_init1(IN_CLOEXEC | IN_NONBLOCK);
}

void tree_watch_close(struct tree_watch *watch)
{
	close_fd(&watch->fd);
	watch->fd = -1;
}

int tree_watch_add(const struct tree_watch *watch, int dir_fd)
{
	char path[64];
	int number;

	if (watch->fd < 0)
		return -EBADF;
	/* The way to a directory that has no name any more, or another one. */
	snprintf(path, sizeof(path), "/proc/self/fd/%d", dir_fd);
	number = inotify_add_watch(watch->fd, path,
				   IN_CREATE | IN_DELETE | IN_MOVE | IN_MODIFY | IN_ONLYDIR);
	return number < 0 ? -errno : number;
}

void tree_watch_remove(const struct tree_watch *watch, int number)
{
	if (watch->fd >= 0 && number >= 0)
		inotify_rm_watch(watch->fd, number);
}

static bool is_change(const struct inotify_event *event)
{
	if (event->mask & IN_MODIFY)
		return event->len > 0 && strcmp(event->name, CONTROL_FILE) == 0;
	return event->mask & IN_ISDIR;
}

bool tree_watch_drain(const struct tree_watch *watch, void (*changed)(int number, void *userdata),
		      void *userdata)
{
	_Alignas(struct inotify_event) char buf[64 * (sizeof(struct inotify_event) + NAME_MAX + 1)];
	bool complete = watch->fd >= 0;

	for (;;) {
		ssize_t n = watch->fd < 0 ? 0 : read(watch->fd, buf, sizeof(buf));

		if (n <= 0)
			return complete && (n == 0 || errno == EAGAIN);
		for (char *p = buf; p < buf + n;) {
			const struct inotify_event *event = (const void *)p;

			if (event->mask & IN_Q_OVERFLOW)
				complete = false;
			else if (is_change(event))
				changed(event->wd, userdata);
			p += sizeof(*event) + event->len;
		}
	}
}
