/* SPDX-License-Identifier: MIT */
/*
 * Dice. The tree stays sound (that is the snapshot's contract); values may be anything.
 */
#include "policy-dice.h"
#include "arith.h"

#include <string.h>

/* Small hosts, so that many are tried. */
#define MEMCGS_MAX 16

/* splitmix64 */
static uint64_t random_u64(struct dice *dice)
{
	uint64_t z = dice->state += 0x9e3779b97f4a7c15;

	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
	z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
	return z ^ (z >> 31);
}

static uint64_t next(struct dice *dice, uint64_t n)
{
	uint64_t value = 0;

	if (!dice->bytes)
		return random_u64(dice);
	for (uint64_t range = n - 1; range > 0 && dice->n_bytes > 0; range >>= 8) {
		value = value << 8 | *dice->bytes++;
		dice->n_bytes--;
	}
	return value;
}

uint64_t dice_below(struct dice *dice, uint64_t n)
{
	return next(dice, n) % n;
}

bool dice_once_in(struct dice *dice, uint64_t n)
{
	return n > 0 && dice_below(dice, n) == n - 1;
}

uint64_t dice_size(struct dice *dice, uint64_t absurd)
{
	static const uint64_t odd[] = {
		SAMPLE_UNKNOWN, SAMPLE_INFINITY, UINT64_MAX / 2, INT64_MAX, UINT32_MAX, 0, 1, 4095,
	};

	if (dice_once_in(dice, absurd))
		return odd[dice_below(dice, 8)];
	return dice_below(dice, UINT64_C(1) << dice_below(dice, 40));
}

/* Of a limit or a protection: mostly none. */
static uint64_t dice_limit(struct dice *dice, uint64_t none, uint64_t bytes, uint64_t absurd)
{
	switch (dice_below(dice, 8)) {
	case 0:
		return dice_size(dice, absurd);
	case 1:
		return saturating_add(bytes, bytes / 32);
	case 2:
		return saturating_sub(bytes, bytes / 64);
	default:
		return none;
	}
}

static void build_params(struct dice *dice, struct policy_params *params)
{
	params_init(params);
	params->anon = (enum anon_policy)dice_below(dice, _ANON_POLICY_MAX);
	params->swap_write_bytes = dice_once_in(dice, 8) ? UINT64_MAX : dice_below(dice, MIB(2048));
	params->write_max_bytes = UINT64_C(65536) << dice_below(dice, 11);
	params->n_classes = 1 + dice_below(dice, 4);
	for (size_t i = 0; i < params->n_classes; i++) {
		struct class_params *class = &params->classes[i];

		class_params_init(class, "class");
		if (dice_once_in(dice, 2))
			class->reclaim = (enum reclaim_kind)dice_below(dice, _RECLAIM_KIND_MAX);
		class->weight = (uint32_t)(1 + dice_below(dice, 10000));
		class->refault_limit_ppm = dice_below(dice, PPM + 1) >> dice_below(dice, 20);
		class->pressure_limit_ppm = dice_below(dice, PPM + 1) >> dice_below(dice, 20);
		class->floor_ppm = dice_once_in(dice, 2) ? dice_below(dice, PPM + 1) : 0;
		class->floor_bytes = dice_size(dice, 0);
		class->protect = dice_once_in(dice, 2);
		class->protect_max_ppm = 1 + dice_below(dice, PPM);
	}
}

static void build_system(struct dice *dice, struct snapshot *snapshot, uint64_t absurd)
{
	struct system_sample *system = &snapshot->system;

	if (dice_once_in(dice, 4))
		system->capability = (enum capability)dice_below(dice, _CAPABILITY_MAX);
	system->reclaim_swappiness = !dice_once_in(dice, 4);
	system->swap_is_zram = !dice_once_in(dice, 4);
	system->zswap = dice_once_in(dice, 4);
	system->zswap_room_bytes = dice_limit(dice, MIB(1024), MIB(64), absurd);
	system->swap_rotates = dice_once_in(dice, 4);
	system->swap_written_bytes = dice_below(dice, MIB(2048));
	if (dice_once_in(dice, 8))
		system->cpu_wait_usec = 1 + dice_below(dice, SECONDS(60));
	system->recursive_protection = dice_once_in(dice, 2);
	if (dice_once_in(dice, 4)) {
		system->swap_total_bytes = dice_size(dice, absurd);
		system->swap_free_bytes = dice_size(dice, absurd);
	}
	if (dice_once_in(dice, absurd)) {
		snapshot->now_usec = dice_size(dice, 2);
		snapshot->interval_usec = dice_size(dice, 2);
		snapshot->read_usec = dice_size(dice, 2);
		snapshot->page_bytes = (uint32_t)(1 + dice_below(dice, UINT32_MAX));
	}
}

