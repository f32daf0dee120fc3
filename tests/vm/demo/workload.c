/* SPDX-License-Identifier: MIT */
/*
 * See workload.h. Signals are blocked except inside ppoll(2), so none is lost between "did one
 * come?" and "sleep until one comes".
 */
#define _GNU_SOURCE
#include "workload.h"

#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

static volatile sig_atomic_t go_noted, stop_noted;
static sigset_t mask_while_sleeping;

static void note_signal(int signo)
{
	if (signo == SIGUSR1)
		go_noted = 1;
	else
		stop_noted = 1;
}

void workload_init(void)
{
	static const int noted[] = {SIGUSR1, SIGTERM, SIGINT};
	struct sigaction action = {.sa_handler = note_signal};
	sigset_t block;

	sigemptyset(&block);
	for (size_t i = 0; i < sizeof(noted) / sizeof(noted[0]); i++) {
		sigaction(noted[i], &action, NULL);
		sigaddset(&block, noted[i]);
	}
	sigprocmask(SIG_BLOCK, &block, &mask_while_sleeping);
}

/* Lets pending signals in, for at most that long; NULL waits for one. */
static void let_signals_in(const struct timespec *timeout)
{
	if (ppoll(NULL, 0, timeout, &mask_while_sleeping) < 0 && errno != EINTR)
		err(1, "ppoll");
}

bool workload_take_go(void)
{
	if (!go_noted)
		return false;
	go_noted = 0;
	return true;
}

bool workload_should_stop(void)
{
	if (!stop_noted)
		let_signals_in(&(struct timespec){0});
	return stop_noted;
}

void workload_wait_for_signal(void)
{
	if (!go_noted && !stop_noted)
		let_signals_in(NULL);
}

void workload_sleep(uint64_t usec)
{
	let_signals_in(&(struct timespec){.tv_sec = (time_t)(usec / 1000000),
					  .tv_nsec = (long)(usec % 1000000) * 1000});
}

uint64_t workload_now_usec(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000 + (uint64_t)now.tv_nsec / 1000;
}

uint64_t workload_read_file(const char *path)
{
	static char buffer[64 * 1024];
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	uint64_t total = 0;
	ssize_t n;

	if (fd < 0)
		err(1, "%s", path);
	while ((n = read(fd, buffer, sizeof(buffer))) > 0)
		total += (uint64_t)n;
	if (n < 0)
		err(1, "%s", path);
	close(fd);
	return total;
}

void workload_ready(const char *status)
{
	const char *path = getenv("NOTIFY_SOCKET");
	struct sockaddr_un address = {.sun_family = AF_UNIX};
	char message[256];
	size_t path_len;
	int fd, len;

	if (!path)
		return;
	path_len = strlen(path);
	if (path_len >= sizeof(address.sun_path))
		errx(1, "NOTIFY_SOCKET is too long");
	memcpy(address.sun_path, path, path_len);
	if (path[0] == '@')
		address.sun_path[0] = '\0';
	len = snprintf(message, sizeof(message), "READY=1\nSTATUS=%s", status);
	fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	if (fd < 0 || len < 0 || (size_t)len >= sizeof(message) ||
	    sendto(fd, message, (size_t)len, 0, (struct sockaddr *)&address,
		   (socklen_t)(offsetof(struct sockaddr_un, sun_path) + path_len)) < 0)
		err(1, "cannot notify %s", path);
	close(fd);
}

static char *temporary_name(const char *path)
{
	char *name;

	if (asprintf(&name, "%s.tmp", path) < 0)
		err(1, "asprintf");
	return name;
}

FILE *workload_result_open(const char *path)
{
	char *temporary;
	FILE *file;

	if (!path)
		return stdout;
	temporary = temporary_name(path);
	file = fopen(temporary, "we");
	if (!file)
		err(1, "%s", temporary);
	free(temporary);
	return file;
}

void workload_result_close(FILE *file, const char *path)
{
	char *temporary;

	if (fflush(file) != 0 || ferror(file))
		err(1, "cannot write %s", path ? path : "the results");
	if (!path)
		return;
	temporary = temporary_name(path);
	if (fclose(file) != 0 || rename(temporary, path) != 0)
		err(1, "%s", path);
	free(temporary);
}

uint64_t workload_parse_u64(const char *option, const char *text)
{
	unsigned long long value;
	char *end;

	errno = 0;
	value = strtoull(text, &end, 10);
	if (text[0] < '0' || text[0] > '9' || *end || errno)
		errx(2, "%s: not a number: %s", option, text);
	return value;
}
