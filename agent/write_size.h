/* SPDX-License-Identifier: MIT */
/*
 * How much to ask the kernel for in one write. Small enough that nothing waits long for it: not the
 * deadline, not rmdir(2) of the cgroup, which the kernel holds up for the whole of a write
 * (fs/kernfs: the active reference of kernfs_fop_write_iter), not the memcg's own tasks.
 */
#ifndef FGRECLAIM_WRITE_SIZE_H
#define FGRECLAIM_WRITE_SIZE_H

#include "write_result.h"

struct write_limits {
	uint64_t wanted_bytes;  /* that the action has still to free */
	uint64_t most_bytes;    /* WriteMax= */
	uint64_t slow_bytes;    /* as much as this memcg gives in time, 0: not known to be slow */
	uint64_t current_bytes; /* SAMPLE_UNKNOWN: not known */
	uint64_t keep_bytes;    /* that the memcg is to be left with */
	uint64_t excess_bytes;  /* that this kernel takes above what it is asked for */
};

/* Bytes to ask for; 0: nothing may be asked for. */
uint64_t write_size(const struct write_limits *limits);

/* The next slow_bytes of a memcg after a write that asked for so much. */
uint64_t write_size_slow(uint64_t slow_bytes, uint64_t asked_bytes, enum write_result judged);

/* The next excess_bytes of a kernel after a write that freed so much. Only for writes that were
 * done; what falls short tells nothing. */
uint64_t write_size_excess(uint64_t excess_bytes, uint64_t asked_bytes, uint64_t freed_bytes);

#endif
