/* SPDX-License-Identifier: MIT */
/*
 * The model behind policy-loop.h. Everything is charged and uncharged through charge(), so that the
 * tree's sums always fit; what plans did is booked as the executor does.
 */
#include "policy-loop.h"
#include "arith.h"

#include <string.h>

/* Pages that one round of the kernel's own reclaim takes. */
#define KERNEL_BATCH PAGES(2)

/* A refault waits this long for its page. */
#define REFAULT_USEC 200

/* The stream waits for its disk for this part of a step. */
#define STREAM_WAIT_USEC (LOOP_STEP_USEC / 2)

uint64_t loop_usec(const struct loop *l)
{
	return l->w.snapshot.now_usec - l->began_usec;
}

static void charge(struct loop *l, size_t i, enum lru_type type, int64_t pages)
{
	for (int at = (int)i; at > 0; at = l->w.memcgs[at].parent) {
		l->w.memcgs[at].current_bytes += (uint64_t)pages * PAGE_BYTES;
		l->w.memcgs[at].lru_bytes[type] += (uint64_t)pages * PAGE_BYTES;
	}
}

static uint64_t n_gens(const struct loop *l)
{
	return l->max_seq - l->min_seq + 1;
}

static uint64_t pages_of(const struct loop *l, uint64_t seq)
{
	uint64_t n = 0;

	for (uint64_t p = 0; p < LOOP_ANON_PAGES; p++)
		n += !l->swapped[p] && l->seq[p] == seq;
	return n;
}

static void drop_empty_gens(struct loop *l)
{
	while (n_gens(l) > 2 && pages_of(l, l->min_seq) == 0)
		l->min_seq++;
}

static void age(struct loop *l)
{
	bool full = n_gens(l) == 4;

	for (uint64_t p = 0; p < LOOP_ANON_PAGES; p++) {
		if (l->swapped[p])
			continue;
		if (full && l->seq[p] == l->min_seq)
			l->seq[p]++;
		if (l->used[p])
			l->seq[p] = l->max_seq;
		l->used[p] = false;
	}
	l->min_seq += full;
	l->max_seq++;
	l->born_usec[l->max_seq % 4] = l->w.snapshot.now_usec;
}

static bool is_in_use(const struct loop *l, uint64_t p)
{
	return p - l->first_used_page < l->n_used_pages;
}

/* Takes up to n pages of the oldest generation; those in use are promoted. Returns how many. */
static uint64_t swap_out(struct loop *l, uint64_t n, bool by_plan, uint64_t *ret_scanned)
{
	uint64_t taken = 0;

	*ret_scanned = 0;
	for (uint64_t p = 0; p < LOOP_ANON_PAGES && taken < n; p++) {
		if (l->swapped[p] || l->seq[p] != l->min_seq)
			continue;
		++*ret_scanned;
		if (l->used[p]) {
			l->seq[p] = l->max_seq;
			l->used[p] = false;
			continue;
		}
		l->swapped[p] = true;
		taken++;
		l->evicted_used += by_plan && is_in_use(l, p);
		l->evicted_unused += by_plan && !is_in_use(l, p);
	}
	charge(l, l->idle, LRU_ANON, -(int64_t)taken);
	l->w.memcgs[l->idle].swap_current_bytes += taken * PAGE_BYTES;
	l->w.snapshot.system.swap_free_bytes -= taken * PAGE_BYTES;
	world_scan(&l->w, l->idle, *ret_scanned);
	world_steal(&l->w, l->idle, taken);
	drop_empty_gens(l);
	return taken;
}

static uint64_t drop_stream(struct loop *l, uint64_t n)
{
	n = min_u64(n, l->w.memcgs[l->stream].lru_bytes[LRU_FILE] / PAGE_BYTES);
	charge(l, l->stream, LRU_FILE, -(int64_t)n);
	world_scan(&l->w, l->stream, n);
	world_steal(&l->w, l->stream, n);
	return n;
}

