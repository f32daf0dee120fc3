/* SPDX-License-Identifier: MIT */
/*
 * What no plan may ever do, whatever the snapshot. Written against the product's rules and not
 * against the policy's code: numbers are repeated here on purpose.
 */
#include "policy-world.h"
#include "arith.h"

#define QUIET_USEC      SECONDS(15)
#define EMPTY_PAGES     64
#define RECLAIM_LEAST   (UINT64_C(256) << 10)
#define NEXT_LEAST_USEC 500000
#define CHURN_LEAST     25000

struct check {
	const struct policy_params *params;
	const struct snapshot *snapshot;
	const struct memcg_state *states;
	const struct plan *plan;
};

/* An aging by the law of a limit, not SAVER's. */
static bool is_at_limit(const struct decision *d)
{
	return d->action == ACTION_AGE && d->reason != REASON_AGE && d->reason != REASON_USED_UP;
}

static bool is_within(const struct snapshot *snapshot, size_t i, size_t ancestor)
{
	for (int64_t at = (int64_t)i; at >= 0; at = snapshot->memcgs[at].parent)
		if ((size_t)at == ancestor)
			return true;
	return false;
}

static uint64_t subtree_bytes(const struct check *c, size_t i)
{
	uint64_t bytes = 0;

	for (size_t d = 0; d < c->plan->n_decisions; d++)
		if (is_within(c->snapshot, c->plan->decisions[d].memcg, i))
			bytes = saturating_add(bytes, c->plan->decisions[d].bytes);
	return bytes;
}

static const char *check_counters(const struct memcg_sample *m)
{
	if (!is_number(m->current_bytes) || !is_number(m->pgsteal_pages) ||
	    !is_number(m->pgscan_pages) || !is_number(m->refault_pages[LRU_ANON]) ||
	    !is_number(m->refault_pages[LRU_FILE]))
		return "acts without the counters that tell harm";
	return NULL;
}

/* Refaults and stalls may be a limit's doing: within its last fifth. */
static bool is_near_limit(const struct check *c, size_t i)
{
	for (int64_t at = (int64_t)i; at >= 0; at = c->snapshot->memcgs[at].parent) {
		const struct memcg_sample *m = &c->snapshot->memcgs[at];
		uint64_t limit_bytes = min_u64(m->high_bytes, m->max_bytes);

		if (is_number(limit_bytes) && is_number(m->current_bytes) &&
		    m->current_bytes >= mul_div(limit_bytes, 8, 10))
			return true;
	}
	return false;
}

/* At a limit refaults and stalls are the limit's doing, and what is to be mended. */
static bool passes_hold(const struct check *c, const struct memcg_state *state,
			const struct decision *d)
{
	if (state->hold.reason == REASON_HOLD_NO_YIELD)
		return is_at_limit(d);
	return (state->hold.reason == REASON_HOLD_PRESSURE ||
		state->hold.reason == REASON_HOLD_REFAULT) &&
	       (is_at_limit(d) || ((d->action == ACTION_RECLAIM || d->reason == REASON_HEADROOM) &&
				   is_near_limit(c, d->memcg)));
}

