/* SPDX-License-Identifier: MIT */
/*
 * test_rng.c - random streams are those of the published algorithm, and independent.
 */
#include "base/rng.h"

#include <criterion/criterion.h>

Test(rng, gives_the_published_sequence_of_xoshiro256ss)
{
	static const u64 wanted[] = {11520ull, 0ull, 1509978240ull, 1215971899390074240ull,
				     1216172134540287360ull, 607988272756665600ull,
				     16172922978634559625ull, 8476171486693032832ull,
				     10595114339597558777ull, 2904607092377533576ull};
	struct rng rng = {{1, 2, 3, 4}};

	for (size_t i = 0; i < ARRAY_SIZE(wanted); i++)
		cr_assert_eq(rng_next(&rng), wanted[i], "number %zu", i);
}

Test(rng, same_seed_and_stream_give_the_same_numbers_others_do_not)
{
	struct rng a, b, stream, seed;
	unsigned equal_stream = 0, equal_seed = 0;

	rng_seed(&a, 7, 3);
	rng_seed(&b, 7, 3);
	rng_seed(&stream, 7, 4);
	rng_seed(&seed, 8, 3);
	for (int i = 0; i < 1000; i++) {
		u64 x = rng_next(&a);

		cr_assert_eq(x, rng_next(&b));
		equal_stream += x == rng_next(&stream);
		equal_seed += x == rng_next(&seed);
	}
	cr_assert_eq(equal_stream, 0);
	cr_assert_eq(equal_seed, 0);
}

/* Chi-square with 6 degrees of freedom; 40 is passed by chance once in 2 million. */
Test(rng, below_fills_its_range_evenly)
{
	unsigned found[7] = {0};
	double chi = 0;
	struct rng rng;

	rng_seed(&rng, 1, 0);
	for (int i = 0; i < 70000; i++) {
		u64 x = rng_below(&rng, 7);

		cr_assert_lt(x, 7);
		found[x]++;
	}
	for (int i = 0; i < 7; i++)
		chi += (found[i] - 10000.0) * (found[i] - 10000.0) / 10000.0;
	cr_assert_lt(chi, 40);
	cr_assert_eq(rng_below(&rng, 1), 0);
}