static void build_generations(struct dice *dice, struct policy_world *w, size_t i, uint64_t absurd)
{
	uint64_t left = w->memcgs[i].lru_bytes[LRU_ANON] >> 20, mib[4];
	struct lruvec_sample *lruvec;

	for (int g = 0; g < 4; g++) {
		mib[g] = dice_below(dice, left + 1);
		left -= mib[g];
	}
	lruvec = world_list(w, i, mib);
	if (!dice_once_in(dice, 3))
		return;
	lruvec->n_gens = (uint32_t)dice_below(dice, LRUVEC_GENS_MAX + 1);
	for (uint32_t g = 0; g < lruvec->n_gens; g++) {
		lruvec->gens[g].seq = dice_size(dice, absurd);
		lruvec->gens[g].age_msec = dice_size(dice, absurd);
		lruvec->gens[g].pages[LRU_ANON] = dice_size(dice, absurd);
		lruvec->gens[g].pages[LRU_FILE] = dice_size(dice, absurd);
	}
}

static void build_tiers(struct dice *dice, struct policy_world *w, size_t i, uint64_t absurd)
{
	struct lruvec_tiers *tiers = world_tiers(w, i);

	tiers->seq = dice_size(dice, absurd);
	tiers->n_tiers = (uint32_t)dice_below(dice, LRUVEC_TIERS_MAX + 1);
	for (uint32_t t = 0; t < tiers->n_tiers; t++)
		tiers->tiers[t] = (struct tier_flow){
			.refaulted_pages = dice_size(dice, absurd) >> 20,
			.evicted_pages = dice_size(dice, absurd) >> 20,
			.protected_pages = dice_size(dice, absurd) >> 20,
			.mean_refaulted_pages = dice_size(dice, absurd) >> 20,
			.mean_total_pages = dice_size(dice, absurd) >> 20,
		};
}

static void build_memcg(struct dice *dice, struct policy_world *w, size_t i, uint64_t absurd)
{
	struct memcg_sample *m = &w->memcgs[i];
	uint64_t bytes = m->current_bytes;

	m->class_index = (int32_t)dice_below(dice, w->params.n_classes + 2) - 1;
	if (dice_once_in(dice, 8))
		m->omitted = true;
	m->populated = !dice_once_in(dice, 16);
	m->frozen = dice_once_in(dice, 16);
	m->paused = m->omitted && m->frozen;
	m->closed = dice_once_in(dice, 16);
	if (dice_once_in(dice, 4)) {
		/* The kernel's own memory, and what is locked. */
		uint64_t more_bytes = dice_below(dice, bytes / 2 + 1);

		for (int at = (int)i; at >= 0; at = w->memcgs[at].parent)
			w->memcgs[at].current_bytes =
				saturating_add(w->memcgs[at].current_bytes, more_bytes);
	}
	m->max_bytes = dice_limit(dice, SAMPLE_INFINITY, bytes, absurd);
	m->high_bytes = dice_limit(dice, SAMPLE_INFINITY, bytes, absurd);
	m->min_bytes = dice_limit(dice, 0, bytes, absurd);
	m->low_bytes = dice_limit(dice, 0, bytes, absurd);
	m->swap_max_bytes = dice_limit(dice, SAMPLE_INFINITY, bytes, absurd);
	m->zswap_max_bytes = dice_limit(dice, SAMPLE_INFINITY, bytes, absurd);
	m->zswap_current_bytes = dice_limit(dice, 0, bytes, absurd);
	m->zswap_only = dice_once_in(dice, 16);
	if (dice_once_in(dice, 8))
		m->seen_usec = dice_size(dice, absurd);
}

