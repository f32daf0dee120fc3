/* SPDX-License-Identifier: MIT */
/*
 * The dry run: every step has been taken up to here, and the write is not.
 */
#include "actuator.h"

static int prepare(struct action *action __attribute__((unused)),
		   struct ring_request *ret __attribute__((unused)))
{
	return ACTUATOR_DRY;
}

const struct actuator actuator_null = {
	.name = "null",
	.prepare = prepare,
};
