/* SPDX-License-Identifier: MIT */
/*
 * Numbers and verdicts as people read them. What measured and limit mean for each reason is said in
 * reason.h; the table here gives them units and words.
 */
#include "explain.h"
#include "arith.h"
#include "macro.h"

#include <inttypes.h>

enum unit {
	UNIT_NONE,
	UNIT_BYTES,
	UNIT_USEC,
	UNIT_MSEC, /* usec, short ones */
	UNIT_PPM,
	UNIT_MPPS,
	UNIT_PAGES,
	UNIT_COUNT,
};

/* The first {} is the number measured, the second the limit, both in the unit. */
struct wording {
	const char *text;
	enum unit unit;
};

static const struct wording wordings[_REASON_MAX] = {
	[REASON_NONE] = {"nothing decided", UNIT_NONE},
	[REASON_NO_CLASS] = {"watched only: no class matches it", UNIT_NONE},
	[REASON_OMITTED] = {"never touched", UNIT_NONE},
	[REASON_PAUSED] = {"paused, until fgreclaimctl resume", UNIT_NONE},
	[REASON_CLASS_NONE] = {"its class says Reclaim=none", UNIT_NONE},
	[REASON_HOURS] = {"held: outside the Hours= of its class", UNIT_NONE},
	[REASON_INNER] = {"its children are looked at instead", UNIT_NONE},
	[REASON_OBSERVE] = {"watched only: the host allows no reclaim", UNIT_NONE},
	[REASON_SLOW] = {"held: the kernel took {} to be read (limit {})", UNIT_USEC},
	[REASON_UNPOPULATED] = {"no process in it", UNIT_NONE},
	[REASON_FROZEN] = {"frozen", UNIT_NONE},
	[REASON_BUSY] = {"a write is still under way", UNIT_NONE},
	[REASON_NOT_READ] = {"waiting: its counters are dear, and were read {} ago (due after {})",
			     UNIT_USEC},
	[REASON_UNKNOWN] = {"held: counters that would show harm cannot be read", UNIT_NONE},
	[REASON_FIRST_LOOK] = {"waiting: no history to judge by yet", UNIT_NONE},
	[REASON_YOUNG] = {"waiting: known for {} of {}", UNIT_USEC},
	[REASON_SMALL] = {"left alone: {} (counts from {})", UNIT_BYTES},
	[REASON_HOLD_REFAULT] = {"held: evicted pages come back at {} (limit {})", UNIT_MPPS},
	[REASON_HOLD_PRESSURE] = {"held: its tasks stall {} of the time (limit {})", UNIT_PPM},
	[REASON_HOLD_OOM] = {"held: {} OOM kills", UNIT_COUNT},
	[REASON_HOLD_FAILED] = {"held: {} writes failed", UNIT_COUNT},
	[REASON_HOLD_NO_YIELD] = {"held: reclaim freed {} of {}", UNIT_BYTES},
	[REASON_HOLD_TIERS] = {"held: {} of evicted tier-1+ file pages came back (limit {})",
			       UNIT_PPM},
	[REASON_CPU_BUDGET] = {"held: CpuBudget= has paid for what was done only in {}", UNIT_USEC},
	[REASON_OTHERS] = {"held: others take {} here (its pace: {})", UNIT_BYTES},
	[REASON_QUOTA] = {"held: others are swept first, {} left for it (would take {})",
			  UNIT_BYTES},
	[REASON_FLOOR] = {"held: {} (floor {})", UNIT_BYTES},
	[REASON_NO_GENERATIONS] = {"no generations on this host: working set unknown", UNIT_NONE},
	[REASON_NOT_LISTED] = {"its generations could not be read this time", UNIT_NONE},
	[REASON_NO_SWAP] = {"held: swap has room for {} (a step needs {})", UNIT_BYTES},
	[REASON_ZSWAP_FULL] = {"held: zswap has room for {} (a step needs {}), and nothing may go "
			       "past it",
			       UNIT_BYTES},
	[REASON_SWAP_DEVICE] = {"held: swap is a disk, which Anon=auto leaves alone", UNIT_NONE},
	[REASON_SWAP_ROTATES] = {"held: swap is on a disk that rotates", UNIT_NONE},
	[REASON_SWAP_BUDGET] = {"held: {} were swapped to a disk within a day (budget {})",
				UNIT_BYTES},
	[REASON_ANON_OFF] = {"anon is not to be taken here", UNIT_NONE},
	[REASON_LITTLE_ANON] = {"left alone: {} of anon (counts from {})", UNIT_BYTES},
	[REASON_FILE_MOSTLY] = {"left alone: {} of anon beside {} of file", UNIT_BYTES},
	[REASON_RECLAIMED] = {"held: the kernel reclaimed here {} ago (quiet needed: {})",
			      UNIT_USEC},
	[REASON_OLDEST_HOLDS_FILE] = {"held: an aging would merge {} (limit {})", UNIT_PAGES},
	[REASON_AGE_NOT_DUE] = {"waiting: aged {} ago (due after {})", UNIT_USEC},
	[REASON_AGE_DEAR] =
		{"waiting: its page tables are dear to walk, and were {} ago (due after {})",
		 UNIT_USEC},
	[REASON_NOTHING_COLD] = {"nothing cold", UNIT_NONE},
	[REASON_LIMIT_NEAR] = {"left to headroom: {} free below its limit (near from {})",
			       UNIT_BYTES},
	[REASON_IN_USE] = {"held: its file is in use throughout, next trial in {}", UNIT_USEC},
	[REASON_TOO_FAST] = {"left to the kernel: grows by {} a second (headroom holds {})",
			     UNIT_BYTES},
	[REASON_LITTLE_FILE] = {"left alone: {} of clean file (counts from {})", UNIT_BYTES},
	[REASON_RETURNS] = {"held: {} of its evicted file pages came back (limit {})", UNIT_PPM},
	[REASON_NO_EVIDENCE] = {"left alone: brings in {} of new file (fills the limit from {})",
				UNIT_MPPS},
	[REASON_SWAPPINESS] = {"held: this kernel cannot reclaim file alone", UNIT_NONE},
	[REASON_LIMIT_BOUND] = {"not aged: reclaim turns its memory over in {} (left to it below "
				"{})",
				UNIT_USEC},
	[REASON_LIMIT_WAIT] = {"at its limit: watching for {} so far (judges after {})", UNIT_USEC},
	[REASON_STEADY] = {"at its limit, steady: refaults cost {} of its time (aged above {})",
			   UNIT_PPM},
	[REASON_MISSES_NO_MORE] = {"at its limit: more comes back, but it misses no more than it "
				   "did: evicted is {} of its time (aged from {})",
				   UNIT_PPM},
	[REASON_DIRTY] = {"at its limit: {} of file not written back yet (limit {})", UNIT_BYTES},
	[REASON_FLUSH_WAIT] = {"waiting: aged {} ago (again after {})", UNIT_USEC},
	[REASON_FLUSH_FULL] = {"waiting for the oldest of {} generations to drain (room for {})",
			       UNIT_COUNT},
	[REASON_FLUSH_FAILED] = {"gave up: {} of {} agings happened", UNIT_COUNT},
	[REASON_OBSERVING] = {"aged {} ago: watching what comes of it (for {})", UNIT_USEC},
	[REASON_NO_BETTER] =
		{"not aged: judged {} ago that it made nothing better (again after {})", UNIT_USEC},
	[REASON_FREQUENCY] = {"at its limit: the kernel promotes by frequency, and is left to it",
			      UNIT_NONE},
	[REASON_FOUR] = {"at its limit: {} generations (kept at {})", UNIT_COUNT},
	[REASON_CHURN_PAUSE] = {"churn pauses, to see whether it pays: since {} (for {})",
				UNIT_USEC},
	[REASON_CHURN_NO_GAIN] = {"churn does not pay: refaults cost {} of its time with it (limit "
				  "{})",
				  UNIT_PPM},
	[REASON_CHURN_LATE] = {"churn stopped: looks come {} apart (wanted {}), by CpuBudget= "
			       "or load",
			       UNIT_MSEC},
	[REASON_UNMOVED] = {"churn stopped: {} agings in a row did not happen (limit {})",
			    UNIT_COUNT},
	[REASON_AGE] = {"aging, to measure the working set: last {} ago (due after {})", UNIT_USEC},
	[REASON_EVICT_COLD] = {"evicting cold anon: not seen in use for {} (needs {})", UNIT_USEC},
	[REASON_USED_UP] = {"aging: its old generations hold no file, last {} ago (due after {})",
			    UNIT_USEC},
	[REASON_UNUSED_FILE] = {"taking file that is not used: pages come back at {} (limit {})",
				UNIT_MPPS},
	[REASON_HEADROOM] = {"taking file ahead of the limit: {} free below it (wanted {})",
			     UNIT_BYTES},
	[REASON_TARGET] = {"reclaiming file down to its share of the limit: holds {} (share {})",
			   UNIT_BYTES},
	[REASON_FLUSH_REGRESSION] = {"aging: refaults cost {} of its time (limit {})", UNIT_PPM},
	[REASON_FLUSH_ANON] = {"aging: no anon evicted for {} while file comes back (limit {})",
			       UNIT_USEC},
	[REASON_FLUSH_DUE] = {"aging, due at its limit: last {} ago (every {})", UNIT_USEC},
	[REASON_FLUSH_NEXT] = {"aging: {} of {} done", UNIT_COUNT},
	[REASON_KEEP_FOUR] = {"aging: {} generations (kept at {})", UNIT_COUNT},
	[REASON_CHURN_TRIAL] = {"trying churn: refaults cost {} of its time before (gain wanted: "
				"to {})",
				UNIT_PPM},
	[REASON_PROTECT] = {"memory.low follows a working set of {}: {}", UNIT_BYTES},
	[REASON_PROTECT_MAX] = {"working set {}: memory.low is held at {} by ProtectMax=",
				UNIT_BYTES},
	[REASON_PROTECT_LIMIT] =
		{"working set {}: memory.low is held at {} by its own memory.high or memory.max",
		 UNIT_BYTES},
	[REASON_PROTECT_PARENT] =
		{"working set {}: memory.low is held at {}, what an ancestor's own grants",
		 UNIT_BYTES},
	[REASON_PROTECT_SHARE] = {"working set {}: memory.low is held at {}, its share of a limit",
				  UNIT_BYTES},
	[REASON_CHURN] = {"churning: refaults cost {} of its time (without: {})", UNIT_PPM},
};

