/* SPDX-License-Identifier: MIT */
/*
 * Harm in progress: file that was used more than once, is evicted, and comes back.
 *
 * MGLRU counts the accesses to a page; its tier is their log2, so that a stream read once is of tier
 * 0. By tiers the kernel decides what it protects from eviction, and shows what became of it
 * (lru_gen_full): of the oldest generation
 *	r, e	pages that came back and that left, since it is the oldest,
 *	p	pages that were moved on instead,
 * and of all former oldest ones the means
 *	R	of r, and
 *	T	of e + p, renewed by (mean + last) / 2 whenever the oldest generation is a new one.
 *
 * The flows of tier 1 and above since the former reading are
 *	r - r', e - e'		while the oldest generation is the same,
 *	r, e			if it is the next one: it counted from zero,
 *	R + r, T + e + p	if there was more than one in between: three quarters of the means
 *				are younger than the former reading then. So at the first reading,
 *				where nothing else is known. Protected pages count as evicted, which
 *				makes it look less bad than it is.
 * and are added up, fading: r alone would say for hours what was true once, since at a limit kernels
 * up to 6.13 never open a generation by themselves. What came back in the last minute, divided by
 * what left, is the measure.
 *
 * Measured on 6.12, a database and a stream in one cgroup: 4 670 of 4 680 evicted pages of tiers 1
 * and 2 came back, and 3 % of 158 904 of tier 0. In the stream's own cgroup none came back of any tier.
 *
 * Above 10 % no file is taken there. Only if it is fewer than one in a hundred of all pages that left
 * it does not count: a stream reads its directories more than once, and to hold it for those would
 * have the limit hit its siblings. And what is lost at a limit is the limit's doing: where that is
 * hit it takes whether we do or not, and to keep headroom (headroom.c) or to choose from whom by
 * value (split.c) does not hurt more.
 *
 * With frequency-guided promotion tiers count accesses through page tables, too, and refaults
 * restore them: tier 1 and above is the working set even more so. Where lru_gen_full is denied, is
 * absent, or says nothing, nothing is held and nothing is known here.
 *
 * Sources: mm/vmscan.c read_ctrl_pos(), reset_ctrl_pos(), lru_gen_seq_show_full(); mm/workingset.c
 * lru_gen_refault().
 */
#include "tier.h"
#include "arith.h"
#include "view.h"

#define FIRST_TIER 1

/* The kernel's own floor below which refaults of a tier are noise (MIN_LRU_BATCH). */
#define EVIDENCE_PAGES 64

/* As for all file (split.c): one page in ten, above that the memory is in use. */
#define RETURN_LIMIT_PPM 100000

/* One in a hundred of all file pages that were evicted. Measured: 3 in a hundred with a database
 * beside the stream, none without. */
#define MATTERS_PPM 10000

/* The averages of refault.c of what left of late fade as fast. */
#define RETURN_TAU_USEC (60 * USEC_PER_SEC)

/* Sums over the lruvecs of a memcg. */
struct sums {
	uint64_t seqs;
	uint64_t refaulted, evicted; /* of tier 1 and above: r, e */
	uint64_t mean_refaulted;     /* R + r */
	uint64_t mean_total;         /* T + e + p */
	uint64_t all_total;          /* the same of all tiers */
};

static void add_tier(struct sums *sums, const struct tier_flow *flow, bool counts)
{
	uint64_t total = saturating_add(saturating_add(flow->evicted_pages, flow->protected_pages),
					flow->mean_total_pages);

	sums->all_total = saturating_add(sums->all_total, total);
	if (!counts)
		return;
	sums->refaulted = saturating_add(sums->refaulted, flow->refaulted_pages);
	sums->evicted = saturating_add(sums->evicted, flow->evicted_pages);
	sums->mean_refaulted =
		saturating_add(sums->mean_refaulted,
			       saturating_add(flow->refaulted_pages, flow->mean_refaulted_pages));
	sums->mean_total = saturating_add(sums->mean_total, total);
}

static struct sums sum_up(const struct memcg_sample *sample, const struct snapshot *snapshot)
{
	struct sums sums = {0};

