/* SPDX-License-Identifier: MIT */
/*
 * fgreclaimctl generations --json. The keys are a promise, see fgreclaimctl(1).
 */
#include "ctl_generations.h"
#include "json.h"
#include "macro.h"

#include <string.h>

DEFINE_CLEANUP(struct json_writer *, json_writer_free)

/* What the listing is made of, by all that can be understood of it. */
struct layout {
	bool tiers;
	char walk[LRU_GEN_WALK_MAX + 1];
};

static void look_at_layout(const struct lru_gen_record *record,
			   const struct listing_entry *entry _unused_, bool last _unused_,
			   void *userdata)
{
	struct layout *layout = userdata;

	if (record->flaw != KPARSE_OK)
		return;
	layout->tiers |= record->n_tiers > 0;
	for (uint32_t g = 0; g < record->lruvec.n_gens; g++)
		if (record->walk[g].n > strlen(layout->walk))
			memcpy(layout->walk, record->walk[g].letter, record->walk[g].n);
}

static void put_tier_type(struct json_writer *writer, const char *key,
			  const struct tier_sample *tier, enum lru_type type)
{
	if (tier->kind[type] == TIER_NONE) {
		json_put_null(writer, key);
		return;
	}
	json_begin_object(writer, key);
	if (tier->kind[type] == TIER_AVERAGE) {
		json_put_u64(writer, "avg_refaulted", tier->refaulted[type]);
		json_put_u64(writer, "avg_total", tier->evicted[type]);
	} else {
		json_put_u64(writer, "refaulted", tier->refaulted[type]);
		json_put_u64(writer, "evicted", tier->evicted[type]);
		json_put_u64(writer, "protected", tier->protected[type]);
	}
	json_end(writer);
}

static void put_walk(struct json_writer *writer, const struct walk_sample *walk)
{
	if (walk->n == 0) {
		json_put_null(writer, "walk");
		return;
	}
	json_begin_object(writer, "walk");
	for (uint32_t i = 0; i < walk->n; i++) {
		char key[] = {walk->letter[i], '\0'};

		json_put_u64(writer, key, walk->value[i]);
	}
	json_end(writer);
}

static void put_generation(struct json_writer *writer, const struct lru_gen_record *record,
			   uint32_t g)
{
	const struct gen_sample *gen = &record->lruvec.gens[g];

	json_begin_object(writer, NULL);
	json_put_u64(writer, "seq", gen->seq);
	json_put_u64(writer, "age_ms", gen->age_msec);
	json_put_u64(writer, "anon_pages", gen->pages[LRU_ANON]);
	json_put_u64(writer, "file_pages", gen->pages[LRU_FILE]);
	json_begin_array(writer, "tiers");
	for (uint32_t t = 0; t < record->n_tiers; t++) {
		json_begin_object(writer, NULL);
		json_put_u64(writer, "tier", t);
		put_tier_type(writer, "anon", &record->tiers[g][t], LRU_ANON);
		put_tier_type(writer, "file", &record->tiers[g][t], LRU_FILE);
		json_end(writer);
	}
	json_end(writer);
	put_walk(writer, &record->walk[g]);
	json_end(writer);
}

static void put_record(const struct lru_gen_record *record, const struct listing_entry *entry,
		       bool last _unused_, void *userdata)
{
	struct json_writer *writer = userdata;
	const char *why = generations_why(record, entry);
	bool known = record->flaw != KPARSE_NO_MEMCG;

	json_begin_object(writer, NULL);
	json_put_u64(writer, "memcg_id", known ? record->memcg_id : SAMPLE_UNKNOWN);
	if (known)
		json_put_bytes(writer, "path", record->path, record->path_len);
	else
		json_put_null(writer, "path");
	json_put_u64(writer, "node",
		     record->lruvec.node == UINT32_MAX ? SAMPLE_UNKNOWN : record->lruvec.node);
	json_begin_array(writer, "generations");
	for (uint32_t g = 0; record->flaw == KPARSE_OK && g < record->lruvec.n_gens; g++)
		put_generation(writer, record, g);
	json_end(writer);
	json_put_bool(writer, "valid", !why);
	json_put_text(writer, "why", why);
	json_end(writer);
}

int generations_print_json(struct generations *generations)
{
	_cleanup_(json_writer_free_ptr) struct json_writer *writer = NULL;
	struct layout layout = {0};
	int r = json_writer_new(stdout, &writer);

	if (r < 0)
		return r;
	generations_walk(generations, true, look_at_layout, &layout);
	json_begin_object(writer, NULL);
	json_begin_array(writer, "records");
	generations_walk(generations, false, put_record, writer);
	json_end(writer);
	json_begin_object(writer, "layout");
	json_put_bool(writer, "tiers", layout.tiers);
	json_put_text(writer, "walk", *layout.walk ? layout.walk : "none");
	json_end(writer);
	json_put_u64(writer, "dying_descendants", generations->dying);
	json_end(writer);
	return json_writer_finish(writer);
}
