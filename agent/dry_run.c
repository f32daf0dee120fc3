/* SPDX-License-Identifier: MIT */
#include "dry_run.h"
#include "arith.h"

static void add(struct memcg *memcg, struct account *total, enum account_value which,
		uint64_t value)
{
	account_add(&memcg->account, which, value);
	account_add(total, which, value);
}

/* What an estimate has grown by. */
static void book(struct memcg *memcg, const struct estimate *former, struct account *total)
{
	const struct estimate *now = &memcg->estimate;

	add(memcg, total, ACCOUNT_DRY_FREED_BYTES, now->freed_bytes - former->freed_bytes);
	add(memcg, total, ACCOUNT_DRY_RETURNED_BYTES, now->returned_bytes - former->returned_bytes);
	add(memcg, total, ACCOUNT_DRY_UNJUDGED_BYTES, now->unjudged_bytes - former->unjudged_bytes);
}

void dry_run_book(const struct snapshot *snapshot, const struct plan *plan,
		  struct memcg *const *memcgs, struct account *total)
{
	for (size_t i = 0; i < snapshot->n_memcgs; i++) {
		struct estimate former = memcgs[i]->estimate;

		if (former.freed_bytes == 0)
			continue;
		estimate_look(&memcgs[i]->estimate, snapshot, &snapshot->memcgs[i]);
		book(memcgs[i], &former, total);
	}
	for (size_t d = 0; d < plan->n_decisions; d++) {
		const struct decision *decision = &plan->decisions[d];
		struct memcg *memcg = memcgs[decision->memcg];
		struct estimate former = memcg->estimate;

		if (decision->action == ACTION_AGE)
			add(memcg, total, ACCOUNT_DRY_AGINGS, 1);
		/* Without a class it has no floor, and no decision. */
		estimate_take(&memcg->estimate, snapshot, &memcg->state, decision,
			      number_or(memcg->seen.floor_bytes, UINT64_MAX));
		book(memcg, &former, total);
	}
}

void dry_run_end(struct memcg *const *memcgs, size_t n)
{
	for (size_t i = 0; i < n; i++)
		memcgs[i]->estimate = (struct estimate){0};
}