const char *action_kind_to_string(enum action_kind action)
{
	static const char *const names[_ACTION_MAX] = {
		[ACTION_NONE] = "none",       [ACTION_AGE] = "age",
		[ACTION_EVICT] = "evict",     [ACTION_RECLAIM] = "reclaim",
		[ACTION_PROTECT] = "protect",
	};

	return (size_t)action < ARRAY_SIZE(names) ? names[action] : "invalid";
}

const char *explain_bytes(uint64_t bytes, char *buf, size_t size)
{
	static const char units[] = "BKMGTP";
	uint64_t whole = bytes, tenths = 0;
	size_t unit = 0;

	if (!is_number(bytes)) {
		snprintf(buf, size, "%s", bytes == SAMPLE_UNKNOWN ? "-" : "max");
		return buf;
	}
	while (whole >= 1024 && unit + 2 < sizeof(units)) {
		tenths = whole % 1024 * 10 / 1024;
		whole /= 1024;
		unit++;
	}
	if (unit == 0 || whole >= 100)
		snprintf(buf, size, "%" PRIu64 "%c", whole, units[unit]);
	else
		snprintf(buf, size, "%" PRIu64 ".%" PRIu64 "%c", whole, tenths, units[unit]);
	return buf;
}

static void print_value(enum unit unit, uint64_t value, char *buf, size_t size)
{
	if (!is_number(value))
		unit = UNIT_BYTES; /* has words for what is none */
	switch (unit) {
	case UNIT_BYTES:
		explain_bytes(value, buf, size);
		break;
	case UNIT_USEC:
		snprintf(buf, size, "%" PRIu64 " s", value / USEC_PER_SEC);
		break;
	case UNIT_MSEC:
		snprintf(buf, size, "%" PRIu64 " ms", value / 1000);
		break;
	case UNIT_PPM:
		snprintf(buf, size, "%" PRIu64 ".%02" PRIu64 " %%", value / 10000,
			 value / 100 % 100);
		break;
	case UNIT_MPPS:
		snprintf(buf, size, "%" PRIu64 ".%" PRIu64 " pages/s", value / 1000,
			 value / 100 % 10);
		break;
	case UNIT_PAGES:
		snprintf(buf, size, "%" PRIu64 " pages", value);
		break;
	case UNIT_COUNT:
		snprintf(buf, size, "%" PRIu64, value);
		break;
	default:
		buf[0] = '\0';
	}
}

void explain_verdict(const struct verdict *verdict, char *buf, size_t size)
{
	const struct wording *wording = &wordings[REASON_NONE];
	char numbers[2][32];
	size_t len = 0, next = 0;

	if (size == 0)
		return;
	if (verdict->reason >= 0 && verdict->reason < _REASON_MAX)
		wording = &wordings[verdict->reason];
	print_value(wording->unit, verdict->measured, numbers[0], sizeof(numbers[0]));
	print_value(wording->unit, verdict->limit, numbers[1], sizeof(numbers[1]));
	for (const char *p = wording->text; *p && len + 1 < size; p++) {
		if (p[0] == '{' && p[1] == '}' && next < ARRAY_SIZE(numbers)) {
			for (const char *n = numbers[next]; *n && len + 1 < size; n++)
				buf[len++] = *n;
			next++;
			p++;
		} else {
			buf[len++] = *p;
		}
	}
	buf[len] = '\0';
}
