/* SPDX-License-Identifier: MIT */
/*
 * rng.h - seeded random streams, the same on every host and in every release.
 *
 * xoshiro256** (Blackman and Vigna, public domain algorithm) seeded by
 * SplitMix64. Never used for anything but simulation and tests.
 */
#ifndef VMASIM_BASE_RNG_H
#define VMASIM_BASE_RNG_H

#include "base/types.h"

struct rng {
	u64 s[4];
};

/** rng_seed() - start stream number @stream of @seed; streams are independent. */
void rng_seed(struct rng *rng, u64 seed, u64 stream);

/** rng_next() - the next 64 random bits. */
u64 rng_next(struct rng *rng);

/** rng_below() - a value in [0, @bound), unbiased; @bound must not be 0. */
u64 rng_below(struct rng *rng, u64 bound);

#endif
