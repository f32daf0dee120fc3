/* SPDX-License-Identifier: MIT */
/*
 * memory.reclaim: "BYTES [swappiness=N]". Success or EAGAIN say little about what was freed; the
 * executor measures it.
 */
#include "actuator.h"
#include "macro.h"

#include <errno.h>
#include <inttypes.h>

static int prepare(struct action *action, struct ring_request *ret)
{
	int fd = memcg_reclaim_fd(action->memcg);
	int len;

	if (fd < 0)
		return fd;
	if (action->decision.swappiness == SWAPPINESS_DEFAULT)
		len = snprintf(ret->text, sizeof(ret->text), "%" PRIu64, action->step_bytes);
	else
		len = snprintf(ret->text, sizeof(ret->text), "%" PRIu64 " swappiness=%" PRIu32,
			       action->step_bytes, action->decision.swappiness);
	ret->fd = fd;
	ret->len = (size_t)len;
	return 0;
}

const struct actuator actuator_reclaim = {
	.name = "reclaim",
	.prepare = prepare,
};
