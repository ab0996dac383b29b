/* SPDX-License-Identifier: MIT */
/*
 * rng.c - xoshiro256** and SplitMix64, written from their published description.
 */
#include "base/rng.h"

static u64 splitmix(u64 *state)
{
	u64 z = *state += 0x9e3779b97f4a7c15ull;

	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ull;
	z = (z ^ (z >> 27)) * 0x94d049bb133111ebull;
	return z ^ (z >> 31);
}

static u64 rotl(u64 x, int k)
{
	return (x << k) | (x >> (64 - k));
}

void rng_seed(struct rng *rng, u64 seed, u64 stream)
{
	u64 state = seed;

	state = splitmix(&state) ^ (stream * 0xd1342543de82ef95ull + 1);
	for (unsigned i = 0; i < ARRAY_SIZE(rng->s); i++)
		rng->s[i] = splitmix(&state);
}

u64 rng_next(struct rng *rng)
{
	u64 *s = rng->s;
	u64 result = rotl(s[1] * 5, 7) * 9;
	u64 t = s[1] << 17;

	s[2] ^= s[0];
	s[3] ^= s[1];
	s[1] ^= s[2];
	s[0] ^= s[3];
	s[2] ^= t;
	s[3] = rotl(s[3], 45);
	return result;
}

u64 rng_below(struct rng *rng, u64 bound)
{
	u64 reject_under = -bound % bound;
	u64 x;

	do {
		x = rng_next(rng);
	} while (x < reject_under);
	return x % bound;
}