void dice_build(struct dice *dice, struct policy_world *w, uint64_t absurd)
{
	uint64_t n = dice_below(dice, MEMCGS_MAX + 1);

	dice->calm = UINT64_C(2) << dice_below(dice, 10);
	world_init(w);
	build_params(dice, &w->params);
	build_system(dice, &w->snapshot, absurd);
	for (uint64_t i = 0; i < n; i++) {
		int parent = i == 0 || dice_once_in(dice, 16) ? -1 : (int)dice_below(dice, i);

		world_add(w, parent, MIB(dice_below(dice, 600)), MIB(dice_below(dice, 600)));
	}
	for (size_t i = 0; i < n; i++)
		build_memcg(dice, w, i, absurd);
	for (size_t i = 0; i < n; i++)
		for (uint64_t v = dice_below(dice, 3); w->memcgs[i].leaf && v > 0; v--)
			build_generations(dice, w, i, absurd);
	for (size_t i = 0; i < n; i++)
		for (uint64_t v = dice_below(dice, WORLD_NODES_MAX + 1); v > 0; v--)
			build_tiers(dice, w, i, absurd);
	if (n > 0 && dice_once_in(dice, 2))
		w->memcgs[0].current_bytes = SAMPLE_UNKNOWN;
}

/* Pages leave the oldest generation for the youngest, and new ones come. */
static void use_anon(struct dice *dice, struct policy_world *w, size_t i)
{
	const struct memcg_sample *m = &w->memcgs[i];

	for (uint32_t v = 0; v < m->n_lruvecs; v++) {
		struct lruvec_sample *lruvec = &w->lruvecs[m->first_lruvec + v];
		uint64_t new_pages = dice_below(dice, 1000), promoted;

		if (lruvec->n_gens < 2)
			continue;
		promoted = dice_below(dice, lruvec->gens[0].pages[LRU_ANON] / 4 + 1);
		lruvec->gens[0].pages[LRU_ANON] -= promoted;
		lruvec->gens[lruvec->n_gens - 1].pages[LRU_ANON] += promoted + new_pages;
		world_touch_anon(w, i, new_pages * PAGE_BYTES);
	}
}

/* Pages of some tiers leave and come back; seldom the oldest generation is another one then. */
static void turn_tiers(struct dice *dice, struct policy_world *w, size_t i)
{
	for (uint32_t v = 0; v < WORLD_NODES_MAX; v++) {
		struct lruvec_tiers *tiers = &w->tiers[i][v];
		struct tier_flow *flow = &tiers->tiers[dice_below(dice, LRUVEC_TIERS_MAX)];

		if (dice_once_in(dice, 8)) {
			tiers->seq += dice_below(dice, 4);
			*flow = (struct tier_flow){
				.mean_refaulted_pages = flow->refaulted_pages / 2,
				.mean_total_pages = flow->evicted_pages / 2,
			};
		}
		flow->evicted_pages += dice_below(dice, 3000);
		flow->refaulted_pages += dice_below(dice, 1000);
	}
}

static void harm(struct dice *dice, struct policy_world *w, size_t i)
{
	struct memcg_sample *m = &w->memcgs[i];

	world_refault(w, i, (enum lru_type)dice_below(dice, 2), dice_below(dice, 4000));
	m->psi_memory.some_usec += dice_below(dice, SECONDS(1));
	m->psi_io.some_usec += dice_below(dice, SECONDS(1));
	m->events_oom_kill += dice_once_in(dice, 20);
	m->events_max += dice_once_in(dice, 4);
	turn_tiers(dice, w, i);
	if (m->lru_bytes[LRU_FILE] < MIB(100000))
		world_take_file(w, i, dice_below(dice, m->lru_bytes[LRU_FILE] + 1));
}

static void live(struct dice *dice, struct policy_world *w, size_t i)
{
	struct memcg_sample *m = &w->memcgs[i];

	if (dice_once_in(dice, dice->calm))
		harm(dice, w, i);
	if (m->leaf && dice_once_in(dice, 3))
		world_read_file(w, i, dice_below(dice, MIB(20)));
	if (m->leaf && dice_once_in(dice, 16))
		use_anon(dice, w, i);
	m->busy = dice_once_in(dice, 16);
	m->skipped = dice_once_in(dice, 16);
	m->n_tiers = dice_once_in(dice, 3) ? (uint32_t)dice_below(dice, WORLD_NODES_MAX + 1) : 0;
	m->seen_usec = saturating_add(m->seen_usec, w->snapshot.interval_usec);
}

