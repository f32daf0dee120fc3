/* SPDX-License-Identifier: MIT */
/*
 * A ring with a kernel behind it.
 */
#include "fake-ring.h"

#include <errno.h>
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

#define RECLAIM_FILE "/memory.reclaim"

void fake_ring_init(struct ring *ret, const struct fixture *fixture)
{
	*ret = (struct ring){.fixture = fixture};
}

/* The path of the cgroup whose memory.reclaim fd is; "lru_gen" for another file. */
static const char *whose(const struct ring *ring, int fd)
{
	static char path[FIXTURE_PATH_MAX];
	char link[64];
	char *top, *end;
	ssize_t n;

	snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
	n = readlink(link, path, sizeof(path) - 1);
	assert_true(n > 0);
	path[n] = '\0';
	assert_memory_equal(path, ring->fixture->root, strlen(ring->fixture->root));
	end = strstr(path, RECLAIM_FILE);
	if (!end)
		return "lru_gen";
	*end = '\0';
	top = strstr(path, "/sys/fs/cgroup/");
	assert_non_null(top);
	return top + strlen("/sys/fs/cgroup");
}

int ring_write(struct ring *ring, struct ring_request *request)
{
	size_t len = strlen(ring->log);

	if (ring->submit_error < 0)
		return ring->submit_error;
	assert_true(ring->n_requests < FAKE_RING_SLOTS);
	assert_int_equal(request->len, strlen(request->text));
	for (unsigned i = 0; i < ring->n_requests; i++)
		if (ring->requests[i]->fd == request->fd)
			assert_string_equal(whose(ring, request->fd), "lru_gen");
	ring->ended[ring->n_requests] = false;
	ring->requests[ring->n_requests++] = request;
	if (ring->most_requests < ring->n_requests)
		ring->most_requests = ring->n_requests;
	ring->n_writes++;
	snprintf(ring->log + len, sizeof(ring->log) - len, "%s: %s;", whose(ring, request->fd),
		 request->text);
	return 0;
}

void ring_cancel_all(struct ring *ring)
{
	ring->cancelled = true;
}

void ring_cancel(struct ring *ring, const struct ring_request *request)
{
	for (unsigned i = 0; i < ring->n_requests; i++)
		ring->ended[i] = ring->ended[i] || ring->requests[i] == request;
}

unsigned ring_in_flight(const struct ring *ring)
{
	return ring->n_requests;
}

static uint64_t read_number(const struct fixture *fixture, const char *name, const char *key)
{
	char text[8192];
	const char *found;

	fixture_read(fixture, name, text, sizeof(text));
	found = strstr(text, key);
	assert_non_null(found);
	return strtoull(found + strlen(key), NULL, 10);
}

static void take_effect(const struct ring *ring, const char *path, uint64_t asked_bytes)
{
	const struct fixture *fixture = ring->fixture;
	uint64_t freed_bytes = ring->freed_bytes < asked_bytes ? ring->freed_bytes : asked_bytes;
	uint64_t current, pgsteal, pgscan;

	current = read_number(fixture, fixture_memcg_file(path, "memory.current"), "");
	fixture_printf(fixture, fixture_memcg_file(path, "memory.current"), "%" PRIu64 "\n",
		       current - freed_bytes);
	pgsteal = read_number(fixture, fixture_memcg_file(path, "memory.stat"), "\npgsteal ");
	pgscan = read_number(fixture, fixture_memcg_file(path, "memory.stat"), "\npgscan ");
	fixture_printf(fixture, fixture_memcg_file(path, "memory.stat"),
		       "anon 0\npgscan %" PRIu64 "\npgsteal %" PRIu64 "\n",
		       pgscan + 2 * ring->stolen_pages, pgsteal + ring->stolen_pages);
}

void fake_ring_complete(struct ring *ring)
{
	struct ring_request *request = ring->requests[0];
	bool cancelled = ring->cancelled || ring->ended[0];
	const char *path;
	int result;

	assert_true(ring->n_requests > 0);
	path = whose(ring, request->fd);
	memmove(ring->requests, ring->requests + 1, --ring->n_requests * sizeof(ring->requests[0]));
	memmove(ring->ended, ring->ended + 1, ring->n_requests * sizeof(ring->ended[0]));
	result = cancelled ? -EINTR : ring->result < 0 ? ring->result : (int)request->len;
	if (strcmp(path, "lru_gen") != 0 && !cancelled)
		take_effect(ring, path, strtoull(request->text, NULL, 10));
	request->done(request, result);
}

void fake_ring_complete_all(struct ring *ring)
{
	while (ring->n_requests > 0)
		fake_ring_complete(ring);
}
