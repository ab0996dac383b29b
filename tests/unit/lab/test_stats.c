/* SPDX-License-Identifier: MIT */
/*
 * test_stats.c - statistics against values worked out by enumeration elsewhere.
 */
#include "lab/stats.h"

#include "base/rng.h"

#include <criterion/criterion.h>
#include <math.h>

Test(stats, summarises_as_the_textbook_does)
{
	static const double values[] = {3.5, 1.25, 9, 4, 7.75, 2}, one[] = {5};
	struct lab_stats stats;

	stats_summarise(values, 6, &stats);
	cr_assert_float_eq(stats.min, 1.25, 1e-12);
	cr_assert_float_eq(stats.max, 9, 1e-12);
	cr_assert_float_eq(stats.mean, 4.583333333333333, 1e-12);
	cr_assert_float_eq(stats.median, 3.75, 1e-12);
	cr_assert_float_eq(stats.stddev, 3.125166662222459, 1e-12);
	stats_summarise(values, 5, &stats);
	cr_assert_float_eq(stats.median, 4, 1e-12);
	stats_summarise(one, 1, &stats);
	cr_assert_float_eq(stats.median, 5, 0);
	cr_assert_float_eq(stats.stddev, 0, 0);
	stats_summarise(one, 0, &stats);
	cr_assert_eq(stats.nr, 0);
}

struct rank_case {
	unsigned nr_a, nr_b;
	double a[8], b[8];
	double p;
};

Test(stats, mann_whitney_is_exact_for_small_samples)
{
	static const struct rank_case cases[] = {
		{5, 5, {10.1, 10.4, 9.8, 10.0, 10.2}, {11.0, 11.3, 10.9, 11.2, 10.8}, 2.0 / 252},
		{5, 5, {1, 4, 6, 7, 9}, {2, 3, 5, 8, 10}, 1},
		{7, 6, {1, 2, 3, 4, 5, 6, 13}, {7, 8, 9, 10, 11, 12}, 60.0 / 1716},
		{3, 3, {1, 2, 3}, {4, 5, 6}, 2.0 / 20},
		{1, 1, {1}, {2}, 1},
		/* ties */
		{5, 6, {1, 2, 2, 3, 5}, {2, 4, 5, 6, 6, 7}, 31.0 / 462},
		{5, 5, {1, 1, 1, 1, 1}, {1, 1, 1, 1, 1}, 1},
		{3, 2, {10, 10, 11}, {10, 12}, 7.0 / 10},
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		const struct rank_case *c = &cases[i];

		cr_assert_float_eq(stats_mann_whitney(c->a, c->nr_a, c->b, c->nr_b), c->p, 1e-12,
				   "case %zu", i);
		cr_assert_float_eq(stats_mann_whitney(c->b, c->nr_b, c->a, c->nr_a), c->p, 1e-12,
				   "case %zu with sides changed", i);
	}
	cr_assert_float_eq(stats_mann_whitney(cases[0].a, 0, cases[0].b, 5), 1, 0);
}

/* How many of all ways to choose @nr_a of the 2n ranks lie as far out as @wanted. */
static double enumerate(const unsigned *doubled, unsigned nr, unsigned nr_a, unsigned wanted)
{
	unsigned all = 0, extreme = 0, mean = nr_a * (nr + 1);

	for (unsigned mask = 0; mask < 1u << nr; mask++) {
		unsigned sum = 0;

		if ((unsigned)__builtin_popcount(mask) != nr_a)
			continue;
		for (unsigned i = 0; i < nr; i++)
			sum += mask >> i & 1 ? doubled[i] : 0;
		all++;
		extreme += abs((int)sum - (int)mean) >= abs((int)wanted - (int)mean);
	}
	return (double)extreme / all;
}

/* Doubled mid-rank of @value by its definition: smaller ones twice, equal ones once, plus 1. */
static unsigned doubled_rank(const double *pooled, unsigned nr, double value)
{
	unsigned rank = 1;

	for (unsigned i = 0; i < nr; i++)
		rank += pooled[i] < value ? 2 : pooled[i] == value;
	return rank;
}