/* Whom anything may be done to. */
static const char *check_target(const struct check *c, const struct decision *d)
{
	const struct memcg_sample *m;
	const struct memcg_state *state;

	if (d->memcg >= c->snapshot->n_memcgs)
		return "decision for no memcg";
	m = &c->snapshot->memcgs[d->memcg];
	state = &c->states[d->memcg];
	if (c->snapshot->system.capability < CAPABILITY_RECLAIM)
		return "acts on a host that is only observed";
	if (c->snapshot->read_usec > SECONDS(20))
		return "acts on what took long to be read";
	if (c->snapshot->system.cpu_wait_usec > 0 &&
	    (d->reason == REASON_EVICT_COLD || d->reason == REASON_AGE ||
	     d->reason == REASON_UNUSED_FILE || d->reason == REASON_USED_UP))
		return "sweeps while the CPU budget is spent";
	if (!m->leaf)
		return "acts on an inner node";
	if (m->omitted)
		return m->paused ? "acts on a paused memcg" : "acts on an omitted memcg";
	if (m->class_index < 0 || (size_t)m->class_index >= c->params->n_classes ||
	    c->params->classes[m->class_index].reclaim == RECLAIM_NONE)
		return "acts without a class that allows it";
	if (m->closed)
		return "acts outside the hours of its class";
	if (m->skipped)
		return "acts on what it has not read";
	if (!m->populated || m->frozen || m->busy)
		return "acts on an unpopulated, frozen or busy memcg";
	if (!state->primed || state->id != m->id || state->dt_usec == 0)
		return "acts at first look";
	if (state->hold_until_usec > c->snapshot->now_usec && !passes_hold(c, state, d))
		return "acts during a hold";
	if (d->reason == REASON_NONE || d->reason >= _REASON_MAX)
		return "acts without a reason";
	return check_counters(m);
}

static const struct lruvec_sample *find_lruvec(const struct check *c, const struct decision *d)
{
	const struct memcg_sample *m = &c->snapshot->memcgs[d->memcg];

	for (uint32_t v = 0; m->listed && v < m->n_lruvecs; v++)
		if (c->snapshot->lruvecs[m->first_lruvec + v].node == d->node)
			return &c->snapshot->lruvecs[m->first_lruvec + v];
	return NULL;
}

static bool has_no_swap(const struct check *c, size_t memcg)
{
	for (int64_t i = (int64_t)memcg; i >= 0; i = c->snapshot->memcgs[i].parent)
		if (c->snapshot->memcgs[i].swap_max_bytes == 0)
			return true;
	return false;
}

static bool zswap_is_all(const struct check *c, size_t memcg)
{
	for (int64_t i = (int64_t)memcg; i >= 0; i = c->snapshot->memcgs[i].parent)
		if (c->snapshot->memcgs[i].zswap_only)
			return true;
	return false;
}

static bool swaps(const struct decision *d)
{
	return d->action == ACTION_EVICT && d->swappiness != SWAPPINESS_FILE_ONLY;
}

/* True if zswap may not take all of it, with what the decisions before it have swapped out. */
static bool leaves_zswap(const struct check *c, const struct decision *d)
{
	uint64_t room_bytes = c->snapshot->system.zswap_room_bytes, bytes = d->bytes;

	if (!c->snapshot->system.zswap || !swaps(d))
		return false;
	for (const struct decision *before = c->plan->decisions; before < d; before++)
		bytes = saturating_add(bytes, swaps(before) ? before->bytes : 0);
	for (int64_t i = (int64_t)d->memcg; i >= 0; i = c->snapshot->memcgs[i].parent) {
		const struct memcg_sample *m = &c->snapshot->memcgs[i];
		bool known = is_number(m->zswap_max_bytes) && is_number(m->zswap_current_bytes);

		if (m->zswap_max_bytes == SAMPLE_INFINITY ||
		    (m->zswap_max_bytes == SAMPLE_UNKNOWN && m->parent < 0))
			continue;
		if (!known || m->zswap_current_bytes > m->zswap_max_bytes)
			return true;
		room_bytes = min_u64(room_bytes, m->zswap_max_bytes - m->zswap_current_bytes);
	}
	return bytes > room_bytes;
}

static bool is_to_disk(const struct check *c, const struct decision *d)
{
	const struct system_sample *system = &c->snapshot->system;

	return swaps(d) && !system->swap_is_zram && (!system->zswap || leaves_zswap(c, d));
}

