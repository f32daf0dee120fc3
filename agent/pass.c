/* SPDX-License-Identifier: MIT */
/*
 * One pass over the host. The policy wants its states side by side and in the order of the
 * snapshot, the registry keeps each with its memcg: they are copied in before the plan and back
 * after it.
 */
#include "pass.h"
#include "arith.h"
#include "array.h"
#include "cgroup_mount.h"
#include "macro.h"
#include "planner.h"
#include "protection.h"
#include "report.h"

#include <errno.h>

int pass_init(struct pass *ret, const char *root, struct hierarchy *hierarchy,
	      struct lru_gen *lru_gen, const struct features *features)
{
	*ret = (struct pass){
		.hierarchy = hierarchy,
		.lru_gen = lru_gen,
		.features = features,
		.wall_time = time,
		.recursive_protection = cgroup_mount_is_recursive(root),
	};
	return sampler_init(&ret->sampler, root);
}

void pass_done(struct pass *pass)
{
	sampler_done(&pass->sampler);
	free(pass->states);
	free(pass->planned_bytes);
	free(pass->decisions);
	*pass = (struct pass){0};
}

static int reserve(struct pass *pass, const struct snapshot *snapshot)
{
	size_t capacity = array_capacity(pass->memcgs_capacity, snapshot->n_memcgs);

	if (capacity != pass->memcgs_capacity) {
		if (array_resize(pass->states, capacity) < 0 ||
		    array_resize(pass->planned_bytes, capacity) < 0)
			return -ENOMEM;
		pass->memcgs_capacity = capacity;
	}
	return array_reserve(pass->decisions, pass->decisions_capacity,
			     policy_plan_capacity(snapshot));
}

static void mark_paused(struct pass *pass)
{
	size_t n;
	struct memcg *const *memcgs = hierarchy_memcgs(pass->hierarchy, &n);

	for (size_t i = 0; i < n; i++)
		memcgs[i]->paused = pass->pauses && pause_set_find(pass->pauses, memcgs[i]->path);
}

int pass_begin(struct pass *pass, const struct config *config, uint64_t now_usec,
	       uint64_t interval_usec, uint64_t budget_usec)
{
	const struct feature_probe *probes = pass->features->probes;
	bool generations = pass->features->capability >= CAPABILITY_GENERATIONS;
	/* Lockdown closes lru_gen and not lru_gen_full. */
	bool tiers = probes[FEATURE_TIERS].present && probes[FEATURE_MGLRU].present;
	int r;

	r = hierarchy_scan(pass->hierarchy, config, now_usec);
	if (r < 0)
		return r;
	mark_paused(pass);
	pass->sampler.reading.wants_zswap = pass->features->zswap;
	return sampler_prepare(&pass->sampler, pass->hierarchy, generations ? pass->lru_gen : NULL,
			       tiers, now_usec, interval_usec, budget_usec);
}

void pass_read(void *pass)
{
	reading_run(&((struct pass *)pass)->sampler.reading);
}

void pass_put_off(struct pass *pass)
{
	sampler_put_off(&pass->sampler);
}

static bool has_hours(const struct config *config)
{
	for (size_t i = 0; i < config->policy.n_classes; i++)
		if (config->hours[i].n > 0)
			return true;
	return false;
}

/* The time zone may be another one than at the last look: somebody set it, and it is looked up in files
 * each time. */
static uint64_t closed_classes(const struct pass *pass, const struct config *config)
{
	struct tm shown;
	time_t now;

	if (!has_hours(config))
		return 0;
	now = pass->wall_time(NULL);
	tzset();
	return localtime_r(&now, &shown) ? config_closed_classes(config, &shown) : 0;
}

/* Adds a lruvec to the generations that are told of: of several nodes they are summed up by their place,
 * and are as old as the oldest of them. */
