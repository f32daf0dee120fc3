/* SPDX-License-Identifier: MIT */
/*
 * A host in a temporary directory: what --root=DIR expects to find, made by the test that needs it
 * and removed whole. Nothing of the real host is read or written. To be included after cmocka.h.
 */
#ifndef FGRECLAIM_TESTS_FIXTURE_H
#define FGRECLAIM_TESTS_FIXTURE_H

#include "agent/config.h"

#include <stddef.h>
#include <stdint.h>

#define FIXTURE_PATH_MAX 4096

struct fixture {
	char root[64];
	size_t descriptors; /* open before the test */
};

/* An empty directory; and its removal, which fails when the test has leaked a descriptor. */
int fixture_setup(void **state);
int fixture_teardown(void **state);
#define FIXTURE_TEST(f) cmocka_unit_test_setup_teardown(f, fixture_setup, fixture_teardown)

/* All names are below the root, "/" in front or not. Failures end the test. */
const char *fixture_path(const struct fixture *fixture, const char *name); /* static buffer */
void fixture_mkdir(const struct fixture *fixture, const char *name);       /* parents too */
void fixture_write(const struct fixture *fixture, const char *name, const char *text);
void fixture_printf(const struct fixture *fixture, const char *name, const char *format, ...)
	__attribute__((format(printf, 3, 4)));
void fixture_read(const struct fixture *fixture, const char *name, char *buf, size_t size);
void fixture_remove(const struct fixture *fixture, const char *name); /* with all below it */

/* What is logged goes to this file of it from here on, until the end, which reads it whole and is given
 * what the begin returned. */
#define FIXTURE_LOG "log"
int fixture_log_begin(const struct fixture *fixture);
void fixture_log_end(const struct fixture *fixture, int stderr_fd, char *buf, size_t size);

/* A socket that gets what the service manager is told, and has $NOTIFY_SOCKET point to it: does not
 * block. */
int fixture_open_notify_socket(const struct fixture *fixture);

/* The root of a cgroup v2 tree, with no memcg but that. */
void fixture_add_cgroups(const struct fixture *fixture);

/* A memcg and its files, as of a service with 100 MiB. path: from the top of the hierarchy. */
void fixture_add_memcg(const struct fixture *fixture, const char *path);

/* The name of one of its files, below the root; static buffer. */
const char *fixture_memcg_file(const char *path, const char *file);

/* Copies a recorded listing from tests/fixtures/listings to sys/kernel/debug/NAME. */
void fixture_copy_listing(const struct fixture *fixture, const char *listing, const char *name);

/* The configuration of this text, or that of no file at all for NULL. */
struct config *fixture_config(const struct fixture *fixture, const char *text);

/* Open descriptors of this process. */
size_t fixture_count_descriptors(void);

uint64_t fixture_now_usec(void);

#endif
