/* SPDX-License-Identifier: MIT */
/*
 * Reasons as words.
 */
#include "reason.h"

static const char *const names[_REASON_MAX] = {
	[REASON_NONE] = "none",
	[REASON_NO_CLASS] = "no-class",
	[REASON_OMITTED] = "omitted",
	[REASON_CLASS_NONE] = "class-none",
	[REASON_INNER] = "inner",
	[REASON_OBSERVE] = "observe",
	[REASON_UNPOPULATED] = "unpopulated",
	[REASON_FROZEN] = "frozen",
	[REASON_BUSY] = "busy",
	[REASON_UNKNOWN] = "unknown",
	[REASON_FIRST_LOOK] = "first-look",
	[REASON_YOUNG] = "young",
	[REASON_SMALL] = "small",
	[REASON_HOLD_REFAULT] = "hold-refault",
	[REASON_HOLD_PRESSURE] = "hold-pressure",
	[REASON_HOLD_OOM] = "hold-oom",
	[REASON_HOLD_FAILED] = "hold-failed",
	[REASON_HOLD_NO_YIELD] = "hold-no-yield",
	[REASON_FLOOR] = "floor",
	[REASON_QUOTA] = "quota",
	[REASON_NO_GENERATIONS] = "no-generations",
	[REASON_NOT_LISTED] = "not-listed",
	[REASON_NO_SWAP] = "no-swap",
	[REASON_SWAP_DEVICE] = "swap-device",
	[REASON_ANON_OFF] = "anon-off",
	[REASON_LITTLE_ANON] = "little-anon",
	[REASON_FILE_MOSTLY] = "file-mostly",
	[REASON_RECLAIMED] = "reclaimed-by-others",
	[REASON_OLDEST_HOLDS_FILE] = "oldest-holds-file",
	[REASON_AGE_NOT_DUE] = "age-not-due",
	[REASON_NOTHING_COLD] = "nothing-cold",
	[REASON_TOO_FAST] = "too-fast",
	[REASON_LITTLE_FILE] = "little-file",
	[REASON_RETURNS] = "returns",
	[REASON_NO_EVIDENCE] = "no-evidence",
	[REASON_SWAPPINESS] = "swappiness",
	[REASON_AGE] = "age",
	[REASON_EVICT_COLD] = "evict-cold",
	[REASON_HEADROOM] = "headroom",
	[REASON_TARGET] = "target",
};

const char *reason_to_string(enum reason reason)
{
	return reason >= 0 && reason < _REASON_MAX && names[reason] ? names[reason] : "invalid";
}