static const char *check_anon_allowed(const struct check *c, const struct decision *d)
{
	const struct memcg_sample *m = &c->snapshot->memcgs[d->memcg];
	const struct system_sample *system = &c->snapshot->system;

	if (c->params->anon == ANON_NO ||
	    c->params->classes[m->class_index].reclaim == RECLAIM_FILE)
		return "takes anon that may not be taken";
	if (leaves_zswap(c, d) && zswap_is_all(c, d->memcg))
		return "swaps past zswap";
	if (is_to_disk(c, d) && !d->to_disk)
		return "swaps to a disk and does not say so";
	if (d->to_disk && (c->params->anon == ANON_AUTO || system->swap_is_zram))
		return "swaps to a disk";
	if (d->to_disk && system->swap_rotates)
		return "swaps to a disk that rotates";
	if (system->capability < CAPABILITY_GENERATIONS)
		return "uses generations that are not there";
	if (!is_number(system->swap_free_bytes) || system->swap_free_bytes == 0)
		return "swaps without swap";
	for (int64_t i = (int64_t)d->memcg; i >= 0; i = c->snapshot->memcgs[i].parent)
		if (is_number(c->snapshot->memcgs[i].swap_max_bytes) &&
		    c->snapshot->memcgs[i].swap_current_bytes >=
			    c->snapshot->memcgs[i].swap_max_bytes)
			return "swaps above swap.max";
	return NULL;
}

/* The evidence, as far as one look shows it; policy-limit's tests have the rest. */
static const char *check_age_at_limit(const struct check *c, const struct decision *d)
{
	const struct memcg_sample *m = &c->snapshot->memcgs[d->memcg];
	const struct memcg_state *state = &c->states[d->memcg];
	const struct verdict *verdict = &state->verdict;
	bool anon = m->lru_bytes[LRU_ANON] > m->current_bytes / 10;
	bool fg = c->snapshot->system.capability >= CAPABILITY_FAST_PATH;

	if (state->residence.mode == RESIDENCE_FREE ||
	    (state->residence.mode == RESIDENCE_SHARED && d->reason != REASON_FLUSH_ANON &&
	     d->reason != REASON_FLUSH_NEXT))
		return "ages by a limit's law what is under none";
	if (c->snapshot->system.capability < CAPABILITY_GENERATIONS)
		return "ages without generations";
	if (d->force != (d->reason == REASON_CHURN || d->reason == REASON_CHURN_TRIAL))
		return "merges without being asked to";
	if (d->force && (fg || !c->params->classes[m->class_index].churn))
		return "churns what it must not";
	if (d->reason == REASON_KEEP_FOUR && !(fg && m->counts_proactive))
		return "keeps four generations on the wrong kernel";
	if (fg && (d->reason == REASON_FLUSH_REGRESSION || d->reason == REASON_FLUSH_DUE))
		return "flushes for what is left to the kernel";
	if (d->reason == REASON_FLUSH_REGRESSION && verdict->measured <= verdict->limit)
		return "flushes without a regression";
	if ((d->reason == REASON_FLUSH_ANON || d->reason == REASON_FLUSH_DUE) &&
	    verdict->measured < verdict->limit)
		return "flushes too soon";
	if (d->reason == REASON_FLUSH_ANON && !anon)
		return "flushes for anon that is not there";
	if (anon && c->snapshot->system.swap_total_bytes != 0 && !has_no_swap(c, d->memcg))
		return check_anon_allowed(c, d);
	return NULL;
}

/* Unused file: only where nobody else reclaims, and not at a limit. */
static const char *check_file_sweep(const struct check *c, const struct decision *d)
{
	const struct memcg_state *state = &c->states[d->memcg];
	enum reclaim_kind kind =
		c->params->classes[c->snapshot->memcgs[d->memcg].class_index].reclaim;

	if (kind != RECLAIM_FILE && kind != RECLAIM_ALL)
		return "takes unused file that may not be taken";
	if (state->residence.mode != RESIDENCE_FREE)
		return "takes unused file of what is at its limit";
	if (c->snapshot->memcgs[d->memcg].seen_usec < SECONDS(60))
		return "takes unused file of a young memcg";
	if (state->foreign_usec && c->snapshot->now_usec - state->foreign_usec < QUIET_USEC)
		return "takes unused file while others reclaim";
	return NULL;
}

