/* SPDX-License-Identifier: MIT */
/*
 * Any bytes as a listing. What must hold of every record, whatever the input; of a valid one, that
 * a listing printed from its numbers reads back as the same record. The fast way through the parser
 * and the general one give the same.
 */
#include "kparse-ways.h"
#include "macro.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

#define REQUIRE(condition)        \
	do {                      \
		if (!(condition)) \
			abort();  \
	} while (0)

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

struct input {
	const char *text;
	size_t len;
	ssize_t n_records;
	bool memcg_known;
	int64_t last_node; /* of this memcg, -1: none */
};

static struct lru_gen_record scratch, scratch_again;

static void same_again(const struct lru_gen_record *again, void *userdata)
{
	const struct lru_gen_record *r = userdata;

	REQUIRE(again->flaw == KPARSE_OK && again->memcg_id == r->memcg_id && again->first_node);
	REQUIRE(again->path_len == r->path_len && memcmp(again->path, r->path, r->path_len) == 0);
	REQUIRE(again->lruvec.node == r->lruvec.node && again->lruvec.n_gens == r->lruvec.n_gens);
	REQUIRE(memcmp(again->lruvec.gens, r->lruvec.gens,
		       r->lruvec.n_gens * sizeof(r->lruvec.gens[0])) == 0);
}

/* The generations without their tiers, as plain lru_gen would list them. */
static void print_and_parse(const struct lru_gen_record *r)
{
	static char text[8192];
	int n = snprintf(text, sizeof(text), "memcg %5" PRIu64 " %.*s\n node %5u\n", r->memcg_id,
			 (int)r->path_len, r->path, r->lruvec.node);

	for (uint32_t i = 0; i < r->lruvec.n_gens; i++) {
		const struct gen_sample *g = &r->lruvec.gens[i];

		n += snprintf(text + n, sizeof(text) - (size_t)n, " %10" PRIu64 " %10" PRIu64,
			      g->seq, g->age_msec);
		for (int type = 0; type < _LRU_TYPE_MAX; type++) {
			bool evicted = g->pages[type] == SAMPLE_UNKNOWN;

			n += snprintf(text + n, sizeof(text) - (size_t)n, " %10" PRIu64 "%c",
				      evicted ? 0 : g->pages[type], evicted ? 'x' : ' ');
		}
		n += snprintf(text + n, sizeof(text) - (size_t)n, "\n");
	}
	/* A further line, so that the record is not the last. */
	n += snprintf(text + n, sizeof(text) - (size_t)n, "memcg     1 /\n");
	REQUIRE(kparse_lru_gen(text, (size_t)n, &scratch_again, same_again, (void *)r) == 1);
}

static void check_tiers(const struct lru_gen_record *r, uint32_t gen)
{
	const struct walk_sample *walk = &r->walk[gen];

	for (uint32_t t = 0; t < r->n_tiers; t++) {
		const struct tier_sample *tier = &r->tiers[gen][t];

		for (int type = 0; type < _LRU_TYPE_MAX; type++) {
			bool average = tier->kind[type] == TIER_AVERAGE;

			REQUIRE(average == (gen == r->lruvec.n_gens - 1));
			REQUIRE(average == (tier->protected[type] == SAMPLE_UNKNOWN));
			REQUIRE(tier->refaulted[type] < SAMPLE_INFINITY);
			REQUIRE(tier->evicted[type] < SAMPLE_INFINITY);
			REQUIRE(tier->kind[type] != TIER_NONE ||
				(tier->refaulted[type] == 0 && tier->evicted[type] == 0));
		}
	}
	REQUIRE(walk->n <= LRU_GEN_WALK_MAX && (walk->n == 0 || r->n_tiers > 0));
	for (uint32_t i = 0; i < walk->n; i++)
		REQUIRE(walk->letter[i] >= 'A' && walk->letter[i] <= 'Z' &&
			walk->value[i] < SAMPLE_INFINITY);
}

/* A record is of the same memcg as the former one and a later node, or of a new one, or of none. */
static void check_memcg(const struct lru_gen_record *r, struct input *input)
{
	if (r->flaw == KPARSE_NO_MEMCG) {
		REQUIRE(r->memcg_id == 0 && r->path_len == 0 && !r->first_node);
		input->memcg_known = false;
		return;
	}
	REQUIRE(r->first_node || input->memcg_known);
	if (r->first_node)
		input->last_node = -1;
	input->memcg_known = true;
	if (r->lruvec.node == UINT32_MAX) {
		REQUIRE(r->flaw != KPARSE_OK);
		return;
	}
	REQUIRE(r->lruvec.node > input->last_node);
	input->last_node = r->lruvec.node;
}

static void check_record(const struct lru_gen_record *r, void *userdata)
{
	struct input *input = userdata;

	input->n_records++;
	REQUIRE(r->flaw < _KPARSE_FLAW_MAX);
	REQUIRE(r->path_len == 0 || (r->path > input->text && r->path[-1] == ' ' &&
				     r->path + r->path_len < input->text + input->len &&
				     r->path[0] == '/' && r->path[r->path_len] == '\n'));
	REQUIRE(!memchr(r->path, '\n', r->path_len) && !memchr(r->path, '\0', r->path_len));
	check_memcg(r, input);
	REQUIRE(r->lruvec.n_gens <= LRUVEC_GENS_MAX && r->n_tiers <= LRU_GEN_TIERS_MAX);
	if (r->flaw != KPARSE_OK)
		return;
	REQUIRE(r->lruvec.n_gens > 0);
	for (uint32_t i = 0; i < r->lruvec.n_gens; i++) {
		REQUIRE(i == 0 || r->lruvec.gens[i].seq == r->lruvec.gens[i - 1].seq + 1);
		check_tiers(r, i);
	}
	print_and_parse(r);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct input input = {.text = (const char *)data, .len = size};
	ssize_t r = kparse_lru_gen(input.text, size, &scratch, check_record, &input);

	REQUIRE(r == input.n_records || (r == -EINVAL && input.n_records == 0));
	REQUIRE(size > KPARSE_WAYS_LEN || kparse_ways_agree(input.text, size));
	return 0;
}
