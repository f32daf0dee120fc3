/* SPDX-License-Identifier: MIT */
/*
 * A whole lru_gen listing. Up to Linux 6.19 the ids in it are private and used again, and records
 * are matched to memcgs by path; from 7.0 they are the cgroups' own ids, inodes of their
 * directories, and decide. Which it is shows in the ids themselves: private ones are no inodes but
 * by chance.
 *
 * It is no snapshot: the kernel walks the tree anew for each page of it, and a cgroup that comes or
 * goes meanwhile makes records be skipped or repeated (fs/seq_file.c, mm/vmscan.c
 * lru_gen_seq_start()).
 *
 * A removed cgroup is listed under its old path while anything of its memory is left, next to a new
 * one of the same name: a service that was restarted. Once no swap entry holds it its id is 0
 * (mm/memcontrol.c mem_cgroup_id_remove()), which no other one has, and it stands in nobody's way.
 */
#include "listing.h"
#include "array.h"
#include "arith.h"
#include "listing_tiers.h"
#include "macro.h"

#include <errno.h>
#include <string.h>

/* Sizes in the listing lag behind those in memory.stat by a few batches (MAX_LRU_BATCH: 4096). */
#define SLACK_PAGES 8192

int listing_init(struct listing *ret)
{
	*ret = (struct listing){0};
	ret->record = calloc(1, sizeof(*ret->record));
	return ret->record ? 0 : -ENOMEM;
}

void listing_done(struct listing *listing)
{
	free(listing->entries);
	free(listing->lruvecs);
	free(listing->tiers);
	free(listing->record);
	free(listing->order);
	*listing = (struct listing){0};
}

/* --- one record after the other */

struct reading {
	struct listing *listing;
	const struct hierarchy *hierarchy;
	int error;
};

static enum listing_fault judge(const struct reading *reading, const struct lru_gen_record *record,
				const struct memcg *memcg)
{
	/* Cut off by the kernel; or there are no memcgs, and this is the whole system. */
	bool nameless = record->path_len == 0;

	if (record->flaw == KPARSE_NO_MEMCG || !record->first_node)
		return LISTING_STRAYED;
	if (!nameless && record->memcg_id == 0)
		return LISTING_REMOVED;
	if (memcg)
		return LISTING_OK;
	return reading->hierarchy || (nameless && record->memcg_id != 0) ? LISTING_UNKNOWN
									 : LISTING_OK;
}

/* The memcg of a path as the kernel prints it, from the top of the whole hierarchy. */
static struct memcg *find(const struct reading *reading, const char *path, size_t len)
{
	const struct listing *listing = reading->listing;
	size_t prefix_len = listing->prefix_len;

	if (prefix_len == 0)
		return hierarchy_find(reading->hierarchy, path, len);
	if (len < prefix_len || memcmp(path, listing->prefix, prefix_len) != 0)
		return NULL;
	if (len == prefix_len)
		return hierarchy_find(reading->hierarchy, "/", 1);
	return hierarchy_find(reading->hierarchy, path + prefix_len, len - prefix_len);
}

/* A new entry for a record that begins one, or that belongs to nobody. */
static struct listing_entry *add_entry(struct reading *reading, const struct lru_gen_record *record)
{
	struct listing *listing = reading->listing;
	struct listing_entry *entry;
	struct memcg *memcg = NULL;

	reading->error =
		array_reserve(listing->entries, listing->entries_capacity, listing->n_entries + 1);
	if (reading->error < 0)
		return NULL;
	if (reading->hierarchy && record->path_len > 0)
		memcg = find(reading, record->path, record->path_len);
	entry = &listing->entries[listing->n_entries++];
	*entry = (struct listing_entry){
		.memcg_id = record->memcg_id,
		.path = record->path,
		.path_len = record->path_len,
		.memcg = memcg,
		.fault = judge(reading, record, memcg),
		.first_lruvec = (uint32_t)listing->n_lruvecs,
	};
	return entry;
}