/* For unused file's sake. */
static const char *check_age_for_file(const struct check *c, const struct decision *d,
				      const struct lruvec_sample *lruvec)
{
	const struct memcg_sample *m = &c->snapshot->memcgs[d->memcg];
	const struct class_params *class = &c->params->classes[m->class_index];

	for (uint32_t g = 0; g + 2 < lruvec->n_gens; g++)
		if (d->force && number_or(lruvec->gens[g].pages[LRU_FILE], 0) > 0)
			return "merges file";
	if (lruvec->gens[lruvec->n_gens - 1].age_msec < 300000)
		return "ages within five minutes";
	if (c->params->anon != ANON_NO && class->reclaim == RECLAIM_ALL &&
	    c->snapshot->system.swap_total_bytes != 0 && !has_no_swap(c, d->memcg) &&
	    number_or(m->lru_bytes[LRU_ANON], UINT64_MAX) >= MIB(8) &&
	    number_or(m->lru_bytes[LRU_FILE], 0) <= m->lru_bytes[LRU_ANON])
		return "ages anon that has a clock for the sake of file";
	return check_file_sweep(c, d);
}

static const char *check_age(const struct check *c, const struct decision *d)
{
	const struct memcg_state *state = &c->states[d->memcg];
	const struct lruvec_sample *lruvec = find_lruvec(c, d);

	if (!lruvec || lruvec->n_gens == 0 || d->seq != lruvec->gens[lruvec->n_gens - 1].seq)
		return "ages what is not the youngest generation";
	if (d->bytes != 0)
		return "ages bytes";
	if (is_at_limit(d))
		return check_age_at_limit(c, d);
	if (state->residence.mode != RESIDENCE_FREE)
		return "ages for SAVER what is at its limit";
	if (state->foreign_usec && c->snapshot->now_usec - state->foreign_usec < QUIET_USEC)
		return "ages while others reclaim";
	if (d->reason == REASON_USED_UP)
		return check_age_for_file(c, d, lruvec);
	if (lruvec->n_gens >= 4 && number_or(lruvec->gens[0].pages[LRU_ANON], 0) > EMPTY_PAGES)
		return "merges anon";
	return check_anon_allowed(c, d);
}

/* Known for a minute, by us or by the age of one of its generations. */
static bool is_grown_up(const struct check *c, size_t i)
{
	const struct memcg_sample *m = &c->snapshot->memcgs[i];
	bool grown_up = m->seen_usec >= SECONDS(60);

	for (uint32_t v = 0; v < m->n_lruvecs; v++)
		grown_up |= c->snapshot->lruvecs[m->first_lruvec + v].gens[0].age_msec >= 60000;
	return grown_up;
}

/* File ahead of a limit: of the oldest generation that holds any, never of the two youngest. */
static const char *check_evict_file(const struct check *c, const struct decision *d)
{
	const struct lruvec_sample *lruvec = find_lruvec(c, d);
	enum reclaim_kind kind =
		c->params->classes[c->snapshot->memcgs[d->memcg].class_index].reclaim;
	uint32_t g = 0;

	if (kind != RECLAIM_FILE && kind != RECLAIM_ALL)
		return "evicts file that may not be taken";
	if (d->reason != REASON_UNUSED_FILE && !is_near_limit(c, d->memcg))
		return "evicts file far from any limit";
	if (d->reason == REASON_UNUSED_FILE && check_file_sweep(c, d))
		return check_file_sweep(c, d);
	while (lruvec && g < lruvec->n_gens && number_or(lruvec->gens[g].pages[LRU_FILE], 0) == 0)
		g++;
	if (!lruvec || g + 2 >= lruvec->n_gens || d->seq != lruvec->gens[g].seq)
		return "evicts file of a young generation";
	if (d->bytes == 0 ||
	    d->bytes > saturating_mul(lruvec->gens[g].pages[LRU_FILE], c->snapshot->page_bytes))
		return "evicts more than the oldest generation's file";
	return NULL;
}

