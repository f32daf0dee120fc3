/* SPDX-License-Identifier: MIT */
#include "account.h"
#include "arith.h"

#include <stdlib.h>

void account_add(struct account *account, enum account_value which, uint64_t value)
{
	account->values[which] = saturating_add(account->values[which], value);
}

bool account_is_empty(const struct account *account)
{
	for (size_t i = 0; i < _ACCOUNT_MAX; i++)
		if (account->values[i] > 0)
			return false;
	return true;
}

struct account account_growth(const struct account *now, const struct account *former)
{
	struct account growth;

	for (size_t i = 0; i < _ACCOUNT_MAX; i++)
		growth.values[i] = saturating_sub(now->values[i], former->values[i]);
	return growth;
}

/* --- points in the past */

static uint64_t newest_usec(const struct account_clock *clock)
{
	return clock->n == 0 ? clock->start_usec
			     : clock->point_usec[(clock->n - 1) % ACCOUNT_POINTS];
}

bool account_clock_tick(struct account_clock *clock, uint64_t now_usec)
{
	if (saturating_sub(now_usec, newest_usec(clock)) < ACCOUNT_GAP_USEC)
		return false;
	clock->point_usec[clock->n++ % ACCOUNT_POINTS] = now_usec;
	return true;
}

size_t account_clock_find(const struct account_clock *clock, uint64_t now_usec, uint64_t span_usec,
			  uint64_t *ret_usec)
{
	size_t kept = clock->n < ACCOUNT_POINTS ? clock->n : ACCOUNT_POINTS;

	for (size_t back = 1; back <= kept; back++) {
		size_t at = (clock->n - back) % ACCOUNT_POINTS;
		uint64_t ago_usec = saturating_sub(now_usec, clock->point_usec[at]);

		if (ago_usec >= span_usec) {
			*ret_usec = ago_usec;
			return at;
		}
	}
	*ret_usec = saturating_sub(now_usec, clock->start_usec);
	return ACCOUNT_SINCE_START;
}

void account_keep(struct account_past *past, const struct account_clock *clock,
		  const struct account *account)
{
	if (!past->points && account_is_empty(account))
		return;
	if (!past->points)
		past->points = calloc(ACCOUNT_POINTS, sizeof(*past->points));
	if (past->points)
		past->points[(clock->n - 1) % ACCOUNT_POINTS] = *account;
}

struct account account_since(const struct account_past *past, const struct account *now,
			     size_t point)
{
	if (!past->points || point >= ACCOUNT_POINTS)
		return *now;
	return account_growth(now, &past->points[point]);
}

void account_past_done(struct account_past *past)
{
	free(past->points);
	past->points = NULL;
}
