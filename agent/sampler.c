/* SPDX-License-Identifier: MIT */
/*
 * From the kernel's files to one snapshot.
 *
 * memory.stat is the dear one (the kernel formats it for 50 microseconds or so), which is why all
 * files stay open, each is read once in a tick, and the counters only where they are wanted.
 * lru_gen is read as a whole, once in a tick.
 */
#include "sampler.h"
#include "arith.h"
#include "kparse.h"
#include "macro.h"
#include "file.h"
#include "residence.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <string.h>

#define TEXT_MAX 8192

int sampler_init(struct sampler *ret, const char *root)
{
	*ret = (struct sampler){.root = root};
	return listing_init(&ret->listing);
}

void sampler_done(struct sampler *sampler)
{
	free(sampler->memcgs);
	listing_done(&sampler->listing);
	*sampler = (struct sampler){0};
}

static int reserve(struct sampler *sampler, size_t n)
{
	struct memcg_sample *grown;

	if (n <= sampler->memcgs_capacity)
		return 0;
	grown = reallocarray(sampler->memcgs, 2 * n, sizeof(*grown));
	if (!grown)
		return -ENOMEM;
	sampler->memcgs = grown;
	sampler->memcgs_capacity = 2 * n;
	return 0;
}

/* --- one memcg */

static uint64_t read_value(struct memcg *memcg, enum memcg_file file)
{
	char text[64];
	uint64_t value;
	int len = memcg_read(memcg, file, text, sizeof(text));

	return len >= 0 && kparse_value(text, (size_t)len, &value) >= 0 ? value : SAMPLE_UNKNOWN;
}

static struct psi_total read_psi(struct memcg *memcg, enum memcg_file file)
{
	struct psi_total psi = {SAMPLE_UNKNOWN, SAMPLE_UNKNOWN};
	char text[256];
	int len = memcg_read(memcg, file, text, sizeof(text));

	if (len < 0 || kparse_psi(text, (size_t)len, &psi) < 0)
		psi = (struct psi_total){SAMPLE_UNKNOWN, SAMPLE_UNKNOWN};
	return psi;
}

/* Whether the dear files are wanted: of a leaf that is worth it, and of an inner memcg with a
 * limit, for the growth below that. Of the root they take seconds on large hosts, and tell nothing
 * here. */
static bool wants_counters(const struct memcg *memcg, const struct memcg_sample *sample)
{
	if (!memcg->parent)
		return false;
	if (memcg->leaf)
		return sample->current_bytes == SAMPLE_UNKNOWN ||
		       sample->current_bytes >= SAMPLE_SMALL_BYTES;
	return sample->high_bytes != SAMPLE_INFINITY || sample->max_bytes != SAMPLE_INFINITY;
}

static void read_counters(struct memcg *memcg, struct memcg_sample *ret)
{
	char text[TEXT_MAX];
	int len;

	len = memcg_read(memcg, MEMCG_STAT, text, sizeof(text));
	if (len >= 0)
		kparse_memory_stat(text, (size_t)len, ret);
	len = memcg_read(memcg, MEMCG_EVENTS, text, sizeof(text));
	if (len >= 0)
		kparse_memory_events(text, (size_t)len, ret);
	ret->psi_memory = read_psi(memcg, MEMCG_PRESSURE);
	ret->psi_io = read_psi(memcg, MEMCG_IO_PRESSURE);
	/* Another flush of the kernel's counters: only where the policy asks by it. */
	if (!memcg->leaf || !residence_is_watched(&memcg->state))
		return;
	len = memcg_read(memcg, MEMCG_CPU_STAT, text, sizeof(text));
	if (len >= 0)
		kparse_cpu_stat(text, (size_t)len, &ret->cpu_usec);
}

