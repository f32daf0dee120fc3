/* SPDX-License-Identifier: MIT */
#include "status.h"

#include <stdlib.h>

#define FIELD(property, key, type, field)                           \
	{                                                           \
		property, key, type, offsetof(struct status, field) \
	}

const struct status_field status_fields[STATUS_FIELDS_N] = {
	FIELD("Version", "version", 's', version),
	FIELD("State", "state", 's', state),
	FIELD("Capability", "capability", 's', capability),
	FIELD("DryRun", "dry_run", 'b', dry_run),
	FIELD("Paused", "paused", 'a', paused),
	FIELD("UptimeMSec", "uptime_ms", 't', uptime_msec),
	FIELD("LookAgeMSec", "look_age_ms", 't', look_age_msec),
	FIELD("Looks", "looks", 't', looks),
	FIELD("Cgroups", "cgroups", 't', memcgs),
	FIELD("ClassCgroups", "class_cgroups", 't', class_memcgs),
	FIELD("HeldCgroups", "held_cgroups", 't', held_memcgs),
	FIELD("PausedCgroups", "paused_cgroups", 't', paused_memcgs),
	FIELD("Writes", "writes", 't', writes),
	FIELD("Failures", "failures", 't', failures),
	FIELD("Agings", "agings", 't', agings),
	FIELD("AskedBytes", "asked_bytes", 't', asked_bytes),
	FIELD("FreedBytes", "freed_bytes", 't', freed_bytes),
	FIELD("ReturnedBytes", "returned_bytes", 't', returned_bytes),
	FIELD("OutBytes", "out_bytes", 't', out_bytes),
	FIELD("SwapCostBytes", "swap_cost_bytes", 't', swap_cost_bytes),
	FIELD("DiskBytes", "disk_bytes", 't', disk_bytes),
	FIELD("DryRunBytes", "dry_run_bytes", 't', dry_run_bytes),
	FIELD("CPUUSec", "cpu_us", 't', cpu_usec),
	FIELD("RSSBytes", "rss_bytes", 't', rss_bytes),
};

void status_done(struct status *status)
{
	for (size_t i = 0; status->paused && status->paused[i]; i++)
		free(status->paused[i]);
	free(status->paused);
	free(status->version);
	free(status->state);
	free(status->capability);
	*status = (struct status){0};
}
