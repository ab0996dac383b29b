/* SPDX-License-Identifier: MIT */
/*
 * stats.c - see stats.h.
 *
 * Samples are at most LAB_MAX_RUNS long, so work arrays have that fixed size.
 */
#include "lab/stats.h"

#include "base/check.h"
#include "base/rng.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define BOOTSTRAP_ROUNDS 10000
#define BOOTSTRAP_SEED	 20250915

static int compare_doubles(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

void stats_sort(double *values, unsigned nr)
{
	qsort(values, nr, sizeof(*values), compare_doubles);
}

double stats_median(const double *sorted, unsigned nr)
{
	return nr % 2 ? sorted[nr / 2] : (sorted[nr / 2 - 1] + sorted[nr / 2]) / 2;
}

static double sample_stddev(const double *values, unsigned nr, double mean)
{
	double squares = 0;

	if (nr < 2)
		return 0;
	for (unsigned i = 0; i < nr; i++)
		squares += (values[i] - mean) * (values[i] - mean);
	return sqrt(squares / (nr - 1));
}

void stats_summarise(const double *values, unsigned nr, struct lab_stats *stats)
{
	double sorted[LAB_MAX_RUNS], sum = 0;

	vm_assert(nr <= LAB_MAX_RUNS);
	*stats = (struct lab_stats){.nr = nr};
	if (!nr)
		return;
	memcpy(sorted, values, nr * sizeof(*values));
	stats_sort(sorted, nr);
	for (unsigned i = 0; i < nr; i++)
		sum += sorted[i];
	stats->min = sorted[0];
	stats->max = sorted[nr - 1];
	stats->mean = sum / nr;
	stats->median = stats_median(sorted, nr);
	stats->stddev = sample_stddev(values, nr, stats->mean);
}

/* ---- Mann-Whitney ----------------------------------------------------------- */

/* Pooled values as doubled mid-ranks, so that ties stay whole numbers. */
struct ranks {
	unsigned nr;
	unsigned doubled[2 * LAB_MAX_RUNS]; /* in ascending order of the values */
	u64 sum_a;			    /* doubled rank sum of the first sample */
	double ties;			    /* sum of t^3 - t over groups of equal values */
};

static unsigned count_equal(const double *values, unsigned nr, double value)
{
	unsigned found = 0;

	for (unsigned i = 0; i < nr; i++)
		found += values[i] == value;
	return found;
}

static void rank_pooled(struct ranks *ranks, const double *a, unsigned nr_a, const double *b,
			unsigned nr_b)
{
	double pooled[2 * LAB_MAX_RUNS];

	memcpy(pooled, a, nr_a * sizeof(*a));
	memcpy(pooled + nr_a, b, nr_b * sizeof(*b));
	ranks->nr = nr_a + nr_b;
	ranks->sum_a = 0;
	ranks->ties = 0;
	stats_sort(pooled, ranks->nr);
	for (unsigned first = 0, next; first < ranks->nr; first = next) {
		double group;

		for (next = first + 1; next < ranks->nr && pooled[next] == pooled[first];)
			next++;
		for (unsigned i = first; i < next; i++)
			ranks->doubled[i] = first + 1 + next; /* twice the mean of first+1..next */
		ranks->sum_a += (u64)(first + 1 + next) * count_equal(a, nr_a, pooled[first]);
		group = next - first;
		ranks->ties += group * group * group - group;
	}
}

/*
 * ways[k][s]: in how many ways k of the ranks seen so far sum to s. Counts stay
 * below C(60, 30) = 1.2e17 and their relative error below 1e-14.
 */
static double exact_p(const struct ranks *ranks, unsigned nr_a)
{
	unsigned top = ranks->nr * (ranks->nr + 1), width = top + 1;
	double *ways = calloc((size_t)(nr_a + 1) * width, sizeof(*ways));
	double total = 0, extreme = 0;
	long mean = (long)nr_a * (ranks->nr + 1), distance = labs((long)ranks->sum_a - mean);

	vm_assert(ways);
	ways[0] = 1;
	for (unsigned i = 0; i < ranks->nr; i++)
		for (unsigned k = min(i + 1, nr_a); k >= 1; k--)
			for (unsigned s = ranks->doubled[i]; s <= top; s++)
				ways[k * width + s] +=
					ways[(k - 1) * width + s - ranks->doubled[i]];
	for (unsigned s = 0; s <= top; s++) {
		total += ways[nr_a * width + s];
		if (labs((long)s - mean) >= distance)
			extreme += ways[nr_a * width + s];
	}
	free(ways);
	return extreme / total;
}

static double normal_p(const struct ranks *ranks, unsigned nr_a)
{
	double n = ranks->nr, nr_b = n - nr_a;
	double mean = nr_a * (n + 1) / 2;
	double variance = nr_a * nr_b / 12 * (n + 1 - ranks->ties / (n * (n - 1)));
	double distance = fabs((double)ranks->sum_a / 2 - mean) - 0.5;

	if (variance <= 0 || distance <= 0)
		return 1;
	return erfc(distance / sqrt(2 * variance));
}

double stats_mann_whitney(const double *a, unsigned nr_a, const double *b, unsigned nr_b)
{
	struct ranks ranks;

	vm_assert(nr_a <= LAB_MAX_RUNS && nr_b <= LAB_MAX_RUNS);
	if (!nr_a || !nr_b)
		return 1;
	rank_pooled(&ranks, a, nr_a, b, nr_b);
	return ranks.nr <= STATS_MAX_EXACT ? exact_p(&ranks, nr_a) : normal_p(&ranks, nr_a);
}

/* ---- Bootstrap --------------------------------------------------------------- */

static double resampled_median(struct rng *rng, const double *values, unsigned nr)
{
	double sample[LAB_MAX_RUNS];

	for (unsigned i = 0; i < nr; i++)
		sample[i] = values[rng_below(rng, nr)];
	stats_sort(sample, nr);
	return stats_median(sample, nr);
}

void stats_ratio_interval(const double *base, unsigned nr_base, const double *test,
			  unsigned nr_test, double *low, double *high)
{
	/* Many runs need fewer rounds for the same digits; the work stays bounded. */
	unsigned rounds = nr_base + nr_test > 200 ? BOOTSTRAP_ROUNDS / 10 : BOOTSTRAP_ROUNDS;
	double ratios[BOOTSTRAP_ROUNDS];
	struct rng rng;

	rng_seed(&rng, BOOTSTRAP_SEED, 0);
	for (unsigned i = 0; i < rounds; i++) {
		double below = resampled_median(&rng, base, nr_base);

		ratios[i] = resampled_median(&rng, test, nr_test);
		ratios[i] = below > 0 ? ratios[i] / below : INFINITY;
	}
	stats_sort(ratios, rounds);
	*low = ratios[rounds / 40];
	*high = ratios[rounds - 1 - rounds / 40];
}
