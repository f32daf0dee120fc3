/* SPDX-License-Identifier: MIT */
/*
 * Dice that fall the same way on every machine: splitmix64 (Steele, Lea and Flood, 2014), one state
 * for each who throws, so that one workload's draws do not shift another's.
 */
#ifndef FGRECLAIM_TESTS_SIM_RNG_H
#define FGRECLAIM_TESTS_SIM_RNG_H

#include <stdint.h>

struct rng {
	uint64_t state;
};

static inline uint64_t rng_u64(struct rng *rng)
{
	uint64_t z = rng->state += UINT64_C(0x9e3779b97f4a7c15);

	z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
	z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
	return z ^ (z >> 31);
}

/* Below n, which is not 0 (Lemire's multiplication; its bias is below 2^-32 * n). */
static inline uint32_t rng_below(struct rng *rng, uint32_t n)
{
	return (uint32_t)(((rng_u64(rng) >> 32) * n) >> 32);
}

/* In [0, 1). */
static inline double rng_unit(struct rng *rng)
{
	return (double)(rng_u64(rng) >> 11) * 0x1p-53;
}

#endif
