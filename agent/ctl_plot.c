/* SPDX-License-Identifier: MIT */
/*
 * fgreclaimctl plot: a trace as curves, of all cgroups that a class may be reclaimed from together.
 */
#include "arith.h"
#include "array.h"
#include "ctl_trace.h"
#include "plot.h"

#include <errno.h>
#include <string.h>

#define MIB 1048576.0

enum curve {
	CURVE_HELD,
	CURVE_WORKING_SET,
	CURVE_COLD,
	CURVE_REFAULTS,
	CURVE_ASKED,
	CURVE_FREED,
	CURVE_AGINGS,
	CURVE_HELD_BACK,
	_CURVE_MAX,
};

struct curves {
	struct replay replay;
	struct trace_book book;
	uint64_t *times_usec;
	double *values[_CURVE_MAX];
	size_t n, capacity;
};

static void curves_done(struct curves *curves)
{
	replay_done(&curves->replay);
	trace_book_done(&curves->book);
	free(curves->times_usec);
	for (size_t i = 0; i < _CURVE_MAX; i++)
		free(curves->values[i]);
}

static int reserve(struct curves *curves)
{
	size_t capacity = array_capacity(curves->capacity, curves->n + 1);

	if (capacity == curves->capacity)
		return 0;
	if (array_resize(curves->times_usec, capacity) < 0)
		return -ENOMEM;
	for (size_t i = 0; i < _CURVE_MAX; i++)
		if (array_resize(curves->values[i], capacity) < 0)
			return -ENOMEM;
	curves->capacity = capacity;
	return 0;
}

/* Pages that have come back since the former look at it. */
static uint64_t refaulted(struct trace_entry *entry, const struct memcg_sample *memcg)
{
	const uint64_t *pages = memcg->refault_pages;
	uint64_t now, more = 0;

	if (memcg->skipped || pages[LRU_ANON] >= SAMPLE_INFINITY ||
	    pages[LRU_FILE] >= SAMPLE_INFINITY)
		return 0;
	now = saturating_add(pages[LRU_ANON], pages[LRU_FILE]);
	if (entry->counted)
		more = saturating_sub(now, entry->last_refault_pages);
	entry->counted = true;
	entry->last_refault_pages = now;
	return more;
}

static bool is_held_back(const struct verdict *verdict)
{
	return verdict->reason >= REASON_HOLD_REFAULT && verdict->reason <= REASON_HOLD_NO_YIELD;
}

static void add_memcg(struct curves *curves, size_t i, double now[_CURVE_MAX], uint64_t page_bytes)
{
	const struct memcg_sample *memcg = &curves->replay.memcgs[i];
	const struct memcg_state *state = &curves->replay.states[i];
	struct trace_entry *entry = curves->book.entries[curves->book.by_index[i]];

	if (!memcg->leaf || memcg->class_index < 0)
		return;
	if (memcg->current_bytes < SAMPLE_INFINITY)
		now[CURVE_HELD] += (double)memcg->current_bytes / MIB;
	now[CURVE_WORKING_SET] += (double)state->working_set_bytes / MIB;
	now[CURVE_COLD] += (double)state->cold_bytes / MIB;
	now[CURVE_REFAULTS] += (double)(refaulted(entry, memcg) * page_bytes) / MIB;
	now[CURVE_FREED] += (double)memcg->outcome.freed_bytes / MIB;
	now[CURVE_HELD_BACK] += is_held_back(&state->verdict);
}

static int each(struct trace_reader *reader, void *userdata)
{
	struct curves *curves = userdata;
	const struct plan *plan = &reader->parse.plan;
	double now[_CURVE_MAX] = {0};
	int r = replay_tick(&curves->replay, reader);

	if (r == 0)
		r = trace_book_follow(&curves->book, reader);
	if (r == 0)
		r = reserve(curves);
	if (r < 0)
		return r;
	for (size_t i = 0; i < curves->replay.n; i++)
		add_memcg(curves, i, now, reader->parse.frame.snapshot.page_bytes);
	for (size_t i = 0; i < plan->n_decisions; i++) {
		if (plan->decisions[i].action == ACTION_AGE)
			now[CURVE_AGINGS]++;
		else
			now[CURVE_ASKED] += (double)plan->decisions[i].bytes / MIB;
	}
	curves->times_usec[curves->n] = reader->parse.frame.snapshot.now_usec;
	if (curves->n > 0 && curves->times_usec[curves->n] < curves->times_usec[curves->n - 1])
		return -EINVAL; /* a clock that goes backwards */
	for (size_t i = 0; i < _CURVE_MAX; i++)
		curves->values[i][curves->n] = now[i];
	curves->n++;
	return 0;
}

static void draw(const struct curves *curves, FILE *f)
{
	double *const *of = curves->values;
	const struct plot_panel panels[] = {
		{.title = "Memory of all cgroups of a class, MiB",
		 .n_curves = 3,
		 .curves = {{"held", "#1f77b4", of[CURVE_HELD]},
			    {"anon working set", "#2ca02c", of[CURVE_WORKING_SET]},
			    {"cold anon", "#ff7f0e", of[CURVE_COLD]}}},
		{.title = "Refaults, MiB",
		 .bars = true,
		 .n_curves = 1,
		 .curves = {{"came back", "#d62728", of[CURVE_REFAULTS]}}},
		{.title = "Reclaim, MiB",
		 .bars = true,
		 .n_curves = 2,
		 .curves = {{"asked for", "#c5b0d5", of[CURVE_ASKED]},
			    {"freed", "#2ca02c", of[CURVE_FREED]}}},
		{.title = "Decisions",
		 .bars = true,
		 .n_curves = 2,
		 .curves = {{"cgroups held back", "#d62728", of[CURVE_HELD_BACK]},
			    {"agings", "#1f77b4", of[CURVE_AGINGS]}}},
	};
	const struct plot plot = {
		.times_usec = curves->times_usec,
		.n = curves->n,
		.panels = panels,
		.n_panels = ARRAY_SIZE(panels),
	};

	plot_write(&plot, f);
}

int ctl_plot(const struct ctl *ctl)
{
	_cleanup_(curves_done) struct curves curves = {0};
	int status = ctl_trace_read(ctl, each, &curves);
	FILE *f;
	bool failed;

	if (status != EXIT_SUCCESS)
		return status;
	if (curves.n == 0)
		return ctl_fail("%s: no ticks", ctl->argument);
	f = fopen(ctl->output, "we");
	if (!f)
		return ctl_fail("%s: %s", ctl->output, strerror(errno));
	draw(&curves, f);
	failed = ferror(f);
	if (fclose(f) != 0 || failed)
		return ctl_fail("%s: %s", ctl->output, strerror(errno));
	return EXIT_SUCCESS;
}