static void note_gens(struct memcg_seen *seen, const struct lruvec_sample *lruvec,
		      uint32_t page_bytes)
{
	for (uint32_t g = 0; g < lruvec->n_gens; g++) {
		const struct gen_sample *gen = &lruvec->gens[lruvec->n_gens - 1 - g];
		uint32_t at = g < SEEN_GENS ? g : SEEN_GENS - 1;
		struct seen_gen *to = &seen->gens[at];

		to->age_msec = max_u64(to->age_msec, gen->age_msec);
		for (int type = 0; type < _LRU_TYPE_MAX; type++)
			to->bytes[type] = saturating_add(
				to->bytes[type],
				saturating_mul(number_or(gen->pages[type], 0), page_bytes));
		seen->n_gens = seen->n_gens > at ? seen->n_gens : at + 1;
	}
}

static void note(struct memcg *memcg, const struct config *config, const struct snapshot *snapshot)
{
	const struct memcg_sample *sample = &snapshot->memcgs[memcg->index];
	struct memcg_seen *seen = &memcg->seen;

	*seen = (struct memcg_seen){
		.look_usec = snapshot->now_usec,
		.listed = sample->listed,
		.current_bytes = sample->current_bytes,
		.swap_bytes = sample->swap_current_bytes,
		.floor_bytes = SAMPLE_UNKNOWN,
	};
	for (uint32_t v = 0; sample->listed && v < sample->n_lruvecs; v++)
		note_gens(seen, &snapshot->lruvecs[sample->first_lruvec + v], snapshot->page_bytes);
	if (sample->class_index >= 0 && sample->leaf) {
		const struct class_params *class = &config->policy.classes[sample->class_index];

		seen->floor_bytes = protection_floor_bytes(class, sample, &memcg->state);
		seen->floor_layer =
			floor_layer_to_string(protection_floor_layer(class, sample, &memcg->state));
	}
}

int pass_end(struct pass *pass, const struct config *config, struct plan *ret_plan)
{
	struct memcg *const *memcgs;
	struct snapshot *snapshot = &pass->snapshot;
	size_t n;
	int r;

	pass->sampler.closed_classes = closed_classes(pass, config);
	r = sampler_take(&pass->sampler, pass->hierarchy, pass->features, snapshot);
	if (r < 0)
		return r;
	snapshot->system.swap_written_bytes = pass->swap_written_bytes;
	snapshot->system.cpu_wait_usec = pass->cpu_wait_usec;
	snapshot->system.recursive_protection = pass->recursive_protection;
	fg_behaviour_look(&pass->behaviour, snapshot);
	r = reserve(pass, snapshot);
	if (r < 0)
		return r;
	memcgs = hierarchy_memcgs(pass->hierarchy, &n);
	for (size_t i = 0; i < n; i++)
		pass->states[i] = memcgs[i]->state;
	*ret_plan = (struct plan){
		.decisions = pass->decisions,
		.capacity = pass->decisions_capacity,
	};
	metrics_look(pass->metrics, snapshot, pass->states);
	recorder_snapshot(pass->recorder, snapshot, pass->states, memcgs);
	policy_plan(&config->policy, snapshot, pass->states, pass->planned_bytes, ret_plan);
	recorder_plan(pass->recorder, ret_plan, pass->states, n);
	for (size_t i = 0; i < n; i++) {
		enum reason former = memcgs[i]->state.verdict.reason;

		memcgs[i]->state = pass->states[i];
		note(memcgs[i], config, snapshot);
		report_hold(memcgs[i], former);
		metrics_backoff(pass->metrics, &snapshot->memcgs[i], &pass->states[i], former);
		report_advice(memcgs[i]);
	}
	return 0;
}

void pass_pause(struct pass *pass, const struct pause_set *set)
{
	pass->pauses = set;
	mark_paused(pass);
}

void pass_rebase_memcg(struct memcg *memcg)
{
	memcg->state.rebase = true;
}

void pass_rebase(struct pass *pass)
{
	size_t n;
	struct memcg *const *memcgs = hierarchy_memcgs(pass->hierarchy, &n);

	for (size_t i = 0; i < n; i++)
		pass_rebase_memcg(memcgs[i]);
}

int pass_look(struct pass *pass, const struct config *config, uint64_t now_usec,
	      uint64_t interval_usec, struct plan *ret_plan)
{
	int r = pass_begin(pass, config, now_usec, interval_usec, UINT64_MAX);

	if (r < 0)
		return r;
	pass_read(pass);
	return pass_end(pass, config, ret_plan);
}