	for (uint32_t v = 0; v < sample->n_tiers; v++) {
		const struct lruvec_tiers *lruvec = &snapshot->tiers[sample->first_tiers + v];

		sums.seqs = saturating_add(sums.seqs, lruvec->seq);
		for (uint32_t t = 0; t < lruvec->n_tiers; t++)
			add_tier(&sums, &lruvec->tiers[t], t >= FIRST_TIER);
	}
	return sums;
}

static bool matters(uint64_t returned, uint64_t left)
{
	return mul_div(returned, PPM, left) >= MATTERS_PPM;
}

/* What went on since the former reading, which was never if read_usec is 0. */
static void flows_since(const struct tier_state *tier, const struct sums *sums, uint32_t n_lruvecs,
			uint64_t *ret_returned, uint64_t *ret_left)
{
	*ret_returned = *ret_left = 0;
	if (tier->read_usec > 0 && sums->seqs == tier->seqs) {
		*ret_returned = sums->refaulted - tier->refaulted_pages;
		*ret_left = sums->evicted - tier->evicted_pages;
	} else if (tier->read_usec > 0 && sums->seqs - tier->seqs < 2 * (uint64_t)n_lruvecs) {
		*ret_returned = sums->refaulted;
		*ret_left = sums->evicted;
	} else if (matters(sums->mean_refaulted, sums->all_total)) {
		*ret_returned = sums->mean_refaulted;
		*ret_left = sums->mean_total;
	}
}

/* The kernel began to count anew without a new generation, or it is another listing altogether. */
static bool went_back(const struct tier_state *tier, const struct sums *sums)
{
	return sums->seqs < tier->seqs ||
	       (sums->seqs == tier->seqs &&
		(sums->refaulted < tier->refaulted_pages || sums->evicted < tier->evicted_pages));
}

/* Of a flow that went on since the former reading only what is as young as the sums counts. */
static void add(const struct tier_state *tier, uint32_t *sum, uint64_t pages, uint64_t now_usec)
{
	uint64_t dt_usec = tier->read_usec ? saturating_sub(now_usec, tier->read_usec) : 0;

	pages = fade(pages, dt_usec, RETURN_TAU_USEC);
	*sum = (uint32_t)min_u64(saturating_add(*sum, pages), UINT32_MAX);
}

static void read_tiers(struct tier_state *tier, const struct sums *sums, uint32_t n_lruvecs,
		       uint64_t now_usec)
{
	uint64_t returned = 0, left = 0;

	if (went_back(tier, sums))
		*tier = (struct tier_state){0};
	else
		flows_since(tier, sums, n_lruvecs, &returned, &left);
	add(tier, &tier->returned_pages, returned, now_usec);
	add(tier, &tier->left_pages, left, now_usec);
	tier->read_usec = now_usec;
	tier->seqs = sums->seqs;
	tier->refaulted_pages = sums->refaulted;
	tier->evicted_pages = sums->evicted;
}

void tier_step(struct memcg_state *state, const struct memcg_sample *sample,
	       const struct snapshot *snapshot)
{
	struct tier_state *tier = &state->tier;

	tier->returned_pages =
		(uint32_t)fade(tier->returned_pages, state->dt_usec, RETURN_TAU_USEC);
	tier->left_pages = (uint32_t)fade(tier->left_pages, state->dt_usec, RETURN_TAU_USEC);
	if (sample->n_tiers > 0) {
		struct sums sums = sum_up(sample, snapshot);

		read_tiers(tier, &sums, sample->n_tiers, snapshot->now_usec);
	}
}

uint64_t tier_return_ppm(const struct memcg_state *state)
{
	const struct tier_state *tier = &state->tier;

	/* More than left, if what left earlier comes back now. */
	return tier->returned_pages < EVIDENCE_PAGES
		       ? SAMPLE_UNKNOWN
		       : min_u64(mul_div(tier->returned_pages, PPM, tier->left_pages), PPM);
}

bool tier_refuses(struct memcg_state *state)
{
	uint64_t return_ppm = tier_return_ppm(state);

	if (!is_number(return_ppm) || return_ppm <= RETURN_LIMIT_PPM ||
	    !matters(state->tier.returned_pages, state->evicted_file_pages))
		return false;
	verdict_say(state, REASON_HOLD_TIERS, return_ppm, RETURN_LIMIT_PPM);
	return true;
}
