/* SPDX-License-Identifier: MIT */
/*
 * What this process costs itself. io_uring's workers, which carry out the writes, are threads of
 * this process (create_io_thread() in kernel/fork.c), so that getrusage(2) has their time, and with
 * it what the kernel spends on reclaim for us.
 */
#include "own_cost.h"
#include "arith.h"
#include "file.h"

#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <sys/resource.h>
#include <unistd.h>

static uint64_t usec_of(struct timeval time)
{
	return (uint64_t)time.tv_sec * USEC_PER_SEC + (uint64_t)time.tv_usec;
}

void own_cost_measure(struct own_cost *ret)
{
	struct rusage usage = {0};
	uint64_t pages;
	char text[256];

	getrusage(RUSAGE_SELF, &usage);
	*ret = (struct own_cost){
		.cpu_usec = usec_of(usage.ru_utime) + usec_of(usage.ru_stime),
		.rss_bytes = SAMPLE_UNKNOWN,
	};
	/* "size resident ...", in pages: proc(5). */
	if (file_read_at(AT_FDCWD, "/proc/self/statm", text, sizeof(text)) > 0 &&
	    sscanf(text, "%*u %" SCNu64, &pages) == 1)
		ret->rss_bytes = saturating_mul(pages, (uint64_t)sysconf(_SC_PAGESIZE));
}

uint64_t own_cost_share_ppm(uint64_t cpu_usec, uint64_t wall_usec)
{
	return wall_usec == 0 ? 0 : mul_div(cpu_usec, PPM, wall_usec);
}