static void take_record(const struct lru_gen_record *record, void *userdata)
{
	struct reading *reading = userdata;
	struct listing *listing = reading->listing;
	struct listing_entry *entry =
		listing->n_entries > 0 ? &listing->entries[listing->n_entries - 1] : NULL;

	if (reading->error < 0)
		return;
	/* A memcg line has been lost, and maybe the end of the memcg before it too. */
	if (record->flaw == KPARSE_NO_MEMCG && entry && entry->fault == LISTING_OK)
		entry->fault = LISTING_STRAYED;
	/* All that stands behind one memcg line points to the path in it. */
	if (!entry || record->first_node || record->path != entry->path) {
		entry = add_entry(reading, record);
		if (!entry)
			return;
	}
	if (record->flaw != KPARSE_OK && entry->fault == LISTING_OK)
		entry->fault = LISTING_FLAWED;
	entry->n_records++;
	entry->n_refused += entry->fault != LISTING_OK;
	if (record->flaw != KPARSE_OK)
		return;
	reading->error =
		array_reserve(listing->lruvecs, listing->lruvecs_capacity, listing->n_lruvecs + 1);
	if (reading->error < 0)
		return;
	if (listing->with_tiers) {
		reading->error = array_reserve(listing->tiers, listing->tiers_capacity,
					       listing->n_lruvecs + 1);
		if (reading->error < 0)
			return;
		listing_take_tiers(record, &listing->tiers[listing->n_lruvecs]);
	}
	listing->lruvecs[listing->n_lruvecs++] = record->lruvec;
	entry->n_lruvecs++;
}

/* --- the whole */

/* The root has id 1 in both kinds, and tells nothing. */
static bool ids_are_inodes(const struct listing *listing)
{
	size_t same = 0, other = 0;

	for (size_t i = 0; i < listing->n_entries; i++) {
		const struct listing_entry *entry = &listing->entries[i];

		if (!entry->memcg || !entry->memcg->parent)
			continue;
		if (entry->memcg_id == entry->memcg->id)
			same++;
		else
			other++;
	}
	return same > 0 && same >= other;
}

/* With ids that are the cgroups' own, one that no directory has is of a removed cgroup, whatever
 * its path; and one that is known needs no path, which the kernel may have cut off. */
static void match_by_id(struct listing *listing, const struct hierarchy *hierarchy)
{
	for (size_t i = 0; i < listing->n_entries; i++) {
		struct listing_entry *entry = &listing->entries[i];
		struct memcg *memcg = hierarchy_find_id(hierarchy, entry->memcg_id);
		bool root = entry->memcg && !entry->memcg->parent;

		if (root || entry->fault == LISTING_FLAWED || entry->fault == LISTING_STRAYED)
			continue;
		if (memcg && entry->path_len > 0 && entry->memcg != memcg)
			memcg = NULL; /* renamed meanwhile, or not an inode after all */
		entry->fault = memcg ? LISTING_OK : LISTING_REMOVED;
		entry->n_refused = memcg ? 0 : entry->n_records;
		entry->memcg = memcg;
	}
}

static int compare_paths(const void *a, const void *b, void *userdata)
{
	const struct listing *listing = userdata;
	size_t i = *(const size_t *)a, j = *(const size_t *)b;
	const struct listing_entry *x = &listing->entries[i], *y = &listing->entries[j];
	int order;

	if (x->path_len != y->path_len)
		return x->path_len < y->path_len ? -1 : 1;
	order = memcmp(x->path, y->path, x->path_len);
	return order != 0 ? order : i < j ? -1 : i > j;
}

/* Which of two with the same path is the one whose directory is there cannot be told from the
 * listing: that is left to who knows the memcg's size (listing_settle_twice()). */
static int refuse_twice(struct listing *listing)
{
	size_t n = 0;
	int r = array_reserve(listing->order, listing->order_capacity, listing->n_entries);

	if (r < 0)
		return r;
	for (size_t i = 0; i < listing->n_entries; i++)
		if (listing->entries[i].path_len > 0 &&
		    listing->entries[i].fault != LISTING_REMOVED)
			listing->order[n++] = i;
	if (n == 0)
		return 0;
	qsort_r(listing->order, n, sizeof(*listing->order), compare_paths, listing);
	for (size_t i = 1; i < n; i++) {
		struct listing_entry *former = &listing->entries[listing->order[i - 1]];
		struct listing_entry *entry = &listing->entries[listing->order[i]];

		if (former->path_len != entry->path_len ||
		    memcmp(former->path, entry->path, entry->path_len) != 0)
			continue;
		if (former->fault == LISTING_OK)
			former->fault = LISTING_TWICE;
		if (entry->fault == LISTING_OK)
			entry->fault = LISTING_TWICE;
		entry->n_refused = entry->n_records;
	}
	return 0;
}

static size_t count_found(const struct listing *listing)
{
	size_t n = 0;

	for (size_t i = 0; i < listing->n_entries; i++)
		n += listing->entries[i].memcg && listing->entries[i].memcg->parent;
	return n;
}

/* Takes for the prefix what stands before the path of one of our memcgs, the one with the longest
 * path, in an entry from number first on. Returns the entry's number, or n_entries. */
