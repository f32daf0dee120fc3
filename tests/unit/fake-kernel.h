/* SPDX-License-Identifier: MIT */
/*
 * A kernel that fails where it is told to: stands in place of door.c, in front of the files of a
 * fixture, and behind the ring as one more backend. All in the calling thread.
 *
 * Calls are numbered as they come while `counting`; the one whose number is fault_call meets its
 * fault. What a write does otherwise: memory.current falls and pgsteal rises by what was asked for.
 * To be included after cmocka.h.
 */
#ifndef FGRECLAIM_TESTS_FAKE_KERNEL_H
#define FGRECLAIM_TESTS_FAKE_KERNEL_H

#include "fixture.h"
#include "ring_ops.h"

/* A fault is an errno, or one of these. */
enum {
	FAULT_VANISHES = 1000, /* the cgroup of that file goes, for all further calls */
	FAULT_GARBAGE,         /* read: bytes that mean nothing */
	FAULT_EMPTY,           /* read: the end of the file at once */
	FAULT_BLOCKS,          /* write: does not end before it is cancelled */
	FAULT_LIES,            /* write: success, and nothing done */
	FAULT_TWICE,           /* write: its end is told twice */
	FAULT_ENDS,            /* not a fault */
};

enum fake_call { FAKE_OPEN, FAKE_READ, FAKE_SUBMIT, FAKE_WRITE, _FAKE_CALL_MAX };

#define FAKE_NAME_MAX 64

/* memory.stat as it is, with the sum and the part of pgsteal that writes change. */
#define FAKE_STAT                                                                                \
	"anon 62914560\nfile 37748736\nfile_dirty 0\nfile_writeback 0\ninactive_anon 41943040\n" \
	"active_anon 20971520\ninactive_file 25165824\nactive_file 12582912\nunevictable 4096\n" \
	"workingset_refault_anon 11\nworkingset_refault_file 1234\npgscan 70000\n"               \
	"pgsteal %ju\npgsteal_direct %ju\n"

struct fake_kernel {
	const struct fixture *fixture;
	bool counting;
	unsigned n_calls;
	unsigned fault_call; /* 0: none */
	int fault;

	/* What the call of that number was: "read memory.stat". */
	enum fake_call met_call;
	char met[FAKE_NAME_MAX];

	/* The truth about writes. */
	unsigned n_ended;
	uint64_t asked_bytes, freed_bytes;
	char log[1024]; /* "PATH VERB;" for each that ended, VERB: reclaim, +, - */
};

extern struct fake_kernel fake_kernel;
extern const struct ring_ops fake_kernel_ring;

/* All as on the first day, but for the files. */
void fake_kernel_reset(const struct fixture *fixture);

/* What has vanished is there again. */
void fake_kernel_mend(void);

#endif