/* Product rule: file that was used more than once, leaves and comes back is harm in progress. At a
 * limit that is hit it is the limit's doing. */
static const char *check_tiers(const struct check *c, const struct decision *d)
{
	const struct memcg_state *state = &c->states[d->memcg];
	uint64_t returned = state->tier.returned_pages;

	if (returned < 64 || returned <= state->tier.left_pages / 10 + 1 ||
	    returned <= state->evicted_file_pages / 100 + 1)
		return NULL;
	/* Siblings are not to pay for it either: up to half of the headroom it may be taken. */
	if (d->action == ACTION_RECLAIM && d->reason == REASON_HEADROOM)
		return state->verdict.measured + d->bytes > state->verdict.limit / 2 + RECLAIM_LEAST
			       ? "takes file of tiers that come back for more than half of a "
				 "headroom"
			       : NULL;
	if (d->action == ACTION_RECLAIM && d->reason != REASON_TARGET)
		return "takes file of tiers that come back";
	for (int64_t at = (int64_t)d->memcg; at >= 0; at = c->snapshot->memcgs[at].parent) {
		uint64_t hit_usec = c->states[at].residence.hit_usec;

		if (hit_usec > 0 && c->snapshot->now_usec - hit_usec < SECONDS(600))
			return NULL;
	}
	return "takes file of tiers that come back, and no limit was hit";
}

static const char *check_evict(const struct check *c, const struct decision *d)
{
	const struct lruvec_sample *lruvec = find_lruvec(c, d);
	uint64_t cold_pages;

	if (!lruvec || lruvec->n_gens < 4 || d->seq != lruvec->gens[0].seq)
		return "evicts what has not missed two agings";
	cold_pages = number_or(lruvec->gens[0].pages[LRU_ANON], 0);
	if (d->bytes == 0 || d->bytes > saturating_mul(cold_pages, c->snapshot->page_bytes))
		return "evicts more than the oldest generation's anon";
	if (!is_grown_up(c, d->memcg))
		return "evicts from a young memcg";
	return check_anon_allowed(c, d);
}

static const char *check_reclaim(const struct check *c, const struct decision *d)
{
	const struct memcg_sample *m = &c->snapshot->memcgs[d->memcg];
	enum reclaim_kind kind = c->params->classes[m->class_index].reclaim;

	if (kind != RECLAIM_FILE && kind != RECLAIM_ALL)
		return "takes file that may not be taken";
	if (d->bytes < RECLAIM_LEAST || d->bytes > m->lru_bytes[LRU_FILE])
		return "reclaims next to nothing, or more file than there is";
	if (d->swappiness != SWAPPINESS_FILE_ONLY &&
	    (d->swappiness != SWAPPINESS_DEFAULT || c->snapshot->system.reclaim_swappiness))
		return "reclaims anon where file alone could be had";
	return NULL;
}

static const char *check_decision(const struct check *c, const struct decision *d)
{
	const char *why = check_target(c, d);

	if (!why && d->action != ACTION_AGE && d->reason != REASON_EVICT_COLD)
		why = check_tiers(c, d);
	if (why)
		return why;
	switch (d->action) {
	case ACTION_AGE:
		return check_age(c, d);
	case ACTION_EVICT:
		return d->swappiness == SWAPPINESS_FILE_ONLY ? check_evict_file(c, d)
							     : check_evict(c, d);
	case ACTION_RECLAIM:
		return check_reclaim(c, d);
	default:
		return "decision to do nothing";
	}
}