static size_t guess_prefix(struct listing *listing, const struct hierarchy *hierarchy, size_t first)
{
	size_t n, longest_len = 1;
	struct memcg *const *memcgs = hierarchy_memcgs(hierarchy, &n);
	const char *longest = NULL;

	for (size_t i = 0; i < n; i++)
		if (strlen(memcgs[i]->path) > longest_len) {
			longest = memcgs[i]->path;
			longest_len = strlen(longest);
		}
	for (size_t i = first; longest && i < listing->n_entries; i++) {
		const struct listing_entry *entry = &listing->entries[i];
		size_t len = entry->path_len - longest_len;

		if (entry->path_len <= longest_len || len >= sizeof(listing->prefix) ||
		    memcmp(entry->path + len, longest, longest_len) != 0)
			continue;
		memcpy(listing->prefix, entry->path, len);
		listing->prefix_len = len;
		return i;
	}
	return listing->n_entries;
}

static int parse(struct reading *reading, const char *text, size_t len)
{
	struct listing *listing = reading->listing;
	ssize_t n;

	listing->n_entries = 0;
	listing->n_lruvecs = 0;
	listing->refused_records = 0;
	n = kparse_lru_gen(text, len, listing->record, take_record, reading);
	return n < 0 ? (int)n : reading->error;
}

/* Where none of our cgroups but the top is listed under its path, we may be in a cgroup namespace:
 * the prefix under which most of them are listed is the one. */
static int parse_in_namespace(struct reading *reading, const char *text, size_t len)
{
	struct listing *listing = reading->listing;
	bool guessed;
	size_t n;
	int r;

	r = parse(reading, text, len);
	if (r < 0 || !reading->hierarchy || count_found(listing) > 0)
		return r;
	hierarchy_memcgs(reading->hierarchy, &n);
	guessed = listing->prefix_len > 0;
	listing->prefix_len = 0;
	for (size_t i = 0; (i = guess_prefix(listing, reading->hierarchy, i)) < listing->n_entries;
	     i++) {
		guessed = true;
		r = parse(reading, text, len);
		if (r < 0 || 2 * count_found(listing) >= n - 1)
			return r;
	}
	listing->prefix_len = 0;
	return guessed ? parse(reading, text, len) : 0;
}

int listing_read(struct listing *listing, const char *text, size_t len,
		 const struct hierarchy *hierarchy)
{
	struct reading reading = {.listing = listing, .hierarchy = hierarchy};
	int r;

	r = parse_in_namespace(&reading, text, len);
	if (r >= 0 && hierarchy && ids_are_inodes(listing))
		match_by_id(listing, hierarchy);
	if (r >= 0)
		r = refuse_twice(listing);
	if (r < 0) {
		listing->n_entries = 0;
		return r;
	}
	for (size_t i = 0; i < listing->n_entries; i++)
		listing->refused_records += listing->entries[i].n_refused;
	return 0;
}

static uint64_t count_pages(const struct listing *listing, const struct listing_entry *entry)
{
	uint64_t pages = 0;

	for (uint32_t v = 0; v < entry->n_lruvecs; v++) {
		const struct lruvec_sample *lruvec = &listing->lruvecs[entry->first_lruvec + v];

		for (uint32_t g = 0; g < lruvec->n_gens; g++)
			for (int type = 0; type < _LRU_TYPE_MAX; type++)
				pages = saturating_add(pages,
						       number_or(lruvec->gens[g].pages[type], 0));
	}
	return pages;
}

const struct listing_entry *listing_settle_twice(const struct listing *listing,
						 const struct memcg *memcg, uint64_t wanted_pages)
{
	uint64_t slack_pages = saturating_add(wanted_pages / 8, SLACK_PAGES);
	const struct listing_entry *found = NULL;

	for (size_t i = 0; i < listing->n_entries; i++) {
		const struct listing_entry *entry = &listing->entries[i];
		uint64_t pages;

		if (entry->fault != LISTING_TWICE || entry->memcg != memcg)
			continue;
		pages = count_pages(listing, entry);
		if (pages > saturating_add(wanted_pages, slack_pages) ||
		    saturating_add(pages, slack_pages) < wanted_pages)
			continue;
		if (found)
			return NULL;
		found = entry;
	}
	return found;
}

const char *listing_fault_to_string(enum listing_fault fault)
{
	static const char *const names[_LISTING_FAULT_MAX] = {
		[LISTING_OK] = "ok",           [LISTING_FLAWED] = "incomplete",
		[LISTING_STRAYED] = "strayed", [LISTING_TWICE] = "listed-twice",
		[LISTING_REMOVED] = "removed", [LISTING_UNKNOWN] = "no-such-cgroup",
	};

	return (size_t)fault < ARRAY_SIZE(names) ? names[fault] : "unknown";
}
