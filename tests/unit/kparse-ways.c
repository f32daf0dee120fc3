/* SPDX-License-Identifier: MIT */
#include "kparse-ways.h"
#include "macro.h"

#include <string.h>

/* All that the records of one way say, one after another. The most for its length has a listing of
 * node lines alone: 8 bytes each. */
struct account {
	size_t len;
	uint8_t bytes[KPARSE_WAYS_LEN / 8 * 64];
};

static void put(struct account *a, const void *p, size_t len)
{
	if (len > sizeof(a->bytes) - a->len)
		abort();
	memcpy(a->bytes + a->len, p, len);
	a->len += len;
}

static void put_number(struct account *a, uint64_t number)
{
	put(a, &number, sizeof(number));
}

static void put_record(const struct lru_gen_record *r, void *userdata)
{
	struct account *a = userdata;

	put_number(a, r->flaw);
	put_number(a, r->memcg_id);
	put_number(a, r->path_len);
	put_number(a, r->path_len ? (uintptr_t)r->path : 0);
	put_number(a, r->first_node);
	put_number(a, r->lruvec.node);
	if (r->flaw != KPARSE_OK)
		return;
	put_number(a, (uint64_t)r->lruvec.n_gens << 32 | r->n_tiers);
	put(a, r->lruvec.gens, r->lruvec.n_gens * sizeof(r->lruvec.gens[0]));
	for (uint32_t i = 0; i < r->lruvec.n_gens; i++) {
		put(a, r->tiers[i], r->n_tiers * sizeof(r->tiers[i][0]));
		put_number(a, r->walk[i].n);
		put(a, r->walk[i].letter, r->walk[i].n);
		put(a, r->walk[i].value, r->walk[i].n * sizeof(r->walk[i].value[0]));
	}
}

bool kparse_ways_agree(const char *text, size_t len)
{
	static ssize_t (*const ways[])(const char *, size_t, struct lru_gen_record *,
				       kparse_lru_gen_emit_t, void *) = {
		kparse_lru_gen_general,
		kparse_lru_gen,
		kparse_lru_gen_portable,
	};
	static struct account accounts[ARRAY_SIZE(ways)];
	static struct lru_gen_record scratch;

	for (size_t i = 0; i < ARRAY_SIZE(ways); i++) {
		accounts[i].len = 0;
		put_number(&accounts[i],
			   (uint64_t)ways[i](text, len, &scratch, put_record, &accounts[i]));
		if (accounts[i].len != accounts[0].len ||
		    memcmp(accounts[i].bytes, accounts[0].bytes, accounts[0].len) != 0)
			return false;
	}
	return true;
}