static void read_memcg(struct memcg *memcg, struct memcg_sample *ret)
{
	char text[TEXT_MAX];
	int len;

	len = memcg_read(memcg, MEMCG_CGROUP_EVENTS, text, sizeof(text));
	if (len < 0 || kparse_cgroup_events(text, (size_t)len, &ret->populated, &ret->frozen) < 0) {
		/* The root has no such file; any other without it has gone. */
		ret->populated = memcg->parent == NULL;
		ret->frozen = false;
	}
	ret->current_bytes = read_value(memcg, MEMCG_CURRENT);
	ret->swap_current_bytes = read_value(memcg, MEMCG_SWAP_CURRENT);
	ret->swap_max_bytes = read_value(memcg, MEMCG_SWAP_MAX);
	ret->min_bytes = read_value(memcg, MEMCG_MIN);
	ret->low_bytes = read_value(memcg, MEMCG_LOW);
	ret->high_bytes = read_value(memcg, MEMCG_HIGH);
	ret->max_bytes = read_value(memcg, MEMCG_MAX);
	if (wants_counters(memcg, ret))
		read_counters(memcg, ret);
}

static void sample_memcg(struct memcg *memcg, uint64_t now_usec, struct memcg_sample *ret)
{
	*ret = (struct memcg_sample){
		.id = memcg->id,
		.parent = memcg->parent ? (int32_t)memcg->parent->index : -1,
		.class_index = memcg->class_index,
		.seen_usec = now_usec - memcg->first_seen_usec,
		.leaf = memcg->leaf,
		.omitted = memcg->omitted,
		.busy = memcg->busy,
		.outcome = memcg->outcome,
		/* Unknown until read; a file that cannot be parsed leaves them so. */
		.lru_bytes = {SAMPLE_UNKNOWN, SAMPLE_UNKNOWN},
		.active_bytes = {SAMPLE_UNKNOWN, SAMPLE_UNKNOWN},
		.unevictable_bytes = SAMPLE_UNKNOWN,
		.file_dirty_bytes = SAMPLE_UNKNOWN,
		.file_writeback_bytes = SAMPLE_UNKNOWN,
		.refault_pages = {SAMPLE_UNKNOWN, SAMPLE_UNKNOWN},
		.pgscan_pages = SAMPLE_UNKNOWN,
		.pgsteal_pages = SAMPLE_UNKNOWN,
		.events_high = SAMPLE_UNKNOWN,
		.events_max = SAMPLE_UNKNOWN,
		.events_oom = SAMPLE_UNKNOWN,
		.events_oom_kill = SAMPLE_UNKNOWN,
		.cpu_usec = SAMPLE_UNKNOWN,
		.psi_memory = {SAMPLE_UNKNOWN, SAMPLE_UNKNOWN},
		.psi_io = {SAMPLE_UNKNOWN, SAMPLE_UNKNOWN},
	};
	memcg->outcome = (struct outcome){0};
	read_memcg(memcg, ret);
}

/* --- the listing */

static void take_entry(struct sampler *sampler, const struct listing_entry *entry)
{
	struct memcg_sample *sample = &sampler->memcgs[entry->memcg->index];

	/* Gone since the scan: by then its path may have been its successor's. */
	if (entry->memcg->parent && sample->current_bytes == SAMPLE_UNKNOWN)
		return;
	entry->memcg->listing_id = entry->memcg_id;
	sample->listed = true;
	sample->first_lruvec = entry->first_lruvec;
	sample->n_lruvecs = entry->n_lruvecs;
}

/* A restarted service, whose former cgroup is listed as long as its memory is not all gone. */
static void take_twice(struct sampler *sampler, const struct memcg *memcg)
{
	const struct memcg_sample *sample = &sampler->memcgs[memcg->index];
	const struct listing_entry *entry;
	uint64_t bytes;

	if (sample->listed || !is_number(sample->lru_bytes[LRU_ANON]) ||
	    !is_number(sample->lru_bytes[LRU_FILE]))
		return;
	bytes = saturating_add(sample->lru_bytes[LRU_ANON], sample->lru_bytes[LRU_FILE]);
	entry = listing_settle_twice(&sampler->listing, memcg,
				     bytes / (uint64_t)sysconf(_SC_PAGESIZE));
	if (entry)
		take_entry(sampler, entry);
}

