/* SPDX-License-Identifier: MIT */
/*
 * memcache set|get N: writes N items of 960 bytes to the memcached of this host, or reads the first N
 * and fails if one is missing. N: a multiple of BATCH.
 */
#include <arpa/inet.h>
#include <err.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#define VALUE_BYTES    4000
#define MEMCACHED_PORT 11211
#define BATCH          50

/* Both ends of one connection. */
struct server {
	FILE *in, *out;
};

static struct server memcached(void)
{
	struct sockaddr_in address = {
		.sin_family = AF_INET,
		.sin_port = htons(MEMCACHED_PORT),
		.sin_addr.s_addr = htonl(INADDR_LOOPBACK),
	};
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	struct server server;

	if (fd < 0 || connect(fd, (struct sockaddr *)&address, sizeof(address)) < 0)
		err(1, "memcached");
	server.in = fdopen(fd, "r");
	server.out = fdopen(dup(fd), "w");
	if (!server.in || !server.out)
		err(1, "memcached");
	return server;
}

/* Sends what was written so far, and reads a line. */
static void read_line(struct server *server, char *line, size_t bytes)
{
	if (fflush(server->out) || !fgets(line, (int)bytes, server->in))
		err(1, "memcached does not answer");
}

static void set_items(struct server *server, int n)
{
	char value[VALUE_BYTES + 1], line[64];

	for (int i = 0; i < n; i++) {
		/* Not all alike: what swap would take in memory is to be worth something. */
		for (int at = 0; at < VALUE_BYTES; at += 32)
			snprintf(value + at, sizeof(value) - (size_t)at, "%032x", i + at);
		fprintf(server->out, "set item-%d 0 0 %d noreply\r\n%s\r\n", i, VALUE_BYTES, value);
	}
	fputs("mn\r\n", server->out); /* answered when all before it is done */
	read_line(server, line, sizeof(line));
	if (strcmp(line, "MN\r\n") != 0)
		errx(1, "set: %s", line);
}

/* Some at a time: a round trip for each would take longer than the rest. */
static void get_items(struct server *server, int n)
{
	char line[VALUE_BYTES + 64];

	for (int i = 0; i < n; i += BATCH) {
		for (int j = 0; j < BATCH; j++)
			fprintf(server->out, "get item-%d\r\n", i + j);
		for (int j = 0; j < BATCH; j++) {
			read_line(server, line, sizeof(line));
			if (strncmp(line, "VALUE ", 6) != 0)
				errx(1, "item-%d: %s", i + j, line);
			read_line(server, line, sizeof(line)); /* the value */
			read_line(server, line, sizeof(line)); /* END */
		}
	}
}

int main(int argc, char **argv)
{
	int n = argc == 3 ? atoi(argv[2]) : 0;
	struct server server;

	if (n <= 0 || n % BATCH != 0)
		errx(2, "usage: memcache set|get N");
	server = memcached();
	if (strcmp(argv[1], "set") == 0)
		set_items(&server, n);
	else
		get_items(&server, n);
	return 0;
}