Test(stats, mann_whitney_agrees_with_enumeration_on_random_samples_with_ties)
{
	struct rng rng;

	rng_seed(&rng, 5, 0);
	for (unsigned round = 0; round < 60; round++) {
		unsigned nr_a = 2 + (unsigned)rng_below(&rng, 5);
		unsigned nr_b = 2 + (unsigned)rng_below(&rng, 5), nr = nr_a + nr_b;
		unsigned doubled[12], sum_a = 0;
		double pooled[12];

		for (unsigned i = 0; i < nr; i++)
			pooled[i] = (double)rng_below(&rng, 6);
		for (unsigned i = 0; i < nr; i++)
			doubled[i] = doubled_rank(pooled, nr, pooled[i]);
		for (unsigned i = 0; i < nr_a; i++)
			sum_a += doubled[i];
		cr_assert_float_eq(stats_mann_whitney(pooled, nr_a, pooled + nr_a, nr_b),
				   enumerate(doubled, nr, nr_a, sum_a), 1e-12, "round %u", round);
	}
}

Test(stats, mann_whitney_of_large_samples_is_the_corrected_normal_one)
{
	static const double left[5] = {1, 1, 2, 2, 3}, right[5] = {1, 2, 3, 3, 3};
	double a[40], b[40];

	for (unsigned i = 0; i < 40; i++) {
		a[i] = i + 1;
		b[i] = i + 6.5;
	}
	cr_assert_float_eq(stats_mann_whitney(a, 40, b, 40), 0.049090804709638, 1e-12);
	for (unsigned i = 0; i < 40; i++) {
		a[i] = left[i % 5];
		b[i] = right[i % 5];
	}
	cr_assert_float_eq(stats_mann_whitney(a, 40, b, 40), 0.0010628555771877895, 1e-12);
}

Test(stats, exact_and_normal_meet_where_one_hands_over_to_the_other)
{
	double a[31], b[31], exact, normal;

	for (unsigned i = 0; i < 31; i++) {
		a[i] = i;
		b[i] = i + 7.5;
	}
	exact = stats_mann_whitney(a, 30, b, 30);
	normal = stats_mann_whitney(a, 31, b, 31);
	cr_assert(exact < 0.05 && normal < 0.05);
	cr_assert_float_eq(exact, normal, 0.01);
}

Test(stats, the_ratio_interval_is_repeatable_and_holds_the_ratio)
{
	static const double base[] = {100, 102, 98, 101, 99}, test[] = {110, 113, 109, 111, 112};
	double low, high, low2, high2;

	stats_ratio_interval(base, 5, test, 5, &low, &high);
	stats_ratio_interval(base, 5, test, 5, &low2, &high2);
	cr_assert(low == low2 && high == high2);
	cr_assert(low < 1.11 && high > 1.11);
	cr_assert(low >= 109.0 / 102 && high <= 113.0 / 98);
	stats_ratio_interval(base, 5, base, 5, &low, &high);
	cr_assert(low < 1 && high > 1);
}

/*
 * Two samples of one distribution: the interval should miss 1 about once in twenty.
 * The percentile bootstrap of so few is known to be a little too narrow.
 */
Test(stats, the_ratio_interval_covers_what_it_claims)
{
	unsigned missed = 0, rounds = 200;
	struct rng rng;

	rng_seed(&rng, 11, 0);
	for (unsigned round = 0; round < rounds; round++) {
		double a[15], b[15], low, high;

		for (unsigned i = 0; i < 15; i++) {
			a[i] = 1000 + (double)rng_below(&rng, 100);
			b[i] = 1000 + (double)rng_below(&rng, 100);
		}
		stats_ratio_interval(a, 15, b, 15, &low, &high);
		missed += low > 1 || high < 1;
	}
	cr_assert(missed >= 1 && missed <= rounds / 8, "missed %u of %u", missed, rounds);
}
