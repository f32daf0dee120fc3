/* SPDX-License-Identifier: MIT */
/*
 * Headroom for one memcg alone under its limit: who pays is no question here, only when. The kernel
 * reclaims in the path of the request that reaches the limit; the same pages, taken a moment before
 * from the same end of the same list, cost nobody a stall.
 *
 * They are taken by lru_gen's eviction of the oldest generation, if that holds file, not through
 * memory.reclaim: that goes below the priority of a limit's own reclaim and makes the kernel age,
 * which forgets what is used often (simulated, hits of a Zipf cache on 6.12: .858 without the
 * agent, .8575 with eviction, .849 with memory.reclaim). Where the kernel ages at a limit by
 * itself, from 6.14 on, or promotes by frequency, eviction costs hits as well, and nothing is done.
 *
 * What is kept free is kept from use, so it is little, 1 to 2 % of the limit, and only where that
 * is enough until the look after next: a memcg that brings in more is left to the kernel, since the
 * headroom would cost it pages and spare it nothing. But where next to nothing of what is evicted
 * comes back, as beside a stream, pages at the end of the list are worth nothing, and headroom may
 * be as large as it takes, 20 % of the limit. Nor is more taken than a small part of its file: where
 * there is little, that is the text of the programs that run there.
 *
 * Refaults and stalls do not hold this law: they are the limit's doing, and it takes nothing that
 * the kernel would not take within the next second. That it would is seen by the limit being hit
 * now and then. Where it is not for long, and what leaves is in use by its tier (tier.c), it may be
 * the headroom itself that keeps out what would fit: then it is given up until the limit is hit
 * again, which takes a look or two, or until no more comes back.
 */
#include "headroom.h"
#include "arith.h"
#include "file_evict.h"
#include "file_reclaim.h"
#include "protection.h"
#include "refault.h"
#include "residence.h"
#include "tier.h"

#define HEADROOM_LEAST_PPM 10000
#define HEADROOM_MOST_PPM  20000

/* Where no more than one page in a hundred came back of late. What came back in the long run is not
 * asked: the thousands of refaults until the kernel knows what is hot would stand against it for
 * minutes, and once pages do come back, the headroom is small again. */
#define HEADROOM_STREAM_PPM 200000
#define STREAM_RETURN_PPM   10000

/* What leaves first looks as if it did not come back. */
#define STREAM_KNOWN_USEC (60 * USEC_PER_SEC)

/* Two looks at the quickest pace, so that one may come late. */
#define HEADROOM_SPAN_USEC (2 * LIMIT_NEXT_LEAST_USEC)

/* No more than this part of all file at once. */
#define FILE_DIVISOR 10

static uint64_t say(struct memcg_state *state, enum reason reason, uint64_t measured,
		    uint64_t limit)
{
	/* At its limit it has a verdict of more weight (gclk.c). */
	if (state->residence.mode == RESIDENCE_BOUND)
		return 0;
	return verdict_say(state, reason, measured, limit);
}

/* How much of it may be taken; 0 and a verdict where that is nothing. */
static uint64_t allowed_bytes(const struct policy_params *params, const struct snapshot *snapshot,
			      size_t leaf, struct memcg_state *state, const uint64_t *planned_bytes)
{
	const struct memcg_sample *sample = &snapshot->memcgs[leaf];
	const struct class_params *class = &params->classes[sample->class_index];
	uint64_t file_bytes = file_reclaim_clean_bytes(sample);
	uint64_t floor_bytes = protection_floor_bytes(class, sample, state);
	uint64_t room_bytes = protection_room_bytes(snapshot, leaf, floor_bytes, planned_bytes);

	if (file_bytes / FILE_DIVISOR < FILE_RECLAIM_WORTH_BYTES)
		return say(state, REASON_LITTLE_FILE, file_bytes,
			   FILE_DIVISOR * FILE_RECLAIM_WORTH_BYTES);
	if (room_bytes < FILE_RECLAIM_WORTH_BYTES)
		return say(state, REASON_FLOOR, sample->current_bytes, floor_bytes);
	return min_u64(room_bytes, file_bytes / FILE_DIVISOR);
}

static uint64_t most_ppm(const struct memcg_state *state)
{
	/* Unknown is more than any number. */
	return state->residence.known_usec >= STREAM_KNOWN_USEC &&
			       refault_return_ppm(state) <= STREAM_RETURN_PPM
		       ? HEADROOM_STREAM_PPM
		       : HEADROOM_MOST_PPM;
}

void headroom_plan(const struct policy_params *params, const struct snapshot *snapshot,
		   size_t limited, size_t leaf, enum aging_rule aging, struct memcg_state *states,
		   uint64_t *planned_bytes, struct plan *plan)
{
	const struct limit_want want = {
		.span_usec = HEADROOM_SPAN_USEC,
		.least_ppm = HEADROOM_LEAST_PPM,
		.most_ppm = most_ppm(&states[leaf]),
	};
	const struct memcg_sample *sample = &snapshot->memcgs[leaf];
	struct memcg_state *state = &states[leaf];
	struct limit limit;
	uint64_t need_bytes, most_bps;
	uint32_t swappiness;

	if (state->verdict.action != ACTION_NONE || !sample->listed || aging == AGING_ALWAYS ||
	    aging == AGING_KEEPS || !limit_look(snapshot, states, limited, &want, &limit) ||
	    file_reclaim_refused(params, snapshot, leaf, false, state, &swappiness))
		return;
	states[limited].wants_tiers = limit_is_near(&limit);
	most_bps = mul_div(mul_div(limit.limit_bytes, want.most_ppm, PPM), USEC_PER_SEC,
			   HEADROOM_SPAN_USEC);
	need_bytes = limit_need_bytes(&limit, planned_bytes[limited]);
	if (limit.growth_bps > most_bps) {
		if (need_bytes > 0)
			say(state, REASON_TOO_FAST, limit.growth_bps, most_bps);
		return;
	}
	limit_hasten(&limit, plan);
	if (need_bytes < FILE_RECLAIM_WORTH_BYTES ||
	    (!residence_was_hit(&states[limited], snapshot->now_usec) && tier_refuses(state)))
		return;
	need_bytes =
		min_u64(need_bytes, allowed_bytes(params, snapshot, leaf, state, planned_bytes));
	need_bytes = file_evict_ask(snapshot, leaf, false, need_bytes, REASON_HEADROOM, plan);
	if (need_bytes == 0)
		return;
	protection_book(snapshot, leaf, need_bytes, planned_bytes);
	state->verdict = (struct verdict){
		.action = ACTION_EVICT,
		.reason = REASON_HEADROOM,
		.measured = limit.free_bytes,
		.limit = limit.headroom_bytes,
		.bytes = need_bytes,
	};
}
