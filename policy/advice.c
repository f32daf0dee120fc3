/* SPDX-License-Identifier: MIT */
/*
 * Advice for people about what reclaim cannot mend: a memcg that is full to its limit and reads the
 * same pages again and again. The kernel evicts there at each charge and kills nobody, since each
 * round frees something: it goes on for ever, and only shows as refaults. What would help is a
 * higher limit, or less to be cached.
 *
 * Two thresholds each, so that a memcg near one of them does not thrash and recover by turns.
 * Refaults are averaged over half a minute (refault.c).
 */
#include "advice.h"
#include "arith.h"
#include "limit.h"
#include "refault.h"

/* Full: reclaim at a limit takes batches of 32 pages and each processor holds up to 64 charged in
 * advance (MEMCG_CHARGE_BATCH), so that usage stays this close below it, but for small limits. */
#define FULL_PPM     950000
#define NOT_FULL_PPM 900000

/* Refaults in a minute, in parts of the memory held. A fifth: forty times what a class puts up with
 * if nothing else is said. */
#define THRASHING_PPM 200000
#define CALM_PPM      50000

/* A job that starts may thrash for a while. */
#define THRASHING_USEC (60 * USEC_PER_SEC)

/* Who has been told once an hour knows. */
#define ADVICE_USEC (60 * USEC_PER_MIN)

/* By the thresholds where it begins, or by those where it ends. */
static bool thrashes(const struct memcg_state *state, const struct memcg_sample *sample,
		     const struct snapshot *snapshot, uint64_t limit_bytes, bool still)
{
	uint64_t full_bytes = mul_div(limit_bytes, still ? NOT_FULL_PPM : FULL_PPM, PPM);
	uint64_t refault_mpps = refault_all_mpps(state);

	if (!is_number(sample->current_bytes) || sample->current_bytes < SAMPLE_SMALL_BYTES)
		return false;
	return sample->current_bytes >= full_bytes &&
	       refault_mpps >= refault_limit_mpps(still ? CALM_PPM : THRASHING_PPM,
						  sample->current_bytes, snapshot->page_bytes);
}

void advice_step(struct memcg_state *state, const struct memcg_sample *sample,
		 const struct snapshot *snapshot)
{
	struct advice_state *advice = &state->advice;
	uint64_t now_usec = snapshot->now_usec;
	uint64_t limit_bytes = limit_bytes_of(sample);

	advice->limit_bytes = limit_bytes;
	if (!is_number(limit_bytes) ||
	    !thrashes(state, sample, snapshot, limit_bytes, advice->since_usec > 0)) {
		advice->since_usec = 0;
		return;
	}
	if (advice->since_usec == 0)
		advice->since_usec = now_usec;
	/* What only fades away is not worth it any more. */
	if (!thrashes(state, sample, snapshot, limit_bytes, false) ||
	    now_usec - advice->since_usec < THRASHING_USEC ||
	    (advice->told_usec > 0 && now_usec - advice->told_usec < ADVICE_USEC))
		return;
	advice->due = true;
	advice->told_usec = now_usec;
}

void advice_rebase(struct advice_state *advice, uint64_t now_usec)
{
	*advice = (struct advice_state){.told_usec = min_u64(advice->told_usec, now_usec)};
}
