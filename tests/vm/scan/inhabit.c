/* SPDX-License-Identifier: MIT */
/*
 * Cgroups that are lived in: each with one idle process that holds some anon memory, until SIGTERM;
 * then removes all.
 *
 *	inhabit DIR N MIB	DIR is made, with N cgroups below; "ready" once all is charged
 */
#define _GNU_SOURCE
#include <err.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static void make(const char *path)
{
	if (mkdir(path, 0755) < 0)
		err(1, "%s", path);
}

static void write_file(const char *dir, const char *name, const char *text)
{
	char path[512];
	int fd;

	snprintf(path, sizeof(path), "%s/%s", dir, name);
	fd = open(path, O_WRONLY | O_CLOEXEC);
	if (fd < 0 || write(fd, text, strlen(text)) < 0)
		err(1, "%s", path);
	close(fd);
}

/* Says on the pipe that it has settled, and stays. */
static void live(const char *dir, size_t bytes, int pipe_fd)
{
	char *memory;

	write_file(dir, "cgroup.procs", "0");
	memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (memory == MAP_FAILED)
		err(1, "mmap");
	for (size_t at = 0; at < bytes; at += 4096)
		memory[at] = 1;
	if (write(pipe_fd, "", 1) != 1)
		err(1, "pipe");
	for (;;)
		pause();
}

int main(int argc, char **argv)
{
	unsigned n = argc == 4 ? (unsigned)strtoul(argv[2], NULL, 10) : 0;
	pid_t *pids = calloc(n + 1, sizeof(*pids));
	char path[512], byte;
	int pipe_fds[2], signal;
	sigset_t mask;

	if (n == 0 || !pids || pipe(pipe_fds) < 0)
		errx(2, "usage: inhabit DIR N MIB");
	sigemptyset(&mask);
	sigaddset(&mask, SIGTERM);
	make(argv[1]);
	write_file(argv[1], "cgroup.subtree_control", "+memory");
	for (unsigned i = 0; i < n; i++) {
		snprintf(path, sizeof(path), "%s/c%u", argv[1], i);
		make(path);
		pids[i] = fork();
		if (pids[i] < 0)
			err(1, "fork");
		if (pids[i] == 0)
			live(path, strtoul(argv[3], NULL, 10) << 20, pipe_fds[1]);
		if (read(pipe_fds[0], &byte, 1) != 1)
			err(1, "pipe");
	}
	sigprocmask(SIG_BLOCK, &mask, NULL);
	puts("ready");
	fflush(stdout);
	sigwait(&mask, &signal);
	for (unsigned i = 0; i < n; i++) {
		snprintf(path, sizeof(path), "%s/c%u", argv[1], i);
		kill(pids[i], SIGKILL);
		waitpid(pids[i], NULL, 0);
		rmdir(path);
	}
	return rmdir(argv[1]) < 0;
}