/* One kind of action for each memcg, once for each node, and the verdict says the same. */
static const char *check_verdict(const struct check *c, size_t i)
{
	const struct verdict *verdict = &c->states[i].verdict;
	enum action_kind action = ACTION_NONE;
	uint64_t bytes = 0;

	for (size_t n = 0; n < c->plan->n_decisions; n++) {
		const struct decision *d = &c->plan->decisions[n];

		if (d->memcg != i)
			continue;
		if (action != ACTION_NONE && (d->action != action || action == ACTION_RECLAIM))
			return "two actions for one memcg";
		for (size_t k = 0; k < n; k++)
			if (c->plan->decisions[k].memcg == i &&
			    c->plan->decisions[k].node == d->node)
				return "two actions for one lruvec";
		action = d->action;
		bytes = saturating_add(bytes, d->bytes);
	}
	if (verdict->action != action || verdict->bytes != bytes)
		return "the verdict differs from the decisions";
	if (verdict->reason < 0 || verdict->reason >= _REASON_MAX)
		return "no such reason";
	return NULL;
}

static uint64_t evict_most_bytes(const struct check *c, size_t i)
{
	uint64_t dt_usec =
		min_u64(c->states[i].dt_usec, saturating_mul(2, c->snapshot->interval_usec));
	uint64_t held_bytes = c->snapshot->memcgs[i].current_bytes;
	uint64_t bytes_per_sec = max_u64(held_bytes / 100, min_u64(held_bytes / 25, MIB(8)));

	return saturating_add(PAGE_BYTES, mul_div(bytes_per_sec, dt_usec, USEC_PER_SEC));
}

/* 1 % a second of what it holds, or half a MiB. */
static uint64_t file_most_bytes(const struct check *c, size_t i)
{
	uint64_t dt_usec =
		min_u64(c->states[i].dt_usec, saturating_mul(2, c->snapshot->interval_usec));

	return max_u64(mul_div(c->snapshot->memcgs[i].current_bytes, dt_usec, 100 * USEC_PER_SEC),
		       MIB(1) / 2);
}

static uint64_t swept_bytes(const struct check *c, size_t i)
{
	uint64_t bytes = 0;

	for (size_t d = 0; d < c->plan->n_decisions; d++)
		if ((c->plan->decisions[d].reason == REASON_EVICT_COLD ||
		     c->plan->decisions[d].reason == REASON_UNUSED_FILE) &&
		    c->plan->decisions[d].memcg != i &&
		    is_within(c->snapshot, c->plan->decisions[d].memcg, i))
			bytes = saturating_add(bytes, c->plan->decisions[d].bytes);
	return bytes;
}

/* 2 %, or 8 MiB, a second since its descendants were last looked at, two ticks at most. */
static uint64_t sweep_most_bytes(const struct check *c, size_t i)
{
	uint64_t held_bytes = c->snapshot->memcgs[i].current_bytes, dt_usec = 0;

	if (!is_number(held_bytes))
		held_bytes = c->snapshot->system.ram_bytes;
	for (size_t k = i; k < c->snapshot->n_memcgs; k++)
		if (is_within(c->snapshot, k, i))
			dt_usec = max_u64(dt_usec, c->states[k].dt_usec);
	dt_usec = min_u64(dt_usec, saturating_mul(2, c->snapshot->interval_usec));
	return mul_div(max_u64(held_bytes / 50 + 1, MIB(8)), dt_usec, USEC_PER_SEC);
}

/* --- protection, written down as the kernel's documentation says it: what a memcg is granted is a
 * matter of its ancestors, from the top */

typedef unsigned __int128 wide;

static uint64_t setting(const struct memcg_sample *m, bool low)
{
	return low ? m->low_bytes : m->min_bytes;
}

static uint64_t used(const struct memcg_sample *m)
{
	return is_number(m->current_bytes) ? m->current_bytes : 0;
}

static uint64_t claimed(const struct memcg_sample *m, bool low)
{
	if (setting(m, low) == SAMPLE_UNKNOWN)
		return 0;
	return setting(m, low) < used(m) ? setting(m, low) : used(m);
}