static uint64_t drop_hot(struct loop *l, uint64_t n)
{
	uint64_t taken = 0;

	for (uint64_t i = 0; i < LOOP_HOT_PAGES && taken < n; i++) {
		uint64_t p = l->hot_hand++ % LOOP_HOT_PAGES;

		taken += !l->hot_absent[p];
		l->hot_absent[p] = true;
	}
	charge(l, l->hot, LRU_FILE, -(int64_t)taken);
	world_scan(&l->w, l->hot, taken);
	world_steal(&l->w, l->hot, taken);
	return taken;
}

/* The kernel's own way of making room: everybody pays by size. */
static void kernel_reclaim(struct loop *l)
{
	uint64_t all = l->w.memcgs[l->slice].current_bytes;
	uint64_t scanned;

	if (n_gens(l) == 2)
		age(l);
	swap_out(l, mul_div(KERNEL_BATCH, l->w.memcgs[l->idle].current_bytes, all), false,
		 &scanned);
	drop_hot(l, mul_div(KERNEL_BATCH, l->w.memcgs[l->hot].current_bytes, all));
	drop_stream(l, mul_div(KERNEL_BATCH, l->w.memcgs[l->stream].current_bytes, all));
	l->kernel_reclaims++;
	l->last_kernel_usec = loop_usec(l);
	l->w.memcgs[l->slice].events_max++;
}

static void make_room(struct loop *l, uint64_t pages)
{
	while (l->w.memcgs[l->slice].current_bytes + pages * PAGE_BYTES > LOOP_LIMIT)
		kernel_reclaim(l);
}

static void touch_anon(struct loop *l, uint64_t p)
{
	l->used[p] = true;
	if (!l->swapped[p])
		return;
	make_room(l, 1);
	l->swapped[p] = false;
	l->seq[p] = l->max_seq;
	charge(l, l->idle, LRU_ANON, 1);
	l->w.memcgs[l->idle].swap_current_bytes -= PAGE_BYTES;
	l->w.snapshot.system.swap_free_bytes += PAGE_BYTES;
	l->w.memcgs[l->idle].psi_memory.some_usec += REFAULT_USEC / 10;
	world_refault(&l->w, l->idle, LRU_ANON, 1);
}

static void read_hot(struct loop *l, uint64_t p)
{
	if (!l->hot_absent[p])
		return;
	make_room(l, 1);
	l->hot_absent[p] = false;
	charge(l, l->hot, LRU_FILE, 1);
	l->w.memcgs[l->hot].psi_memory.some_usec += REFAULT_USEC;
	l->w.memcgs[l->hot].psi_io.some_usec += REFAULT_USEC;
	world_refault(&l->w, l->hot, LRU_FILE, 1);
}

static void live(struct loop *l)
{
	for (uint64_t p = l->step % LOOP_ANON_PERIOD; p < l->n_used_pages; p += LOOP_ANON_PERIOD)
		touch_anon(l, l->first_used_page + p);
	for (uint64_t p = l->step % LOOP_HOT_PERIOD; p < LOOP_HOT_PAGES; p += LOOP_HOT_PERIOD)
		read_hot(l, p);
	make_room(l, LOOP_FLOW_PAGES);
	charge(l, l->stream, LRU_FILE, LOOP_FLOW_PAGES);
	l->w.memcgs[l->stream].psi_io.some_usec += STREAM_WAIT_USEC;
	l->step++;
}

static void list(struct loop *l)
{
	struct lruvec_sample *lruvec = &l->w.lruvecs[0];

	lruvec->n_gens = (uint32_t)n_gens(l);
	for (uint32_t g = 0; g < lruvec->n_gens; g++) {
		uint64_t seq = l->min_seq + g;

		lruvec->gens[g] = (struct gen_sample){
			.seq = seq,
			.age_msec = (l->w.snapshot.now_usec - l->born_usec[seq % 4]) / 1000,
			.pages = {pages_of(l, seq), 0},
		};
	}
}

