/* SPDX-License-Identifier: MIT */
/*
 * map FILE TIMES: maps the whole file so often, says so, and waits: a page of it is then as long to
 * unmap for the kernel as one of a library that so many processes share.
 */
#include <err.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

int main(int argc, char **argv)
{
	struct stat file;
	int fd;

	if (argc != 3)
		errx(2, "usage: map FILE TIMES");
	fd = open(argv[1], O_RDONLY);
	if (fd < 0 || fstat(fd, &file) < 0)
		err(1, "%s", argv[1]);
	for (int n = atoi(argv[2]); n > 0; n--)
		if (mmap(NULL, (size_t)file.st_size, PROT_READ, MAP_SHARED | MAP_POPULATE, fd, 0) ==
		    MAP_FAILED)
			err(1, "mmap");
	puts("mapped");
	fflush(stdout);
	for (;;)
		pause();
}