/* len: of what lru_gen_read() has left in its text, or what it returned otherwise. */
static int read_listing(struct sampler *sampler, struct hierarchy *hierarchy,
			const struct lru_gen *lru_gen, ssize_t len)
{
	struct listing *listing = &sampler->listing;
	int r;

	if (len < 0)
		return len == -ENOMEM ? -ENOMEM : 0;
	r = listing_read(listing, lru_gen->text, (size_t)len, hierarchy);
	if (r < 0)
		return r == -ENOMEM ? r : 0;
	sampler->flawed_records = listing->refused_records;
	for (size_t i = 0; i < listing->n_entries; i++) {
		const struct listing_entry *entry = &listing->entries[i];

		if (entry->fault == LISTING_OK && entry->memcg)
			take_entry(sampler, entry);
		else if (entry->fault == LISTING_TWICE && entry->memcg)
			take_twice(sampler, entry->memcg);
	}
	return 0;
}

/* --- the host */

static void read_system(const struct sampler *sampler, const struct features *features,
			struct system_sample *ret)
{
	char path[PATH_MAX], text[TEXT_MAX];
	struct meminfo meminfo;
	int len;

	*ret = (struct system_sample){
		.capability = features->capability,
		.reclaim_swappiness = features->probes[FEATURE_SWAPPINESS].present,
		.swap_is_memory = features->probes[FEATURE_SWAP_MEMORY].present,
		.swap_total_bytes = SAMPLE_UNKNOWN,
		.swap_free_bytes = SAMPLE_UNKNOWN,
		.ram_bytes = SAMPLE_UNKNOWN,
		.available_bytes = SAMPLE_UNKNOWN,
	};
	if ((size_t)snprintf(path, sizeof(path), "%s/proc/meminfo", sampler->root) >= sizeof(path))
		return;
	len = file_read_at(AT_FDCWD, path, text, sizeof(text));
	if (len < 0 || kparse_meminfo(text, (size_t)len, &meminfo) < 0)
		return;
	ret->ram_bytes = meminfo.total_bytes;
	ret->available_bytes = meminfo.available_bytes;
	ret->swap_total_bytes = meminfo.swap_total_bytes;
	ret->swap_free_bytes = meminfo.swap_free_bytes;
}

int sampler_read(struct sampler *sampler, struct hierarchy *hierarchy, struct lru_gen *lru_gen,
		 const struct features *features, uint64_t now_usec, uint64_t interval_usec,
		 struct snapshot *ret)
{
	size_t n;
	struct memcg *const *memcgs = hierarchy_memcgs(hierarchy, &n);
	struct system_sample system;
	ssize_t len = 0;
	int r;

	r = reserve(sampler, n);
	if (r < 0)
		return r;
	sampler->n_memcgs = n;
	sampler->listing.n_lruvecs = 0;
	sampler->flawed_records = 0;
	/* Before the files: who can be read of after it has been there all the time since the scan,
	 * and nobody else under that path. */
	if (lru_gen)
		len = lru_gen_read(lru_gen);
	for (size_t i = 0; i < n; i++)
		sample_memcg(memcgs[i], now_usec, &sampler->memcgs[i]);
	if (lru_gen) {
		r = read_listing(sampler, hierarchy, lru_gen, len);
		if (r < 0)
			return r;
	}
	read_system(sampler, features, &system);
	*ret = (struct snapshot){
		.now_usec = now_usec,
		.interval_usec = interval_usec,
		.page_bytes = (uint32_t)sysconf(_SC_PAGESIZE),
		.system = system,
		.memcgs = sampler->memcgs,
		.n_memcgs = n,
		.lruvecs = sampler->listing.lruvecs,
		.n_lruvecs = sampler->listing.n_lruvecs,
	};
	return 0;
}