static void carry_out(struct loop *l, const struct decision *d)
{
	struct outcome *outcome = &l->w.memcgs[d->memcg].outcome;
	uint64_t pages = d->bytes / PAGE_BYTES, freed = 0, scanned = 0;

	outcome->writes++;
	if (d->action == ACTION_AGE) {
		outcome->agings++;
		l->agings++;
		if (d->seq == l->max_seq)
			age(l);
		return;
	}
	if (d->action == ACTION_EVICT && d->seq == l->min_seq) {
		freed = swap_out(l, pages, true, &scanned);
		l->last_evict_usec = loop_usec(l);
	} else if (d->memcg == l->stream) {
		freed = scanned = drop_stream(l, pages);
	} else if (d->memcg == l->hot) {
		freed = scanned = drop_hot(l, pages);
		l->hot_decisions++;
		l->hot_taken += freed;
	}
	outcome->asked_bytes += d->bytes;
	outcome->freed_bytes += freed * PAGE_BYTES;
	outcome->scanned_pages += scanned;
	outcome->stolen_pages[d->action == ACTION_EVICT ? LRU_ANON : LRU_FILE] += freed;
}

static void tick(struct loop *l)
{
	struct policy_world *w = &l->w;
	const char *why;

	if (loop_usec(l) > SECONDS(60)) {
		l->most_bytes = max_u64(l->most_bytes, w->memcgs[l->slice].current_bytes);
		l->least_bytes = min_u64(l->least_bytes, w->memcgs[l->slice].current_bytes);
	}
	for (size_t i = 0; i < w->snapshot.n_memcgs; i++)
		w->memcgs[i].seen_usec = loop_usec(l);
	list(l);
	why = world_try_plan(w);
	if (why)
		world_fail(why);
	l->holds += w->states[l->idle].hold_until_usec > w->snapshot.now_usec;
	for (size_t i = 0; i < w->snapshot.n_memcgs; i++)
		w->memcgs[i].outcome = (struct outcome){0};
	for (size_t d = 0; d < w->plan.n_decisions; d++)
		carry_out(l, &w->plan.decisions[d]);
	l->next_tick_usec = w->snapshot.now_usec + (l->fixed_ticks ? TICK_USEC : w->plan.next_usec);
}

void loop_init(struct loop *l)
{
	memset(l, 0, sizeof(*l));
	world_init(&l->w);
	world_add(&l->w, -1, 0, 0);
	l->slice = world_add(&l->w, 0, 0, 0);
	l->idle = world_add(&l->w, (int)l->slice, MIB(320), 0);
	l->hot = world_add(&l->w, (int)l->slice, 0, MIB(96));
	l->stream = world_add(&l->w, (int)l->slice, 0, 0);
	world_list(&l->w, l->idle, (const uint64_t[]){0, 0, 0, 320});
	l->w.memcgs[0].current_bytes = SAMPLE_UNKNOWN;
	l->w.memcgs[l->slice].max_bytes = LOOP_LIMIT;
	l->n_used_pages = LOOP_USED_PAGES;
	l->began_usec = l->next_tick_usec = l->w.snapshot.now_usec;
	l->max_seq = 3;
	l->least_bytes = UINT64_MAX;
	for (uint64_t p = 0; p < LOOP_ANON_PAGES; p++) {
		l->seq[p] = l->max_seq;
		l->used[p] = true;
	}
	for (int g = 0; g < 4; g++)
		l->born_usec[g] = l->began_usec;
}

void loop_run(struct loop *l, uint64_t usec)
{
	uint64_t end_usec = l->w.snapshot.now_usec + usec;

	while (l->w.snapshot.now_usec < end_usec) {
		if (l->w.snapshot.now_usec >= l->next_tick_usec)
			tick(l);
		live(l);
		l->w.snapshot.now_usec += LOOP_STEP_USEC;
	}
}

uint64_t loop_resident(const struct loop *l, uint64_t first, uint64_t n)
{
	uint64_t resident = 0;

	for (uint64_t p = first; p < first + n; p++)
		resident += !l->swapped[p];
	return resident;
}
