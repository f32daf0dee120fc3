/* SPDX-License-Identifier: MIT */
/*
 * Headroom for one memcg alone under its limit: who pays is no question here, only when. The kernel
 * reclaims in the path of the request that reaches the limit; the same pages, taken a moment before
 * from the same end of the same list, cost nobody a stall. (Measured on a stream at its limit:
 * memory.events max 2 556 to 0.)
 *
 * What is kept free is kept from use, so it is little, 1 to 2 % of the limit, and only where that
 * is enough until the next look: a memcg that brings in more is left to the kernel, since the
 * headroom would cost it pages and spare it nothing. Nor is more taken than a small part of its
 * file: where there is little, that is the text of the programs that run there.
 *
 * Refaults and stalls do not hold this law: they are the limit's doing, and it takes nothing that
 * the kernel would not take within the next second.
 */
#include "headroom.h"
#include "arith.h"
#include "file_reclaim.h"
#include "limit.h"
#include "protection.h"
#include "siblings.h"

#define HEADROOM_LEAST_PPM 10000
#define HEADROOM_MOST_PPM  20000

/* Two looks at the quickest pace, so that one may come late. */
#define HEADROOM_SPAN_USEC (2 * LIMIT_NEXT_LEAST_USEC)

/* No more than this part of all file at once. */
#define FILE_DIVISOR 10

/* GCLK has more to say of a memcg that is under its law, if it can see it. */
static void say(struct memcg_state *state, enum reason reason, uint64_t measured, uint64_t limit)
{
	if (state->residence.mode == RESIDENCE_BOUND &&
	    state->verdict.reason != REASON_NOT_LISTED &&
	    state->verdict.reason != REASON_NO_GENERATIONS)
		return;
	state->verdict = (struct verdict){
		.reason = reason,
		.measured = measured,
		.limit = limit,
	};
}

void headroom_plan(const struct policy_params *params, const struct snapshot *snapshot,
		   size_t limited, size_t leaf, struct memcg_state *states, uint64_t *planned_bytes,
		   struct plan *plan)
{
	const struct limit_want want = {
		.span_usec = HEADROOM_SPAN_USEC,
		.least_ppm = HEADROOM_LEAST_PPM,
		.most_ppm = HEADROOM_MOST_PPM,
	};
	const struct memcg_sample *sample = &snapshot->memcgs[leaf];
	struct memcg_state *state = &states[leaf];
	struct limit limit;
	uint64_t need_bytes, file_bytes, floor_bytes, room_bytes, most_bps;
	uint32_t swappiness;

	if (!sibling_is_known(snapshot, states, leaf) || state->verdict.action != ACTION_NONE ||
	    !limit_look(snapshot, states, limited, &want, &limit) ||
	    file_reclaim_refused(params, snapshot, leaf, false, state, &swappiness))
		return;
	most_bps = mul_div(mul_div(limit.limit_bytes, HEADROOM_MOST_PPM, PPM), USEC_PER_SEC,
			   LIMIT_NEXT_LEAST_USEC);
	need_bytes = limit_need_bytes(&limit, planned_bytes[limited]);
	if (limit.growth_bps > most_bps) {
		if (need_bytes > 0)
			say(state, REASON_TOO_FAST, limit.growth_bps, most_bps);
		return;
	}
	limit_hasten(&limit, plan);
	if (need_bytes < FILE_RECLAIM_WORTH_BYTES || plan->n_decisions >= plan->capacity)
		return;
	file_bytes = file_reclaim_clean_bytes(sample);
	if (file_bytes / FILE_DIVISOR < FILE_RECLAIM_WORTH_BYTES) {
		say(state, REASON_LITTLE_FILE, file_bytes, FILE_DIVISOR * FILE_RECLAIM_WORTH_BYTES);
		return;
	}
	floor_bytes = protection_floor_bytes(&params->classes[sample->class_index], sample, state);
	room_bytes = protection_room_bytes(snapshot, leaf, floor_bytes, planned_bytes);
	if (room_bytes < FILE_RECLAIM_WORTH_BYTES) {
		say(state, REASON_FLOOR, sample->current_bytes, floor_bytes);
		return;
	}
	need_bytes = min_u64(need_bytes, min_u64(room_bytes, file_bytes / FILE_DIVISOR));
	file_reclaim_ask(snapshot, leaf, need_bytes, swappiness,
			 &(struct verdict){
				 .reason = REASON_HEADROOM,
				 .measured = limit.free_bytes,
				 .limit = limit.headroom_bytes,
			 },
			 state, planned_bytes, plan);
}
