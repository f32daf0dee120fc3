/* SPDX-License-Identifier: MIT */
#include "swap_budget.h"
#include "arith.h"

#define USEC_PER_HOUR (60 * USEC_PER_MIN)

static void advance(struct swap_budget *budget, uint64_t now_usec)
{
	uint64_t hour = now_usec / USEC_PER_HOUR;
	uint64_t passed = saturating_sub(hour, budget->hour);

	budget->hour = hour;
	if (passed == 0)
		return;
	for (uint64_t i = SWAP_BUDGET_HOURS; i-- > 0;)
		budget->written_bytes[i] = i >= passed ? budget->written_bytes[i - passed] : 0;
}

void swap_budget_book(struct swap_budget *budget, uint64_t now_usec, uint64_t bytes)
{
	advance(budget, now_usec);
	budget->written_bytes[0] = saturating_add(budget->written_bytes[0], bytes);
}

uint64_t swap_budget_written_bytes(struct swap_budget *budget, uint64_t now_usec)
{
	uint64_t bytes = 0;

	advance(budget, now_usec);
	for (unsigned i = 0; i < SWAP_BUDGET_HOURS; i++)
		bytes = saturating_add(bytes, budget->written_bytes[i]);
	return bytes;
}
