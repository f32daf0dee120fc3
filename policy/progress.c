/* SPDX-License-Identifier: MIT */
/*
 * What refaults cost, per progress made:
 *	K(t) = c_a * anon refaults + c_f * file refaults	[usec]
 *	m(t0, t1) = (K(t1) - K(t0)) / (progress(t1) - progress(t0))
 *
 * Not per second: a closed loop that gets faster makes more misses a second, and that is no harm.
 * Progress is CPU time used (cpu.stat) but for what the misses themselves take of it, or wall time
 * where that is unknown; when the one follows the other, the history starts again, since the two
 * cannot be compared.
 *
 * Of the misses' own CPU time only a part can be subtracted that they surely take. A reader that
 * does little with a page spends most of its time in them: then m shows a third of what refaults
 * for each operation rise by (measured: 7.5 of 22 %), and 22 of 60 % that they fall by.
 *
 * A ring of running totals, some five in a residence time, gives m over any window up to six of
 * them. If the residence time grows the ring does not reach far enough for a while, and m is
 * unknown until it does.
 */
#include "progress.h"
#include "arith.h"
#include "refault.h"

/* Points in a unit: 32 of them reach 6.4 units back, and a window is at most a fifth too long. */
#define POINTS_PER_UNIT 5

/* The kernel's time to read one page in and evict another: 19 us at 1 instruction/ns (measured on
 * 6.12, by what a reader's CPU time fell by when it missed less); a fast processor takes less than
 * half of that. But never more than half of all. */
#define MISS_CPU_USEC    8
#define MISS_CPU_DIVISOR 2

static uint64_t without_misses_usec(uint64_t cpu_usec, uint64_t evicted)
{
	return cpu_usec -
	       min_u64(saturating_mul(evicted, MISS_CPU_USEC), cpu_usec / MISS_CPU_DIVISOR);
}

void progress_forget(struct memcg_state *state)
{
	state->progress.n_points = 0;
}

static const struct progress_point *newest(const struct progress_state *progress, uint32_t back)
{
	return &progress->points[(progress->next + PROGRESS_POINTS - 1u - back) % PROGRESS_POINTS];
}

void progress_step(struct memcg_state *state, const struct memcg_sample *sample,
		   const struct snapshot *snapshot, uint64_t unit_usec)
{
	struct progress_state *progress = &state->progress;
	struct refault_cost cost = refault_cost(&snapshot->system);
	uint64_t refaults[_LRU_TYPE_MAX] = {
		counter_delta(sample->refault_pages[LRU_ANON], state->last.refault_pages[LRU_ANON]),
		counter_delta(sample->refault_pages[LRU_FILE], state->last.refault_pages[LRU_FILE]),
	};
	uint64_t evicted = counter_delta(sample->pgsteal_pages, state->last.pgsteal_pages);
	uint64_t cpu_usec = counter_delta(sample->cpu_usec, state->last.cpu_usec);
	bool by_cpu = is_number(cpu_usec);

	if (!is_number(refaults[LRU_ANON]) || !is_number(refaults[LRU_FILE]) || !is_number(evicted))
		return;
	if (by_cpu != progress->by_cpu)
		progress_forget(state);
	progress->by_cpu = by_cpu;
	progress->total.cost_usec =
		saturating_add(progress->total.cost_usec, refault_wait(&cost, refaults));
	progress->total.turnover_usec = saturating_add(progress->total.turnover_usec,
						       saturating_mul(evicted, REFAULT_DISK_USEC));
	progress->total.progress_usec =
		saturating_add(progress->total.progress_usec,
			       by_cpu ? without_misses_usec(cpu_usec, evicted) : state->dt_usec);
	progress->total.now_usec = snapshot->now_usec;
	if (progress->n_points > 0 &&
	    snapshot->now_usec - newest(progress, 0)->now_usec < unit_usec / POINTS_PER_UNIT)
		return;
	progress->points[progress->next] = progress->total;
	progress->next = (uint16_t)((progress->next + 1u) % PROGRESS_POINTS);
	progress->n_points = (uint16_t)min_u64(progress->n_points + 1u, PROGRESS_POINTS);
}

/* The newest point at least so old; NULL: there is none. */
static const struct progress_point *point_at(const struct progress_state *progress,
					     uint64_t now_usec, uint64_t ago_usec)
{
	for (uint32_t back = 0; back < progress->n_points; back++) {
		const struct progress_point *point = newest(progress, back);

		if (saturating_sub(now_usec, point->now_usec) >= ago_usec)
			return point;
	}
	return NULL;
}

static uint64_t ratio_ppm(uint64_t part, uint64_t whole)
{
	return min_u64(mul_div(part, PPM, whole), SAMPLE_INFINITY - 1);
}

uint64_t progress_cost_ppm(const struct memcg_state *state, uint64_t now_usec, uint64_t from_usec,
			   uint64_t to_usec)
{
	const struct progress_state *progress = &state->progress;
	const struct progress_point *from = point_at(progress, now_usec, from_usec);
	const struct progress_point *to =
		to_usec == 0 ? &progress->total : point_at(progress, now_usec, to_usec);

	if (!from || !to || to->progress_usec <= from->progress_usec)
		return SAMPLE_UNKNOWN;
	return ratio_ppm(to->cost_usec - from->cost_usec, to->progress_usec - from->progress_usec);
}

uint64_t progress_turnover_ppm(const struct memcg_state *state, uint64_t now_usec,
			       uint64_t from_usec)
{
	const struct progress_point *from = point_at(&state->progress, now_usec, from_usec);
	const struct progress_point *to = &state->progress.total;

	if (!from || to->progress_usec <= from->progress_usec)
		return SAMPLE_UNKNOWN;
	return ratio_ppm(to->turnover_usec - from->turnover_usec,
			 to->progress_usec - from->progress_usec);
}

uint64_t progress_cost_usec(const struct memcg_state *state, uint64_t now_usec, uint64_t from_usec)
{
	const struct progress_point *from = point_at(&state->progress, now_usec, from_usec);

	return from ? state->progress.total.cost_usec - from->cost_usec : 0;
}