static wide granted(const struct snapshot *s, size_t i, bool low)
{
	const struct memcg_sample *m = &s->memcgs[i];
	wide from_above, all_claimed = 0, own = claimed(m, low), rest, beyond;

	if (m->parent < 0 ||
	    (s->memcgs[m->parent].parent < 0 && !is_number(s->memcgs[m->parent].current_bytes)))
		return own;
	from_above = granted(s, (size_t)m->parent, low);
	for (size_t j = 0; j < s->n_memcgs; j++)
		if (s->memcgs[j].parent == m->parent)
			all_claimed += claimed(&s->memcgs[j], low);
	if (all_claimed > from_above)
		return own * from_above / all_claimed;
	rest = used(&s->memcgs[m->parent]);
	rest = rest > all_claimed ? rest - all_claimed : 0;
	beyond = used(m) - own;
	rest = rest > beyond ? rest : beyond;
	if (!s->system.recursive_protection || rest == 0)
		return own;
	return own + (from_above - all_claimed) * beyond / rest;
}

/* Of what does not fit in 64 bits low bits go, level by level: up to a terabyte next to nothing. */
static bool is_below_granted(const struct snapshot *s, size_t i, uint64_t left_bytes, bool low)
{
	wide bytes = granted(s, i, low);

	for (int64_t at = (int64_t)i; at >= 0; at = s->memcgs[at].parent)
		if (used(&s->memcgs[at]) >> 40)
			return false;
	return left_bytes + (bytes >> 20) + WORLD_MEMCGS_MAX < bytes;
}

/* What no reclaim can take of a leaf: neither file, nor anon for which there is swap. */
static uint64_t unreclaimable(const struct snapshot *s, size_t i)
{
	const struct memcg_sample *m = &s->memcgs[i];
	uint64_t swap = number_or(s->system.swap_free_bytes, 0), anon = m->lru_bytes[LRU_ANON];

	if (!is_number(anon) || !is_number(m->lru_bytes[LRU_FILE]))
		return 0;
	for (int64_t at = (int64_t)i; at >= 0; at = s->memcgs[at].parent) {
		const struct memcg_sample *a = &s->memcgs[at];
		uint64_t held = number_or(a->swap_current_bytes, UINT64_MAX);

		if (is_number(a->swap_max_bytes))
			swap = min_u64(swap,
				       a->swap_max_bytes > held ? a->swap_max_bytes - held : 0);
	}
	return saturating_sub(m->current_bytes,
			      saturating_add(min_u64(anon, swap), m->lru_bytes[LRU_FILE]));
}

static const char *check_bytes(const struct check *c, size_t i)
{
	const struct memcg_sample *m = &c->snapshot->memcgs[i];
	const struct class_params *class;
	uint64_t bytes = subtree_bytes(c, i), left_bytes;

	if (bytes == 0)
		return NULL;
	if (swept_bytes(c, i) > sweep_most_bytes(c, i))
		return "sweeps above the quota";
	if (!is_number(m->current_bytes))
		return m->parent < 0 ? NULL : "takes from a subtree of unknown size";
	if (m->min_bytes == SAMPLE_UNKNOWN || m->low_bytes == SAMPLE_UNKNOWN)
		return "takes although the protection is unknown";
	if (bytes > m->current_bytes)
		return "takes more than there is";
	left_bytes = m->current_bytes - bytes;
	if (left_bytes < m->min_bytes || left_bytes < m->low_bytes)
		return "takes protected bytes";
	if (m->leaf && left_bytes < c->states[i].protect.low_bytes)
		return "takes what Protect=auto wants protected";
	if (m->leaf && (is_below_granted(c->snapshot, i, left_bytes, false) ||
			is_below_granted(c->snapshot, i, left_bytes, true)))
		return "takes bytes that an ancestor protects";
	if (!m->leaf)
		return NULL;
	class = &c->params->classes[m->class_index];
	if (left_bytes < (class->floor_ppm ? mul_div(c->states[i].peak_bytes, class->floor_ppm, PPM)
					   : class->floor_bytes))
		return "takes below the floor";
	if (class->floor_ppm == 0 &&
	    left_bytes < saturating_add(unreclaimable(c->snapshot, i), class->floor_bytes))
		return "counts what cannot be reclaimed as part of the floor";
	if (left_bytes < unreclaimable(c->snapshot, i))
		return "takes what cannot be reclaimed";
	if (c->states[i].verdict.reason == REASON_EVICT_COLD && bytes > evict_most_bytes(c, i))
		return "evicts above the rate";
	if (c->states[i].verdict.reason == REASON_UNUSED_FILE && bytes > file_most_bytes(c, i))
		return "takes unused file above the rate";
	return NULL;
}

