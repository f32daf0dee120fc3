/* SPDX-License-Identifier: MIT */
/* Unit tests of bench.c. The random numbers are the same in each run. */
#include "bench.h"
#include "workload.h"

#include <err.h>
#include <math.h>
#include <stdlib.h>

#define PICKS 1000000
#define KINDS 100

/* Each thing is picked as often as its weight says, up to 5 standard deviations. */
static void test_alias(double theta)
{
	uint32_t picked[KINDS] = {0};
	double weights[KINDS], sum = 0;
	uint64_t random = 1;
	struct alias alias;

	for (uint32_t i = 0; i < KINDS; i++)
		sum += weights[i] = i == 7 ? 0 : pow(i + 1, -theta);
	alias = alias_new(weights, KINDS);
	for (uint32_t i = 0; i < PICKS; i++)
		picked[alias_pick(&alias, &random)]++;
	for (uint32_t i = 0; i < KINDS; i++) {
		double p = i == 7 ? 0 : pow(i + 1, -theta) / sum;

		if (fabs(picked[i] - p * PICKS) > 5 * sqrt(p * (1 - p) * PICKS) + 1)
			errx(1, "theta %.1f: %u was picked %u times, expected %.0f", theta, i,
			     picked[i], p * PICKS);
	}
}

static void test_permutation(void)
{
	uint64_t random = 1;
	uint32_t *numbers = bench_permutation(KINDS, &random), in_place = 0;
	bool seen[KINDS] = {false};

	for (uint32_t i = 0; i < KINDS; i++) {
		if (numbers[i] >= KINDS || seen[numbers[i]])
			errx(1, "%u is not to be there, or not twice", numbers[i]);
		seen[numbers[i]] = true;
		in_place += numbers[i] == i;
	}
	if (in_place > KINDS / 10)
		errx(1, "%u of %u are where they were", in_place, KINDS);
	free(numbers);
}

int main(void)
{
	test_alias(0);
	test_alias(0.5);
	test_alias(0.9);
	test_alias(3);
	test_permutation();
	return 0;
}
