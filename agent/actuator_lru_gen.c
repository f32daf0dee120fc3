/* SPDX-License-Identifier: MIT */
/*
 * lru_gen: "+" and "-". The id is the one of the listing that the decision was made from, in the same
 * pass; the kernel refuses a generation that no longer fits (EINVAL).
 *
 * Up to Linux 6.19 ids have 16 bits and are given out again as soon as a cgroup has gone, and the
 * next who has it may be protected. So the executor has just read the memcg's files, which fails
 * when it has gone; and the kernel takes one write to lru_gen after the other, so that a second one
 * would wait, and be carried out some time after that look: it is made when the first one has ended.
 */
#include "actuator.h"
#include "executor.h"
#include "macro.h"

#include <errno.h>

static int prepare(struct action *action, struct ring_request *ret)
{
	const struct lru_gen *lru_gen = executor_lru_gen(action->executor);
	uint64_t page_bytes = (uint64_t)sysconf(_SC_PAGESIZE);

	if (action->listing_id == LISTING_ID_NONE)
		return -ECANCELED;
	if (lru_gen->write_fd < 0)
		return lru_gen->write_error;
	ret->fd = lru_gen->write_fd;
	ret->len = lru_gen_format(lru_gen, &action->decision, action->listing_id,
				  action->step_bytes / page_bytes, ret->text, sizeof(ret->text));
	return ret->len > 0 ? 0 : -EOVERFLOW;
}

const struct actuator actuator_lru_gen = {
	.name = "lru_gen",
	.alone = true,
	.prepare = prepare,
};
