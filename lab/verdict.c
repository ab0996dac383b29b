/* SPDX-License-Identifier: MIT */
/*
 * verdict.c - see verdict.h.
 */
#include "lab/verdict.h"

#include "lab/stats.h"

#include <math.h>
#include <string.h>

#define SIGNIFICANT 0.05

const char *const lab_verdict_names[4] = {"better", "worse", "same", "inconclusive"};

static double median_of(const double *values, unsigned nr)
{
	double sorted[LAB_MAX_RUNS];

	memcpy(sorted, values, nr * sizeof(*values));
	stats_sort(sorted, nr);
	return stats_median(sorted, nr);
}

/*
 * The interval narrows with the square root of the runs. It decides when its half
 * width fits between the change and the nearer bound: the threshold for a small
 * change ("same"), no change at all for a large one ("better", "worse").
 */
static unsigned estimate_runs(const struct lab_judgement *j, double threshold, unsigned nr)
{
	double half = (j->high - j->low) / 2;
	double room = fabs(j->change) < threshold ? threshold - fabs(j->change) : fabs(j->change);
	double wanted;

	if (!(room > 0) || !isfinite(half))
		return 0;
	wanted = ceil(nr * (half / room) * (half / room));
	if (wanted > LAB_MAX_RUNS)
		return 0;
	return max((unsigned)wanted, nr + 1);
}

void verdict_judge(const double *base, unsigned nr_base, const double *test, unsigned nr_test,
		   double threshold, struct lab_judgement *out)
{
	double middle = nr_base ? median_of(base, nr_base) : 0;

	*out = (struct lab_judgement){.verdict = VERDICT_INCONCLUSIVE, .p = 1, .low = 1, .high = 1};
	out->runs_needed = LAB_VERDICT_RUNS;
	if (!(middle > 0) || !nr_test)
		return;
	out->change = median_of(test, nr_test) / middle - 1;
	out->p = stats_mann_whitney(base, nr_base, test, nr_test);
	stats_ratio_interval(base, nr_base, test, nr_test, &out->low, &out->high);
	if (min(nr_base, nr_test) < LAB_VERDICT_RUNS)
		return;
	out->runs_needed = 0;
	if (out->p < SIGNIFICANT && fabs(out->change) >= threshold)
		out->verdict = out->change > 0 ? VERDICT_BETTER : VERDICT_WORSE;
	else if (out->low >= 1 - threshold && out->high <= 1 + threshold)
		out->verdict = VERDICT_SAME;
	else
		out->runs_needed = estimate_runs(out, threshold, min(nr_base, nr_test));
}