/* Swap on a disk: no more than the day leaves. */
static const char *check_swap_budget(const struct check *c)
{
	uint64_t bytes = c->snapshot->system.swap_written_bytes;
	bool any = false;

	for (size_t d = 0; d < c->plan->n_decisions; d++) {
		const struct decision *decision = &c->plan->decisions[d];

		if (!decision->to_disk)
			continue;
		any = true;
		bytes = saturating_add(bytes, decision->bytes);
	}
	return any && bytes > c->params->swap_write_bytes
		       ? "swaps more to a disk than the day allows"
		       : NULL;
}

/* Protect=auto: for nobody who has not been told to, and never above what may be had. */
static const char *check_protection(const struct check *c, size_t i)
{
	const struct memcg_sample *m = &c->snapshot->memcgs[i];
	uint64_t low_bytes = c->states[i].protect.low_bytes, limit_bytes = SAMPLE_INFINITY;

	if (low_bytes == 0)
		return NULL;
	if (m->omitted || m->class_index < 0 || (size_t)m->class_index >= c->params->n_classes ||
	    !c->params->classes[m->class_index].protect)
		return "protects without a class that says so";
	if (low_bytes > m->high_bytes || low_bytes > m->max_bytes)
		return "protects more than its own limit";
	for (int64_t at = m->parent; at >= 0 && !is_number(limit_bytes);
	     at = c->snapshot->memcgs[at].parent)
		limit_bytes =
			min_u64(number_or(c->snapshot->memcgs[at].high_bytes, SAMPLE_INFINITY),
				number_or(c->snapshot->memcgs[at].max_bytes, SAMPLE_INFINITY));
	if (!is_number(limit_bytes))
		limit_bytes = number_or(c->snapshot->system.ram_bytes, 0);
	if (low_bytes >
	    mul_div(limit_bytes, c->params->classes[m->class_index].protect_max_ppm, PPM))
		return "protects more than ProtectMax=";
	return NULL;
}

const char *policy_violation(const struct policy_params *params, const struct snapshot *snapshot,
			     const struct memcg_state *states, const struct plan *plan)
{
	struct check c = {params, snapshot, states, plan};
	const char *why = NULL;
	bool churns = false;

	if (plan->n_decisions > plan->capacity)
		return "more decisions than room";
	for (size_t i = 0; i < snapshot->n_memcgs; i++)
		churns = churns || states[i].gclk.phase == GCLK_CHURN ||
			 states[i].gclk.phase == GCLK_CHURN_TRIAL;
	if (plan->next_usec > snapshot->interval_usec ||
	    (plan->next_usec < (churns ? CHURN_LEAST : NEXT_LEAST_USEC) &&
	     plan->next_usec != snapshot->interval_usec))
		return "looks again too late or too soon";
	for (size_t d = 0; d < plan->n_decisions && !why; d++)
		why = check_decision(&c, &plan->decisions[d]);
	for (size_t i = 0; i < snapshot->n_memcgs && !why; i++)
		why = check_verdict(&c, i);
	for (size_t i = 0; i < snapshot->n_memcgs && !why; i++)
		why = check_bytes(&c, i);
	for (size_t i = 0; i < snapshot->n_memcgs && !why; i++)
		why = check_protection(&c, i);
	return why ? why : check_swap_budget(&c);
}