static void upset(struct dice *dice, struct memcg_sample *m, uint64_t absurd)
{
	uint64_t *const fields[] = {
		&m->current_bytes,
		&m->swap_current_bytes,
		&m->lru_bytes[LRU_ANON],
		&m->lru_bytes[LRU_FILE],
		&m->refault_pages[LRU_ANON],
		&m->refault_pages[LRU_FILE],
		&m->pgscan_pages,
		&m->pgsteal_pages,
		&m->events_oom_kill,
		&m->psi_memory.some_usec,
		&m->psi_io.some_usec,
		&m->file_dirty_bytes,
		&m->outcome.asked_bytes,
		&m->outcome.freed_bytes,
		&m->outcome.scanned_pages,
		&m->outcome.stolen_pages[LRU_ANON],
		&m->min_bytes,
		&m->low_bytes,
		&m->max_bytes,
		&m->id,
	};

	*fields[dice_below(dice, sizeof(fields) / sizeof(fields[0]))] = dice_size(dice, absurd);
}

void dice_happen(struct dice *dice, struct policy_world *w, uint64_t absurd)
{
	struct snapshot *snapshot = &w->snapshot;
	uint64_t dt_usec = snapshot->interval_usec;

	if (dice_once_in(dice, absurd ? 20 : 500))
		dt_usec = dice_size(dice, absurd);
	else if (dice_once_in(dice, 4))
		dt_usec = dt_usec / 10 * dice_below(dice, 30);
	snapshot->now_usec = dice_once_in(dice, 500) ? saturating_sub(snapshot->now_usec, dt_usec)
						     : saturating_add(snapshot->now_usec, dt_usec);
	for (size_t i = 0; i < snapshot->n_memcgs; i++) {
		live(dice, w, i);
		if (dice_once_in(dice, absurd ? 40 : 0))
			upset(dice, &w->memcgs[i], absurd);
	}
}

static void obey_evict(struct policy_world *w, const struct decision *d, uint64_t bytes)
{
	struct memcg_sample *m = &w->memcgs[d->memcg];
	uint64_t pages = bytes / PAGE_BYTES;

	for (uint32_t v = 0; v < m->n_lruvecs; v++) {
		uint64_t *cold = &w->lruvecs[m->first_lruvec + v].gens[0].pages[LRU_ANON];

		if (w->lruvecs[m->first_lruvec + v].node == d->node)
			*cold = saturating_sub(*cold, pages);
	}
	world_touch_anon(w, d->memcg, -bytes);
	for (int at = (int)d->memcg; at >= 0; at = w->memcgs[at].parent)
		w->memcgs[at].swap_current_bytes += bytes;
	world_scan(w, d->memcg, pages);
	world_steal(w, d->memcg, pages);
	m->outcome.stolen_pages[LRU_ANON] += pages;
}

static void obey_age(struct policy_world *w, const struct decision *d)
{
	struct memcg_sample *m = &w->memcgs[d->memcg];

	for (uint32_t v = 0; v < m->n_lruvecs; v++) {
		struct lruvec_sample *lruvec = &w->lruvecs[m->first_lruvec + v];
		struct gen_sample fresh = {.seq = d->seq + 1, .pages = {0, 0}};

		if (lruvec->node != d->node)
			continue;
		if (lruvec->n_gens >= 4)
			memmove(&lruvec->gens[0], &lruvec->gens[1],
				--lruvec->n_gens * sizeof(lruvec->gens[0]));
		lruvec->gens[lruvec->n_gens++] = fresh;
	}
	m->outcome.agings++;
	m->outcome.aging_usec += 1000;
}

void dice_obey(struct dice *dice, struct policy_world *w)
{
	for (size_t i = 0; i < w->snapshot.n_memcgs; i++)
		w->memcgs[i].outcome = (struct outcome){0};
	for (size_t v = 0; v < w->snapshot.n_lruvecs; v++)
		for (uint32_t g = 0; g < w->lruvecs[v].n_gens; g++)
			w->lruvecs[v].gens[g].age_msec += w->snapshot.interval_usec / 1000;
	for (size_t n = 0; n < w->plan.n_decisions; n++) {
		const struct decision *d = &w->decisions[n];
		struct outcome *outcome = &w->memcgs[d->memcg].outcome;
		uint64_t bytes = dice_once_in(dice, 8) ? dice_below(dice, d->bytes + 1) : d->bytes;

		outcome->writes++;
		outcome->failures += dice_once_in(dice, 32);
		outcome->asked_bytes += d->bytes;
		outcome->freed_bytes += bytes;
		outcome->scanned_pages += bytes / PAGE_BYTES;
		if (d->action == ACTION_AGE)
			obey_age(w, d);
		else if (d->action == ACTION_EVICT)
			obey_evict(w, d, bytes);
		else
			world_take_file(w, d->memcg, bytes);
	}
}
