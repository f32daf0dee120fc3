/* SPDX-License-Identifier: MIT */
/*
 * Reclaim on behalf of one memcg: who pays, in which order, how hard.
 *
 * mm/vmscan.c of Linux 6.12: try_to_free_mem_cgroup_pages(), do_try_to_free_pages(),
 * shrink_node_memcgs(); mm/memcontrol.c: user_proactive_reclaim(). The walk over the subtree goes on
 * where the last one stopped, so that the children take turns; memory.min is kept always,
 * memory.low in the first pass.
 */
#include "arith.h"
#include "kernel.h"

#include <errno.h>
#include <string.h>

#define RETRIES 16 /* MAX_RECLAIM_RETRIES */

/* What a child of the target may keep. Between them lies no other level with protection of its own
 * in our scenarios, so the sharing out of effective_protection() is left out. */
static bool is_protected(const struct host *host, size_t m, struct scan *scan)
{
	const struct memcg *memcg = &host->memcgs[m];

	if (m == scan->target)
		return false;
	if (memcg->min_pages && memcg->usage_pages <= memcg->min_pages)
		return true;
	if (!memcg->low_pages || memcg->usage_pages > memcg->low_pages || scan->low_reclaim)
		return false;
	scan->low_skipped = true;
	return true;
}

/* One walk, from where the last one stopped to the end of the subtree or until enough is free. A walk
 * that would begin at the end begins anew. */
static void shrink_memcgs(struct host *host, struct scan *scan)
{
	struct memcg *target = &host->memcgs[scan->target];
	size_t first = target->iterator;

	while (first < host->n_memcgs && !host_is_below(host, first, scan->target))
		first++;
	if (first == host->n_memcgs)
		first = scan->target;
	for (size_t m = first; m < host->n_memcgs; m++) {
		if (!host_is_below(host, m, scan->target) || is_protected(host, m, scan) ||
		    !host->memcgs[m].leaf)
			continue;
		host->kernel->shrink(host, m, scan);
		if (scan->reclaimed_pages >= scan->want_pages) {
			target->iterator = m + 1;
			return;
		}
	}
	target->iterator = 0;
}

/* snapshot_refaults(): only the classic LRU looks at it. */
static void snapshot_refaults(struct classic_lru *classic)
{
	memcpy(classic->seen_activations, classic->flushed.activations,
	       sizeof(classic->seen_activations));
}

uint64_t reclaim_memcg(struct host *host, size_t target, uint64_t want_pages, uint32_t swappiness,
		       bool proactive)
{
	struct scan scan = {
		.target = target,
		.want_pages = max_u64(want_pages, host_grains(host, CLUSTER)),
		.swappiness = swappiness,
		.proactive = proactive,
	};

	for (;;) {
		for (scan.priority = DEF_PRIORITY; scan.priority >= 0; scan.priority--) {
			shrink_memcgs(host, &scan);
			if (scan.reclaimed_pages >= scan.want_pages)
				break;
		}
		snapshot_refaults(&host->memcgs[target].classic);
		if (scan.reclaimed_pages)
			return scan.reclaimed_pages;
		if (scan.skipped_deactivate && !scan.force_deactivate) {
			scan.force_deactivate = true;
			scan.skipped_deactivate = false;
		} else if (scan.low_skipped && !scan.low_reclaim) {
			scan.low_reclaim = true;
			scan.force_deactivate = false;
			scan.skipped_deactivate = false;
			scan.low_skipped = false;
		} else {
			return 0;
		}
	}
}

int reclaim_write(struct host *host, size_t memcg, uint64_t bytes, uint32_t swappiness)
{
	uint64_t want_pages = bytes / host_page_bytes(host), done_pages = 0;
	int retries = RETRIES;

	if (swappiness == UINT32_MAX)
		swappiness = host->swappiness;
	while (done_pages < want_pages) {
		uint64_t pages =
			reclaim_memcg(host, memcg, (want_pages - done_pages) / 4, swappiness, true);

		if (pages == 0 && retries-- == 0)
			return -EAGAIN;
		done_pages += pages;
	}
	return 0;
}
